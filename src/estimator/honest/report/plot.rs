//! The plot of a sensitivity analysis: the original interval, and robust ones by how large violations may be.

use crate::base::error::Result;
use crate::estimator::honest::HonestResult;
use crate::report::foot::percent;
use crate::report::number::short;
use crate::report::plot_data::PlotRow;

use crate::report::plot::chart::{Chart, ChartWords, Facet, Robust, checked};
use crate::report::plot::legend::{LegendEntry, LegendKey};
use crate::report::plot::scene::MUTED;
use crate::report::plot::{PlotOptions, PlotStyle};

impl HonestResult {
    /// The original interval one step before the first robust one, and those that are not empty, by `M`.
    fn plot_rows(&self) -> Vec<PlotRow> {
        let mut robust: Vec<PlotRow> = self
            .intervals
            .iter()
            .filter_map(|i| Some(PlotRow::interval(i.m, i.lower?, i.upper?)))
            .collect();
        robust.sort_by(|a, b| a.at.total_cmp(&b.at));
        let gaps = robust.windows(2).map(|w| w[1].at - w[0].at).filter(|gap| *gap > 0.0);
        let gap = gaps.fold(f64::INFINITY, f64::min);
        let first = robust.first().map_or(0.0, |r| r.at);
        let gap = if gap.is_finite() { gap } else { first.abs().max(1.0) };
        let original = self.original.ci_lower.zip(self.original.ci_upper);
        let original = original.zip(self.original.estimate).map(|((lower, upper), att)| PlotRow {
            estimate: att,
            post: false,
            ..PlotRow::interval(first - gap, lower, upper)
        });
        original.into_iter().chain(robust).collect()
    }

    pub(super) fn chart(&self, options: &PlotOptions) -> Result<Chart> {
        let rows = checked(self.plot_rows())?;
        let first = rows.iter().find(|r| r.post).map_or(f64::NEG_INFINITY, |r| r.at);
        let last = rows.last().map_or(first, |r| r.at);
        let relative = self.options.delta.is_relative();
        let words = ChartWords {
            title: "Robust Confidence Intervals",
            x_label: if relative {
                "Largest violation after treatment, relative to the largest before (M\u{304})"
            } else {
                "Largest change of the slope of the difference in trends (M)"
            },
        };
        let original = rows.iter().find(|r| !r.post).map(|r| r.at);
        let empty = self.intervals.iter().filter(|i| i.lower.zip(i.upper).is_none());
        let mut failed: Vec<f64> = empty.map(|i| i.m).collect();
        failed.sort_by(f64::total_cmp);
        let mut m: Vec<f64> = rows.iter().filter(|r| r.post).map(|r| r.at).collect();
        m.extend(&failed);
        m.sort_by(f64::total_cmp);
        let is_empty = !failed.is_empty();
        let facets = vec![Facet { failed, ..Facet::new(String::new(), rows) }];
        let mut chart = Chart::new(&words, self.study.measured(), facets, options);
        let breakdown = self.breakdown.value().filter(|b| (first..=last).contains(b));
        chart.robust = Some(Robust { original, m, breakdown });
        let frequency = self.study.provenance.settings().and_then(|s| s.frequency);
        let left_out = self.study.left_out.as_ref().map(|left_out| left_out.warning());
        chart.remarks = vec![format!("Parameter: {}", self.parameter)];
        chart.remarks.extend(left_out.map(|warning| warning.shown(frequency)));
        let open = self.intervals.iter().filter(|i| i.is_open()).map(|i| short(i.m));
        let open: Vec<String> = open.collect();
        if !open.is_empty() {
            let open = open.join(", ");
            chart.remarks.push(format!("Intervals that may be longer than drawn: at {open}"));
        }
        if options.show_legend {
            let level = percent(self.options.alpha);
            let entry = |key, label: String| LegendEntry { key, label };
            let key = match options.style {
                PlotStyle::Ribbon => LegendKey::Inner,
                _ => LegendKey::Pointwise,
            };
            chart.legend = vec![
                entry(LegendKey::Pointwise(options.pre), format!("{level}% original interval")),
                entry(
                    key(options.post),
                    format!("{level}% robust interval ({}, {})", self.method.label(), self.name),
                ),
            ];
            if is_empty {
                chart.legend.push(entry(LegendKey::Cross(MUTED), "Empty interval".into()));
            }
            if let Some(value) = breakdown {
                let label = format!("Breakdown value ({})", short(value));
                chart.legend.push(entry(LegendKey::Upright(MUTED), label));
            }
        }
        Ok(chart)
    }
}
