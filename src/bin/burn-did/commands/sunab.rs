//! `burn-did sunab`

use burn_did::backend::DidBackend;
use burn_did::{SunAbraham, SunAbrahamResult};
use clap::Args;

use super::one_device;
use crate::args::{
    DataArgs, DeviceArgs, GroupArgs, LONG_FORM, OutcomeArgs, OutputArgs, RegressionArgs, SolverArgs,
};
use crate::backend::{self, Fit, On};
use crate::defaults;
use crate::error::Result;
use crate::parse;

/// The event study of Sun and Abraham (2021): a regression on all pairs of cohort and event time, averaged by event time, in the way
/// of R's `fixest::sunab`.
///
/// Columns have the names of the other commands. Standard errors are clustered by unit unless --vcov says otherwise.
#[derive(Args)]
#[command(next_help_heading = "Columns", mut_arg("data", |arg| arg.help(LONG_FORM)))]
#[command(mut_arg("plot", |arg| arg.help("Draw the event study to this .png, .svg or .pdf file")))]
pub(crate) struct SunabArgs {
    #[command(flatten)]
    source: DataArgs,
    #[command(flatten)]
    outcome: OutcomeArgs,
    /// Unit, whose fixed effects are projected out.
    #[arg(long, value_name = "COLUMN", visible_alias = "unit")]
    idname: String,
    #[command(flatten)]
    group: GroupArgs,
    /// Further regressors, as in "~ x1 + log(x2)".
    #[arg(
        long,
        value_name = "FORMULA",
        visible_alias = "covariates",
        default_value_t = defaults::sun_abraham().covariates,
        allow_hyphen_values = true
    )]
    xformla: String,
    /// Further fixed effects, as in region,firm^year.
    #[arg(long, value_name = "FACTORS", value_delimiter = ',')]
    absorb: Vec<String>,
    /// Event times that all others are compared with, as in -1,-2.
    #[arg(
        long = "ref-p",
        value_name = "E,...",
        visible_alias = "reference",
        value_delimiter = ',',
        value_parser = parse::finite,
        default_values_t = defaults::sun_abraham().reference,
        allow_hyphen_values = true,
        help_heading = "Estimation"
    )]
    reference: Vec<f64>,
    #[command(flatten)]
    regression: RegressionArgs,
    #[command(flatten)]
    solver: SolverArgs,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &SunabArgs) -> Result<()> {
    args.output.check(&args.source.data)?;
    args.output.emit(&backend::fit(args)?)
}

impl Fit for SunabArgs {
    type Result = SunAbrahamResult;

    fn device(&self) -> &DeviceArgs {
        &self.device
    }

    fn quiet(&self) -> bool {
        self.output.quiet
    }

    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<SunAbrahamResult> {
        let config = SunAbraham::<B>::builder()
            .outcome(&*self.outcome.column.yname)
            .unit(&*self.idname)
            .time(&*self.outcome.period.tname)
            .group(&*self.group.gname)
            .maybe_frequency(self.outcome.dates.frequency)
            .covariates(&*self.xformla)
            .absorb(self.absorb.iter().map(String::as_str))
            .reference(self.reference.iter().copied())
            .maybe_weights(self.regression.weightsname.clone())
            .maybe_vcov(self.regression.vcov.clone())
            .ssc(self.regression.ssc)
            .solver(self.solver.solver)
            .maybe_missing_values(self.source.na.clone())
            .alpha(self.regression.level.alp)
            .precision(on.precision)
            .build();
        Ok(config.fit_on(self.source.files(), one_device(&on)?)?)
    }
}
