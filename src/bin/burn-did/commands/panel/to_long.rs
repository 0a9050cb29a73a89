//! `burn-did panel to-long`

use burn_did::panel::{self, ToLong};
use clap::Args;

use crate::args::{DataArgs, FrequencyArgs, PanelOutputArgs};
use crate::error::Result;

/// Makes one row of a unit and period, from columns that have one for each period: `y_2003`, `y_2004` and so on. All other columns are repeated.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct ToLongArgs {
    #[command(flatten)]
    source: DataArgs,
    /// Columns of the result, as in `y,x` for `y_2003`, `y_2004`, `x_2003` and `x_2004`.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', required = true)]
    columns: Vec<String>,
    /// Name of the column of periods.
    #[arg(long, value_name = "COLUMN", visible_alias = "time", default_value = "time")]
    tname: String,
    #[command(flatten)]
    dates: FrequencyArgs,
    /// Names of the columns of the data.
    #[arg(
        long,
        value_name = "PATTERN",
        default_value = "{column}_{period}",
        help_heading = "Rules"
    )]
    names: String,
    /// Keep rows in which all of these columns are missing.
    #[arg(long, help_heading = "Rules")]
    keep_empty: bool,
    #[command(flatten)]
    output: PanelOutputArgs,
}

/// Runs the command.
pub(super) fn run(args: &ToLongArgs) -> Result<()> {
    let options = ToLong::builder()
        .columns(&args.columns)
        .time(&*args.tname)
        .names(&*args.names)
        .maybe_frequency(args.dates.frequency)
        .keep_empty(args.keep_empty)
        .maybe_missing_values(args.source.na.clone())
        .maybe_memory_budget(args.output.memory_budget)
        .build();
    args.output.write(&args.source, |_| Ok(panel::to_long(options)))
}
