//! Whether the groups that are compared are large enough for the covariates.

use crate::base::error::{DidError, Result};
use crate::read::panel::strata::Cohort;

/// Units below which a subgroup of a triple difference is too small, as in R `triplediff`.
const SMALLEST_SUBGROUP: usize = 5;

/// Rows a period below which R `did` calls a cohort small.
pub(crate) fn smallest_cohort(covariates: usize) -> usize {
    covariates + 5
}

/// Cohorts and how large they are.
pub(in crate::read::panel) struct CohortSizes<'a> {
    pub cohorts: &'a [Cohort],
    /// Average rows a period, as R `did` counts.
    pub rows: &'a [f64],
    /// Units, or rows that are units of their own, as R `triplediff` counts.
    pub observed: &'a [f64],
    /// What a group should have.
    pub required: usize,
}

impl CohortSizes<'_> {
    /// The size of some of the cohorts together.
    fn of(&self, sizes: &[f64], keep: impl Fn(&Cohort) -> bool) -> f64 {
        self.cohorts.iter().zip(sizes).filter(|(c, _)| keep(c)).map(|(_, size)| size).sum()
    }

    /// The never-treated group must be large enough, by these sizes, if it is the only comparison.
    pub fn check_never_treated(&self, sizes: &[f64]) -> Result<()> {
        let (size, required) = (self.of(sizes, |c| c.group.is_infinite()), self.required);
        if size < required as f64 {
            return Err(DidError::SmallNeverTreated { size: size as usize, required });
        }
        Ok(())
    }

    /// Both groups of a two-period comparison must be large enough, as in R `DRDID`.
    pub fn check_two_groups(&self) -> Result<()> {
        check("treated", self.of(self.rows, |c| c.group.is_finite()), self.required)?;
        check("comparison", self.of(self.rows, |c| c.group.is_infinite()), self.required)
    }

    /// Eligible and ineligible units of both groups must be enough for a standard error, as in R `triplediff`.
    pub fn check_subgroups(&self) -> Result<()> {
        for (group, treated, eligible) in [
            ("treated and eligible", true, true),
            ("treated and ineligible", true, false),
            ("untreated and eligible", false, true),
            ("untreated and ineligible", false, false),
        ] {
            let in_subgroup = |c: &Cohort| c.group.is_finite() == treated && c.eligible == eligible;
            check(group, self.of(self.observed, in_subgroup), SMALLEST_SUBGROUP)?;
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
