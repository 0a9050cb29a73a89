//! A point estimate with its uncertainty.

use serde::{Deserialize, Serialize};

/// A point estimate with its uncertainty. What does not exist is `None`, never 0 or NaN.
///
/// ```
/// use burn_did::Estimate;
/// let estimate = Estimate::new(Some(-0.08), Some(0.02), 1.96);
/// assert_eq!((estimate.statistic(), estimate.excludes_zero()), (Some(-4.0), true));
/// assert_eq!(Estimate::new(Some(-0.08), None, 1.96).p_value, None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Effect, in units of the outcome.
    pub estimate: Option<f64>,
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
    /// Interval `estimate ± critical · se` and the two-sided normal p-value.
    #[must_use]
    pub fn new(estimate: Option<f64>, se: Option<f64>, critical: f64) -> Self {
        let both = estimate.zip(se);
        Self {
            estimate,
            se,
            ci_lower: both.map(|(a, s)| a - critical * s),
            ci_upper: both.map(|(a, s)| a + critical * s),
            p_value: both.map(|(a, s)| statrs::function::erf::erfc((a / s).abs() / 2f64.sqrt())),
        }
    }

    /// `estimate / se`.
    #[must_use]
    pub fn statistic(&self) -> Option<f64> {
        Some(self.estimate? / self.se?)
    }

    /// Whether the interval leaves out zero.
    #[must_use]
    pub fn excludes_zero(&self) -> bool {
        matches!((self.ci_lower, self.ci_upper), (Some(l), Some(u)) if l > 0.0 || u < 0.0)
    }
}
