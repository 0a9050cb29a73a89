//! How a plot looks.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::base::error::{DidError, Result};
use crate::base::words::{ParseOptionError, words};

words! {
    /// How effects and their intervals are drawn.
    #[derive(Default)]
    pub enum PlotStyle: "style" {
        /// Points with their intervals as strokes.
        #[default]
        Points = "points",
        /// Points with their intervals as strokes, joined by a line.
        Line = "line",
        /// A line with its intervals as shaded areas.
        Ribbon = "ribbon",
        /// Bars from zero, with their intervals as strokes.
        Bars = "bars",
    }
}

words! {
    /// Which lines are drawn behind the effects, at the ticks of the axes.
    #[derive(Default)]
    pub enum PlotGrid: "grid" {
        /// Level lines, at the values of effects.
        #[default]
        Horizontal = "horizontal",
        /// Upright lines, at event times, groups or periods.
        Vertical = "vertical",
        /// Level and upright lines.
        Both = "both",
        /// No lines.
        None = "none",
    }
}

impl PlotGrid {
    pub(super) fn is_level(self) -> bool {
        matches!(self, Self::Horizontal | Self::Both)
    }

    pub(super) fn is_upright(self) -> bool {
        matches!(self, Self::Vertical | Self::Both)
    }
}

/// A colour: red, green and blue.
///
/// ```
/// use burn_did::report::Colour;
/// assert_eq!("#0072B2".parse(), Ok(Colour(0, 114, 178)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// The colour mixed with white, whose share is `white`.
    pub(super) fn tint(self, white: f64) -> Self {
        let mix = |c: u8| (f64::from(c) * (1.0 - white) + 255.0 * white).round() as u8;
        Self(mix(self.0), mix(self.1), mix(self.2))
    }
}

/// Reads six hexadecimal digits, with or without `#` before them.
impl FromStr for Colour {
    type Err = ParseOptionError;

    fn from_str(text: &str) -> std::result::Result<Self, ParseOptionError> {
        let digits = text.trim().trim_start_matches('#');
        let channels = (digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
            .then(|| u32::from_str_radix(digits, 16).ok())
            .flatten();
        let [_, red, green, blue] = channels
            .ok_or_else(|| {
                ParseOptionError::new("colour", "six hexadecimal digits, as in #0072B2", text)
            })?
            .to_be_bytes();
        Ok(Self(red, green, blue))
    }
}

/// Words, size, style and colours of a plot. What is `None` follows from the result.
///
/// ```
/// use burn_did::report::{Colour, PlotOptions, PlotStyle};
/// let options = PlotOptions::new()
///     .title("Minimum wage and teen employment")
///     .y_label("Effect on log employment")
///     .size(1600, 1000)
///     .style(PlotStyle::Ribbon)
///     .post(Colour(0, 90, 60));
/// # assert_eq!(options.size, Some((1600, 1000)));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct PlotOptions {
    /// Title; empty for none.
    pub title: Option<String>,
    /// Label of the horizontal axis; empty for none.
    pub x_label: Option<String>,
    /// Label of the vertical axis; empty for none.
    pub y_label: Option<String>,
    /// Width and height in pixels, of which a PDF has 96 an inch. Text and marks grow with it.
    pub size: Option<(u32, u32)>,
    /// Size of all letters, relative to the size that goes with that of the picture.
    pub text_scale: f64,
    /// How effects and their intervals are drawn. Curves are always lines with shaded intervals; distributions and pictures without
    /// intervals have a style of their own.
    pub style: PlotStyle,
    /// Which lines are drawn behind the effects.
    pub grid: PlotGrid,
    /// About how many ticks the horizontal axis has, at most as many as there is room for. `None` for as many as is easy to read.
    pub x_ticks: Option<u32>,
    /// About how many ticks the vertical axis has, at most as many as there is room for. `None` for as many as is easy to read.
    pub y_ticks: Option<u32>,
    /// Colour of effects before treatment. Results that share a panel, and pictures without effects before and after treatment, keep their
    /// own colours.
    pub pre: Colour,
    /// Colour of effects at and after treatment.
    pub post: Colour,
    /// Colour of the uniform band; `None` for that of the points.
    pub band: Option<Colour>,
    /// Whether the uniform band is drawn around the pointwise intervals.
    pub show_band: bool,
    /// Whether pointwise intervals of points are drawn. Curves and robust intervals always have theirs.
    pub show_intervals: bool,
    /// Whether pointwise intervals that are strokes end in caps.
    pub show_caps: bool,
    /// Whether the overall effect is drawn, as a line with its interval around it.
    pub show_overall: bool,
    /// Whether a dashed line separates periods before treatment from those at and after it. Where effects count from the reference of
    /// a regression, it is at the reference.
    pub show_treatment: bool,
    /// Whether there is a legend.
    pub show_legend: bool,
}

impl Default for PlotOptions {
    fn default() -> Self {
        Self {
            title: None,
            x_label: None,
            y_label: None,
            size: None,
            text_scale: 1.0,
            style: PlotStyle::default(),
            grid: PlotGrid::default(),
            x_ticks: None,
            y_ticks: None,
            pre: Colour(213, 94, 0),
            post: Colour(0, 114, 178),
            band: None,
            show_band: true,
            show_intervals: true,
            show_caps: false,
            show_overall: true,
            show_treatment: true,
            show_legend: true,
        }
    }
}

