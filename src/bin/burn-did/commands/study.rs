//! `burn-did study`

use burn_did::backend::DidBackend;
use burn_did::joint_study::{StudyEstimator, Variation};
use burn_did::options::Band;
use burn_did::{JointStudy, JointStudyResult, SpecificationCurve};
use clap::Args;

use super::one_device;
use crate::args::{
    AnticipationArgs, BandArgs, ClusterColumnArgs, CohortPanelArgs, ControlGroupArgs, DeviceArgs,
    LevelArgs, OutputArgs, WeightArgs,
};
use crate::backend::{self, Fit, On};
use crate::configure::with_cohorts;
use crate::defaults;
use crate::error::Result;
use crate::parse;
use crate::words::OneOf;

/// Several robust estimators of one sample: effects by event time of each, their joint covariance, and tests that they agree.
///
/// The data are read once. The test that two estimators agree is right under heterogeneous effects and clusters. An estimator that cannot
/// estimate says why, and the others go on. With --vary every estimator is combined with every value of some choices: the specification
/// curve, with the joint covariance of all specifications and tests of all of them together.
#[derive(Args)]
#[command(mut_arg("xformla", |arg| {
    arg.help("Covariates, as in \"~ x1 + log(x2)\"; each estimator adjusts for them in its own way")
}))]
#[command(mut_arg("clustervars", |arg| arg.help("Cluster of all standard errors; the unit without it")))]
#[command(mut_arg("control_group", |arg| {
    arg.default_value(defaults::joint_study().control_group.word())
        .help("Comparison units, where an estimator has the choice")
}))]
#[command(mut_arg("cband", |arg| arg.help("Uniform bands, from the covariance")))]
#[command(mut_arg("plot", |arg| arg.help("Draw the event studies side by side, or the specification curve, to this .png, .svg or .pdf file")))]
pub(crate) struct StudyArgs {
    #[command(flatten)]
    panel: CohortPanelArgs,
    #[command(flatten)]
    weights: WeightArgs,
    #[command(flatten)]
    cluster: ClusterColumnArgs,
    /// Estimators, in the order of the results.
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        value_parser = OneOf::<StudyEstimator>::all(),
        default_values_t = defaults::joint_study().estimators,
        help_heading = "Estimation"
    )]
    estimators: Vec<StudyEstimator>,
    #[command(flatten)]
    controls: ControlGroupArgs,
    #[command(flatten)]
    anticipation: AnticipationArgs,
    /// Choices that specifications differ in: control-group, base-period, est-method, anticipation, covariates (subsets of the formula's
    /// terms), sample (without each cohort in turn), with all their values or with these, as in
    /// "control-group,anticipation=0,1,2,covariates=~1,~x". Filters of sample are all, without:2004, or a column of 0 and 1.
    #[arg(long, value_name = "CHOICES", value_parser = vary, help_heading = "Estimation")]
    vary: Option<Choices>,
    /// Smallest event time.
    #[arg(long, value_name = "E", value_parser = parse::finite, allow_hyphen_values = true, help_heading = "Estimation")]
    min_e: Option<f64>,
    /// Largest event time.
    #[arg(long, value_name = "E", value_parser = parse::finite, allow_hyphen_values = true, help_heading = "Estimation")]
    max_e: Option<f64>,
    #[command(flatten)]
    band: BandArgs,
    #[command(flatten)]
    level: LevelArgs,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// What is varied.
type Choices = std::sync::Arc<[Variation]>;

fn vary(text: &str) -> std::result::Result<Choices, String> {
    Variation::read(text).map(Choices::from).map_err(|error| error.to_string())
}

/// Runs the command.
pub(crate) fn run(args: &StudyArgs) -> Result<()> {
    args.output.check(&args.panel.source.data)?;
    let (device, quiet) = (&args.device, args.output.quiet);
    match &args.vary {
        None => args.output.emit(&backend::fit(args, device, quiet)?),
        Some(vary) => args.output.emit(&backend::fit(&VaryArgs { args, vary }, device, quiet)?),
    }
}

impl StudyArgs {
    fn config<B: DidBackend>(&self, on: &On<'_, B>) -> JointStudy<B> {
        with_cohorts!(JointStudy<B>, self.panel)
            .maybe_weights(self.weights.weightsname.clone())
            .maybe_cluster(self.cluster.clustervars.clone())
            .control_group(self.controls.control_group)
            .anticipation(self.anticipation.anticipation)
            .estimators(self.estimators.iter().copied())
            .maybe_min_e(self.min_e)
            .maybe_max_e(self.max_e)
            .band(self.band.band().unwrap_or(Band::Pointwise))
            .alpha(self.level.alp)
            .precision(on.precision)
            .build()
    }
}

impl Fit for StudyArgs {
    type Result = JointStudyResult;

    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<JointStudyResult> {
        let device = one_device(&on)?;
        Ok(self.config(&on).fit_on(self.panel.source.files(), device)?)
    }
}

/// A study under all combinations of choices.
struct VaryArgs<'a> {
    args: &'a StudyArgs,
    vary: &'a [Variation],
}

impl Fit for VaryArgs<'_> {
    type Result = SpecificationCurve;

    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<SpecificationCurve> {
        let device = one_device(&on)?;
        let config = self.args.config(&on);
        Ok(config.specification_curve_on(self.args.panel.source.files(), self.vary, device)?)
    }
}
