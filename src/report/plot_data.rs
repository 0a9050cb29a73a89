//! What a plot draws, as typed rows.

use serde::{Deserialize, Serialize};

use crate::result::inference::Estimate;

/// One point of a plot with its intervals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlotRow {
    /// Group whose panel the point is in; `None` outside group-time plots.
    pub facet: Option<f64>,
    /// Position: period, event time or group.
    pub at: f64,
    /// Effect.
    pub estimate: f64,
    /// Lower end of the pointwise interval.
    pub ci_lower: Option<f64>,
    /// Upper end of the pointwise interval.
    pub ci_upper: Option<f64>,
    /// Lower end of the uniform band, if there is one.
    pub band_lower: Option<f64>,
    /// Upper end of the uniform band.
    pub band_upper: Option<f64>,
    /// Whether the effect is at or after treatment.
    pub post: bool,
    /// Whether the point is the reference of a universal base.
    pub reference: bool,
}

impl PlotRow {
    pub(crate) fn new(at: f64, estimate: &Estimate) -> Option<Self> {
        let value = estimate.estimate.filter(|a| a.is_finite())?;
        let finite = |v: Option<f64>| v.filter(|v| v.is_finite());
        Some(Self {
            facet: None,
            at,
            estimate: value,
            ci_lower: finite(estimate.ci_lower),
            ci_upper: finite(estimate.ci_upper),
            band_lower: finite(estimate.band_lower),
            band_upper: finite(estimate.band_upper),
            post: true,
            reference: false,
        })
    }

    /// An interval around its middle.
    #[cfg(feature = "plot")]
    pub(crate) fn interval(at: f64, lower: f64, upper: f64) -> Self {
        Self {
            facet: None,
            at,
            estimate: f64::midpoint(lower, upper),
            ci_lower: Some(lower),
            ci_upper: Some(upper),
            band_lower: None,
            band_upper: None,
            post: true,
            reference: false,
        }
    }

    #[cfg_attr(not(feature = "plot"), allow(dead_code, reason = "only the plots need the extent"))]
    pub(crate) fn extent(&self) -> impl Iterator<Item = f64> {
        [Some(self.estimate), self.ci_lower, self.ci_upper, self.band_lower, self.band_upper]
            .into_iter()
            .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinite_intervals_are_left_out() {
        let estimate = Estimate::new(Some(1.0), Some(f64::INFINITY), 2.0).with_band(3.0);
        let row = PlotRow::new(0.0, &estimate).expect("a finite estimate");
        assert_eq!((row.ci_lower, row.band_upper), (None, None));
        assert!(PlotRow::new(0.0, &Estimate::default()).is_none());
    }
}
