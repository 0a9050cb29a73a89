//! Options of regressions with fixed effects.

use burn_did::regression::{Solver, Ssc, Vcov};
use clap::Args;

use super::{DeviceArgs, LevelArgs};
use crate::defaults;
use crate::parse;
use crate::words::solvers;

/// How a regression is estimated, and how sure it is.
#[derive(Args)]
#[command(next_help_heading = "Inference")]
pub(crate) struct RegressionArgs {
    /// Weights; rows with a weight of 0 are left out.
    #[arg(long, value_name = "COLUMN", visible_alias = "weights", help_heading = "Columns")]
    pub weightsname: Option<String>,
    /// Covariance of the coefficients: iid, hetero (HC1), hc2, hc3, or cluster:a or cluster:a,b.
    #[arg(long, value_name = "TYPE")]
    pub vcov: Option<Vcov>,
    #[arg(
        long,
        value_name = "KEY=VALUE,...",
        help = SSC_HELP,
        default_value = "",
        hide_default_value = true
    )]
    pub ssc: Ssc,
    #[command(flatten)]
    pub level: LevelArgs,
}

/// A regression by cohort: how it is estimated, how sure it is, and where the arithmetic is done.
#[derive(Args)]
pub(crate) struct CohortRegressionArgs {
    #[command(flatten)]
    pub regression: RegressionArgs,
    #[command(flatten)]
    pub projection: ProjectionArgs,
    #[command(flatten)]
    pub device: DeviceArgs,
}

/// The solver, and how far it goes.
#[derive(Args)]
#[command(next_help_heading = "Estimation")]
pub(crate) struct ProjectionArgs {
    /// Solver that projects out the fixed effects.
    #[arg(
        long,
        value_name = "SOLVER",
        default_value_t = defaults::fixed_effects().solver,
        value_parser = solvers()
    )]
    pub solver: Solver,
    /// Relative tolerance of the solver.
    #[arg(
        long,
        value_name = "TOLERANCE",
        default_value_t = defaults::fixed_effects().fixef_tol,
        value_parser = parse::fraction
    )]
    pub fixef_tol: f64,
    /// Maximum number of iterations of the solver.
    #[arg(long, value_name = "N", default_value_t = defaults::fixed_effects().fixef_maxiter)]
    pub fixef_maxiter: usize,
}

/// How far maximum likelihood goes.
#[derive(Args)]
#[command(next_help_heading = "Estimation")]
pub(crate) struct LikelihoodArgs {
    /// Relative change of the deviance at which a regression by maximum likelihood has converged.
    #[arg(
        long,
        value_name = "TOLERANCE",
        default_value_t = defaults::fixed_effects().glm_tol,
        value_parser = parse::fraction
    )]
    pub glm_tol: f64,
    /// Maximum number of steps of a regression by maximum likelihood.
    #[arg(long, value_name = "N", default_value_t = defaults::fixed_effects().glm_maxiter)]
    pub glm_maxiter: usize,
}

/// What `--ssc` takes.
const SSC_HELP: &str = "Corrections for small samples other than those of R fixest: k_adj, k_fixef (none, nonnested or \
    full), k_exact, G_adj and G_df (min or conventional), as in k_adj=false,k_fixef=none";
