//! What an estimator asks of the sample, and which designs there are.

use serde::{Deserialize, Serialize};

use super::design::DesignRules;
use super::staggered::Staggered;
use super::triple::Triple;
use super::two_periods::TwoPeriods;
use crate::base::options::ControlGroup;

/// What an estimator asks of the sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SampleOptions {
    pub design: StudyDesign,
    pub repeated_cross_sections: bool,
    pub allow_unbalanced: bool,
    /// Whether it matters which units are observed in both of two periods.
    pub pairs: bool,
    /// Whether the units' labels are kept.
    pub labels: bool,
}

/// The design of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StudyDesign {
    Staggered(Staggered),
    TwoPeriods(TwoPeriods),
    Triple(Triple),
}

impl StudyDesign {
    /// The design's own answers.
    pub(in crate::read::panel) fn own(&self) -> &dyn DesignRules {
        match self {
            Self::Staggered(design) => design,
            Self::TwoPeriods(design) => design,
            Self::Triple(design) => design,
        }
    }

    /// Units that are compared with the treated ones.
    pub fn control_group(&self) -> ControlGroup {
        self.own().control_group()
    }

    /// Periods before their treatment in which units may respond to it already.
    pub fn anticipation(&self) -> u32 {
        self.own().anticipation()
    }
}
