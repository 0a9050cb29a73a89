//! Staggered adoption: groups are first treated in different periods.

use serde::{Deserialize, Serialize};

use super::design::{DesignRules, LastCohort};
use super::sizes::CohortSizes;
use crate::base::error::Result;
use crate::base::options::ControlGroup;

/// Groups by their first treated period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Staggered {
    pub control_group: ControlGroup,
    pub anticipation: u32,
}

impl DesignRules for Staggered {
    fn control_group(&self) -> ControlGroup {
        self.control_group
    }

    fn anticipation(&self) -> u32 {
        self.anticipation
    }

    fn starts_in_second(&self, _periods: usize, _treated: usize) -> Result<bool> {
        Ok(false)
    }

    fn last_cohort(&self, _two_periods: bool) -> Result<LastCohort> {
        Ok(match self.control_group {
            ControlGroup::NeverTreated => LastCohort::NeverTreated,
            ControlGroup::NotYetTreated => LastCohort::NotYetTreated,
        })
    }

    fn check_sizes(&self, sizes: &CohortSizes<'_>, _two_periods: bool) -> Result<()> {
        match self.control_group {
            ControlGroup::NeverTreated => sizes.check_never_treated(sizes.rows),
            ControlGroup::NotYetTreated => Ok(()),
        }
    }
}
