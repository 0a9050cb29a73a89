//! What each design of a study decides for itself about groups, periods and comparison units.

use super::sizes::CohortSizes;
use crate::base::error::Result;
use crate::base::options::ControlGroup;

/// The answers in which designs differ.
pub(in crate::read::panel) trait DesignRules {
    /// Units that are compared with the treated ones.
    fn control_group(&self) -> ControlGroup;

    /// Periods before their treatment in which units may respond to it already.
    fn anticipation(&self) -> u32 {
        0
    }

    /// Whether values of the group column are instants, which can be periods but for rounding.
    fn has_dated_groups(&self) -> bool {
        true
    }

    /// Whether treatment starts in the second of two periods, whatever the values of the `treated` groups that have one.
    ///
    /// # Errors
    /// [`DidError::TooManyPeriods`](crate::DidError::TooManyPeriods) if the design has two periods only.
    fn starts_in_second(&self, periods: usize, treated: usize) -> Result<bool>;

    /// What the last cohort is if all units are treated at some time; `two_periods` says what
    /// [`starts_in_second`](Self::starts_in_second) did.
    ///
    /// # Errors
    /// [`DidError::NoNeverTreated`](crate::DidError::NoNeverTreated) if nothing can take the place of the never treated.
    fn last_cohort(&self, two_periods: bool) -> Result<LastCohort>;

    /// Whether the groups compared are large enough.
    ///
    /// # Errors
    /// [`DidError::SmallNeverTreated`](crate::DidError::SmallNeverTreated) or
    /// [`DidError::SmallGroup`](crate::DidError::SmallGroup).
    fn check_sizes(&self, sizes: &CohortSizes<'_>, two_periods: bool) -> Result<()>;
}

/// What the last cohort is in a sample without never-treated units. It is compared up to its treatment in either case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::read::panel) enum LastCohort {
    /// Taken as never treated.
    NeverTreated,
    /// A treated cohort that is not estimated.
    NotYetTreated,
}
