//! `burn-did panel to-wide`

use burn_did::panel::{self, ToWide};
use clap::Args;

use crate::args::{PanelKeyArgs, PanelOutputArgs};
use crate::error::Result;

/// Makes one row of a unit, with a column for each period. All data are in memory; if they do not fit, the command says so.
#[derive(Args)]
pub(crate) struct ToWideArgs {
    #[command(flatten)]
    keys: PanelKeyArgs,
    /// Columns to spread over the periods, as in y,x, in place of all that change within some unit. Of the others a unit's first value is
    /// kept.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', help_heading = "Columns")]
    columns: Option<Vec<String>>,
    /// Names of these columns.
    #[arg(long, value_name = "PATTERN", default_value_t = ToWide::default().names, help_heading = "Rules")]
    names: String,
    #[command(flatten)]
    output: PanelOutputArgs,
}

/// Runs the command.
pub(super) fn run(args: &ToWideArgs) -> Result<()> {
    let options = ToWide::builder().maybe_columns(args.columns.clone()).names(&*args.names).build();
    args.output.write(&args.keys.source, |bar| {
        Ok(panel::to_wide(&args.keys.keys(None, &args.output, bar), options))
    })
}
