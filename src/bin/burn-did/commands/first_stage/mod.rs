//! Effects by a regression of untreated outcomes: `burn-did imputation` and `burn-did two-stage`.

pub(crate) mod imputation;
pub(crate) mod two_stage;

use clap::Args;

use crate::args::{ClusterColumnArgs, CohortPanelArgs, LevelArgs};

/// The data, which column is what, and the regression of untreated outcomes.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
#[command(mut_arg("xformla", |arg| arg.help("Covariates of the first stage, as in \"~ x1 + log(x2)\"")))]
#[command(mut_arg("clustervars", |arg| arg.help("Cluster of the standard errors; the unit if nothing is said")))]
struct StageArgs {
    #[command(flatten)]
    panel: CohortPanelArgs,
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
    #[command(flatten)]
    cluster: ClusterColumnArgs,
    #[command(flatten)]
    level: LevelArgs,
}
