//! Whether the groups that are compared are large enough for the covariates.

use crate::error::{DidError, Result};
use crate::panel::strata::Cohort;

/// Units below which a subgroup of a triple difference is too small, as in R `triplediff`.
const SMALLEST_SUBGROUP: usize = 5;

/// Rows a period below which R `did` calls a cohort small.
pub(in crate::panel) fn smallest_cohort(covariates: usize) -> usize {
    covariates + 5
}

/// Cohorts and their average rows a period.
pub(in crate::panel) struct CohortSizes<'a> {
    pub cohorts: &'a [Cohort],
    pub rows: &'a [f64],
    /// Rows that a group should have.
    pub required: usize,
}

impl CohortSizes<'_> {
    /// Rows a period of some of the cohorts.
    fn of(&self, keep: impl Fn(&Cohort) -> bool) -> f64 {
        self.cohorts.iter().zip(self.rows).filter(|(c, _)| keep(c)).map(|(_, rows)| rows).sum()
    }

    /// The never-treated group must be large enough if it is the only comparison.
    pub fn check_never_treated(&self) -> Result<()> {
        let (size, required) = (self.of(|c| c.group.is_infinite()), self.required);
        if size < required as f64 {
            return Err(DidError::SmallNeverTreated { size: size as usize, required });
        }
        Ok(())
    }

    /// Both groups of a two-period comparison must be large enough, as in R `DRDID`.
    pub fn check_two_groups(&self) -> Result<()> {
        check("treated", self.of(|c| c.group.is_finite()), self.required)?;
        check("comparison", self.of(|c| c.group.is_infinite()), self.required)
    }

    /// Eligible and ineligible units of both groups must be enough for a standard error, as in R `triplediff`.
    pub fn check_subgroups(&self) -> Result<()> {
        for (group, treated, eligible) in [
            ("treated and eligible", true, true),
            ("treated and ineligible", true, false),
            ("untreated and eligible", false, true),
            ("untreated and ineligible", false, false),
        ] {
            let size = self.of(|c| c.group.is_finite() == treated && c.eligible == eligible);
            check(group, size, SMALLEST_SUBGROUP)?;
        }
        Ok(())
    }
}

fn check(group: &'static str, size: f64, required: usize) -> Result<()> {
    if size < required as f64 {
        return Err(DidError::SmallGroup { group, size: size as usize, required });
    }
    Ok(())
}
