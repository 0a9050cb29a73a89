//! What a two-way regression averages: `burn-did bacon` and `burn-did twfe-weights`.

pub(crate) mod bacon;
pub(crate) mod weights;

use clap::Args;

use crate::args::{CohortArgs, LONG_FORM, OutcomeColumnArgs, PanelKeyArgs, UnitRowsArgs};

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
    rows: UnitRowsArgs,
}
