//! `burn-did lpdid`

use burn_did::LocalProjections;
use burn_did::projections::{ProjectionBase, ProjectionMethod};
use clap::Args;

use crate::args::{
    ClusterColumnArgs, ControlGroupArgs, LONG_FORM, LevelArgs, OutcomeColumnArgs, OutputArgs,
    PanelKeyArgs, SpacingArgs, UnitRowsArgs, WeightArgs,
};
use crate::configure::{fit_units, with_panel};
use crate::defaults;
use crate::error::Result;
use crate::parse::{self, Summands};
use crate::words::OneOf;

/// Local projections with clean controls: the change of the outcome over each horizon, of units whose treatment starts and of units that
/// stay without (Dube, Girardi, Jordà and Taylor 2025).
///
/// Most options have the names of R's `did` and `lpdid`, and the long words that follow as aliases.
#[derive(Args)]
#[command(next_help_heading = "Columns", mut_arg("data", |arg| arg.help(LONG_FORM)))]
#[command(mut_arg("weightsname", |arg| arg.help("Sampling weights, of the first treated period")))]
#[command(mut_arg("control_group", |arg| {
    arg.default_value(defaults::lpdid().control_group.word()).help("Units that treated ones are compared with")
}))]
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
    #[arg(long, value_name = "COLUMN", visible_aliases = ["treatment", "dname"])]
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
    #[command(flatten)]
    weights: WeightArgs,
    #[command(flatten)]
    cluster: ClusterColumnArgs,
    #[command(flatten)]
    estimation: HorizonArgs,
    #[command(flatten)]
    level: LevelArgs,
    #[command(flatten)]
    rows: UnitRowsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Which changes are compared, and with which units.
#[derive(Args)]
#[command(next_help_heading = "Estimation")]
struct HorizonArgs {
    /// First and last event time, as in -3,5: before treatment, event times go to -2.
    #[arg(long, value_name = "FROM,TO", value_parser = parse::window, allow_hyphen_values = true)]
    window: (u32, u32),
    /// How the periods in which treatment starts are averaged, and what covariates do.
    #[arg(
        long,
        value_name = "METHOD",
        default_value_t = defaults::lpdid().method,
        value_parser = OneOf::<ProjectionMethod>::all()
    )]
    method: ProjectionMethod,
    /// The same as --method reweighted.
    #[arg(long, conflicts_with = "method")]
    rw: bool,
    #[command(flatten)]
    controls: ControlGroupArgs,
    /// What outcomes are compared with: that of the `last` period before treatment, the mean of so many, or of all (`max`).
    #[arg(
        long,
        value_name = "PERIODS",
        visible_alias = "base",
        default_value_t = defaults::lpdid().base
    )]
    pmd: ProjectionBase,
    /// The same units at all horizons.
    #[arg(long, visible_alias = "no-composition-changes")]
    nocomp: bool,
    /// Number of lagged changes of the outcome that are covariates.
    #[arg(
        long,
        value_name = "N",
        visible_alias = "outcome-lags",
        default_value_t = defaults::lpdid().outcome_lags
    )]
    dylags: u32,
    /// Treatment (--treat) may end and start again; its effects are stable after so many periods.
    #[arg(long, value_name = "PERIODS", visible_alias = "stable-periods", requires = "treat")]
    nonabsorbing_lag: Option<u32>,
    #[command(flatten)]
    spacing: SpacingArgs,
}

/// Runs the command.
pub(crate) fn run(args: &LpdidArgs) -> Result<()> {
    let estimation = &args.estimation;
    args.output.fitted(&args.keys.source.data, |bar| {
        let config = with_panel!(LocalProjections, args.keys, args.outcome, args.rows.memory, bar)
            .maybe_group(args.gname.clone())
            .maybe_treatment(args.treat.clone())
            .pre_window(estimation.window.0)
            .post_window(estimation.window.1)
            .method(if estimation.rw { ProjectionMethod::Reweighted } else { estimation.method })
            .control_group(estimation.controls.control_group)
            .base(estimation.pmd)
            .no_composition_changes(estimation.nocomp)
            .outcome_lags(estimation.dylags)
            .covariates(Summands::all(&args.xname))
            .maybe_stable_periods(estimation.nonabsorbing_lag)
            .rank_periods(estimation.spacing.rank_periods)
            .maybe_weights(args.weights.weightsname.clone())
            .maybe_cluster(args.cluster.clustervars.clone())
            .alpha(args.level.alp)
            .build();
        fit_units!(config, args.keys.source, args.rows)
    })
}
