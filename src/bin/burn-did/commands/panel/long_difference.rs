//! `burn-did panel long-difference`

use burn_did::panel::{self, Base};
use clap::Args;

use crate::args::{ColumnListArgs, PanelKeyArgs, PanelOutputArgs};
use crate::error::Result;
use crate::parse;

/// Adds the changes of columns since a base period, as `y_long_diff`: the last period before a unit is first treated, or one period for all.
#[derive(Args)]
pub(crate) struct LongDifferenceArgs {
    #[command(flatten)]
    keys: PanelKeyArgs,
    /// First treated period: the base is the last period of the data before it.
    #[arg(
        long,
        value_name = "COLUMN",
        visible_alias = "group",
        required_unless_present = "base",
        conflicts_with = "base",
        help_heading = "Columns"
    )]
    gname: Option<String>,
    #[command(flatten)]
    columns: ColumnListArgs,
    /// Base period of all units, as in 2003, or 2003-02 with --frequency month.
    #[arg(long, value_name = "PERIOD", allow_negative_numbers = true, help_heading = "Rules")]
    base: Option<String>,
    #[command(flatten)]
    output: PanelOutputArgs,
}

/// Runs the command.
pub(super) fn run(args: &LongDifferenceArgs) -> Result<()> {
    let base = match args.base.as_deref() {
        None => Base::BeforeTreatment,
        Some(text) => Base::Period(parse::period("--base", text, args.keys.dates.frequency)?),
    };
    args.output.write(&args.keys.source, |bar| {
        let keys = args.keys.keys(args.gname.as_deref(), &args.output, bar);
        Ok(panel::long_difference(&keys, &args.columns.columns, base))
    })
}
