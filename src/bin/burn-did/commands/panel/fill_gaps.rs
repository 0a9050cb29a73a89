//! `burn-did panel fill-gaps`

use burn_did::panel::{self, FillGaps};
use clap::Args;

use crate::args::{PanelKeyArgs, PanelOutputArgs};
use crate::error::Result;

/// Adds rows for the periods that a unit lacks between its first and its last. Rows without a unit or a period are left out.
#[derive(Args)]
pub(crate) struct FillGapsArgs {
    #[command(flatten)]
    keys: PanelKeyArgs,
    /// Add rows for all periods of the data.
    #[arg(long, help_heading = "Rules")]
    all_periods: bool,
    /// Carry the values of columns that change within no unit into the rows added; all others are missing there.
    #[arg(long, help_heading = "Rules")]
    carry_constant: bool,
    #[command(flatten)]
    output: PanelOutputArgs,
}

/// Runs the command.
pub(super) fn run(args: &FillGapsArgs) -> Result<()> {
    let options = FillGaps::builder()
        .all_periods(args.all_periods)
        .carry_constant(args.carry_constant)
        .build();
    args.output.write(&args.keys.source, |bar| {
        Ok(panel::fill_gaps(&args.keys.keys(None, &args.output, bar), options))
    })
}
