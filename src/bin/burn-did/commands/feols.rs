//! `burn-did feols`

use std::path::PathBuf;

use burn_did::backend::DidBackend;
use burn_did::{
    FixedEffects, RegressionResult,
    regression::{Family, Solver, Ssc, Vcov},
};
use clap::Args;

use super::saved::event_study;
use crate::args::{DeviceArgs, Format};
use crate::backend::{self, Fit, On};
use crate::defaults;
use crate::error::{CliError, Result};
use crate::output;
use crate::parse;
use crate::words::{OneOf, solvers};

/// A linear or Poisson regression with fixed effects, in the way of R's `fixest::feols` and `fixest::fepois`.
#[derive(Args)]
pub(crate) struct FeolsArgs {
    /// CSV or parquet file. Also a directory of such files or, if nothing has that name, a pattern as in "data/*.parquet".
    data: PathBuf,
    /// Outcome, regressors and fixed effects, as in "log(y) ~ x1 + i(year, treated, ref = 2005) | worker + firm^year".
    #[arg(allow_hyphen_values = true)]
    formula: String,
    /// Weights; rows with a weight of 0 are left out.
    #[arg(long, value_name = "COLUMN", visible_alias = "weights", help_heading = "Columns")]
    weightsname: Option<String>,
    /// Words and numbers that stand for a missing value in every column, as in NA,-99, besides the empty field.
    #[arg(
        long,
        value_name = "WORDS",
        visible_alias = "missing-values",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Columns"
    )]
    na: Option<Vec<String>>,
    /// Covariance of the coefficients: iid, hetero (HC1), hc2, hc3, or cluster:a or cluster:a,b.
    #[arg(
        long,
        value_name = "TYPE",
        default_value_t = defaults::fixed_effects().vcov,
        help_heading = "Inference"
    )]
    vcov: Vcov,
    #[arg(
        long,
        value_name = "KEY=VALUE,...",
        help = SSC_HELP,
        default_value = "",
        hide_default_value = true,
        help_heading = "Inference"
    )]
    ssc: Ssc,
    /// One minus the confidence level.
    #[arg(
        long,
        value_name = "ALPHA",
        visible_alias = "alpha",
        default_value_t = defaults::fixed_effects().alpha,
        value_parser = parse::alpha,
        help_heading = "Inference"
    )]
    alp: f64,
    /// Model: least squares for the outcome, or Poisson regression for the logarithm of its mean.
    #[arg(
        long,
        value_name = "FAMILY",
        default_value_t = defaults::fixed_effects().family,
        value_parser = OneOf::<Family>::all(),
        help_heading = "Estimation"
    )]
    family: Family,
    /// Keep singletons: rows that are the only ones of a level of a fixed effect.
    #[arg(long, help_heading = "Estimation")]
    keep_singletons: bool,
    /// Solver that projects out the fixed effects.
    #[arg(
        long,
        value_name = "SOLVER",
        default_value_t = defaults::fixed_effects().solver,
        value_parser = solvers(),
        help_heading = "Estimation"
    )]
    solver: Solver,
    /// Relative tolerance of the solver.
    #[arg(
        long,
        value_name = "TOLERANCE",
        default_value_t = defaults::fixed_effects().fixef_tol,
        value_parser = parse::fraction,
        help_heading = "Estimation"
    )]
    fixef_tol: f64,
    /// Maximum number of iterations of the solver.
    #[arg(
        long,
        value_name = "N",
        default_value_t = defaults::fixed_effects().fixef_maxiter,
        help_heading = "Estimation"
    )]
    fixef_maxiter: usize,
    /// Relative change of the deviance at which a Poisson regression has converged.
    #[arg(
        long,
        value_name = "TOLERANCE",
        default_value_t = defaults::fixed_effects().glm_tol,
        value_parser = parse::fraction,
        help_heading = "Estimation"
    )]
    glm_tol: f64,
    /// Maximum number of steps of a Poisson regression.
    #[arg(
        long,
        value_name = "N",
        default_value_t = defaults::fixed_effects().glm_maxiter,
        help_heading = "Estimation"
    )]
    glm_maxiter: usize,
    #[command(flatten)]
    device: DeviceArgs,
    /// Format of the results.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, help_heading = "Output")]
    format: Format,
    /// Draw the coefficients of the first `i()` by their levels, as an event study, to this .png or .svg file; i(year, i.treated)
    /// gives one panel for each level of the second factor.
    #[arg(long, value_name = "FILE", value_parser = parse::picture(), help_heading = "Output")]
    plot: Option<PathBuf>,
    /// Save the result as JSON.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    save: Option<PathBuf>,
}

/// What `--ssc` takes.
const SSC_HELP: &str = "Corrections for small samples other than those of R fixest: k_adj, k_fixef (none, nonnested or \
    full), k_exact, G_adj and G_df (min or conventional), as in k_adj=false,k_fixef=none";

/// Runs the command.
pub(crate) fn run(args: &FeolsArgs) -> Result<()> {
    output::keep_apart(&args.data, [args.save.as_ref(), args.plot.as_ref()])?;
    let fit = backend::fit(args)?;
    let (format, quiet) = (args.format, args.device.quiet);
    let (save, plot) = (args.save.as_ref(), args.plot.as_ref());
    let drawable = plot.map_or(Ok(()), |_| {
        event_study(&fit, "--plot draws the coefficients of i(), and the formula has none")
            .map(|_| ())
    });
    let plot = plot.filter(|_| drawable.is_ok());
    output::all([output::Emit { format, quiet, save, plot }.result(&fit), drawable])
}

impl Fit for FeolsArgs {
    type Result = RegressionResult;

    fn device(&self) -> &DeviceArgs {
        &self.device
    }

    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<RegressionResult> {
        let config = FixedEffects::<B>::builder()
            .formula(&*self.formula)
            .maybe_weights(self.weightsname.clone())
            .maybe_missing_values(self.na.clone())
            .vcov(self.vcov.clone())
            .ssc(self.ssc)
            .alpha(self.alp)
            .family(self.family)
            .keep_singletons(self.keep_singletons)
            .solver(self.solver)
            .fixef_tol(self.fixef_tol)
            .fixef_maxiter(self.fixef_maxiter)
            .glm_tol(self.glm_tol)
            .glm_maxiter(self.glm_maxiter)
            .precision(on.precision)
            .build();
        Ok(config.fit(self.data.as_path(), one_device(&self.device, &on)?)?)
    }
}

/// The only device.
pub(super) fn one_device<'a, B: DidBackend>(
    asked: &DeviceArgs,
    on: &On<'a, B>,
) -> Result<&'a B::Device> {
    if asked.memory_budget.is_some() {
        return Err(CliError::usage(
            "--memory-budget applies to commands that stream units",
            "leave it out: the columns needed are read as a whole",
        ));
    }
    match on.devices {
        [device] => Ok(device),
        _ => Err(CliError::usage(
            "fixed effects are projected out on one device",
            "name one by --devices",
        )),
    }
}
