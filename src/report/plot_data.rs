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
    /// Lower end of the result's interval or band.
    pub lower: Option<f64>,
    /// Upper end of the result's interval or band.
    pub upper: Option<f64>,
    /// Lower end of the pointwise interval.
    pub pointwise_lower: Option<f64>,
    /// Upper end of the pointwise interval.
    pub pointwise_upper: Option<f64>,
    /// Whether the effect is at or after treatment.
    pub post: bool,
    /// Whether the point is the reference of a universal base.
    pub reference: bool,
}

impl PlotRow {
    pub(crate) fn new(at: f64, estimate: &Estimate, alpha: f64) -> Option<Self> {
        let value = estimate.estimate.filter(|a| a.is_finite())?;
        let finite = |v: Option<f64>| v.filter(|v| v.is_finite());
        let half = finite(estimate.se.map(|se| critical(alpha) * se));
        Some(Self {
            facet: None,
            at,
            estimate: value,
            lower: finite(estimate.ci_lower),
            upper: finite(estimate.ci_upper),
            pointwise_lower: half.map(|h| value - h),
            pointwise_upper: half.map(|h| value + h),
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
            lower: None,
            upper: None,
            pointwise_lower: Some(lower),
            pointwise_upper: Some(upper),
            post: true,
            reference: false,
        }
    }

    #[cfg_attr(not(feature = "plot"), allow(dead_code, reason = "only the plots need the extent"))]
    pub(crate) fn extent(&self) -> impl Iterator<Item = f64> {
        [Some(self.estimate), self.lower, self.upper, self.pointwise_lower, self.pointwise_upper]
            .into_iter()
            .flatten()
    }
}

/// Two-sided critical value of the standard normal law.
fn critical(alpha: f64) -> f64 {
    if alpha > 0.0 && alpha < 1.0 { crate::result::inference::pointwise(alpha) } else { f64::NAN }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinite_intervals_are_left_out() {
        let estimate = Estimate::new(Some(1.0), Some(f64::INFINITY), 2.0);
        let row = PlotRow::new(0.0, &estimate, 0.05).expect("a finite estimate");
        assert_eq!((row.lower, row.pointwise_upper), (None, None));
        assert!(PlotRow::new(0.0, &Estimate::default(), 0.05).is_none());
    }
}
