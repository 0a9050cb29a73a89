//! Options of group-time effects, and of averages of them.

use burn_did::options::{Band, BasePeriod, ControlGroup, EstimationMethod};
use clap::Args;

use super::{GroupArgs, OutputArgs, WeightingArgs};
use crate::defaults;
use crate::formed::AggregateSpec;
use crate::parse;
use crate::words::OneOf;

/// Options of group-time effects.
#[derive(Args)]
#[command(next_help_heading = "Estimation")]
pub(crate) struct GroupTimeArgs {
    #[command(flatten)]
    pub group: GroupArgs,
    #[command(flatten)]
    pub comparison: ComparisonArgs,
    /// Doubly robust, inverse probability weighting or outcome regression.
    #[arg(
        long,
        value_name = "METHOD",
        visible_alias = "method",
        default_value_t = defaults::att_gt().method,
        value_parser = OneOf::<EstimationMethod>::all()
    )]
    pub est_method: EstimationMethod,
    #[command(flatten)]
    pub band: BandArgs,
}

/// What groups are compared with.
#[derive(Args)]
#[command(next_help_heading = "Estimation")]
pub(crate) struct ControlGroupArgs {
    /// Comparison units.
    #[arg(
        long,
        value_name = "WHICH",
        default_value_t = defaults::att_gt().control_group,
        value_parser = OneOf::<ControlGroup>::all()
    )]
    pub control_group: ControlGroup,
}

/// What groups, and which periods, outcomes are compared with.
#[derive(Args)]
#[command(next_help_heading = "Estimation")]
pub(crate) struct ComparisonArgs {
    #[command(flatten)]
    controls: ControlGroupArgs,
    /// Base period with which outcomes are compared.
    #[arg(
        long,
        value_name = "WHICH",
        default_value_t = defaults::att_gt().base_period,
        value_parser = OneOf::<BasePeriod>::all()
    )]
    pub base_period: BasePeriod,
}

impl ComparisonArgs {
    /// What groups are compared with.
    pub(crate) fn control_group(&self) -> ControlGroup {
        self.controls.control_group
    }
}

/// When units may first react.
#[derive(Args)]
#[command(next_help_heading = "Estimation")]
pub(crate) struct AnticipationArgs {
    /// Periods before treatment in which units may already react.
    #[arg(
        long,
        value_name = "N",
        default_value_t = defaults::att_gt().anticipation,
        value_parser = parse::periods,
        allow_negative_numbers = true
    )]
    pub anticipation: u32,
}

/// Which intervals are reported.
#[derive(Args)]
#[command(next_help_heading = "Inference")]
pub(crate) struct BandArgs {
    /// Uniform bands: sup-t from the bootstrap, or analytically from the covariance without one. Group-time effects and curves have them by
    /// default with --boot.
    #[arg(long, conflicts_with = "no_cband")]
    cband: bool,
    /// Pointwise intervals.
    #[arg(long)]
    no_cband: bool,
}

impl BandArgs {
    /// The band asked for, if one was.
    pub(crate) fn band(&self) -> Option<Band> {
        match (self.cband, self.no_cband) {
            (true, _) => Some(Band::Uniform),
            (_, true) => Some(Band::Pointwise),
            _ => None,
        }
    }
}

/// Averages of group-time effects.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct AverageArgs {
    #[arg(long = "aggregate", value_name = AGGREGATE, help = AGGREGATE_HELP)]
    pub aggregates: Vec<AggregateSpec>,
}

/// What becomes of group-time effects.
#[derive(Args)]
#[command(
    next_help_heading = "Output",
    mut_arg("plot", |arg| arg.help(
        "Draw the event study to this .png, .svg or .pdf file; without an event study, the only other aggregate, or the group-time effects"
    ))
)]
pub(crate) struct GroupTimeOutputArgs {
    #[command(flatten)]
    pub averages: AverageArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub weights: WeightingArgs,
    /// Add the covariances of the group-time effects to the JSON; a saved result always has them.
    #[arg(long, help_heading = "Output")]
    pub vcov: bool,
}

/// Form of an aggregation on the command line.
pub(crate) const AGGREGATE: &str = "TYPE[:KEY=VALUE,...]";

/// What that means.
const AGGREGATE_HELP: &str = "Average the group-time effects; repeatable. TYPE is simple, dynamic (the event \
    study; also event), group or calendar; KEY is min_e, max_e, balance_e or na_rm, as in \
    dynamic:min_e=-3,max_e=5,balance_e=1. na_rm=true averages the cells that have an estimate, which is another \
    average where some have none; the result says what is left out";
