//! What is estimated, and by which rules.

use crate::base::words::words;

words! {
    /// Whether a group's treatment rises or falls.
    #[derive(PartialOrd, Ord)]
    pub enum Direction: "switchers" {
        /// The average treatment after the first switch is above the status quo.
        In = "in",
        /// It is below.
        Out = "out",
    }
}

impl Direction {
    /// 1 for switchers in and −1 for switchers out.
    pub(crate) fn sign(self) -> f64 {
        match self {
            Self::In => 1.0,
            Self::Out => -1.0,
        }
    }
}

/// The options that the mathematics depend on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SwitchingOptions {
    pub effects: usize,
    pub placebos: usize,
    pub normalized: bool,
    /// The switchers to estimate effects of, or all.
    pub direction: Option<Direction>,
    pub only_never_switchers: bool,
    pub same_switchers: bool,
    pub same_switchers_placebo: bool,
    pub linear_trends: bool,
    /// Degree of the polynomial in the status quo treatment; 0 for treatments of few values.
    pub continuous: usize,
    pub less_conservative: bool,
    /// Does not scale the influence of the controls' coefficients by the total weight over the weight of their status quo treatment.
    pub separate_control_variance: bool,
    pub keep_bidirectional: bool,
    pub drop_if_treatment_missing: bool,
}
