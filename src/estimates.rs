//! What an estimator hands to inference, aggregation and reports: plain f64 and serde, no backend.

pub(crate) mod check;

use serde::{Deserialize, Serialize};

use crate::calendar::{Calendar, Frequency, shown};
use crate::options::Inference;

/// Whether a cell has an estimate, and if not, which check failed on which value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum CellStatus {
    /// Estimated.
    Estimated,
    /// The base period of a universal base: 0 by construction.
    Reference,
    /// No treated units (rows) in the named period; `None` for a panel, where the period does not matter.
    NoTreated {
        /// The empty period.
        period: Option<f64>,
    },
    /// No comparison units (rows) in the named period.
    NoControls {
        /// The empty period.
        period: Option<f64>,
    },
    /// A unit's estimated propensity score is at least 0.999.
    Overlap {
        /// Largest propensity score reached.
        max_propensity: f64,
    },
    /// The covariates of the comparison units (or of the treated, for the locally efficient estimator) are collinear.
    SingularDesign {
        /// Reciprocal condition number (1-norm) of their cross-product.
        rcond: f64,
        /// Columns that depend on the ones before them.
        columns: Vec<String>,
    },
    /// The information matrix of the propensity score is singular.
    SingularInformation,
    /// Every comparison unit was trimmed (propensity score 0.995 or more) or has weight zero.
    NoControlWeight,
    /// Every treated unit has weight zero.
    NoTreatedWeight,
    /// The user-supplied estimator failed, or the estimate is not finite.
    Estimator {
        /// Its message.
        message: String,
    },
}

impl CellStatus {
    /// Short code: `ok`, `reference`, or the name of the failed check.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Estimated => "ok",
            Self::Reference => "reference",
            Self::NoTreated { .. } => "no_treated",
            Self::NoControls { .. } => "no_controls",
            Self::Overlap { .. } => "overlap",
            Self::SingularDesign { .. } => "singular_design",
            Self::SingularInformation => "singular_information",
            Self::NoControlWeight => "no_control_weight",
            Self::NoTreatedWeight => "no_treated_weight",
            Self::Estimator { .. } => "estimator",
        }
    }

    /// The status in words, with periods as dates if they are of the calendar.
    #[must_use]
    pub fn shown(&self, frequency: Option<Frequency>) -> String {
        let period = |p: &Option<f64>| {
            p.map_or(String::new(), |p| format!(" in period {}", shown(p, frequency)))
        };
        match self {
            Self::NoTreated { period: p } => format!("no treated units{}", period(p)),
            Self::NoControls { period: p } => format!("no comparison units{}", period(p)),
            other => other.to_string(),
        }
    }

    /// Whether the cell has an estimate (a reference cell has: 0).
    #[must_use]
    pub fn is_estimated(&self) -> bool {
        matches!(self, Self::Estimated | Self::Reference)
    }
}

impl std::fmt::Display for CellStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Estimated => write!(f, "estimated"),
            Self::Reference => write!(f, "reference period"),
            Self::NoTreated { .. } | Self::NoControls { .. } => f.write_str(&self.shown(None)),
            Self::Overlap { max_propensity } => {
                write!(f, "overlap condition violated (propensity score up to {max_propensity:.4})")
            }
            Self::SingularDesign { rcond, columns } if columns.is_empty() => {
                write!(f, "covariates are collinear or badly scaled (rcond {rcond:.1e})")
            }
            Self::SingularDesign { rcond, columns } => write!(
                f,
                "covariates are collinear or badly scaled (rcond {rcond:.1e}; look at {})",
                columns.join(", ")
            ),
            Self::SingularInformation => {
                write!(f, "the information matrix of the propensity score is singular")
            }
            Self::NoControlWeight => write!(f, "no comparison unit has positive weight"),
            Self::NoTreatedWeight => write!(f, "no treated unit has positive weight"),
            Self::Estimator { message } => write!(f, "{message}"),
        }
    }
}

