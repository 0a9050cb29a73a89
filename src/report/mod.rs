//! Tables and plots of results.

mod compare;
mod display;
mod foot;
mod frame;
mod number;
#[cfg(feature = "plot")]
mod plot;
mod plot_data;
#[cfg(test)]
mod sample;
mod table;
mod two_periods;

pub use compare::{Comparable, Term, compare};
#[cfg(feature = "plot")]
pub use plot::{Colour, PlotOptions};
pub use plot_data::PlotRow;
pub use table::{Align, Section, Table};

use serde::{Deserialize, Serialize};

use crate::calendar::{Frequency, shown};
use crate::options::{BasePeriod, ControlGroup, EstimationMethod, Inference};
use crate::panel::Layout;

/// How a fit was made, for the foot of tables and the JSON of results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Settings {
    /// Estimator: `att_gt`, `drdid` or `ddd`.
    pub estimator: String,
    /// Backend's name: `ndarray`, `cuda`, `wgpu`, …
    pub backend: String,
    /// Floating-point type of the device: `f64` or `f32`.
    pub precision: String,
    /// Outcome column.
    pub outcome: String,
    /// Covariate formula as given, or `~ 1`.
    pub covariates: String,
    /// Weights column.
    pub weights: Option<String>,
    /// Cluster column.
    pub cluster: Option<String>,
    /// Eligibility column of triple differences.
    #[serde(default)]
    pub eligible: Option<String>,
    /// Comparison units.
    pub control_group: ControlGroup,
    /// Base period.
    pub base_period: BasePeriod,
    /// Two-by-two estimator; `None` for a user-supplied one, and for `drdid`, which has estimators of its own.
    pub method: Option<EstimationMethod>,
    /// Periods of anticipation.
    pub anticipation: u32,
    /// What a period is, if periods and groups are dates.
    #[serde(default)]
    pub frequency: Option<Frequency>,
    /// Layout of the sample: `balanced panel`, `unbalanced panel` or `repeated cross sections`.
    pub layout: String,
    /// Units (rows, for repeated cross sections).
    pub n_units: usize,
    /// Rows used.
    pub n_rows: usize,
    /// Clusters, if standard errors are clustered.
    pub n_clusters: Option<usize>,
    /// Options of inference.
    pub inference: Inference,
}

impl Settings {
    /// A period or group as people read it: `2007-03` for a month, if they are dates, else a number.
    #[must_use]
    pub fn period(&self, period: f64) -> String {
        shown(period, self.frequency)
    }

    /// Whether every row is a unit of its own.
    pub(crate) fn rows_are_units(&self) -> bool {
        self.layout == Layout::RepeatedCrossSections.name()
    }
}
