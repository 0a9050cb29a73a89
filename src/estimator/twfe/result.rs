//! Results of the diagnostics of two-way fixed effects.

use serde::{Deserialize, Serialize};

use super::comparisons::ComparisonKind;
use super::options::{TwfeCells, TwfeRegression};
use crate::base::error::DidWarning;
use crate::read::columns::ReadAsMissing;
use crate::result::inference::Estimate;
use crate::result::sample::{RowsRead, SampleColumns};

/// What was read, and as what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TwfeSettings {
    /// Outcome, period column, weights column, and what a period is.
    #[serde(flatten)]
    pub columns: SampleColumns,
    /// Unit column.
    pub unit: String,
    /// Group column.
    pub group: String,
    /// Cluster column; none if clusters are the units.
    pub cluster: Option<String>,
    /// Controls.
    pub covariates: Vec<String>,
    /// Files and rows that were read.
    #[serde(flatten)]
    pub read: RowsRead,
    /// What was read as missing.
    pub read_as_missing: Vec<ReadAsMissing>,
    /// Units with a complete row.
    pub n_units: usize,
    /// Periods with a complete row.
    pub n_periods: usize,
}

/// The decomposition of Goodman-Bacon of a two-way coefficient.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BaconResult {
    /// What was read.
    pub settings: TwfeSettings,
    /// One minus the confidence level.
    pub alpha: f64,
    /// The coefficient of the treatment with effects of units and periods, in units of the outcome, with its standard error by cluster.
    pub coefficient: Estimate,
    /// Clusters; units without a cluster column.
    pub n_clusters: usize,
    /// Weight and average of each kind of comparison.
    pub sums: Vec<BaconSum>,
    /// All comparisons, by treated cohort and then by the start of the control's treatment.
    pub comparisons: Vec<BaconComparison>,
    /// With controls, what differences within cohorts add to the coefficient.
    #[serde(default)]
    pub within: Option<BaconWithin>,
    /// What else should be known.
    pub warnings: Vec<DidWarning>,
}

/// Differences between units of a cohort, which controls bring into the coefficient.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BaconWithin {
    /// Their weight in the coefficient, between 0 and 1; the comparisons have the rest.
    #[doc(alias = "Omega")]
    pub weight: f64,
    /// Their coefficient, in units of the outcome; `None` without a weight.
    #[doc(alias = "beta_hat_w")]
    pub estimate: Option<f64>,
}

/// A two-by-two comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BaconComparison {
    /// First treated period of the treated cohort.
    pub treated: f64,
    /// First treated period of the control; `None` if it is never treated in the sample, and the first period if it always is.
    #[doc(alias = "untreated")]
    pub control: Option<f64>,
    /// Who is compared with whom.
    pub kind: ComparisonKind,
    /// Units of the treated cohort.
    pub n_treated: usize,
    /// Units of the control.
    pub n_control: usize,
    /// Difference in differences, in units of the outcome.
    pub estimate: f64,
    /// Its weight among all comparisons, which add up to 1.
    pub weight: f64,
}

/// All comparisons of a kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BaconSum {
    /// The kind.
    pub kind: ComparisonKind,
    /// How many there are.
    pub comparisons: usize,
    /// Sum of their weights.
    pub weight: f64,
    /// Their weighted average.
    pub estimate: f64,
}

/// The weights of a two-way coefficient on effects by group and period.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TwfeWeightsResult {
    /// What was read.
    pub settings: TwfeSettings,
    /// The regression, and what is assumed of effects.
    pub regression: TwfeRegression,
    /// Of what the cells are.
    pub cells: TwfeCells,
    /// The coefficient of the treatment, in units of the outcome.
    #[doc(alias = "beta")]
    pub coefficient: f64,
    /// Cells whose effect has a positive weight.
    #[doc(alias = "nr_plus")]
    pub n_positive: usize,
    /// Cells whose effect has a negative weight.
    #[doc(alias = "nr_minus")]
    pub n_negative: usize,
    /// Sum of the positive weights.
    #[doc(alias = "sum_plus")]
    pub sum_positive: f64,
    /// Sum of the negative weights; with that of the positive ones it is 1.
    #[doc(alias = "sum_minus")]
    pub sum_negative: f64,
    /// The least standard deviation of effects over the cells for which the coefficient is compatible with an average effect of zero; `None` if
    /// all weights are alike.
    #[doc(alias = "sensibility")]
    pub sd_zero_average: Option<f64>,
    /// The least standard deviation of effects for which the coefficient may have another sign than the effects of all cells; `None` if no
    /// weight is negative.
    #[doc(alias = "sensibility2")]
    pub sd_opposite_sign: Option<f64>,
    /// Weights by group and period. Cells of units are added up.
    pub rows: Vec<TwfeWeightRow>,
    /// What else should be known.
    pub warnings: Vec<DidWarning>,
}

/// The weight on the effect of a group in a period.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TwfeWeightRow {
    /// First treated period.
    pub group: f64,
    /// Period.
    pub time: f64,
    /// The weight; all weights add up to 1.
    pub weight: f64,
    /// The share of the cell among those that have a weight: the weight that the average effect gives it.
    pub share: f64,
    /// Cells: 1, or the units.
    pub cells: usize,
    /// Cells whose weight is negative.
    pub negative: usize,
}
