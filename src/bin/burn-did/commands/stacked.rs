//! `burn-did stacked`

use burn_did::Stacked;
use burn_did::stacks::{StackEffects, StackWeights};
use clap::Args;

use crate::args::{
    ClusterColumnArgs, CohortArgs, ControlGroupArgs, LONG_FORM, LevelArgs, OutcomeColumnArgs,
    OutputArgs, PanelKeyArgs, SpacingArgs, SummandArgs, UnitRowsArgs, WeightArgs,
};
use crate::configure::{fit_units, with_panel};
use crate::defaults;
use crate::error::Result;
use crate::parse;
use crate::words::OneOf;

/// Stacked difference-in-differences with corrective weights: a window around the treatment of each cohort, with controls that are not
/// treated in it (Wing, Freedman and Hollingsworth 2024).
///
/// Most options have the names of R's `did` and of the authors' programs, and the long words that follow as aliases.
#[derive(Args)]
#[command(next_help_heading = "Columns", mut_arg("data", |arg| arg.help(LONG_FORM)))]
#[command(mut_arg("control_group", |arg| {
    arg.default_value(defaults::stacked().control_group.word())
        .help("Units that treated ones are compared with: those not treated in the window, or never")
}))]
#[command(mut_arg("plot", |arg| arg.help("Draw the effects by event time to this .png, .svg or .pdf file")))]
pub(crate) struct StackedArgs {
    #[command(flatten)]
    keys: PanelKeyArgs,
    #[command(flatten)]
    outcome: OutcomeColumnArgs,
    #[command(flatten)]
    group: CohortArgs,
    #[command(flatten)]
    covariates: SummandArgs,
    #[command(flatten)]
    weights: WeightArgs,
    #[command(flatten)]
    cluster: ClusterColumnArgs,
    #[command(flatten)]
    estimation: StackArgs,
    #[command(flatten)]
    level: LevelArgs,
    #[command(flatten)]
    rows: UnitRowsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// The window, and what is made of the stack.
#[derive(Args)]
#[command(next_help_heading = "Estimation")]
struct StackArgs {
    /// Periods of the window before treatment, at least 1: the last of them is the base.
    #[arg(
        long,
        value_name = "PERIODS",
        visible_alias = "pre-window",
        value_parser = parse::periods
    )]
    kappa_pre: u32,
    /// Last event time of the window.
    #[arg(
        long,
        value_name = "PERIODS",
        visible_alias = "post-window",
        value_parser = parse::periods
    )]
    kappa_post: u32,
    #[command(flatten)]
    controls: ControlGroupArgs,
    /// How controls are weighted.
    #[arg(
        long,
        value_name = "HOW",
        default_value_t = defaults::stacked().stack_weights,
        value_parser = OneOf::<StackWeights>::all()
    )]
    stack_weights: StackWeights,
    /// The effects of the regression beside those of treatment.
    #[arg(
        long,
        value_name = "OF",
        default_value_t = defaults::stacked().effects,
        value_parser = OneOf::<StackEffects>::all()
    )]
    effects: StackEffects,
    /// Take copies of a unit as independent, for comparison with programs that cluster so.
    #[arg(long, conflicts_with = "clustervars")]
    independent_copies: bool,
    #[command(flatten)]
    spacing: SpacingArgs,
}

/// Runs the command.
pub(crate) fn run(args: &StackedArgs) -> Result<()> {
    let estimation = &args.estimation;
    args.output.fitted(&args.keys.source.data, |bar| {
        let config = with_panel!(Stacked, args.keys, args.outcome, args.rows.memory, bar)
            .group(&*args.group.gname)
            .pre_window(estimation.kappa_pre)
            .post_window(estimation.kappa_post)
            .control_group(estimation.controls.control_group)
            .stack_weights(estimation.stack_weights)
            .effects(estimation.effects)
            .independent_copies(estimation.independent_copies)
            .covariates(args.covariates.columns())
            .rank_periods(estimation.spacing.rank_periods)
            .maybe_weights(args.weights.weightsname.clone())
            .maybe_cluster(args.cluster.clustervars.clone())
            .alpha(args.level.alp)
            .build();
        fit_units!(config, args.keys.source, args.rows)
    })
}
