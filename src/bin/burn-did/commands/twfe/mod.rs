//! What a two-way regression averages: `burn-did bacon` and `burn-did twfe-weights`.

pub(crate) mod bacon;
pub(crate) mod weights;

use clap::Args;

use crate::args::{CohortArgs, LONG_FORM, OutcomeColumnArgs, PanelKeyArgs, RowsInMemoryArgs};
use crate::parse::Summands;

/// The data, and which column is what.
#[derive(Args)]
#[command(next_help_heading = "Columns", mut_arg("data", |arg| arg.help(LONG_FORM)))]
struct StudyArgs {
    #[command(flatten)]
    keys: PanelKeyArgs,
    #[command(flatten)]
    group: CohortArgs,
    #[command(flatten)]
    outcome: OutcomeColumnArgs,
    #[command(flatten)]
    memory: RowsInMemoryArgs,
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
