//! `burn-did study`

use burn_did::backend::DidBackend;
use burn_did::joint_study::{StudyEstimator, Variation};
use burn_did::options::{Band, ControlGroup};
use burn_did::{JointStudy, JointStudyResult, SpecificationCurve};
use clap::Args;

use super::one_device;
use crate::args::{
    AnticipationArgs, BandArgs, DataArgs, DeviceArgs, GroupArgs, LONG_FORM, LevelArgs, OutcomeArgs,
    OutputArgs, UnitArgs, WeightArgs,
};
use crate::backend::{self, Fit, On};
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
#[command(next_help_heading = "Columns", mut_arg("data", |arg| arg.help(LONG_FORM)))]
#[command(mut_arg("cband", |arg| arg.help("Uniform bands, from the covariance")))]
#[command(mut_arg("plot", |arg| arg.help("Draw the event studies side by side, or the specification curve, to this .png, .svg or .pdf file")))]
pub(crate) struct StudyArgs {
    #[command(flatten)]
    source: DataArgs,
    #[command(flatten)]
    outcome: OutcomeArgs,
    #[command(flatten)]
    unit: UnitArgs,
    #[command(flatten)]
    group: GroupArgs,
    /// Covariates, as in "~ x1 + log(x2)"; each estimator adjusts for them in its own way.
    #[arg(
        long,
        value_name = "FORMULA",
        visible_alias = "covariates",
        default_value_t = defaults::joint_study().covariates,
        allow_hyphen_values = true
    )]
    xformla: String,
    #[command(flatten)]
    weights: WeightArgs,
    /// Cluster of all standard errors; the unit without it.
    #[arg(long, value_name = "COLUMN", visible_alias = "clusters")]
    clustervars: Option<String>,
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
    /// Comparison units, where an estimator has the choice.
    #[arg(
        long,
        value_name = "WHICH",
        value_parser = OneOf::<ControlGroup>::all(),
        default_value_t = defaults::joint_study().control_group,
        help_heading = "Estimation"
    )]
    control_group: ControlGroup,
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
    args.output.check(&args.source.data)?;
    match &args.vary {
        None => args.output.emit(&backend::fit(args)?),
        Some(vary) => args.output.emit(&backend::fit(&VaryArgs { args, vary })?),
    }
}

impl StudyArgs {
    fn config<B: DidBackend>(&self, on: &On<'_, B>) -> JointStudy<B> {
        JointStudy::<B>::builder()
            .outcome(&*self.outcome.column.yname)
            .unit(&*self.unit.idname)
            .time(&*self.outcome.period.tname)
            .group(&*self.group.gname)
            .covariates(&*self.xformla)
            .maybe_weights(self.weights.weightsname.clone())
            .maybe_cluster(self.clustervars.clone())
            .maybe_frequency(self.outcome.dates.frequency)
            .control_group(self.control_group)
            .anticipation(self.anticipation.anticipation)
            .estimators(self.estimators.iter().copied())
            .maybe_min_e(self.min_e)
            .maybe_max_e(self.max_e)
            .band(self.band.band().unwrap_or(Band::Pointwise))
            .maybe_missing_values(self.source.na.clone())
            .alpha(self.level.alp)
            .precision(on.precision)
            .build()
    }
}

impl Fit for StudyArgs {
    type Result = JointStudyResult;

    fn device(&self) -> &DeviceArgs {
        &self.device
    }

    fn quiet(&self) -> bool {
        self.output.quiet
    }

    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<JointStudyResult> {
        let device = one_device(&on)?;
        Ok(self.config(&on).fit_on(self.source.files(), device)?)
    }
}

/// A study under all combinations of choices.
struct VaryArgs<'a> {
    args: &'a StudyArgs,
    vary: &'a [Variation],
}

impl Fit for VaryArgs<'_> {
    type Result = SpecificationCurve;

    fn device(&self) -> &DeviceArgs {
        &self.args.device
    }

    fn quiet(&self) -> bool {
        self.args.output.quiet
    }

    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<SpecificationCurve> {
        let device = one_device(&on)?;
        let config = self.args.config(&on);
        Ok(config.specification_curve_on(self.args.source.files(), self.vary, device)?)
    }
}
