//! Effects by a regression of untreated outcomes: `burn-did imputation` and `burn-did two-stage`.

pub(crate) mod imputation;
pub(crate) mod two_stage;

use clap::Args;

use crate::args::{DataArgs, GroupArgs, LONG_FORM, LevelArgs, OutcomeArgs, UnitArgs};
use crate::defaults;

/// The data, which column is what, and the regression of untreated outcomes.
#[derive(Args)]
#[command(next_help_heading = "Columns", mut_arg("data", |arg| arg.help(LONG_FORM)))]
struct StageArgs {
    #[command(flatten)]
    source: DataArgs,
    #[command(flatten)]
    outcome: OutcomeArgs,
    #[command(flatten)]
    unit: UnitArgs,
    #[command(flatten)]
    group: GroupArgs,
    /// Covariates of the first stage, as in "~ x1 + log(x2)".
    #[arg(
        long,
        value_name = "FORMULA",
        visible_alias = "covariates",
        default_value_t = defaults::imputation().covariates,
        allow_hyphen_values = true
    )]
    xformla: String,
    /// Fixed effects of the first stage, as in firm,region^year; those of units and periods if nothing is said.
    #[arg(
        long,
        value_name = "FACTORS",
        visible_alias = "fixed-effects",
        value_delimiter = ',',
        help_heading = "Estimation"
    )]
    absorb: Vec<String>,
    /// Give each unit a linear trend.
    #[arg(long, help_heading = "Estimation")]
    trends: bool,
    /// Weights; rows with a weight of 0 are left out.
    #[arg(long, value_name = "COLUMN", visible_alias = "weights")]
    weightsname: Option<String>,
    /// Cluster of the standard errors; the unit if nothing is said.
    #[arg(long, value_name = "COLUMN", visible_alias = "clusters")]
    clustervars: Option<String>,
    #[command(flatten)]
    level: LevelArgs,
}
