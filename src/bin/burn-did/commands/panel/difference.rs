//! `burn-did panel difference`

use burn_did::panel;
use clap::Args;

use crate::args::{ColumnListArgs, PanelKeyArgs, PanelOutputArgs};
use crate::error::Result;

/// Adds the changes of columns since so many periods before, as `y_diff1`. After a gap they are missing.
///
/// A period is that of --frequency, or else the largest time that all distances between the periods of the data are multiples of.
#[derive(Args)]
pub(crate) struct DifferenceArgs {
    #[command(flatten)]
    keys: PanelKeyArgs,
    #[command(flatten)]
    columns: ColumnListArgs,
    /// Periods before.
    #[arg(long, value_name = "K", default_value_t = 1, help_heading = "Rules")]
    periods: i32,
    #[command(flatten)]
    output: PanelOutputArgs,
}

/// Runs the command.
pub(super) fn run(args: &DifferenceArgs) -> Result<()> {
    args.output.write(&args.keys.source, |bar| {
        Ok(panel::difference(
            &args.keys.keys(None, &args.output, bar),
            &args.columns.columns,
            args.periods,
        ))
    })
}
