//! A point estimate with its uncertainty.

use serde::{Deserialize, Serialize};

/// A point estimate with its uncertainty. What does not exist is `None`, never 0 or NaN. `ci_lower` and `ci_upper` are always the
/// pointwise interval; a uniform band has fields of its own.
///
/// ```
/// use burn_did::Estimate;
/// let estimate = Estimate::new(Some(-0.08), Some(0.02), 1.96);
/// assert_eq!((estimate.statistic(), estimate.excludes_zero()), (Some(-4.0), true));
/// assert_eq!(Estimate::new(Some(-0.08), None, 1.96).p_value, None);
/// let banded = estimate.with_band(5.0);
/// assert_eq!((banded.ci_upper, banded.excludes_zero()), (estimate.ci_upper, false));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Estimate {
    /// Effect, in units of the outcome.
    pub estimate: Option<f64>,
    /// Standard error.
    pub se: Option<f64>,
    /// Lower end of the pointwise interval.
    pub ci_lower: Option<f64>,
    /// Upper end of the pointwise interval.
    pub ci_upper: Option<f64>,
    /// Lower end of the uniform band of all estimates of a table, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub band_lower: Option<f64>,
    /// Upper end of the uniform band.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub band_upper: Option<f64>,
    /// Two-sided p-value of a zero effect, pointwise.
    pub p_value: Option<f64>,
}

impl Estimate {
    /// Pointwise interval `estimate ± critical · se` and the two-sided normal p-value.
    #[must_use]
    pub fn new(estimate: Option<f64>, se: Option<f64>, critical: f64) -> Self {
        let both = estimate.zip(se);
        Self {
            estimate,
            se,
            ci_lower: both.map(|(a, s)| a - critical * s),
            ci_upper: both.map(|(a, s)| a + critical * s),
            band_lower: None,
            band_upper: None,
            p_value: both.map(|(a, s)| statrs::function::erf::erfc((a / s).abs() / 2f64.sqrt())),
        }
    }

    /// With the band `estimate ± critical · se` beside the interval.
    #[must_use]
    pub fn with_band(self, critical: f64) -> Self {
        let Self { ci_lower, ci_upper, .. } = Self::new(self.estimate, self.se, critical);
        Self { band_lower: ci_lower, band_upper: ci_upper, ..self }
    }

    /// Ends of the uniform band if there is one, else of the pointwise interval: what tables show.
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        let band = self.band_lower.zip(self.band_upper);
        band.or_else(|| self.ci_lower.zip(self.ci_upper))
    }

    /// `estimate / se`.
    #[must_use]
    pub fn statistic(&self) -> Option<f64> {
        Some(self.estimate? / self.se?)
    }

    /// Whether the band, or the interval if there is none, leaves out zero.
    #[must_use]
    pub fn excludes_zero(&self) -> bool {
        self.interval().is_some_and(|(lower, upper)| lower > 0.0 || upper < 0.0)
    }
}
