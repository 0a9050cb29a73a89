//! `burn-did feols`

use burn_did::backend::DidBackend;
use burn_did::{FixedEffects, RegressionResult, regression::Family};
use clap::Args;

use super::one_device;
use super::saved::event_study;
use crate::args::{DataArgs, DeviceArgs, OutputArgs, ProjectionArgs, RegressionArgs};
use crate::backend::{self, Fit, On};
use crate::defaults;
use crate::error::Result;
use crate::output;
use crate::parse;
use crate::words::OneOf;

/// A linear, Poisson, logit or probit regression with fixed effects, in the way of R's `fixest::feols`, `fepois` and `feglm`.
#[derive(Args)]
#[command(mut_arg("vcov", |arg| arg.default_value("iid")))]
#[command(mut_arg("plot", |arg| arg.help("Draw the coefficients of the first `i()` by their levels, as an event study, to this .png or .svg file; i(year, i.treated) gives one panel for each level of the second factor")))]
pub(crate) struct FeolsArgs {
    #[command(flatten)]
    source: DataArgs,
    /// Outcome, regressors and fixed effects, as in "log(y) ~ x1 + i(year, treated, ref = 2005) | worker + firm^year".
    #[arg(allow_hyphen_values = true, help_heading = None)]
    formula: String,
    #[command(flatten)]
    regression: RegressionArgs,
    /// Model: least squares for the outcome, or maximum likelihood for counts (poisson) and for probabilities (logit, probit).
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
    #[command(flatten)]
    projection: ProjectionArgs,
    /// Relative change of the deviance at which a regression by maximum likelihood has converged.
    #[arg(
        long,
        value_name = "TOLERANCE",
        default_value_t = defaults::fixed_effects().glm_tol,
        value_parser = parse::fraction,
        help_heading = "Estimation"
    )]
    glm_tol: f64,
    /// Maximum number of steps of a regression by maximum likelihood.
    #[arg(
        long,
        value_name = "N",
        default_value_t = defaults::fixed_effects().glm_maxiter,
        help_heading = "Estimation"
    )]
    glm_maxiter: usize,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &FeolsArgs) -> Result<()> {
    args.output.keep_apart(&args.source.data)?;
    let fit = backend::fit(args)?;
    let plot = args.output.plot.as_deref();
    let drawable = plot.map_or(Ok(()), |_| {
        event_study(&fit, "--plot draws the coefficients of i(), and the formula has none")
            .map(|_| ())
    });
    let emitted = args.output.emit_with(&fit, plot.filter(|_| drawable.is_ok()));
    output::all([emitted, drawable])
}

impl Fit for FeolsArgs {
    type Result = RegressionResult;

    fn device(&self) -> &DeviceArgs {
        &self.device
    }

    fn quiet(&self) -> bool {
        self.output.quiet
    }

    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<RegressionResult> {
        let config = FixedEffects::<B>::builder()
            .formula(&*self.formula)
            .maybe_weights(self.regression.weightsname.clone())
            .maybe_missing_values(self.source.na.clone())
            .maybe_vcov(self.regression.vcov.clone())
            .ssc(self.regression.ssc)
            .alpha(self.regression.level.alp)
            .family(self.family)
            .keep_singletons(self.keep_singletons)
            .solver(self.projection.solver())
            .fixef_tol(self.projection.fixef_tol)
            .fixef_maxiter(self.projection.fixef_maxiter)
            .glm_tol(self.glm_tol)
            .glm_maxiter(self.glm_maxiter)
            .precision(on.precision)
            .build();
        Ok(config.fit_on(self.source.data.as_path(), one_device(&self.device, &on)?)?)
    }
}
