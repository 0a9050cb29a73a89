//! The plot of group-time effects: one panel a group.

use crate::base::error::Result;
use crate::estimator::group_time::GroupTimeResult;
use crate::report::plot::PlotOptions;
use crate::report::plot::chart::{Chart, ChartWords, Facet, axis, checked};

impl GroupTimeResult {
    pub(super) fn chart(&self, options: &PlotOptions) -> Result<Chart> {
        let mut facets: Vec<Facet> = Vec::new();
        let rows = checked(self.plot_data())?;
        for cells in self.cells.chunk_by(|a, b| a.group == b.group) {
            let group = cells[0].group;
            let rows_of_group = rows.iter().filter(|r| r.facet == Some(group)).copied().collect();
            let title = format!("Group {}", self.settings.period(group));
            let failed = cells.iter().filter(|c| !c.status.is_estimated()).map(|c| c.time);
            let facet = Facet { failed: failed.collect(), ..Facet::new(title, rows_of_group) };
            facets.push(Facet { treatment: facet.boundary(group), ..facet });
        }
        let words = ChartWords { title: self.title(), x_label: "Period" };
        let mut chart = Chart::new(&words, axis(&self.settings), facets, options);
        chart.frequency = self.settings.frequency;
        chart.finish(options, self.band, self.settings.inference.alpha);
        Ok(chart)
    }
}
