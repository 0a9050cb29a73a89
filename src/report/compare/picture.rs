//! Pictures of several results.

use std::path::Path;

use crate::base::error::{DidError, Result};
use crate::report::foot::percent;
use crate::report::plot::layers::combined;
use crate::report::plot::{self, Picture, PlotOptions};

use super::comparison::Comparison;
use super::notes;
use super::rows::gathered;

impl Comparison<'_> {
    /// Draws the results to a `.png`, `.svg` or `.pdf` file: event studies, or effects by group or period, side by side in one panel, each with a
    /// colour and a mark of its own. Of one result with group-time effects it draws the groups side by side, and of several such results
    /// the results in a panel for each group. With [`facets`](Self::facets), each result has a panel of its own.
    ///
    /// ```
    /// use burn_did::{Aggregation, AttGt, SunAbraham, backend::Cpu, data, report::Comparison};
    ///
    /// let panel = data::mpdta();
    /// let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// let callaway = config.group("first.treat").build().fit(&panel)?.aggregate(Aggregation::dynamic())?;
    /// let config = SunAbraham::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// let sun = config.group("first.treat").build().fit(&panel)?;
    /// let both = Comparison::new(&[("Callaway and Sant'Anna", &callaway), ("Sun and Abraham", &sun)])?;
    /// let path = std::env::temp_dir().join("burn-did-comparison-example.svg");
    /// both.plot(&path)?;
    /// # std::fs::remove_file(path).unwrap();
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::Plot`] for another extension, for results that have no such effects or have them by different axes or with intervals of
    /// different levels, and for more than 12 in one panel; [`DidError::Io`] if the file cannot be written.
    pub fn plot(&self, path: impl AsRef<Path>) -> Result<()> {
        self.plot_with(path, &PlotOptions::default())
    }

    /// [`plot`](Self::plot) with words, size and style of choice; the colours of results that share a panel are fixed.
    ///
    /// # Errors
    /// As [`plot`](Self::plot), and [`DidError::Config`] for options out of range.
    pub fn plot_with(&self, path: impl AsRef<Path>, options: &PlotOptions) -> Result<()> {
        plot::write(path.as_ref(), options, || self.picture(options))
    }

    /// The plot as an SVG document.
    ///
    /// # Errors
    /// As [`plot_with`](Self::plot_with), less the file.
    pub fn to_svg(&self, options: &PlotOptions) -> Result<String> {
        plot::svg(options, || self.picture(options))
    }

    /// The plot as an SVG and as a PDF document.
    #[cfg(feature = "report")]
    pub(crate) fn documents(&self, options: &PlotOptions) -> Result<(String, Vec<u8>)> {
        plot::documents(options, || self.picture(options))
    }

    fn picture(&self, options: &PlotOptions) -> Result<Picture> {
        let (first, alpha) = match self.models.first() {
            Some((name, model)) => (name, model.alpha()),
            None => return Err(DidError::Plot("there is no result to draw".into())),
        };
        let mut charts = Vec::with_capacity(self.models.len());
        for (name, model) in &self.models {
            if percent(model.alpha()) != percent(alpha) {
                return Err(DidError::Plot(format!(
                    "{first} has intervals of {}% and {name} of {}%; draw intervals of one level",
                    percent(alpha),
                    percent(model.alpha())
                )));
            }
            let mut chart = model.comparable_chart(options).map_err(|error| match error {
                DidError::Plot(problem) => DidError::Plot(format!("{name}: {problem}")),
                error => error,
            })?;
            let parameter = chart.parameter;
            let axis = |outcome: &str| format!("{parameter} ({outcome})");
            let outcome = model.outcome().filter(|outcome| chart.y_label == axis(outcome));
            if let Some(outcome) = outcome {
                chart.y_label = axis(&self.selection.label(&[&outcome]));
            }
            charts.push((name.as_str(), chart));
        }
        let mut chart = combined(charts, self.facets, options, alpha)?;
        let terms = self.terms();
        chart.remarks.extend(notes::before_treatment(&self.models, &gathered(&terms)));
        Ok(Picture::Chart(chart))
    }
}