impl PlotOptions {
    /// The defaults: colours that colour-blind readers can tell apart.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the title.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the label of the horizontal axis.
    #[must_use]
    pub fn x_label(mut self, label: impl Into<String>) -> Self {
        self.x_label = Some(label.into());
        self
    }

    /// Sets the label of the vertical axis.
    #[must_use]
    pub fn y_label(mut self, label: impl Into<String>) -> Self {
        self.y_label = Some(label.into());
        self
    }

    /// Sets width and height in pixels.
    #[must_use]
    pub fn size(mut self, width: u32, height: u32) -> Self {
        self.size = Some((width, height));
        self
    }

    /// Sets the size of all letters, relative to the size that goes with that of the picture.
    #[must_use]
    pub fn text_scale(mut self, scale: f64) -> Self {
        self.text_scale = scale;
        self
    }

    /// Sets how effects and their intervals are drawn.
    #[must_use]
    pub fn style(mut self, style: PlotStyle) -> Self {
        self.style = style;
        self
    }

    /// Sets which lines are drawn behind the effects.
    #[must_use]
    pub fn grid(mut self, grid: PlotGrid) -> Self {
        self.grid = grid;
        self
    }

    /// Sets about how many ticks the horizontal axis has.
    #[must_use]
    pub fn x_ticks(mut self, ticks: u32) -> Self {
        self.x_ticks = Some(ticks);
        self
    }

    /// Sets about how many ticks the vertical axis has.
    #[must_use]
    pub fn y_ticks(mut self, ticks: u32) -> Self {
        self.y_ticks = Some(ticks);
        self
    }

    /// Sets the colour of effects before treatment.
    #[must_use]
    pub fn pre(mut self, colour: Colour) -> Self {
        self.pre = colour;
        self
    }

    /// Sets the colour of effects at and after treatment.
    #[must_use]
    pub fn post(mut self, colour: Colour) -> Self {
        self.post = colour;
        self
    }

    /// Sets the colour of the uniform band.
    #[must_use]
    pub fn band(mut self, colour: Colour) -> Self {
        self.band = Some(colour);
        self
    }

    /// Draws or hides the uniform band.
    #[must_use]
    pub fn show_band(mut self, show: bool) -> Self {
        self.show_band = show;
        self
    }

    /// Draws or hides the pointwise intervals of points.
    #[must_use]
    pub fn show_intervals(mut self, show: bool) -> Self {
        self.show_intervals = show;
        self
    }

    /// Draws or hides caps at the ends of pointwise intervals.
    #[must_use]
    pub fn show_caps(mut self, show: bool) -> Self {
        self.show_caps = show;
        self
    }

    /// Draws or hides the overall effect.
    #[must_use]
    pub fn show_overall(mut self, show: bool) -> Self {
        self.show_overall = show;
        self
    }

    /// Draws or hides the line at treatment.
    #[must_use]
    pub fn show_treatment(mut self, show: bool) -> Self {
        self.show_treatment = show;
        self
    }

    /// Draws or hides the legend.
    #[must_use]
    pub fn show_legend(mut self, show: bool) -> Self {
        self.show_legend = show;
        self
    }

    /// Checks sizes and numbers of ticks.
    ///
    /// # Errors
    /// [`DidError::Config`] for a picture under 200 × 150 or over 10,000 × 10,000 pixels, letters under a third of or over five
    /// times their usual size, and under 2 or over 100 ticks.
    pub fn validate(&self) -> Result<()> {
        let refused = |option, expected, got| Err(DidError::config(option, expected, got));
        if let Some((w, h)) = self.size
            && (!(200..=10_000).contains(&w) || !(150..=10_000).contains(&h))
        {
            let got = format!("{w} × {h}");
            return refused("size", "between 200 × 150 and 10000 × 10000 pixels", got);
        }
        if !(1.0 / 3.0..=5.0).contains(&self.text_scale) {
            return refused("text_scale", "between 1/3 and 5", self.text_scale.to_string());
        }
        for (option, ticks) in [("x_ticks", self.x_ticks), ("y_ticks", self.y_ticks)] {
            if let Some(ticks) = ticks.filter(|ticks| !(2..=100).contains(ticks)) {
                return refused(option, "between 2 and 100", ticks.to_string());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read() {
        for text in ["#0072b2", "0072B2", " #0072B2 "] {
            assert_eq!(text.parse(), Ok(Colour(0, 114, 178)), "{text}");
        }
        for text in ["blue", "#0072B", "+0072B", "#0072é"] {
            let error = text.parse::<Colour>().expect_err(text).to_string();
            assert!(error.contains("six hexadecimal digits"), "{error}");
        }
    }

    #[test]
    fn odd_options_are_refused() {
        let options = PlotOptions::new();
        for (odd, word) in [
            (options.clone().size(10, 10), "size"),
            (options.clone().text_scale(f64::NAN), "text_scale"),
            (options.clone().x_ticks(1), "x_ticks"),
            (options.clone().y_ticks(101), "y_ticks"),
        ] {
            let error = odd.validate().expect_err(word).to_string();
            assert!(error.contains(word), "{error}");
        }
        assert_eq!(options.validate().ok(), Some(()));
    }
}
