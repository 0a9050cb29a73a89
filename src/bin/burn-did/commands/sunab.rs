//! `burn-did sunab`

use burn_did::backend::DidBackend;
use burn_did::{SunAbraham, SunAbrahamResult};
use clap::Args;

use super::one_device;
use crate::args::{
    CohortRegressionArgs, DataArgs, FormulaArgs, GroupArgs, LONG_FORM, OutcomeArgs, OutputArgs,
};
use crate::backend::{self, Fit, On};
use crate::configure::with_regression;
use crate::defaults;
use crate::error::Result;
use crate::parse;

/// The event study of Sun and Abraham (2021): a regression on all pairs of cohort and event time, averaged by event time, in the way
/// of R's `fixest::sunab`.
///
/// Columns have the names of the other commands. Standard errors are clustered by unit unless --vcov says otherwise.
#[derive(Args)]
#[command(next_help_heading = "Columns", mut_arg("data", |arg| arg.help(LONG_FORM)))]
#[command(mut_arg("xformla", |arg| arg.help("Further regressors, as in \"~ x1 + log(x2)\"")))]
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
    #[command(flatten)]
    covariates: FormulaArgs,
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
    regression: CohortRegressionArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &SunabArgs) -> Result<()> {
    args.output.check(&args.source.data)?;
    args.output.emit(&backend::fit(args, &args.regression.device, args.output.quiet)?)
}

impl Fit for SunabArgs {
    type Result = SunAbrahamResult;

    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<SunAbrahamResult> {
        let config = with_regression!(SunAbraham<B>, self, on)
            .unit(&*self.idname)
            .covariates(&*self.covariates.xformla)
            .absorb(self.absorb.iter().map(String::as_str))
            .reference(self.reference.iter().copied())
            .build();
        Ok(config.fit_on(self.source.files(), one_device(&on)?)?)
    }
}
