//! Two groups and two periods: an indicator says who is treated, and treatment starts in the second period.

use serde::{Deserialize, Serialize};

use super::design::{DesignRules, LastCohort};
use super::sizes::CohortSizes;
use crate::base::error::{DidError, Result};
use crate::base::options::ControlGroup;

/// Units that are treated or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TwoPeriods;

impl DesignRules for TwoPeriods {
    fn control_group(&self) -> ControlGroup {
        ControlGroup::NeverTreated
    }

    fn has_dated_groups(&self) -> bool {
        false
    }

    fn starts_in_second(&self, periods: usize, _treated: usize) -> Result<bool> {
        if periods > 2 { Err(DidError::TooManyPeriods { periods }) } else { Ok(true) }
    }

    fn last_cohort(&self, _two_periods: bool) -> Result<LastCohort> {
        let problem = "the treatment is 1 in every row, so that nobody is left to compare with; add rows of untreated units";
        Err(DidError::Panel { problem: problem.into() })
    }

    fn check_sizes(&self, sizes: &CohortSizes<'_>, _two_periods: bool) -> Result<()> {
        sizes.check_two_groups()
    }
}
