//! Plots as PNG, SVG and PDF, with the crate's own font: no system fonts are needed.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "pixels and counts of ticks are small"
)]

mod axis;
pub(crate) mod chart;
pub(crate) mod curves;
pub(crate) mod font;
mod frame;
pub(crate) mod layers;
pub(crate) mod layout;
pub(crate) mod legend;
mod marks;
pub(crate) mod mosaic;
mod options;
mod pdf;
pub(crate) mod raster;
pub(crate) mod scatter;
pub(crate) mod scene;
mod series;
mod sizes;
pub(crate) mod specifications;
pub(crate) mod traces;
mod vector;

use std::fmt::Display;
use std::path::Path;

use crate::base::error::{DidError, Result};
use crate::base::written;

use chart::Chart;
use curves::Curves;
use font::Typeface;
use mosaic::Mosaic;
use scatter::Scatter;
use scene::Scene;
use specifications::Specifications;

pub use font::missing_letters;
pub use options::{Colour, PlotGrid, PlotOptions, PlotStyle};

/// What a result looks like, before it has a size.
pub(crate) enum Picture {
    /// Points with their intervals.
    Chart(Chart),
    /// A curve above its slope.
    Curves(Curves),
    /// Rows of coloured cells.
    Mosaic(Mosaic),
    /// Points in a plane.
    Scatter(Scatter),
    /// Effects in order, with the choices behind them.
    Specifications(Specifications),
}

impl Picture {
    fn scene(&self, options: &PlotOptions, face: &Typeface) -> Result<Scene> {
        match self {
            Self::Chart(chart) => layout::scene(chart, options, face),
            Self::Curves(curves) => curves::scene(curves, options, face),
            Self::Mosaic(mosaic) => mosaic::scene(mosaic, options, face),
            Self::Scatter(scatter) => scatter::scene(scatter, options, face),
            Self::Specifications(curve) => specifications::scene(curve, options, face),
        }
    }
}

enum ImageFormat {
    Png,
    Svg,
    Pdf,
}

fn format(path: &Path) -> Result<ImageFormat> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("png") => Ok(ImageFormat::Png),
        Some("svg") => Ok(ImageFormat::Svg),
        Some("pdf") => Ok(ImageFormat::Pdf),
        _ => Err(DidError::Plot(format!("{} must end in .png, .svg or .pdf", path.display()))),
    }
}

/// Draws a picture to a `.png`, `.svg` or `.pdf` file.
pub(crate) fn write(
    path: &Path,
    options: &PlotOptions,
    picture: impl FnOnce() -> Result<Picture>,
) -> Result<()> {
    let format = format(path)?;
    options.validate()?;
    let picture = picture()?;
    let face = Typeface::load()?;
    let scene = picture.scene(options, &face)?;
    match format {
        ImageFormat::Svg => written::text(path, &vector::document(&scene)?),
        ImageFormat::Pdf => written::bytes(path, &pdf::document(&scene, &face)),
        ImageFormat::Png => raster::write(&scene, &face, path),
    }
}

/// A picture as an SVG document.
pub(crate) fn svg(
    options: &PlotOptions,
    picture: impl FnOnce() -> Result<Picture>,
) -> Result<String> {
    options.validate()?;
    vector::document(&picture()?.scene(options, &Typeface::load()?)?)
}

/// A picture as an SVG and as a PDF document.
#[cfg(feature = "report")]
pub(crate) fn documents(
    options: &PlotOptions,
    picture: impl FnOnce() -> Result<Picture>,
) -> Result<(String, Vec<u8>)> {
    options.validate()?;
    let face = Typeface::load()?;
    let scene = picture()?.scene(options, &face)?;
    Ok((vector::document(&scene)?, pdf::document(&scene, &face)))
}

fn failed(error: impl Display) -> DidError {
    DidError::Plot(error.to_string())
}
