//! The plot of an analysis of pre-trends: the event study with each violation, and with what is expected after passing the test.

use crate::base::error::Result;
use crate::estimator::aggregate::{EVENT_STUDY, EventStudy, event_study_chart};
use crate::estimator::pretrends::{PretrendsAlternative, PretrendsResult, PretrendsRow};
use crate::report::plot::PlotOptions;
use crate::report::plot::chart::{Chart, LARGEST};
use crate::report::plot::legend::{LegendEntry, LegendKey};
use crate::report::plot::traces::{Trace, TraceStyle};

/// What the lines are called.
const VIOLATION: &str = "Violation";
const AFTER_PASSING: &str = "Expected after passing the test";

impl PretrendsResult {
    /// One panel a violation.
    pub(super) fn chart(&self, options: &PlotOptions) -> Result<Chart> {
        // Violations are of the single effects.
        let study = EventStudy { overall: None, ..self.study.clone() };
        let panel = |of: &PretrendsAlternative| (of.title(), study.clone());
        let mut series: Vec<_> = self.alternatives.iter().map(panel).collect();
        if series.is_empty() {
            series.push((String::new(), study));
        }
        let mut chart = event_study_chart(&series, options)?;
        if options.title.is_none() && chart.title == EVENT_STUDY.title {
            chart.title = "Event Study and Violations of Parallel Trends".into();
        }
        for (facet, of) in chart.facets.iter_mut().zip(&self.alternatives) {
            let points = |of_row: fn(&PretrendsRow) -> Option<f64>| {
                let point = |row: &PretrendsRow| {
                    Some((row.event_time, of_row(row).filter(|v| v.abs() < LARGEST)?))
                };
                of.rows.iter().filter_map(point).collect()
            };
            let style = TraceStyle::Solid;
            facet.traces.push(Trace { style, points: points(|row| Some(row.violation)) });
            let style = TraceStyle::Dashed;
            facet.traces.push(Trace { style, points: points(|row| row.after_passing) });
        }
        if options.show_legend && !self.alternatives.is_empty() {
            for (style, label) in
                [(TraceStyle::Solid, VIOLATION), (TraceStyle::Dashed, AFTER_PASSING)]
            {
                let entry = LegendEntry { key: LegendKey::Trace(style), label: label.into() };
                chart.legend.push(entry);
            }
        }
        Ok(chart)
    }
}
