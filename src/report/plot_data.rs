//! What a plot draws, as typed rows.

use serde::{Deserialize, Serialize};

use crate::estimator::GroupTimeResult;
use crate::result::aggregate::{Aggregated, AggregationKind};
use crate::result::estimates::CellStatus;
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
    pub att: f64,
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
    pub(super) fn new(at: f64, estimate: &Estimate, alpha: f64) -> Option<Self> {
        let att = estimate.att.filter(|a| a.is_finite())?;
        let finite = |v: Option<f64>| v.filter(|v| v.is_finite());
        let half = finite(estimate.se.map(|se| critical(alpha) * se));
        Some(Self {
            facet: None,
            at,
            att,
            lower: finite(estimate.ci_lower),
            upper: finite(estimate.ci_upper),
            pointwise_lower: half.map(|h| att - h),
            pointwise_upper: half.map(|h| att + h),
            post: true,
            reference: false,
        })
    }

    /// An interval around its middle.
    #[cfg(feature = "plot")]
    pub(super) fn interval(at: f64, lower: f64, upper: f64) -> Self {
        Self {
            facet: None,
            at,
            att: f64::midpoint(lower, upper),
            lower: None,
            upper: None,
            pointwise_lower: Some(lower),
            pointwise_upper: Some(upper),
            post: true,
            reference: false,
        }
    }

    #[cfg_attr(not(feature = "plot"), allow(dead_code, reason = "only the plots need the extent"))]
    pub(super) fn extent(&self) -> impl Iterator<Item = f64> {
        [Some(self.att), self.lower, self.upper, self.pointwise_lower, self.pointwise_upper]
            .into_iter()
            .flatten()
    }
}

/// Two-sided critical value of the standard normal law.
fn critical(alpha: f64) -> f64 {
    if alpha > 0.0 && alpha < 1.0 { crate::result::inference::pointwise(alpha) } else { f64::NAN }
}

impl GroupTimeResult {
    /// What `plot` draws: one row a cell that has an estimate, with its group as facet.
    #[must_use]
    pub fn plot_data(&self) -> Vec<PlotRow> {
        let alpha = self.settings.inference.alpha;
        let row = |c: &crate::GroupTimeCell| {
            Some(PlotRow {
                facet: Some(c.group),
                post: c.time >= c.group,
                reference: c.status == CellStatus::Reference,
                ..PlotRow::new(c.time, &c.estimate, alpha)?
            })
        };
        self.cells.iter().filter_map(row).collect()
    }
}

impl Aggregated {
    /// What `plot` draws: one row an event time, group or period; none for a simple aggregation.
    #[must_use]
    pub fn plot_data(&self) -> Vec<PlotRow> {
        let dynamic = self.aggregation.kind == AggregationKind::Dynamic;
        let row = |r: &crate::AggregatedRow| {
            Some(PlotRow {
                post: !dynamic || r.at >= 0.0,
                reference: r.reference,
                ..PlotRow::new(r.at, &r.estimate, self.alpha)?
            })
        };
        self.rows.iter().filter_map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;
    use super::*;

    #[test]
    fn pointwise_interval_lies_inside_the_uniform_band() {
        let rows = fixtures::dynamic_uniform().plot_data();
        assert_eq!(rows.len(), 7);
        assert_eq!(rows.iter().filter(|r| r.post).count(), 4);
        for row in &rows {
            assert!(row.pointwise_lower > row.lower && row.pointwise_upper < row.upper);
        }
        let (lower, upper) = (rows[3].pointwise_lower, rows[3].pointwise_upper);
        let half = fixtures::POINTWISE * 0.011_795_445_9;
        assert!((upper.unwrap_or(0.0) - lower.unwrap_or(0.0) - 2.0 * half).abs() < 1e-12);
    }

    #[test]
    fn reference_has_no_interval() {
        let rows = fixtures::dynamic_universal().plot_data();
        let reference: Vec<_> = rows.iter().filter(|r| r.reference).collect();
        assert_eq!(reference.len(), 1);
        assert!(!reference[0].post && reference[0].lower.is_none());
        assert_eq!((reference[0].at, reference[0].att), (-1.0, 0.0));
    }

    #[test]
    fn failed_cells_are_left_out() {
        let rows = fixtures::failed().plot_data();
        assert_eq!(rows.len(), 2);
        assert!(rows.iter().all(|r| r.facet == Some(2004.0)));
        assert!(fixtures::simple().plot_data().is_empty());
    }

    #[test]
    fn infinite_intervals_are_left_out() {
        let estimate = Estimate::new(Some(1.0), Some(f64::INFINITY), 2.0);
        let row = PlotRow::new(0.0, &estimate, 0.05).expect("a finite estimate");
        assert_eq!((row.lower, row.pointwise_upper), (None, None));
        assert!(PlotRow::new(0.0, &Estimate::default(), 0.05).is_none());
    }

    #[test]
    fn survives_json() {
        let rows = fixtures::universal().plot_data();
        let json = serde_json::to_string(&rows).expect("plain numbers");
        assert_eq!(serde_json::from_str::<Vec<PlotRow>>(&json).expect("own output").len(), 15);
    }
}
