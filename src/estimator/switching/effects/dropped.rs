//! What the rules left out.

use serde::{Deserialize, Serialize};

/// What the rules for treatments that switch left out, in the order in which they are applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Dropped {
    /// Rows averaged with others of their group and period.
    pub rows_averaged: usize,
    /// Groups without any outcome, or without any treatment.
    pub groups_empty: usize,
    /// Groups whose treatment was both above and below its first value; their cells from then on are dropped.
    pub groups_bidirectional: usize,
    /// Those cells.
    pub cells_bidirectional: usize,
    /// Groups that may only be compared with groups that all switch in the same period, or that none of switches.
    pub groups_without_variation: usize,
    /// Cells of periods in which no group is left that has not switched.
    pub cells_without_controls: usize,
    /// Outcomes from a treatment on that is missing before the first switch, if they are not wanted.
    pub outcomes_after_missing_treatment: usize,
    /// Outcomes before the first known treatment.
    pub outcomes_before_treatment: usize,
    /// Groups whose treatment is missing right before it is seen changed, so that it is not known when they switched. They are
    /// controls until then.
    pub groups_of_unknown_switch: usize,
    /// Their outcomes from then on.
    pub outcomes_of_unknown_switch: usize,
    /// Outcomes after the last known treatment of groups that never switch.
    pub outcomes_after_treatment: usize,
    /// Missing treatments that were taken to be as those around them.
    pub treatments_filled: usize,
    /// Groups that switch in the second period, and so have no linear trend of their own.
    pub groups_without_trend: usize,
    /// Groups whose average treatment after the first switch equals their treatment in the first period.
    pub groups_without_direction: usize,
    /// Groups of a first treatment for which the coefficients of controls cannot be estimated.
    pub groups_without_residuals: usize,
}
