//! `burn-did panel deduplicate`

use burn_did::panel::{self, Keep};
use clap::Args;

use crate::args::{PanelKeyArgs, PanelOutputArgs};
use crate::error::Result;
use crate::words::OneOf;

/// Keeps one row for a unit and period.
#[derive(Args)]
pub(crate) struct DeduplicateArgs {
    #[command(flatten)]
    keys: PanelKeyArgs,
    /// Which row is kept where rows of a unit and period differ. Rows that are equal in all columns are one row in any case.
    #[arg(long, value_name = "WHICH", default_value_t, value_parser = OneOf::<Keep>::all(), help_heading = "Rules")]
    keep: Keep,
    #[command(flatten)]
    output: PanelOutputArgs,
}

/// Runs the command.
pub(super) fn run(args: &DeduplicateArgs) -> Result<()> {
    args.output.write(&args.keys.source, |bar| {
        Ok(panel::deduplicate(&args.keys.keys(None, &args.output, bar), args.keep))
    })
}
