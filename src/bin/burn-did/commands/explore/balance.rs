//! `burn-did balance`

use burn_did::options::ControlGroup;
use clap::Args;

use super::{ExploreArgs, More};
use crate::args::OutputArgs;
use crate::defaults;
use crate::error::Result;
use crate::parse;
use crate::words::OneOf;

/// How like each treated cohort is to its comparison units in the last period before treatment: means, normalised differences and variance
/// ratios of covariates and outcome, as levels and as changes from the period before.
#[derive(Args)]
#[command(mut_arg("plot", |arg| arg.help("Draw the normalised differences to this .png, .svg or .pdf file")))]
pub(crate) struct BalanceArgs {
    #[command(flatten)]
    data: ExploreArgs,
    /// Outcome.
    #[arg(long, value_name = "COLUMN", visible_alias = "outcome", help_heading = "Columns")]
    yname: Option<String>,
    /// Covariates, as in x1,x2.
    #[arg(
        long,
        value_name = "COLUMNS",
        visible_alias = "covariates",
        value_delimiter = ',',
        help_heading = "Columns"
    )]
    xname: Vec<String>,
    /// Comparison units.
    #[arg(
        long,
        value_name = "WHICH",
        default_value_t = defaults::att_gt().control_group,
        value_parser = OneOf::<ControlGroup>::all(),
        help_heading = "Estimation"
    )]
    control_group: ControlGroup,
    /// Periods before treatment in which units may respond to it already.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = parse::periods, help_heading = "Estimation")]
    anticipation: u32,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &BalanceArgs) -> Result<()> {
    let more = More {
        outcome: args.yname.as_ref(),
        covariates: &args.xname,
        anticipation: args.anticipation,
        ..More::default()
    };
    let look = |explore: burn_did::explore::Explore| {
        explore.balance(args.data.source.data.as_path(), args.control_group)
    };
    args.output.emit(&args.data.look(&more, &args.output, look)?)
}
