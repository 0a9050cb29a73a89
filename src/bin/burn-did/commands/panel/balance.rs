//! `burn-did panel balance`

use burn_did::panel::{self, BalanceRule};
use clap::Args;

use crate::args::{PanelKeyArgs, PanelOutputArgs};
use crate::error::Result;
use crate::words::OneOf;

/// Makes a panel in which every unit has every period.
#[derive(Args)]
pub(crate) struct BalanceArgs {
    #[command(flatten)]
    keys: PanelKeyArgs,
    /// First treated period: with it the units kept are counted by cohort.
    #[arg(long, value_name = "COLUMN", visible_alias = "group", help_heading = "Columns")]
    gname: Option<String>,
    /// How the panel is balanced.
    #[arg(long, value_name = "RULE", default_value_t, value_parser = OneOf::<BalanceRule>::all(), help_heading = "Rules")]
    rule: BalanceRule,
    #[command(flatten)]
    output: PanelOutputArgs,
}

/// Runs the command.
pub(super) fn run(args: &BalanceArgs) -> Result<()> {
    args.output.write(&args.keys.source, |bar| {
        let keys = args.keys.keys(args.gname.as_deref(), &args.output, bar);
        Ok(panel::balance(&keys, args.rule))
    })
}
