//! The points of the plot.

use crate::estimator::group_time::{GroupTimeCell, GroupTimeResult};
use crate::report::PlotRow;
use crate::result::estimates::CellStatus;

impl GroupTimeResult {
    /// What `plot` draws: one row a cell that has an estimate, with its group as facet.
    #[must_use]
    pub fn plot_data(&self) -> Vec<PlotRow> {
        let row = |c: &GroupTimeCell| {
            Some(PlotRow {
                facet: Some(c.group),
                post: c.time >= c.group,
                reference: c.status == CellStatus::Reference,
                ..PlotRow::new(c.time, &c.estimate)?
            })
        };
        self.cells.iter().filter_map(row).collect()
    }
}
