//! `burn-did lpdid`

use burn_did::LocalProjections;
use burn_did::options::ControlGroup;
use burn_did::projections::{ProjectionBase, ProjectionMethod};
use clap::Args;

use crate::args::{
    LONG_FORM, LevelArgs, OutcomeColumnArgs, OutputArgs, PanelKeyArgs, RowsInMemoryArgs,
    SpacingArgs,
};
use crate::defaults;
use crate::error::Result;
use crate::parse::{self, Summands};
use crate::progress::Bar;
use crate::words::OneOf;

/// Local projections with clean controls: the change of the outcome over each horizon, of units whose treatment starts and of units that
/// stay without (Dube, Girardi, Jordà and Taylor 2025).
///
/// Most options have the names of R's `did` and `lpdid`, and the long words that follow as aliases.
#[derive(Args)]
#[command(next_help_heading = "Columns", mut_arg("data", |arg| arg.help(LONG_FORM)))]
#[command(mut_arg("plot", |arg| arg.help("Draw the effects by event time to this .png, .svg or .pdf file")))]
pub(crate) struct LpdidArgs {
    #[command(flatten)]
    keys: PanelKeyArgs,
    #[command(flatten)]
    outcome: OutcomeColumnArgs,
    /// First treated period; 0, inf or empty (dates: empty) for never treated; rows with NaN are left out. This or --treat.
    #[arg(
        long,
        value_name = "COLUMN",
        visible_alias = "group",
        required_unless_present = "treat",
        conflicts_with = "treat"
    )]
    gname: Option<String>,
    /// Treatment in each period, 0 or 1.
    #[arg(long, value_name = "COLUMN", visible_alias = "treatment")]
    treat: Option<String>,
    /// Covariates, at the first treated period, as in x1,x2: columns of numbers.
    #[arg(
        long,
        value_name = "COLUMNS",
        visible_aliases = ["controls", "xformla"],
        value_parser = Summands::read,
        value_delimiter = ','
    )]
    xname: Vec<Summands>,
    /// Sampling weights, of the first treated period.
    #[arg(long, value_name = "COLUMN", visible_alias = "weights")]
    weightsname: Option<String>,
    /// Cluster, beyond the unit.
    #[arg(long, value_name = "COLUMN", visible_alias = "clusters")]
    clustervars: Option<String>,
    /// First and last event time, as in -3,5: before treatment, event times go to -2.
    #[arg(
        long,
        value_name = "FROM,TO",
        value_parser = parse::window,
        allow_hyphen_values = true,
        help_heading = "Estimation"
    )]
    window: (u32, u32),
    /// How the periods in which treatment starts are averaged, and what covariates do.
    #[arg(
        long,
        value_name = "METHOD",
        default_value_t = defaults::lpdid().method,
        value_parser = OneOf::<ProjectionMethod>::all(),
        help_heading = "Estimation"
    )]
    method: ProjectionMethod,
    /// The same as --method reweighted.
    #[arg(long, conflicts_with = "method", help_heading = "Estimation")]
    rw: bool,
    /// Units that treated ones are compared with.
    #[arg(
        long,
        value_name = "WHICH",
        default_value_t = defaults::lpdid().control_group,
        value_parser = OneOf::<ControlGroup>::all(),
        help_heading = "Estimation"
    )]
    control_group: ControlGroup,
    /// What outcomes are compared with: that of the `last` period before treatment, the mean of so many, or of all (`max`).
    #[arg(
        long,
        value_name = "PERIODS",
        visible_alias = "base",
        default_value_t = defaults::lpdid().base,
        help_heading = "Estimation"
    )]
    pmd: ProjectionBase,
    /// The same units at all horizons.
    #[arg(long, visible_alias = "no-composition-changes", help_heading = "Estimation")]
    nocomp: bool,
    /// Number of lagged changes of the outcome that are covariates.
    #[arg(
        long,
        value_name = "N",
        visible_alias = "outcome-lags",
        default_value_t = defaults::lpdid().outcome_lags,
        help_heading = "Estimation"
    )]
    dylags: u32,
    /// Treatment (--treat) may end and start again; its effects are stable after so many periods.
    #[arg(
        long,
        value_name = "PERIODS",
        visible_alias = "stable-periods",
        requires = "treat",
        help_heading = "Estimation"
    )]
    nonabsorbing_lag: Option<u32>,
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
pub(crate) fn run(args: &LpdidArgs) -> Result<()> {
    let keys = &args.keys;
    args.output.check(&keys.source.data)?;
    let bar = Bar::new(args.output.quiet);
    let config = LocalProjections::builder()
        .outcome(&*args.outcome.yname)
        .unit(&*keys.unit.idname)
        .time(&*keys.period.tname)
        .maybe_group(args.gname.clone())
        .maybe_treatment(args.treat.clone())
        .pre_window(args.window.0)
        .post_window(args.window.1)
        .method(if args.rw { ProjectionMethod::Reweighted } else { args.method })
        .control_group(args.control_group)
        .base(args.pmd)
        .no_composition_changes(args.nocomp)
        .outcome_lags(args.dylags)
        .covariates(Summands::all(&args.xname))
        .maybe_stable_periods(args.nonabsorbing_lag)
        .rank_periods(args.spacing.rank_periods)
        .maybe_weights(args.weightsname.clone())
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
