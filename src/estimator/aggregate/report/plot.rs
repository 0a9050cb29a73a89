//! The plot of averages: the event study, or effects by group or period.

use crate::base::error::{DidError, Result};
use crate::estimator::aggregate::{
    Aggregated, AggregationKind, EVENT_STUDY, LeftOut, event_study_chart,
};
use crate::report::plot::PlotOptions;
use crate::report::plot::chart::{Chart, ChartWords, Facet, Overall, axis, checked};

impl Aggregated {
    pub(crate) fn chart(&self, options: &PlotOptions) -> Result<Chart> {
        let remarks = self.left_out_summary().into_iter().collect();
        if self.aggregation.kind == AggregationKind::Dynamic {
            let chart = event_study_chart(&[(String::new(), self.event_study()?)], options)?;
            return Ok(Chart { remarks, ..chart });
        }
        let words = words(self.aggregation.kind)?;
        let failed = self.empty_rows().collect();
        let partial = self.left_out.iter().flat_map(LeftOut::partial).collect();
        let overall = Overall::new(&self.overall, options);
        let facet = Facet::new(String::new(), checked(self.plot_data())?);
        let facets = vec![Facet { failed, partial, overall, ..facet }];
        let mut chart = Chart::new(&words, axis(&self.settings), facets, options);
        chart.remarks = remarks;
        chart.categories = true;
        chart.frequency = self.settings.frequency;
        chart.finish(options, self.band, self.alpha);
        Ok(chart)
    }
}

fn words(kind: AggregationKind) -> Result<ChartWords<'static>> {
    match kind {
        AggregationKind::Simple => Err(DidError::Plot(
            "a simple aggregation is a single number; plot a dynamic, group or calendar aggregation"
                .into(),
        )),
        AggregationKind::Dynamic => Ok(EVENT_STUDY),
        AggregationKind::Group => Ok(ChartWords { title: "Average Effect by Group", x_label: "Group" }),
        AggregationKind::Calendar => {
            Ok(ChartWords { title: "Average Effect by Time Period", x_label: "Period" })
        }
    }
}
