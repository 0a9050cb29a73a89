//! `burn-did balance`

use clap::Args;

use super::{ExploreArgs, LookedAtArgs, More};
use crate::args::{AnticipationArgs, ControlGroupArgs, OutputArgs};
use crate::error::Result;

/// How like each treated cohort is to its comparison units in the last period before treatment: means, normalised differences and variance
/// ratios of covariates and outcome, as levels and as changes from the period before.
#[derive(Args)]
#[command(mut_arg("plot", |arg| arg.help("Draw the normalised differences to this .png, .svg or .pdf file")))]
pub(crate) struct BalanceArgs {
    #[command(flatten)]
    data: ExploreArgs,
    #[command(flatten)]
    columns: LookedAtArgs,
    #[command(flatten)]
    controls: ControlGroupArgs,
    #[command(flatten)]
    anticipation: AnticipationArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &BalanceArgs) -> Result<()> {
    let questions = More {
        outcome: args.columns.yname.as_ref(),
        covariates: &args.columns.covariates.xname,
        anticipation: args.anticipation.anticipation,
        ..More::default()
    };
    let look = |explore: burn_did::explore::Explore| {
        explore.balance(args.data.source.files(), args.controls.control_group)
    };
    args.output.emit(&args.data.look(&questions, &args.output, look)?)
}
