//! The columns of a panel, and the file that a tool writes.

use std::path::PathBuf;

use burn_did::options::Frequency;
use burn_did::panel::PanelKeys;
use burn_did::panel::PanelTool;
use clap::{Args, ValueEnum};

use super::columns::{DataArgs, LONG_FORM, PeriodArgs, UnitArgs};
use super::output::ProgressArgs;
use crate::error::Result;
use crate::output;
use crate::parse;
use crate::progress::Bar;
use crate::words::OneOf;

/// Data, unit and period.
#[derive(Args)]
#[command(next_help_heading = "Columns", mut_arg("data", |arg| arg.help(LONG_FORM)))]
pub(crate) struct PanelKeyArgs {
    #[command(flatten)]
    pub source: DataArgs,
    #[command(flatten)]
    pub unit: UnitArgs,
    #[command(flatten)]
    pub period: PeriodArgs,
    #[command(flatten)]
    pub dates: FrequencyArgs,
}

/// What dates are.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct FrequencyArgs {
    /// Length of a period, if periods are dates.
    #[arg(long, value_name = "PERIOD", value_parser = OneOf::<Frequency>::all())]
    pub frequency: Option<Frequency>,
}

/// What event times count.
#[derive(Args)]
#[command(next_help_heading = "Estimation")]
pub(crate) struct SpacingArgs {
    /// Count observed periods, where periods are not evenly spaced.
    #[arg(long)]
    pub rank_periods: bool,
}

/// The file to write, and the report on it.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct PanelOutputArgs {
    /// File to write: .parquet or .csv.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Format of the report.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub format: PanelFormat,
    /// Bytes of data held at once in memory, as in 2GiB; larger parquet and CSV files are read and written piece by piece. By default
    /// a third of the free memory.
    #[arg(long, value_name = "BYTES", value_parser = parse::bytes)]
    pub memory_budget: Option<u64>,
    #[command(flatten)]
    pub progress: ProgressArgs,
}

/// Format of a report on a panel.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PanelFormat {
    /// Lines of text.
    #[default]
    Text,
    /// One document.
    Json,
}

impl PanelOutputArgs {
    /// Writes what a tool makes of data, and reports.
    pub(crate) fn write(
        &self,
        source: &DataArgs,
        tool: impl FnOnce(&Bar) -> Result<PanelTool>,
    ) -> Result<()> {
        output::keep_apart(&source.data, &[Some(&self.out)])?;
        let bar = Bar::new(self.progress.quiet);
        let change = tool(&bar)?.write(source.files(), &self.out)?;
        drop(bar);
        output::results(&match self.format {
            PanelFormat::Text => change.to_string(),
            PanelFormat::Json => change.to_json()?,
        })
    }
}

impl PanelKeyArgs {
    /// The columns as the library has them.
    pub(crate) fn keys(
        &self,
        group: Option<&str>,
        output: &PanelOutputArgs,
        bar: &Bar,
    ) -> PanelKeys {
        PanelKeys::builder()
            .unit(&*self.unit.idname)
            .time(&*self.period.tname)
            .maybe_group(group)
            .maybe_frequency(self.dates.frequency)
            .maybe_missing_values(self.source.na.clone())
            .maybe_memory_budget(output.memory_budget)
            .maybe_progress(bar.callback())
            .build()
    }
}
