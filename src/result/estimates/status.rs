//! Why a cell has an estimate, or none.

use serde::{Deserialize, Serialize};

use crate::base::calendar::{Frequency, shown};
use crate::base::counted::{counted, listed};

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
    /// The covariates of the units of a regression are collinear.
    SingularDesign {
        /// Reciprocal condition number (1-norm) of their cross-product.
        rcond: f64,
        /// Columns that depend on the ones before them.
        columns: Vec<String>,
        /// The units.
        #[serde(default, skip_serializing_if = "RegressionUnits::are_comparison")]
        among: RegressionUnits,
    },
    /// The doses of the treated units do not tell the splines of the curve apart.
    SingularCurve {
        /// Reciprocal condition number (1-norm) of the splines' cross-product.
        rcond: f64,
    },
    /// The treated units have fewer distinct doses than the curve has coefficients.
    FewDoses {
        /// Distinct doses.
        distinct: usize,
        /// Coefficients of the curve.
        needed: usize,
    },
    /// The data do not determine it: of curves that fit them alike, it has another value in each.
    NotDetermined,
    /// The information matrix of the propensity score is singular.
    SingularInformation,
    /// Every comparison unit was trimmed (its propensity score is at least the trimming level) or has weight zero.
    NoControlWeight,
    /// Every treated unit has weight zero.
    NoTreatedWeight,
    /// The user-supplied estimator failed, or the estimate is not finite.
    Estimator {
        /// Its message.
        message: String,
    },
}

/// The units of a regression of a cell.
///
/// ```
/// use burn_did::group_time::RegressionUnits;
/// assert_eq!(RegressionUnits::default(), RegressionUnits::Comparison);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RegressionUnits {
    /// Those that the treated are compared with.
    #[default]
    Comparison,
    /// The treated, as in the locally efficient estimator of repeated cross sections.
    Treated,
    /// Both, as in the regression with fixed effects.
    All,
}

impl RegressionUnits {
    fn are_comparison(&self) -> bool {
        *self == Self::Comparison
    }

    fn words(self) -> &'static str {
        match self {
            Self::Comparison => "the comparison units",
            Self::Treated => "the treated units",
            Self::All => "the units compared",
        }
    }
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
            Self::SingularCurve { .. } => "singular_curve",
            Self::FewDoses { .. } => "few_doses",
            Self::NotDetermined => "not_determined",
            Self::SingularInformation => "singular_information",
            Self::NoControlWeight => "no_control_weight",
            Self::NoTreatedWeight => "no_treated_weight",
            Self::Estimator { .. } => "estimator",
        }
    }

    /// The status in words, with periods as dates if they are calendar periods.
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

    /// Of a point of a curve, which has an estimate where the data determine it.
    pub(crate) fn of_curve(estimate: Option<f64>) -> Self {
        if estimate.is_some() { Self::Estimated } else { Self::NotDetermined }
    }

    /// Whether the cell has an estimate (a reference cell has: 0).
    #[must_use]
    pub fn is_estimated(&self) -> bool {
        matches!(self, Self::Estimated | Self::Reference)
    }
}

/// Columns of a singular design that are named, at most: the reason stands beside every cell.
const NAMED: usize = 5;

impl std::fmt::Display for CellStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Estimated => write!(f, "estimated"),
            Self::Reference => write!(f, "reference period"),
            Self::NoTreated { .. } | Self::NoControls { .. } => f.write_str(&self.shown(None)),
            Self::Overlap { max_propensity } => {
                write!(f, "overlap condition violated (propensity score up to {max_propensity:.4})")
            }
            Self::SingularDesign { rcond, columns, .. } if columns.is_empty() => {
                write!(
                    f,
                    "the scales of the covariates are too far apart (rcond {rcond:.1e}); rescale them"
                )
            }
            Self::SingularDesign { rcond, columns, among } => write!(
                f,
                "a covariate is constant, a linear combination of others, or on another scale, among {} (rcond {rcond:.1e}): look at {}",
                among.words(),
                listed(columns, NAMED, "`")
            ),
            Self::SingularCurve { rcond } => write!(
                f,
                "the doses of the treated units do not tell the splines of the curve apart (rcond {rcond:.1e}); choose a lower degree or fewer knots"
            ),
            Self::FewDoses { distinct, needed } => write!(
                f,
                "the treated units have {}, and the curve {}; choose a lower degree or fewer knots",
                counted(*distinct, "distinct dose", "distinct doses"),
                counted(*needed, "coefficient", "coefficients")
            ),
            Self::NotDetermined => f.write_str(
                "the data do not determine it: curves that fit them alike differ here; choose fewer segments, or values that are observed",
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
