//! How a picture looks.

use std::path::Path;

use burn_did::report::{
    Colour, Comparison, PlotGrid, PlotOptions, PlotStyle, Reportable, missing_letters,
};
use clap::{Args, ValueEnum};

use crate::defaults;
use crate::error::{CliError, Result};
use crate::messages;
use crate::words::OneOf;

/// How a picture looks.
#[derive(Args)]
#[command(next_help_heading = "Picture")]
pub(crate) struct PictureArgs {
    /// Title; "" for none.
    #[arg(long, value_name = "TEXT", requires = "plot")]
    title: Option<String>,
    /// Label of the horizontal axis; "" for none.
    #[arg(long, value_name = "TEXT", requires = "plot")]
    x_label: Option<String>,
    /// Label of the vertical axis; "" for none.
    #[arg(long, value_name = "TEXT", requires = "plot")]
    y_label: Option<String>,
    /// How effects and their intervals are drawn; curves, distributions and pictures without intervals have a style of their own.
    #[arg(
        long,
        value_name = "STYLE",
        requires = "plot",
        default_value_t = defaults::picture().style,
        value_parser = OneOf::<PlotStyle>::all()
    )]
    style: PlotStyle,
    /// Caps at the ends of pointwise intervals.
    #[arg(long, requires = "plot")]
    caps: bool,
    /// Lines behind the effects, at the ticks of the axes.
    #[arg(
        long,
        value_name = "LINES",
        requires = "plot",
        default_value_t = defaults::picture().grid,
        value_parser = OneOf::<PlotGrid>::all()
    )]
    grid: PlotGrid,
    /// About how many ticks the horizontal axis has.
    #[arg(long, value_name = "N", requires = "plot")]
    x_ticks: Option<u32>,
    /// About how many ticks the vertical axis has.
    #[arg(long, value_name = "N", requires = "plot")]
    y_ticks: Option<u32>,
    /// Parts to leave out.
    #[arg(long, value_name = "PART,...", requires = "plot", value_enum, value_delimiter = ',')]
    hide: Vec<Part>,
    /// Colours of effects before and after treatment and of the uniform band, as in "#7570b3,#1b9e77"; results that share a panel, and
    /// pictures without effects before and after treatment, keep their own.
    #[arg(
        long,
        value_name = "PRE,POST[,BAND]",
        requires = "plot",
        visible_alias = "colors",
        value_delimiter = ',',
        num_args = 1
    )]
    colours: Vec<Colour>,
    /// Width in pixels, of which a .pdf has 96 an inch; needs --height.
    #[arg(long, value_name = "PIXELS", requires = "height")]
    width: Option<u32>,
    /// Height in pixels; needs --width.
    #[arg(long, value_name = "PIXELS", requires_all = ["width", "plot"])]
    height: Option<u32>,
    /// Size of letters, relative to the size that goes with that of the picture.
    #[arg(
        long,
        value_name = "FACTOR",
        requires = "plot",
        default_value_t = defaults::picture().text_scale
    )]
    text_scale: f64,
}

impl PictureArgs {
    /// The options in the words of the library.
    pub(crate) fn options(&self) -> Result<PlotOptions> {
        let hidden = |part| self.hide.contains(&part);
        let mut options = PlotOptions::new()
            .style(self.style)
            .grid(self.grid)
            .text_scale(self.text_scale)
            .show_caps(self.caps)
            .show_band(!hidden(Part::Band))
            .show_intervals(!hidden(Part::Intervals))
            .show_overall(!hidden(Part::Overall))
            .show_treatment(!hidden(Part::Treatment))
            .show_legend(!hidden(Part::Legend));
        options.title.clone_from(&self.title);
        options.x_label.clone_from(&self.x_label);
        options.y_label.clone_from(&self.y_label);
        options.x_ticks = self.x_ticks;
        options.y_ticks = self.y_ticks;
        options.size = self.width.zip(self.height);
        options = match self.colours[..] {
            [] => options,
            [pre, post] => options.pre(pre).post(post),
            [pre, post, band] => options.pre(pre).post(post).band(band),
            _ => {
                return Err(CliError::usage(
                    "--colours takes two or three",
                    "name those before and after treatment and of the band, as in #7570b3,#1b9e77",
                ));
            }
        };
        options.validate()?;
        Ok(options)
    }

    /// Draws a result to a file, and warns of options that leave its picture as it is.
    pub(crate) fn draw(&self, result: &dyn Reportable, file: &Path, quiet: bool) -> Result<()> {
        let options = self.options()?;
        if !quiet {
            warn_of_idle(&options, |options| result.to_svg(options));
            warn_of_letters(file, || result.to_svg(&options));
        }
        Ok(result.plot_with(file, &options)?)
    }

    /// As [`draw`](Self::draw), of results side by side.
    pub(crate) fn draw_comparison(
        &self,
        comparison: &Comparison<'_>,
        file: &Path,
        quiet: bool,
    ) -> Result<()> {
        let options = self.options()?;
        if !quiet {
            warn_of_idle(&options, |options| comparison.to_svg(options));
            warn_of_letters(file, || comparison.to_svg(&options));
        }
        Ok(comparison.plot_with(file, &options)?)
    }
}

/// Warns of options that leave a picture as it is; `svg` draws it.
fn warn_of_idle(options: &PlotOptions, svg: impl Fn(&PlotOptions) -> burn_did::Result<String>) {
    let usual = PlotOptions::default();
    let without = |change: &dyn Fn(&mut PlotOptions)| {
        let mut options = options.clone();
        change(&mut options);
        options
    };
    let plain = [
        ("--colours", without(&|o| (o.pre, o.post, o.band) = (usual.pre, usual.post, usual.band))),
        ("--style", without(&|o| o.style = usual.style)),
        ("--grid", without(&|o| o.grid = usual.grid)),
        ("--caps", without(&|o| o.show_caps = usual.show_caps)),
        ("--hide band", without(&|o| o.show_band = usual.show_band)),
        ("--hide intervals", without(&|o| o.show_intervals = usual.show_intervals)),
        ("--hide overall", without(&|o| o.show_overall = usual.show_overall)),
        ("--hide treatment", without(&|o| o.show_treatment = usual.show_treatment)),
        ("--hide legend", without(&|o| o.show_legend = usual.show_legend)),
    ];
    let mut given = plain.iter().filter(|(_, without)| without != options).peekable();
    // A picture that cannot be drawn is an error where it is written.
    let Some(Ok(drawn)) = given.peek().map(|_| svg(options)) else { return };
    for (name, without) in given {
        if svg(without).is_ok_and(|plain| plain == drawn) {
            messages::warning(format!("{name} has no effect: the picture is the same without it"));
        }
    }
}

/// Warns of letters that the picture of a file lacks; in an SVG file the viewer's fonts draw them.
fn warn_of_letters(file: &Path, svg: impl Fn() -> burn_did::Result<String>) {
    if file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg")) {
        return;
    }
    let missing = svg().map_or_else(|_| Vec::new(), |svg| missing_letters(&svg));
    if !missing.is_empty() {
        let letters: String = missing.into_iter().take(10).collect();
        messages::warning(format!(
            "the font of pictures lacks {letters}, drawn as empty boxes; an .svg file has them in the fonts of the viewer"
        ));
    }
}

/// What a picture may be without.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The uniform band around the pointwise intervals.
    Band,
    /// The pointwise intervals of points.
    Intervals,
    /// The overall effect with its interval.
    Overall,
    /// The line at treatment.
    Treatment,
    /// The legend.
    Legend,
}
