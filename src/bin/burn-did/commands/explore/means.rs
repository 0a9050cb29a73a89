//! `burn-did means`

use clap::Args;

use super::{ExploreArgs, More};
use crate::args::{LevelArgs, OutputArgs};
use crate::error::Result;

/// Mean outcomes of each cohort over time, with pointwise intervals.
#[derive(Args)]
#[command(mut_arg("plot", |arg| arg.help("Draw the means to this .png, .svg or .pdf file")))]
pub(crate) struct MeansArgs {
    #[command(flatten)]
    data: ExploreArgs,
    /// Outcome.
    #[arg(long, value_name = "COLUMN", visible_alias = "outcome", help_heading = "Columns")]
    yname: String,
    #[command(flatten)]
    level: LevelArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &MeansArgs) -> Result<()> {
    let more = More { outcome: Some(&args.yname), alpha: Some(args.level.alp), ..More::default() };
    let look = |explore: burn_did::explore::Explore| explore.means(args.data.source.data.as_path());
    args.output.emit(&args.data.look(&more, &args.output, look)?)
}
