//! How a plot looks.

use serde::{Deserialize, Serialize};

use crate::base::error::{DidError, Result};

/// A colour: red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Colour(pub u8, pub u8, pub u8);

/// Words, size and colours of a plot. What is `None` follows from the result.
///
/// ```
/// use burn_did::report::{Colour, PlotOptions};
/// let options = PlotOptions::new()
///     .title("Minimum wage and teen employment")
///     .y_label("Effect on log employment")
///     .size(1600, 1000)
///     .post(Colour(0, 90, 60));
/// # assert_eq!(options.size, Some((1600, 1000)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct PlotOptions {
    /// Title; empty for none.
    pub title: Option<String>,
    /// Label of the horizontal axis; empty for none.
    pub x_label: Option<String>,
    /// Label of the vertical axis; empty for none.
    pub y_label: Option<String>,
    /// Width and height in pixels. Text and marks grow with it.
    pub size: Option<(u32, u32)>,
    /// Colour of effects before treatment.
    pub pre: Colour,
    /// Colour of effects at and after treatment.
    pub post: Colour,
    /// Colour of the uniform band; `None` for that of the points.
    pub band: Option<Colour>,
    /// Whether the uniform band is drawn around the pointwise intervals.
    pub show_band: bool,
    /// Whether the overall effect of an aggregation by group or period is drawn.
    pub show_overall: bool,
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
            pre: Colour(213, 94, 0),
            post: Colour(0, 114, 178),
            band: None,
            show_band: true,
            show_overall: true,
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

    /// Draws or hides the overall effect of an aggregation by group or period.
    #[must_use]
    pub fn show_overall(mut self, show: bool) -> Self {
        self.show_overall = show;
        self
    }

    /// Draws or hides the legend.
    #[must_use]
    pub fn show_legend(mut self, show: bool) -> Self {
        self.show_legend = show;
        self
    }

    /// Checks the size.
    ///
    /// # Errors
    /// [`DidError::Config`] for a picture under 200 × 150 or over 10,000 × 10,000 pixels.
    pub fn validate(&self) -> Result<()> {
        match self.size {
            Some((w, h)) if !(200..=10_000).contains(&w) || !(150..=10_000).contains(&h) => {
                Err(DidError::config(
                    "size",
                    "between 200 × 150 and 10000 × 10000 pixels",
                    format!("{w} × {h}"),
                ))
            }
            _ => Ok(()),
        }
    }
}
