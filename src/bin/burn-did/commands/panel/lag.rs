//! `burn-did panel lag`

use burn_did::panel;
use clap::Args;

use crate::args::{PanelKeyArgs, PanelOutputArgs};
use crate::error::Result;

/// Adds the values of columns so many periods before, as `y_lag1`, or after, as `y_lead1`. After a gap they are missing.
///
/// A period is that of --frequency, or else the largest time that all distances between the periods of the data are multiples of.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct LagArgs {
    #[command(flatten)]
    keys: PanelKeyArgs,
    /// Columns of any type, as in y,x.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', required = true)]
    columns: Vec<String>,
    /// Periods before; after, if negative.
    #[arg(
        long,
        value_name = "K",
        default_value_t = 1,
        allow_negative_numbers = true,
        help_heading = "Rules"
    )]
    periods: i32,
    #[command(flatten)]
    output: PanelOutputArgs,
}

/// Runs the command.
pub(super) fn run(args: &LagArgs) -> Result<()> {
    args.output.write(&args.keys.source, |bar| {
        Ok(panel::lag(&args.keys.keys(None, &args.output, bar), &args.columns, args.periods))
    })
}
