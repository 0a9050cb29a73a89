//! `burn-did panel first-treated`

use burn_did::panel::{self, FirstTreated};
use clap::Args;

use crate::args::{PanelKeyArgs, PanelOutputArgs};
use crate::error::Result;

/// Adds the period in which a unit is first treated, from a treatment of 0 and 1: what --gname of the estimators asks for.
#[derive(Args)]
pub(crate) struct FirstTreatedArgs {
    #[command(flatten)]
    keys: PanelKeyArgs,
    /// Treatment in every period: 0 or 1.
    #[arg(long, value_name = "COLUMN", visible_aliases = ["treatment", "treatname"], help_heading = "Columns")]
    dname: String,
    /// Name of the column that is added.
    #[arg(long, value_name = "COLUMN", default_value_t = FirstTreated::default().name, help_heading = "Columns")]
    name: String,
    /// Write 0 for units that are never treated, in place of a missing value.
    #[arg(long, help_heading = "Rules")]
    never_as_zero: bool,
    /// Keep the first treated period of units whose treatment ends, in place of an error.
    #[arg(long, help_heading = "Rules")]
    keep_first: bool,
    /// Take missing treatments, and those of absent rows, as unknown, in place of an error: pass over them where what comes before and
    /// after tells them, and drop units whose first treated period they hide.
    #[arg(long, help_heading = "Rules")]
    missing_as_unknown: bool,
    /// Take a unit's first treated row for its first treatment even if rows before it are absent, in which it may have been treated, in
    /// place of an error.
    #[arg(long, help_heading = "Rules")]
    first_observed: bool,
    #[command(flatten)]
    output: PanelOutputArgs,
}

/// Runs the command.
pub(super) fn run(args: &FirstTreatedArgs) -> Result<()> {
    let options = FirstTreated::builder()
        .name(&*args.name)
        .never_as_zero(args.never_as_zero)
        .keep_first(args.keep_first)
        .missing_as_unknown(args.missing_as_unknown)
        .first_observed(args.first_observed)
        .build();
    args.output.write(&args.keys.source, |bar| {
        let keys = args.keys.keys(None, &args.output, bar);
        Ok(panel::first_treated(&keys, &*args.dname, options))
    })
}
