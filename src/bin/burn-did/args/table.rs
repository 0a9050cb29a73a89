//! How results stand side by side.

use burn_did::report::{Below, Comparison, Stars};
use clap::Args;

use crate::words::OneOf;

/// Rows of a comparison, their names, and how they are printed.
#[derive(Args)]
#[command(next_help_heading = "Table")]
pub(crate) struct TableArgs {
    /// Keep the rows of estimates with this name, in the order in which names are given; in a name, * stands for any characters and
    /// ? for one, as in "Event time *"; repeatable.
    #[arg(long, value_name = "ROW", allow_hyphen_values = true)]
    keep: Vec<String>,
    /// Leave out the rows with this name, of estimates or below them; repeatable.
    #[arg(long, value_name = "ROW", allow_hyphen_values = true)]
    drop: Vec<String>,
    /// Print another name for a row, an outcome, a fixed effect or a column in the name of a coefficient, as in
    /// lpop="Log population"; repeatable.
    #[arg(long, value_name = "OLD=NEW", value_parser = label, allow_hyphen_values = true)]
    label: Vec<(String, String)>,
    /// Add stars to estimates; without a word, by levels.
    #[arg(
        long,
        value_name = "STARS",
        value_parser = OneOf::<Stars>::all(),
        default_value_t = Stars::None,
        default_missing_value = Stars::Levels.word(),
        num_args = 0..=1,
        require_equals = true
    )]
    stars: Stars,
    /// What stands under an estimate.
    #[arg(long, value_name = "WHAT", value_parser = OneOf::<Below>::all(), default_value_t = Below::StandardError)]
    below: Below,
    /// Decimal places; by default each standard error has two significant digits at least.
    #[arg(long, value_name = "N")]
    digits: Option<usize>,
    /// Title of the table in markdown and LaTeX.
    #[arg(long, value_name = "TEXT")]
    caption: Option<String>,
    /// Name by which \ref finds the table in LaTeX; tab: stands before one without a colon.
    #[arg(long, value_name = "LABEL")]
    tex_label: Option<String>,
    /// Align numbers in LaTeX on their decimal points, by the package siunitx.
    #[arg(long)]
    siunitx: bool,
}

/// A name and what it becomes.
fn label(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(old, _)| !old.is_empty());
    let (old, new) =
        parts.ok_or_else(|| "expected a name and a label, as in lpop=Population".to_owned())?;
    Ok((old.to_owned(), new.to_owned()))
}

impl TableArgs {
    /// A comparison with these options.
    pub(crate) fn applied<'a>(&self, mut comparison: Comparison<'a>) -> Comparison<'a> {
        comparison = comparison.keep(&self.keep).drop(&self.drop);
        comparison = comparison.stars(self.stars).below(self.below).siunitx(self.siunitx);
        for (old, new) in &self.label {
            comparison = comparison.label(old, new);
        }
        if let Some(digits) = self.digits {
            comparison = comparison.digits(digits);
        }
        if let Some(caption) = &self.caption {
            comparison = comparison.caption(caption);
        }
        if let Some(label) = &self.tex_label {
            comparison = comparison.reference(label);
        }
        comparison
    }
}
