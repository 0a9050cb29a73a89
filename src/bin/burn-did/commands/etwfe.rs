//! `burn-did etwfe`

use burn_did::backend::DidBackend;
use burn_did::extended::{EtwfeAbsorb, EtwfeScale};
use burn_did::options::ControlGroup;
use burn_did::regression::Family;
use burn_did::{Etwfe, EtwfeResult};
use clap::Args;

use super::one_device;
use crate::args::{
    CohortArgs, CohortRegressionArgs, DataArgs, LONG_FORM, LikelihoodArgs, OutcomeArgs, OutputArgs,
    SummandArgs,
};
use crate::backend::{self, Fit, On};
use crate::configure::with_regression;
use crate::defaults;
use crate::error::Result;
use crate::words::OneOf;

/// Extended two-way fixed effects (Wooldridge 2021, 2023): a regression with an effect of each cohort in each of its treated periods, averaged
/// over all treated rows and by cohort, period and event time, in the way of R's `etwfe` and `emfx`.
///
/// Standard errors are clustered by unit unless --vcov says otherwise, and robust to heteroskedasticity without a unit.
#[derive(Args)]
#[command(next_help_heading = "Columns", mut_arg("data", |arg| arg.help(LONG_FORM)))]
#[command(mut_arg("xname", |arg| {
    arg.help("Covariates, as in x1,x2: columns of numbers, with slopes of cohorts, periods and effects")
}))]
#[command(mut_arg("fixef_tol", |arg| arg.default_value("0.0000000001")))]
#[command(mut_arg("plot", |arg| arg.help("Draw the effects by event time to this .png, .svg or .pdf file")))]
pub(crate) struct EtwfeArgs {
    #[command(flatten)]
    source: DataArgs,
    #[command(flatten)]
    outcome: OutcomeArgs,
    /// Unit, whose effects are projected out; without one, those of cohorts are.
    #[arg(long, value_name = "COLUMN", visible_alias = "unit")]
    idname: Option<String>,
    #[command(flatten)]
    group: CohortArgs,
    #[command(flatten)]
    covariates: SummandArgs,
    /// A column of numbers or categories that effects may differ by; with at most 20 levels, effects are averaged by level, too.
    #[arg(long, value_name = "COLUMN", visible_alias = "moderator")]
    xvar: Option<String>,
    /// What cohorts are compared with: rows not yet treated, or the never treated, with leads.
    #[arg(
        long,
        value_name = "WHICH",
        visible_alias = "control-group",
        default_value_t = defaults::etwfe().control_group,
        value_parser = OneOf::<ControlGroup>::all(),
        help_heading = "Estimation"
    )]
    cgroup: ControlGroup,
    /// Model: least squares, or maximum likelihood for counts (poisson) and for probabilities (logit, probit).
    #[arg(
        long,
        value_name = "FAMILY",
        default_value_t = defaults::etwfe().family,
        value_parser = OneOf::<Family>::all(),
        help_heading = "Estimation"
    )]
    family: Family,
    /// What effects are differences of, in a poisson, logit or probit regression: means, or the linear index.
    #[arg(
        long,
        value_name = "SCALE",
        visible_alias = "predict",
        default_value_t = defaults::etwfe().scale,
        value_parser = OneOf::<EtwfeScale>::all(),
        help_heading = "Estimation"
    )]
    scale: EtwfeScale,
    /// Which effects a linear regression projects out, beside those of periods.
    #[arg(
        long,
        value_name = "OF",
        default_value_t = defaults::etwfe().absorb,
        value_parser = OneOf::<EtwfeAbsorb>::all(),
        help_heading = "Estimation"
    )]
    absorb: EtwfeAbsorb,
    /// Average over treated rows without their weights.
    #[arg(long, help_heading = "Estimation")]
    unweighted_averages: bool,
    /// Show averages that depend on which of the collinear slopes are left out, too, as R does.
    #[arg(long, help_heading = "Estimation")]
    undetermined: bool,
    /// Treat the shares of cohorts and periods as estimates, and add their sampling variance.
    #[arg(long, help_heading = "Estimation")]
    random_shares: bool,
    #[command(flatten)]
    likelihood: LikelihoodArgs,
    #[command(flatten)]
    regression: CohortRegressionArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &EtwfeArgs) -> Result<()> {
    args.output.check(&args.source.data)?;
    args.output.emit(&backend::fit(args, &args.regression.device, args.output.quiet)?)
}

impl Fit for EtwfeArgs {
    type Result = EtwfeResult;

    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<EtwfeResult> {
        let config = with_regression!(Etwfe<B>, self, on)
            .maybe_unit(self.idname.clone())
            .covariates(self.covariates.columns())
            .maybe_moderator(self.xvar.clone())
            .control_group(self.cgroup)
            .scale(self.scale)
            .family(self.family)
            .absorb(self.absorb)
            .unweighted_averages(self.unweighted_averages)
            .undetermined(self.undetermined)
            .random_shares(self.random_shares)
            .glm_tol(self.likelihood.glm_tol)
            .glm_maxiter(self.likelihood.glm_maxiter)
            .build();
        Ok(config.fit_on(self.source.files(), one_device(&on)?)?)
    }
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;

    #[test]
    fn the_tolerance_is_that_of_the_library() {
        let command = EtwfeArgs::augment_args(clap::Command::new("etwfe"));
        let words = ["etwfe", "data.csv", "--yname", "y", "--tname", "t", "--gname", "g"];
        let args = EtwfeArgs::from_arg_matches(&command.get_matches_from(words)).unwrap();
        assert!(args.regression.projection.fixef_tol == defaults::etwfe().fixef_tol);
    }
}
