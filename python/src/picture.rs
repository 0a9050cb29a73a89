//! How a picture looks, from keyword arguments.

use burn_did::report::{Colour, PlotOptions};
use pyo3::prelude::*;

use crate::errors;
use crate::options::Options;

/// The options of a picture.
pub(crate) fn options(given: &Options<'_>) -> PyResult<PlotOptions> {
    let mut options = PlotOptions::new();
    options.title = given.text("title")?;
    options.x_label = given.text("xlab")?;
    options.y_label = given.text("ylab")?;
    options.x_ticks = given.count("x_ticks")?;
    options.y_ticks = given.count("y_ticks")?;
    let size = (given.count("width")?, given.count("height")?);
    options.size = given.both(("width", "height"), size)?;
    options.text_scale = given.number("text_scale")?.unwrap_or(options.text_scale);
    options.style = given.word("style")?.unwrap_or(options.style);
    options.grid = given.word("grid")?.unwrap_or(options.grid);
    let shown = |name: &str, of: &mut bool| -> PyResult<()> {
        *of = given.flag(name)?.unwrap_or(*of);
        Ok(())
    };
    shown("show_band", &mut options.show_band)?;
    shown("show_ci", &mut options.show_intervals)?;
    shown("show_caps", &mut options.show_caps)?;
    shown("show_overall", &mut options.show_overall)?;
    shown("show_treatment", &mut options.show_treatment)?;
    shown("show_legend", &mut options.show_legend)?;
    if let Some(colours) = given.texts("colours")? {
        let read = |text: &String| text.parse::<Colour>();
        let read = colours.iter().map(read).collect::<Result<Vec<_>, _>>();
        let read =
            read.map_err(|error| errors::option(given.py(), &format!("`colours`: {error}")))?;
        match read[..] {
            [pre, post] => options = options.pre(pre).post(post),
            [pre, post, band] => options = options.pre(pre).post(post).band(band),
            _ => {
                let message =
                    "`colours` must be two or three: before and after treatment and of the band";
                return Err(errors::option(given.py(), message));
            }
        }
    }
    options.validate().map_err(|error| errors::raised(given.py(), &error))?;
    Ok(options)
}
