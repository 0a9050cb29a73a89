//! Plots of the coefficients of `i()`.

use std::path::Path;

use crate::base::error::{DidError, Result};
use crate::estimator::fixed_effects::RegressionResult;
use crate::result::aggregate::EventStudy;

use super::chart::Chart;
use super::options::PlotOptions;
use super::{svg, write};

impl RegressionResult {
    /// Draws the coefficients of the formula's first `i()` by its levels, to a `.png` or `.svg` file: one panel, or one for each level
    /// of the other factor in `i(year, i.treated)`.
    ///
    /// # Errors
    /// [`DidError::Plot`] without an `i()`, for another extension or without estimates, [`DidError::EmptyWindow`] if the levels are no
    /// numbers, [`DidError::Io`] if the file cannot be written.
    pub fn plot(&self, path: impl AsRef<Path>) -> Result<()> {
        self.plot_with(path, &PlotOptions::default())
    }

    /// [`Self::plot`] with words, size and colours of choice.
    ///
    /// # Errors
    /// As [`Self::plot`], and [`DidError::Config`] for a size out of range.
    pub fn plot_with(&self, path: impl AsRef<Path>, options: &PlotOptions) -> Result<()> {
        let series = self.first_series()?;
        write(path.as_ref(), options, || Chart::event_studies(&series, options))
    }

    /// The plot as an SVG document.
    ///
    /// # Errors
    /// As [`Self::plot_with`], less the file.
    pub fn to_svg(&self, options: &PlotOptions) -> Result<String> {
        options.validate()?;
        svg(&Chart::event_studies(&self.first_series()?, options)?, options)
    }

    /// The effects of the first `i()`, by the level of its other factor.
    fn first_series(&self) -> Result<Vec<(String, EventStudy)>> {
        // `year:treated::1` is the level 1 of `i(year, i.treated)`.
        let term = |of: &str| of.rsplit_once("::").map_or(of, |(term, _)| term).to_owned();
        let first = self.event_studies().next().map(term).ok_or_else(|| {
            DidError::Plot("the regression has no i(), whose coefficients would be drawn".into())
        })?;
        let title = |of: &str| {
            let level = of.rsplit_once("::").zip(of.split_once(':'));
            level.map_or(String::new(), |((_, level), (_, factor))| {
                let factor = factor.rsplit_once("::").map_or(factor, |(name, _)| name);
                format!("{factor} = {level}")
            })
        };
        let of_first = self.event_studies().filter(|of| term(of) == first);
        of_first.map(|of| Ok((title(of), self.event_study(of)?))).collect()
    }
}
