//! `burn-did stacked`

use burn_did::Stacked;
use burn_did::options::ControlGroup;
use burn_did::stacks::{StackEffects, StackWeights};
use clap::Args;

use crate::args::{
    CohortArgs, LONG_FORM, LevelArgs, OutcomeColumnArgs, OutputArgs, PanelKeyArgs,
    RowsInMemoryArgs, SpacingArgs, WeightArgs,
};
use crate::defaults;
use crate::error::Result;
use crate::parse::{self, Summands};
use crate::progress::Bar;
use crate::words::OneOf;

/// Stacked difference-in-differences with corrective weights: a window around the treatment of each cohort, with controls that are not
/// treated in it (Wing, Freedman and Hollingsworth 2024).
///
/// Most options have the names of R's `did` and of the authors' programs, and the long words that follow as aliases.
#[derive(Args)]
#[command(next_help_heading = "Columns", mut_arg("data", |arg| arg.help(LONG_FORM)))]
#[command(mut_arg("plot", |arg| arg.help("Draw the effects by event time to this .png, .svg or .pdf file")))]
pub(crate) struct StackedArgs {
    #[command(flatten)]
    keys: PanelKeyArgs,
    #[command(flatten)]
    outcome: OutcomeColumnArgs,
    #[command(flatten)]
    group: CohortArgs,
    /// Covariates, as in x1,x2: columns of numbers.
    #[arg(
        long,
        value_name = "COLUMNS",
        visible_aliases = ["covariates", "xformla"],
        value_parser = Summands::read,
        value_delimiter = ','
    )]
    xname: Vec<Summands>,
    #[command(flatten)]
    weights: WeightArgs,
    /// Cluster, beyond the unit.
    #[arg(long, value_name = "COLUMN", visible_alias = "clusters")]
    clustervars: Option<String>,
    /// Periods of the window before treatment, at least 1: the last of them is the base.
    #[arg(
        long,
        value_name = "PERIODS",
        visible_alias = "pre-window",
        value_parser = parse::periods,
        help_heading = "Estimation"
    )]
    kappa_pre: u32,
    /// Last event time of the window.
    #[arg(
        long,
        value_name = "PERIODS",
        visible_alias = "post-window",
        value_parser = parse::periods,
        help_heading = "Estimation"
    )]
    kappa_post: u32,
    /// Units that treated ones are compared with: those not treated in the window, or never.
    #[arg(
        long,
        value_name = "WHICH",
        default_value_t = defaults::stacked().control_group,
        value_parser = OneOf::<ControlGroup>::all(),
        help_heading = "Estimation"
    )]
    control_group: ControlGroup,
    /// How controls are weighted.
    #[arg(
        long,
        value_name = "HOW",
        default_value_t = defaults::stacked().stack_weights,
        value_parser = OneOf::<StackWeights>::all(),
        help_heading = "Estimation"
    )]
    stack_weights: StackWeights,
    /// The effects of the regression beside those of treatment.
    #[arg(
        long,
        value_name = "OF",
        default_value_t = defaults::stacked().effects,
        value_parser = OneOf::<StackEffects>::all(),
        help_heading = "Estimation"
    )]
    effects: StackEffects,
    /// Take copies of a unit as independent, for comparison with programs that cluster so.
    #[arg(long, conflicts_with = "clustervars", help_heading = "Estimation")]
    independent_copies: bool,
    #[command(flatten)]
    spacing: SpacingArgs,
    #[command(flatten)]
    level: LevelArgs,
    #[command(flatten)]
    memory: RowsInMemoryArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &StackedArgs) -> Result<()> {
    let keys = &args.keys;
    args.output.check(&keys.source.data)?;
    let bar = Bar::new(args.output.quiet);
    let config = Stacked::builder()
        .outcome(&*args.outcome.yname)
        .unit(&*keys.unit.idname)
        .time(&*keys.period.tname)
        .group(&*args.group.gname)
        .pre_window(args.kappa_pre)
        .post_window(args.kappa_post)
        .control_group(args.control_group)
        .stack_weights(args.stack_weights)
        .effects(args.effects)
        .independent_copies(args.independent_copies)
        .covariates(Summands::all(&args.xname))
        .rank_periods(args.spacing.rank_periods)
        .maybe_weights(args.weights.weightsname.clone())
        .maybe_cluster(args.clustervars.clone())
        .maybe_frequency(keys.dates.frequency)
        .maybe_memory_budget(args.memory.memory_budget)
        .maybe_missing_values(keys.source.na.clone())
        .alpha(args.level.alp)
        .maybe_progress(bar.callback())
        .build();
    let fit = config.fit(keys.source.files())?;
    drop(bar);
    args.output.emit(&fit)
}
