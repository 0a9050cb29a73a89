//! What a two-way regression averages: `burn-did bacon` and `burn-did twfe-weights`.

pub(crate) mod bacon;
pub(crate) mod weights;

use clap::Args;

use crate::args::{LONG_FORM, PanelKeyArgs};
use crate::parse::{self, Summands};

/// The data, and which column is what.
#[derive(Args)]
#[command(next_help_heading = "Columns", mut_arg("data", |arg| arg.help(LONG_FORM)))]
struct StudyArgs {
    #[command(flatten)]
    keys: PanelKeyArgs,
    /// First treated period; 0, inf or empty (dates: empty) for never treated; rows with NaN are left out.
    #[arg(long, value_name = "COLUMN", visible_alias = "group")]
    gname: String,
    /// Outcome.
    #[arg(long, value_name = "COLUMN", visible_alias = "outcome")]
    yname: String,
    /// Limit on the rows held at once in memory (from parquet and CSV files), as in 2GiB; the rest is streamed.
    #[arg(long, value_name = "BYTES", value_parser = parse::bytes, help_heading = "Device")]
    memory_budget: Option<u64>,
}

/// Controls of the regression.
#[derive(Args)]
struct ControlArgs {
    /// Controls, as in x1,x2: columns of numbers.
    #[arg(
        long,
        value_name = "COLUMNS",
        visible_aliases = ["covariates", "xformla"],
        value_parser = Summands::read,
        value_delimiter = ',',
        help_heading = "Columns"
    )]
    xname: Vec<Summands>,
}

impl ControlArgs {
    fn columns(&self) -> Vec<String> {
        Summands::all(&self.xname)
    }
}
