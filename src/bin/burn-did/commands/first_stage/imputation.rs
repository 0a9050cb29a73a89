//! `burn-did imputation`

use burn_did::Imputation;
use burn_did::imputation::{AveragedBy, CellAverages, PretrendTimes};
use clap::Args;

use super::StageArgs;
use crate::args::OutputArgs;
use crate::configure::with_first_stage;
use crate::defaults;
use crate::error::Result;
use crate::parse;
use crate::words::OneOf;

/// Effects as differences between treated outcomes and what a regression of untreated outcomes predicts for them (Borusyak, Jaravel and
/// Spiess 2024), with conservative standard errors.
///
/// Columns have the names of the other commands; --horizon, --pretrends, --wtr, --hbalance, --minn and --sum are those of the authors'
/// command in Stata.
#[derive(Args)]
#[command(mut_arg("plot", |arg| arg.help("Draw the event study to this .png, .svg or .pdf file")))]
pub(crate) struct ImputationArgs {
    #[command(flatten)]
    stage: StageArgs,
    /// Event times from 0 on whose average effects are estimated, as in 0,1,2; all that occur if nothing is said.
    #[arg(
        long,
        value_name = "E,...",
        visible_alias = "horizons",
        value_delimiter = ',',
        value_parser = parse::finite,
        allow_hyphen_values = true,
        help_heading = "Estimation"
    )]
    horizon: Option<Vec<f64>>,
    /// Event times before treatment whose coefficients are estimated on untreated rows: all (but the earliest), none, or as in -3,-2,-1.
    #[arg(
        long,
        value_name = "E,...",
        default_value_t = defaults::imputation().pretrends,
        allow_hyphen_values = true,
        help_heading = "Estimation"
    )]
    pretrends: PretrendTimes,
    /// Estimate the average effect of each group, too.
    #[arg(long, help_heading = "Estimation")]
    groups: bool,
    /// Columns with weights of treated rows, for an average of effects with each.
    #[arg(
        long,
        value_name = "COLUMNS",
        visible_alias = "averages",
        value_delimiter = ',',
        help_heading = "Columns"
    )]
    wtr: Vec<String>,
    /// Take the weights of --wtr as they are, and do not divide them by their sum.
    #[arg(long, requires = "wtr", help_heading = "Estimation")]
    sum: bool,
    /// Average by event time over the units that are observed at all horizons.
    #[arg(long, visible_alias = "balanced-horizons", help_heading = "Estimation")]
    hbalance: bool,
    /// Group of rows whose average effect is subtracted before deviations count as noise in the standard errors.
    #[arg(
        long,
        value_name = "BY",
        visible_alias = "avgeffectsby",
        default_value_t = defaults::imputation().averaged_by,
        value_parser = OneOf::<AveragedBy>::all(),
        help_heading = "Inference"
    )]
    averaged_by: AveragedBy,
    /// How rows are weighted in the averages of --averaged-by.
    #[arg(
        long,
        value_name = "RULE",
        default_value_t = defaults::imputation().cell_averages,
        value_parser = OneOf::<CellAverages>::all(),
        help_heading = "Inference"
    )]
    cell_averages: CellAverages,
    /// Measure the deviations of a cluster from the average of the others.
    #[arg(long, visible_alias = "leaveoneout", help_heading = "Inference")]
    leave_out: bool,
    /// Do not estimate averages whose effective number of rows, (Σw)²/Σw², is below N.
    #[arg(
        long,
        value_name = "N",
        visible_alias = "min-effective",
        default_value_t = defaults::imputation().min_effective,
        value_parser = parse::not_negative,
        help_heading = "Estimation"
    )]
    minn: f64,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &ImputationArgs) -> Result<()> {
    let stage = &args.stage;
    args.output.check(&stage.panel.source.data)?;
    let config = with_first_stage!(Imputation, stage)
        .maybe_horizons(args.horizon.clone())
        .pretrends(args.pretrends.clone())
        .groups(args.groups)
        .averages(&args.wtr)
        .sums(args.sum)
        .balanced_horizons(args.hbalance)
        .averaged_by(args.averaged_by)
        .cell_averages(args.cell_averages)
        .leave_out(args.leave_out)
        .min_effective(args.minn)
        .build();
    let fit = config.fit(stage.panel.source.files())?;
    args.output.emit(&fit)
}
