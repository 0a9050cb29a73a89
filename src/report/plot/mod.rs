//! Plots as PNG and SVG, with the crate's own font: no system fonts are needed.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "pixels and counts of ticks are small"
)]

mod axis;
mod chart;
mod dose;
mod font;
mod honest;
mod layout;
mod legend;
mod marks;
mod options;
mod raster;
mod regression;
mod scene;
mod vector;

use std::fmt::Display;
use std::path::Path;

use crate::base::error::{DidError, Result};
use crate::base::written;
use crate::estimator::{GroupTimeResult, MultiplegtResult};
use crate::result::aggregate::{Aggregated, EventStudy};

use chart::Chart;
use font::Typeface;

pub use options::{Colour, PlotOptions};

impl GroupTimeResult {
    /// Draws the group-time effects, one panel a group, to a `.png` or `.svg` file.
    ///
    /// ```no_run
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta(), &Default::default())?;
    /// fit.plot("effects.svg")?;
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::Plot`] for another extension, a result without estimates or panels that do not fit,
    /// [`DidError::Io`] if the file cannot be
    /// written.
    pub fn plot(&self, path: impl AsRef<Path>) -> Result<()> {
        self.plot_with(path, &PlotOptions::default())
    }

    /// [`Self::plot`] with words, size and colours of choice.
    ///
    /// # Errors
    /// As [`Self::plot`], and [`DidError::Config`] for a size out of range.
    pub fn plot_with(&self, path: impl AsRef<Path>, options: &PlotOptions) -> Result<()> {
        write(path.as_ref(), options, || Chart::att_gt(self, options))
    }

    /// The plot as an SVG document.
    ///
    /// ```
    /// use burn_did::PlotOptions;
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta(), &Default::default())?;
    /// let svg = fit.to_svg(&PlotOptions::new().title("Teen employment"))?;
    /// assert!(svg.contains("Teen employment"));
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::plot_with`], less the file.
    pub fn to_svg(&self, options: &PlotOptions) -> Result<String> {
        options.validate()?;
        svg(&Chart::att_gt(self, options)?, options)
    }
}

impl Aggregated {
    /// Draws the event study, or the effects by group or period, to a `.png` or `.svg` file.
    ///
    /// Thick strokes are pointwise intervals; thin ones with caps are the uniform band, if there is one.
    ///
    /// ```no_run
    /// use burn_did::Aggregation;
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta(), &Default::default())?;
    /// fit.aggregate(Aggregation::dynamic())?.plot("event-study.png")?;
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::Plot`] for another extension, a simple aggregation or a result without estimates, [`DidError::Io`]
    /// if the file cannot be written.
    pub fn plot(&self, path: impl AsRef<Path>) -> Result<()> {
        self.plot_with(path, &PlotOptions::default())
    }

    /// [`Self::plot`] with words, size and colours of choice.
    ///
    /// # Errors
    /// As [`Self::plot`], and [`DidError::Config`] for a size out of range.
    pub fn plot_with(&self, path: impl AsRef<Path>, options: &PlotOptions) -> Result<()> {
        write(path.as_ref(), options, || Chart::aggregated(self, options))
    }

    /// The plot as an SVG document.
    ///
    /// ```
    /// use burn_did::{Aggregation, PlotOptions};
    /// # use burn_did::{AttGt, backend::Cpu, data};
    /// # let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// # let fit = config.group("first.treat").build().fit(&data::mpdta(), &Default::default())?;
    /// let svg = fit.aggregate(Aggregation::dynamic())?.to_svg(&PlotOptions::new())?;
    /// assert!(svg.starts_with("<svg"));
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::plot_with`], less the file.
    pub fn to_svg(&self, options: &PlotOptions) -> Result<String> {
        options.validate()?;
        svg(&Chart::aggregated(self, options)?, options)
    }
}

impl MultiplegtResult {
    /// Draws the effects, with placebos to their left, to a `.png` or `.svg` file.
    ///
    /// ```no_run
    /// # use burn_did::{DidMultiplegt, data::SwitchingSimulation};
    /// # let data = SwitchingSimulation::builder().groups(400).build().frame();
    /// # let config = DidMultiplegt::builder().outcome("y").unit("id").time("period").treatment("d");
    /// config.effects(4).placebos(2).build().fit(&data)?.plot("effects.svg")?;
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Aggregated::plot`].
    pub fn plot(&self, path: impl AsRef<Path>) -> Result<()> {
        self.plot_with(path, &PlotOptions::default())
    }

    /// [`Self::plot`] with words, size and colours of choice.
    ///
    /// # Errors
    /// As [`Self::plot`], and [`DidError::Config`] for a size out of range.
    pub fn plot_with(&self, path: impl AsRef<Path>, options: &PlotOptions) -> Result<()> {
        write(path.as_ref(), options, || Chart::switching(self, options))
    }

    /// The plot as an SVG document.
    ///
    /// # Errors
    /// As [`Self::plot_with`], less the file.
    pub fn to_svg(&self, options: &PlotOptions) -> Result<String> {
        options.validate()?;
        svg(&Chart::switching(self, options)?, options)
    }
}

impl EventStudy {
    /// Draws the event study to a `.png` or `.svg` file.
    ///
    /// # Errors
    /// [`DidError::Plot`] for another extension or without estimates, [`DidError::Io`] if the file cannot be written.
    pub fn plot(&self, path: impl AsRef<Path>) -> Result<()> {
        self.plot_with(path, &PlotOptions::default())
    }

    /// [`Self::plot`] with words, size and colours of choice.
    ///
    /// # Errors
    /// As [`Self::plot`], and [`DidError::Config`] for a size out of range.
    pub fn plot_with(&self, path: impl AsRef<Path>, options: &PlotOptions) -> Result<()> {
        write(path.as_ref(), options, || Chart::event_study(self, options))
    }

    /// The plot as an SVG document.
    ///
    /// # Errors
    /// As [`Self::plot_with`], less the file.
    pub fn to_svg(&self, options: &PlotOptions) -> Result<String> {
        options.validate()?;
        svg(&Chart::event_study(self, options)?, options)
    }
}

enum ImageFormat {
    Png,
    Svg,
}

fn format(path: &Path) -> Result<ImageFormat> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("png") => Ok(ImageFormat::Png),
        Some("svg") => Ok(ImageFormat::Svg),
        _ => Err(DidError::Plot(format!("{} must end in .png or .svg", path.display()))),
    }
}

fn write(path: &Path, options: &PlotOptions, chart: impl FnOnce() -> Result<Chart>) -> Result<()> {
    let format = format(path)?;
    options.validate()?;
    let chart = chart()?;
    match format {
        ImageFormat::Svg => written::text(path, &svg(&chart, options)?),
        ImageFormat::Png => {
            let face = Typeface::load()?;
            raster::write(&layout::scene(&chart, options, &face)?, &face, path)
        }
    }
}

fn svg(chart: &Chart, options: &PlotOptions) -> Result<String> {
    let face = Typeface::load()?;
    vector::document(&layout::scene(chart, options, &face)?)
}

fn failed(error: impl Display) -> DidError {
    DidError::Plot(error.to_string())
}

#[cfg(test)]
mod tests;
