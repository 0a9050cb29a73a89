//! The points of the plot.

use crate::estimator::aggregate::{Aggregated, AggregatedRow, AggregationKind};
use crate::report::PlotRow;

impl Aggregated {
    /// What `plot` draws: one row an event time, group or period; none for a simple aggregation.
    #[must_use]
    pub fn plot_data(&self) -> Vec<PlotRow> {
        let dynamic = self.aggregation.kind == AggregationKind::Dynamic;
        let row = |r: &AggregatedRow| {
            Some(PlotRow {
                post: !dynamic || r.at >= 0.0,
                reference: r.reference,
                ..PlotRow::new(r.at, &r.estimate)?
            })
        };
        self.rows.iter().filter_map(row).collect()
    }
}
