//! `burn-did describe`

use clap::Args;

use super::{ExploreArgs, LookedAtArgs, More};
use crate::args::{AnticipationArgs, ClusterColumnArgs, OutputArgs};
use crate::error::Result;

/// What kind of panel the data are, who is treated when, and what `att-gt` would use of them.
///
/// Units with two rows in a period, units that change group, gaps, missing values and codes are counted and named, not refused.
/// The last line is the command that estimates.
#[derive(Args)]
#[command(mut_arg("clustervars", |arg| arg.help("Cluster of the standard errors, beyond the unit")))]
#[command(mut_arg("plot", |arg| arg.help("Draw the share of units treated by period to this .png, .svg or .pdf file")))]
pub(crate) struct DescribeArgs {
    #[command(flatten)]
    data: ExploreArgs,
    #[command(flatten)]
    columns: LookedAtArgs,
    #[command(flatten)]
    cluster: ClusterColumnArgs,
    #[command(flatten)]
    anticipation: AnticipationArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &DescribeArgs) -> Result<()> {
    let questions = More {
        outcome: args.columns.yname.as_ref(),
        covariates: &args.columns.covariates.xname,
        cluster: args.cluster.clustervars.as_ref(),
        anticipation: args.anticipation.anticipation,
        ..More::default()
    };
    let look = |explore: burn_did::explore::Explore| explore.describe(args.data.source.files());
    // What there is to say stands in the table.
    args.output.write(&args.data.look(&questions, &args.output, look)?)
}
