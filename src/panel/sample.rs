//! The estimation sample: what planning needs, and the data of each stratum.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::calendar::Calendar;
use crate::error::{DidError, DidWarning, Result};
use crate::pass::Weight;

use super::audit::SampleAudit;
use super::counts::Pairs;
use super::spill::Spill;

/// How rows form observations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Layout {
    /// Every unit in every period; strata are cohorts.
    #[serde(rename = "balanced panel")]
    Balanced,
    /// Units missing in some periods, with weight 0 there; strata are cohorts.
    #[serde(rename = "unbalanced panel")]
    Unbalanced,
    /// Every row is a unit; strata are pairs of cohort and period.
    #[serde(rename = "repeated cross sections")]
    RepeatedCrossSections,
}

impl Layout {
    /// What people and saved results call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Balanced => "balanced panel",
            Self::Unbalanced => "unbalanced panel",
            Self::RepeatedCrossSections => "repeated cross sections",
        }
    }
}

/// Units that share a first treated period and, in triple differences, eligibility.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) struct Cohort {
    /// First treated period, +inf if never treated.
    pub group: f64,
    /// Whether the treatment applies to its units; true for all but triple differences.
    pub eligible: bool,
}

/// The design matrix, in conditioned coordinates.
#[derive(Clone, Debug)]
pub(crate) struct DesignInfo {
    /// Names of the `k` columns; the first is the constant, even if the formula has none.
    pub names: Vec<String>,
    /// Whether the constant is part of the design.
    pub intercept: bool,
    /// Versions of the covariates: 1, or one for each period.
    pub versions: usize,
    /// `[k, k]`, row-major: the raw design is the conditioned one times this matrix.
    pub transform: Vec<f64>,
}

impl DesignInfo {
    /// Number of columns, the constant included.
    pub fn k(&self) -> usize {
        self.names.len()
    }

    /// Whether the design is the constant alone.
    pub fn is_constant(&self) -> bool {
        self.k() == 1
    }
}

/// Where sampling weights are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WeightLayout {
    /// All equal.
    Constant,
    /// One column, the same in every period.
    Invariant,
    /// One column for each period.
    Varying,
}

/// Everything about the sample but the data.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub layout: Layout,
    /// Periods, ascending.
    pub periods: Vec<f64>,
    /// How periods are counted and shown.
    pub calendar: Calendar,
    /// Whether these are two periods of which treatment starts in the second, whatever the group column's values.
    pub two_periods: bool,
    /// Cohorts, ascending, never treated (+inf) last.
    pub cohorts: Vec<Cohort>,
    /// Groups that are estimated, as positions of their cohorts.
    pub groups: Vec<Range<usize>>,
    /// Rows observed, `[cohort][period]`.
    pub counts: Vec<Vec<usize>>,
    /// Units observed in both of two periods; of unbalanced panels whose cells ask for it.
    pub pairs: Option<Pairs>,
    /// Independent observations: units, or rows of repeated cross sections.
    pub n: usize,
    pub design: DesignInfo,
    pub weights: WeightLayout,
    /// Weight columns `W` of a chunk.
    pub weight_columns: usize,
    /// Weight columns before the presence columns of an unbalanced panel.
    pub presence: Option<usize>,
    /// The unit's weight in group shares.
    pub omega: Weight,
    /// `(1/n) Σ ω` of each cohort.
    pub shares: Vec<f64>,
    /// What was subtracted from each outcome column of each stratum, in units of the conditioned outcomes.
    pub offsets: Vec<Vec<f64>>,
    pub n_clusters: Option<usize>,
    /// Labels of the units by canonical rank; `None` if rows have none or they are not kept.
    pub labels: Option<Vec<String>>,
    /// Factor by which outcomes were divided.
    pub y_scale: f64,
    pub audit: SampleAudit,
    pub warnings: Vec<DidWarning>,
}

impl Sample {
    /// First treated period of an estimated group.
    pub fn group(&self, cohorts: &Range<usize>) -> f64 {
        self.cohorts[cohorts.start].group
    }

    /// Stratum of a cohort in a period (any period, for panels).
    pub fn stratum(&self, cohort: usize, period: usize) -> usize {
        match self.layout {
            Layout::RepeatedCrossSections => cohort * self.periods.len() + period,
            Layout::Balanced | Layout::Unbalanced => cohort,
        }
    }

    pub fn n_strata(&self) -> usize {
        match self.layout {
            Layout::RepeatedCrossSections => self.cohorts.len() * self.periods.len(),
            Layout::Balanced | Layout::Unbalanced => self.cohorts.len(),
        }
    }
}

/// Data of one stratum, rows in canonical order. Shapes as in [`Chunk`](crate::pass::Chunk).
#[derive(Clone, Debug, Default)]
pub(crate) struct StratumData {
    pub rows: usize,
    pub y: Vec<f64>,
    pub x: Vec<f64>,
    pub w: Vec<f64>,
    pub rank: Vec<u64>,
    pub cluster: Vec<u32>,
}

/// The data of all strata.
#[derive(Debug)]
pub(crate) enum Strata {
    Resident(Vec<StratumData>),
    Spilled(Box<Spill>),
}

/// The estimation sample, as it was read until it is conditioned.
#[derive(Debug)]
pub(crate) struct Panel {
    pub sample: Sample,
    pub strata: Strata,
}

impl Panel {
    /// The strata in memory.
    ///
    /// # Errors
    /// [`DidError::Engine`] if they are in a file.
    pub fn resident(&self) -> Result<&[StratumData]> {
        match &self.strata {
            Strata::Resident(strata) => Ok(strata),
            Strata::Spilled(_) => {
                let problem = "rows that are wanted in memory are in a file";
                Err(DidError::Engine { problem: problem.into() })
            }
        }
    }
}