/// A point estimate with its uncertainty. What does not exist is `None`, never 0 or NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Effect, in units of the outcome.
    pub att: Option<f64>,
    /// Standard error.
    pub se: Option<f64>,
    /// Lower end of the interval or band.
    pub ci_lower: Option<f64>,
    /// Upper end of the interval or band.
    pub ci_upper: Option<f64>,
    /// Two-sided p-value of a zero effect, pointwise.
    pub p_value: Option<f64>,
}

impl Estimate {
    /// Interval `att ± critical · se` and the two-sided normal p-value.
    #[must_use]
    pub fn new(att: Option<f64>, se: Option<f64>, critical: f64) -> Self {
        let both = att.zip(se);
        Self {
            att,
            se,
            ci_lower: both.map(|(a, s)| a - critical * s),
            ci_upper: both.map(|(a, s)| a + critical * s),
            p_value: both.map(|(a, s)| statrs::function::erf::erfc((a / s).abs() / 2f64.sqrt())),
        }
    }

    /// `att / se`.
    #[must_use]
    pub fn statistic(&self) -> Option<f64> {
        Some(self.att? / self.se?)
    }

    /// Whether the interval leaves out zero.
    #[must_use]
    pub fn excludes_zero(&self) -> bool {
        matches!((self.ci_lower, self.ci_upper), (Some(l), Some(u)) if l > 0.0 || u < 0.0)
    }
}

/// A Wald test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wald {
    /// Statistic.
    pub stat: f64,
    /// Degrees of freedom.
    pub df: usize,
    /// p-value from the chi-squared law.
    pub p_value: f64,
}

/// Group-time cell: the effect on group `group` in period `time`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// First treated period of the group.
    pub group: f64,
    /// Period of the cell.
    pub time: f64,
    /// Point estimate.
    pub att: Option<f64>,
    /// Why there is or is not an estimate.
    pub status: CellStatus,
    /// Treated units (rows, for repeated cross sections).
    pub n_treated: usize,
    /// Comparison units (rows).
    pub n_control: usize,
    /// Whether the analytic standard error divides by one less than the number of independent observations, as R
    /// `triplediff` does for two periods and for combined comparison cohorts.
    #[serde(default)]
    pub sample_sd: bool,
}

impl Cell {
    /// Whether the group is treated in the cell's period.
    #[must_use]
    pub fn is_post(&self) -> bool {
        self.group <= self.time
    }
}

/// A group's weighted share of the sample, `(1/n) Σ ω_i 1{G_i = g}`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupShare {
    /// First treated period.
    pub group: f64,
    /// Share; only ratios between groups matter.
    pub share: f64,
}

/// Cells, their joint covariance with the group shares, and bootstrap draws.
///
/// Columns are the `M` cells followed by the `G` group shares. Every aggregate is a linear map of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "check::Unchecked")]
pub struct Estimates {
    /// The cells, group-major.
    pub(crate) cells: Vec<Cell>,
    /// The groups' shares.
    pub(crate) shares: Vec<GroupShare>,
    /// Every period of the sample, ascending.
    pub(crate) periods: Vec<f64>,
    /// How periods are counted and shown.
    #[serde(default)]
    pub(crate) calendar: Calendar,
    /// Independent observations: units, or rows for repeated cross sections.
    pub(crate) n: usize,
    /// Clusters, if standard errors are clustered.
    pub(crate) n_clusters: Option<usize>,
    /// Covariance `[M + G, M + G]`, row-major, 0 where a cell has no estimate; `None` for point estimates only.
    pub(crate) covariance: Option<Vec<f64>>,
    /// Bootstrap draws `[M + G, R]`, column of the estimates major; `None` without a bootstrap.
    pub(crate) draws: Option<Vec<f64>>,
    /// Options of inference.
    pub(crate) inference: Inference,
}

impl Estimates {
    /// Columns of the covariance: cells and group shares.
    pub(crate) fn columns(&self) -> usize {
        self.cells.len() + self.shares.len()
    }

    /// The linear combination that is cell `index`.
    pub(crate) fn unit_weight(&self, index: usize) -> Vec<f64> {
        (0..self.columns()).map(|j| f64::from(u8::from(j == index))).collect()
    }
}
