//! What becomes of a result.

use std::path::{Path, PathBuf};

use burn_did::report::{Message, Reportable};
use clap::{Args, ValueEnum};

use super::PictureArgs;
use crate::error::Result;
use crate::messages;
use crate::output;
use crate::parse;
use crate::progress::Bar;

/// What becomes of a result.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Format of the results.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: Format,
    /// Draw the result to this .png, .svg or .pdf file.
    #[arg(long, value_name = "FILE", value_parser = parse::picture())]
    pub plot: Option<PathBuf>,
    /// Save the result as JSON, for the commands that read one.
    #[arg(long, value_name = "FILE", value_parser = parse::document())]
    pub save: Option<PathBuf>,
    /// No progress and no warnings on standard error.
    #[arg(long, short, help_heading = None)]
    pub quiet: bool,
    #[command(flatten)]
    pub picture: PictureArgs,
}

impl OutputArgs {
    /// Refuses to write to what is read, or twice to one file, and pictures that cannot be drawn, before any work.
    pub(crate) fn check(&self, data: &Path) -> Result<()> {
        self.check_beside(data, None)
    }

    /// As [`check`](Self::check), with another file to be written.
    pub(crate) fn check_beside(&self, data: &Path, other: Option<&PathBuf>) -> Result<()> {
        self.picture.options()?;
        output::keep_apart(data, &[self.save.as_ref(), self.plot.as_ref(), other])
    }

    /// Fits with a line of progress, and shows the result as [`emit`](Self::emit) does.
    pub(crate) fn fitted<R: Reportable>(
        &self,
        data: &Path,
        fit: impl FnOnce(&Bar) -> Result<R>,
    ) -> Result<()> {
        self.check(data)?;
        let bar = Bar::new(self.quiet);
        let fit = fit(&bar)?;
        drop(bar);
        self.emit(&fit)
    }

    /// Writes a result, says its warnings, saves and draws it. It fails if anything could not be made, after all that could.
    pub(crate) fn emit(&self, result: &dyn Reportable) -> Result<()> {
        self.emit_with(result, self.plot.as_deref())
    }

    /// As [`emit`](Self::emit), with this picture.
    pub(crate) fn emit_with(&self, result: &dyn Reportable, plot: Option<&Path>) -> Result<()> {
        let warnings = if self.quiet { Vec::new() } else { result.messages() };
        self.written(result, plot, &warnings)
    }

    /// As [`emit`](Self::emit), of a result whose table says what there is to say.
    pub(crate) fn write(&self, result: &dyn Reportable) -> Result<()> {
        self.written(result, self.plot.as_deref(), &[])
    }

    fn written(
        &self,
        result: &dyn Reportable,
        plot: Option<&Path>,
        warnings: &[Message],
    ) -> Result<()> {
        output::results(&match self.format {
            Format::Json => result.to_json()?,
            Format::Csv => burn_did::report::csv(&[result])?,
            _ => output::blocks([output::shown(result, self.format)]),
        })?;
        warnings.iter().for_each(messages::remark);
        let saved = self.save.as_ref().map(|file| Ok(result.save(file)?));
        let plotted = plot.map(|file| self.picture.draw(result, file, self.quiet));
        output::all(saved.into_iter().chain(plotted))
    }
}

/// What is said of the work while it goes on, by commands without warnings.
#[derive(Args)]
pub(crate) struct ProgressArgs {
    /// No progress on standard error.
    #[arg(long, short, help_heading = None)]
    pub quiet: bool,
}

/// Format of the results.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Plain-text tables.
    #[default]
    Table,
    /// One document with everything; null where a number does not exist.
    Json,
    /// One row per estimate; empty where a number does not exist.
    Csv,
    /// Markdown tables.
    Markdown,
    /// LaTeX tables, for the package booktabs, and longtable for more than 40 lines.
    Latex,
}
