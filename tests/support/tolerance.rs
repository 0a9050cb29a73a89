//! Every tolerance of the tests, with its reason.

use super::departures::Departure;

/// Unit in which a deviation of an estimate is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AttUnit {
    /// `|a - b| / max(|a|, |b|, 1e-3 max|att of the case|)`.
    Relative,
    /// `|a - b| / se`.
    StandardError,
}

/// Largest deviations allowed.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    pub att: f64,
    pub att_unit: AttUnit,
    pub se: f64,
    pub wald: f64,
    /// In units of the product of the two standard errors.
    pub vcov: f64,
    /// In units of the column's largest value.
    pub influence: f64,
    pub crit: f64,
    /// Whether a number must be missing exactly where the reference's is.
    pub missing_matters: bool,
    /// Whether the pre-test must be missing where the reference's is.
    pub missing_wald_matters: bool,
}

/// Which numbers a fit is compared with.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// The reference numbers, by [`reference`].
    Reference,
    /// This crate's own double-precision fit on the CPU.
    OwnF64 {
        /// Largest deviation of an estimate in standard errors.
        att: f64,
        /// Largest relative deviation of a standard error.
        se: f64,
    },
}

/// For single precision: a thousandth of a standard error, and of its size.
pub const SINGLE_PRECISION: Rule = Rule::OwnF64 { att: 1e-3, se: 1e-3 };

/// For another device in double precision: the same numbers but for the order of additions.
pub const DOUBLE_PRECISION: Rule = Rule::OwnF64 { att: 1e-9, se: 1e-9 };

impl Tolerance {
    /// Two double-precision computations of the same numbers. A Wald statistic loses the digits that the condition of
    /// its covariance costs.
    pub fn double(relative: f64) -> Self {
        Self {
            att: relative,
            att_unit: AttUnit::Relative,
            se: relative,
            wald: 10.0 * relative,
            vcov: 1e-6_f64.max(relative),
            influence: 1e-6_f64.max(relative),
            crit: 1e-9,
            missing_matters: true,
            missing_wald_matters: true,
        }
    }

    /// A fit in lower precision against the one in double precision.
    pub fn single(att: f64, se: f64, missing_matters: bool) -> Self {
        Self {
            att,
            att_unit: AttUnit::StandardError,
            se,
            wald: f64::INFINITY,
            missing_matters,
            ..Self::double(1e-9)
        }
    }

    /// Multiplier bootstraps of 20,000 draws on both sides.
    ///
    /// The standard error is an interquartile range with a relative sd of 1.17/√20,000 = 0.8 % on each side, so 1.2 %
    /// between them: one in a hundred is off by more than 3 %, none by more than 5 % (`BOOTSTRAP_SE_TYPICAL`).
    pub fn bootstrap(self) -> Self {
        Self { se: 0.05, crit: 0.02, ..self }
    }
}

/// At least 95 % of the bootstrap standard errors are within this.
pub const BOOTSTRAP_SE_TYPICAL: f64 = 0.03;

/// Whether the reference's missing cells are its own numerical limits: covariates of very different sizes, or nearly
/// collinear ones.
pub fn ill_scaled(dataset: &str) -> bool {
    dataset.starts_with("scale_") || dataset.starts_with("collin_")
}

/// Agreement expected with R: to rounding, but for what the departures of a case allow.
///
/// | departure | relative | reason |
/// |---|---|---|
/// | none | 1e-9 | closed form on both sides |
/// | `logit` | 1e-6 | R stops its logit at a relative change of 1e-8 of the deviance |
/// | `logit` in `unbal_*` | 2e-6 | the same: one effect of size 1e-3, where the converged logit of the oracle gives ours to 1e-13 |
/// | `logit` in `*_eligible` | 2e-6 | ModernDiD stops its logit likewise |
/// | `logit` in `small_*` | 1e-3 | the same, with three treated units and nearly separated data |
/// | `conditioning` in `collin_*` | 1e-6 | covariates with condition number 1e5, squared in R's normal equations |
/// | `conditioning` | missing numbers | R inverts unscaled cross-products and gives up where a scaled factorisation does not |
/// | `draws` | [`Tolerance::bootstrap`] | other draws |
/// | `pre-test` | missing pre-test | R leaves it out |
pub fn reference(dataset: &str, departures: &[Departure]) -> Tolerance {
    let departs = |departure| departures.contains(&departure);
    let collinear = departs(Departure::Conditioning) && dataset.starts_with("collin_");
    let relative = match () {
        () if collinear => 1e-6,
        () if !departs(Departure::Logit) => 1e-9,
        () if dataset.starts_with("small_") => 1e-3,
        () if dataset.starts_with("unbal_") || dataset.ends_with("_eligible") => 2e-6,
        () => 1e-6,
    };
    let exact = Tolerance {
        missing_matters: !departs(Departure::Conditioning),
        missing_wald_matters: !departs(Departure::Conditioning) && !departs(Departure::PreTest),
        ..Tolerance::double(relative)
    };
    if departs(Departure::Draws) { exact.bootstrap() } else { exact }
}

/// Agreement expected with the oracle, which solves the logit to 1e-13: its numbers are stored with 12 digits.
pub fn oracle() -> Tolerance {
    Tolerance { se: 1e-8, wald: 1e-8, ..Tolerance::double(1e-9) }
}
