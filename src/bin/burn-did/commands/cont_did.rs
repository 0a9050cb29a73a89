//! `burn-did cont-did`

use burn_did::backend::DidBackend;
use burn_did::{
    ContDid, ContDidResult,
    doses::{CurveErrors, DoseAggregation, DoseGrid, DoseMethod, DoseTarget},
    options::{CohortShares, Resampling},
};
use clap::Args;

use crate::args::{
    AnticipationArgs, BandArgs, ColumnArgs, ComparisonArgs, InferenceArgs, OutputArgs, WorkArgs,
};
use crate::backend::{self, Fit, On};
use crate::configure::{fit_where_asked, with_shared};
use crate::defaults;
use crate::error::{CliError, Result};
use crate::messages;
use crate::output;
use crate::words::OneOf;

/// Effects of a continuous treatment by dose, and their slopes (Callaway, Goodman-Bacon and Sant'Anna 2024).
///
/// Most options have the names of R's `contdid::cont_did`, and the long words that follow as aliases.
#[derive(Args)]
#[command(mut_arg("control_group", |arg| {
    arg.default_value(defaults::cont_did().control_group.word())
}))]
#[command(mut_arg("plot", |arg| arg.help("Draw the curves, or the event study, to this .png, .svg or .pdf file")))]
pub(crate) struct ContDidArgs {
    #[command(flatten)]
    columns: ColumnArgs,
    /// Period of first treatment; 0, inf or empty (dates: empty) for never treated; rows with NaN are left out. Without it, the first period with a dose.
    #[arg(long, value_name = "COLUMN", visible_alias = "group", help_heading = "Columns")]
    gname: Option<String>,
    /// Dose: 0 or any number for never-treated units, and one positive number from treatment on for treated ones.
    #[arg(long, value_name = "COLUMN", visible_alias = "dose", help_heading = "Columns")]
    dname: String,
    #[command(flatten)]
    estimation: CurveArgs,
    #[command(flatten)]
    comparison: ComparisonArgs,
    #[command(flatten)]
    anticipation: AnticipationArgs,
    #[command(flatten)]
    inference: InferenceArgs,
    #[command(flatten)]
    band: BandArgs,
    /// With --boot, multiply influence values, or repeat the estimation: with units (or clusters) drawn with replacement, or with
    /// random weights.
    #[arg(
        long,
        value_name = "HOW",
        requires = "boot",
        default_value_t = defaults::cont_did().resampling,
        value_parser = OneOf::<Resampling>::all(),
        help_heading = "Inference"
    )]
    boot_type: Resampling,
    /// Treat cohort shares as estimated, and add their sampling error to the standard errors of curves and of the overall slope, or as
    /// fixed, for inference given the groups.
    #[arg(
        long,
        value_name = "WHICH",
        default_value_t = defaults::cont_did().shares,
        value_parser = OneOf::<CohortShares>::all(),
        help_heading = "Inference"
    )]
    shares: CohortShares,
    /// Compute standard errors of curves and slopes from squared residuals without a factor, or times n / (n - J) for groups of n
    /// treated units and curves of J coefficients.
    #[arg(
        long,
        value_name = "WHICH",
        default_value_t = defaults::cont_did().curve_errors,
        value_parser = OneOf::<CurveErrors>::all(),
        help_heading = "Inference"
    )]
    curve_errors: CurveErrors,
    /// With --dose-method cck, leave out the uncertainty of the comparison units' mean change, as the reference packages do.
    #[arg(long, help_heading = "Inference")]
    no_comparison_noise: bool,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// What is estimated, and by which splines.
#[derive(Args)]
#[command(next_help_heading = "Estimation")]
struct CurveArgs {
    /// Parameter of the event study: average effects, or their slopes in the dose.
    #[arg(
        long,
        value_name = "WHICH",
        visible_alias = "target-parameter",
        default_value_t = defaults::cont_did().target,
        value_parser = OneOf::<DoseTarget>::all()
    )]
    target: DoseTarget,
    /// Results to show: curves over the dose, or the event study.
    #[arg(
        long,
        value_name = "WHICH",
        default_value_t = defaults::cont_did().aggregation,
        value_parser = OneOf::<DoseAggregation>::all()
    )]
    aggregation: DoseAggregation,
    /// Splines as specified, or cubic splines whose number the data choose (two groups in two periods).
    #[arg(
        long,
        value_name = "METHOD",
        visible_alias = "dose-est-method",
        default_value_t = defaults::cont_did().method,
        value_parser = OneOf::<DoseMethod>::all()
    )]
    dose_method: DoseMethod,
    /// Degree of the splines.
    #[arg(long, value_name = "N", default_value_t = defaults::cont_did().degree)]
    degree: usize,
    /// Interior knots of the splines, at quantiles of the doses.
    #[arg(
        long,
        value_name = "N",
        visible_alias = "knots",
        default_value_t = defaults::cont_did().knots
    )]
    num_knots: usize,
    /// Doses at which effects are reported: as in 0.1,0.2,0.5, or quantiles:0.1:0.99:90, or evenly spaced as in grid:50, the
    /// default.
    #[arg(long, value_name = "DOSES", allow_hyphen_values = true)]
    dvals: Option<DoseGrid>,
    /// With --dose-method cck, doses at which curves of different dimensions are compared, as in --dvals; by default grid:50. R
    /// contdid compares them at the doses of --dvals.
    #[arg(long, value_name = "DOSES", allow_hyphen_values = true)]
    compare_at: Option<DoseGrid>,
    /// With --dose-method cck, compare dimensions as R contdid does: without a minimum of treated units per function, and with
    /// residuals that shrink as the dimension grows.
    #[arg(long)]
    no_damping: bool,
}

/// Runs the command.
pub(crate) fn run(args: &ContDidArgs) -> Result<()> {
    args.output.check(&args.columns.source.data)?;
    let fit = backend::fit_anywhere(args, &args.work, args.output.quiet)?;
    let asked = fit.aggregation == DoseAggregation::EventStudy;
    let failed = asked.then(|| fit.event_study(fit.target).err()).flatten();
    let plot = args.output.plot.as_deref().filter(|_| failed.is_none());
    let emitted = args.output.emit_with(&fit, plot);
    let formed = failed.map_or(Ok(()), |error| {
        messages::not_formed("dynamic", &error);
        Err(CliError::Said)
    });
    output::all([emitted, formed])
}

impl Fit for ContDidArgs {
    type Result = ContDidResult;

    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<ContDidResult> {
        let estimation = &self.estimation;
        let estimator = with_shared!(ContDid<B>, self, on, cluster: self.columns.cluster(false)?)
            .maybe_group(self.gname.clone())
            .dose(&*self.dname)
            .target(estimation.target)
            .aggregation(estimation.aggregation)
            .method(estimation.dose_method)
            .degree(estimation.degree)
            .knots(estimation.num_knots)
            .maybe_grid(estimation.dvals.clone())
            .control_group(self.comparison.control_group())
            .base_period(self.comparison.base_period)
            .anticipation(self.anticipation.anticipation)
            .resampling(self.boot_type)
            .shares(self.shares)
            .curve_errors(self.curve_errors)
            .maybe_compare_at(estimation.compare_at.clone())
            .damping(!estimation.no_damping)
            .comparison_noise(!self.no_comparison_noise)
            .maybe_band(self.band.band())
            .build();
        fit_where_asked!(estimator, self, on)
    }
}
