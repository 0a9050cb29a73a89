//! Triple differences: eligible and ineligible units of groups, in two periods or staggered.

use serde::{Deserialize, Serialize};

use super::design::{DesignRules, LastCohort};
use super::sizes::CohortSizes;
use crate::base::error::{DidError, Result};
use crate::base::options::ControlGroup;

/// Groups by their first treated period; treated or not, if there are two periods and one group with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Triple {
    pub control_group: ControlGroup,
}

impl DesignRules for Triple {
    fn control_group(&self) -> ControlGroup {
        self.control_group
    }

    fn starts_in_second(&self, periods: usize, treated: usize) -> Result<bool> {
        Ok(periods == 2 && treated == 1)
    }

    fn last_cohort(&self, two_periods: bool) -> Result<LastCohort> {
        match (self.control_group, two_periods) {
            (ControlGroup::NotYetTreated, false) => Ok(LastCohort::NotYetTreated),
            _ => Err(DidError::NoNeverTreated),
        }
    }

    fn check_sizes(&self, sizes: &CohortSizes<'_>, two_periods: bool) -> Result<()> {
        match (two_periods, self.control_group) {
            (true, _) => sizes.check_subgroups(),
            (false, ControlGroup::NeverTreated) => sizes.check_never_treated(sizes.observed),
            (false, ControlGroup::NotYetTreated) => Ok(()),
        }
    }
}
