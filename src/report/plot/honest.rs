//! The plot of a sensitivity analysis: the original interval, and robust ones by how large violations may be.

use std::path::Path;

use crate::base::error::{DidWarning, Result};
use crate::estimator::honest::HonestDid;
use crate::report::foot::percent;
use crate::report::number::short;
use crate::report::plot_data::PlotRow;

use super::chart::{Chart, ChartWords, Facet, Robust, checked};
use super::legend::{LegendEntry, LegendKey};
use super::options::PlotOptions;
use super::scene::MUTED;
use super::{svg, write};

impl HonestDid {
    /// Draws the original interval and the robust ones, with the breakdown value if it is among them, to a `.png` or `.svg` file.
    ///
    /// ```no_run
    /// use burn_did::{Aggregation, Honest};
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta(), &Default::default())?;
    /// let event_study = fit.aggregate(Aggregation::dynamic())?;
    /// event_study.honest(Honest::relative_magnitude())?.plot("sensitivity.svg")?;
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::Plot`](crate::DidError::Plot) for another extension or numbers too large to draw,
    /// [`DidError::Io`](crate::DidError::Io) if the file cannot be written.
    pub fn plot(&self, path: impl AsRef<Path>) -> Result<()> {
        self.plot_with(path, &PlotOptions::default())
    }

    /// [`Self::plot`] with words, size and colours of choice: `pre` is the original interval's, `post` that of the robust ones.
    ///
    /// # Errors
    /// As [`Self::plot`], and [`DidError::Config`](crate::DidError::Config) for a size out of range.
    pub fn plot_with(&self, path: impl AsRef<Path>, options: &PlotOptions) -> Result<()> {
        write(path.as_ref(), options, || Chart::honest(self, options))
    }

    /// The plot as an SVG document.
    ///
    /// # Errors
    /// As [`Self::plot_with`], less the file.
    pub fn to_svg(&self, options: &PlotOptions) -> Result<String> {
        options.validate()?;
        svg(&Chart::honest(self, options)?, options)
    }

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
        let original = original.zip(self.original.att).map(|((lower, upper), att)| PlotRow {
            att,
            post: false,
            ..PlotRow::interval(first - gap, lower, upper)
        });
        original.into_iter().chain(robust).collect()
    }
}

impl Chart {
    fn honest(result: &HonestDid, options: &PlotOptions) -> Result<Self> {
        let rows = checked(result.plot_rows())?;
        let first = rows.iter().find(|r| r.post).map_or(f64::NEG_INFINITY, |r| r.at);
        let last = rows.last().map_or(first, |r| r.at);
        let relative = result.options.delta.is_relative();
        let words = ChartWords {
            title: "Robust Confidence Intervals",
            x_label: if relative {
                "Largest violation after treatment, relative to the largest before (Mbar)"
            } else {
                "Largest change of the slope of the difference in trends (M)"
            },
        };
        let original = rows.iter().find(|r| !r.post).map(|r| r.at);
        let m = rows.iter().filter(|r| r.post).map(|r| r.at).collect();
        let outcome = result.study.provenance.outcome().unwrap_or("effect");
        let facets = vec![Facet::new(String::new(), rows)];
        let mut chart = Self::new(&words, ("ATT", outcome), facets, options);
        let breakdown = result.breakdown.value().filter(|b| (first..=last).contains(b));
        chart.robust = Some(Robust { original, m, breakdown });
        let frequency = result.study.provenance.settings().and_then(|s| s.frequency);
        let left_out = result.study.left_out.as_ref().map(DidWarning::left_out);
        chart.remarks = left_out.map(|w| w.shown(frequency)).into_iter().collect();
        if options.show_legend {
            let level = percent(result.options.alpha);
            let entry = |key, label: String| LegendEntry { key, label };
            chart.legend = vec![
                entry(LegendKey::Pointwise(options.pre), format!("{level}% original interval")),
                entry(
                    LegendKey::Pointwise(options.post),
                    format!("{level}% robust interval ({}, {})", result.method.name(), result.name),
                ),
            ];
            if let Some(value) = breakdown {
                let label = format!("Breakdown value ({})", short(value));
                chart.legend.push(entry(LegendKey::Upright(MUTED), label));
            }
        }
        Ok(chart)
    }
}
