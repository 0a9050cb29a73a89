//! `burn-did describe`

use clap::Args;

use super::{ExploreArgs, More};
use crate::args::OutputArgs;
use crate::error::Result;
use crate::parse;

/// What kind of panel the data are, who is treated when, and what `att-gt` would use of them.
///
/// Units with two rows in a period, units that change group, gaps, missing values and codes are counted and named, not refused.
/// The last line is the command that estimates.
#[derive(Args)]
#[command(mut_arg("plot", |arg| arg.help("Draw the share of units treated by period to this .png, .svg or .pdf file")))]
pub(crate) struct DescribeArgs {
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
    /// Cluster of the standard errors, beyond the unit.
    #[arg(long, value_name = "COLUMN", visible_alias = "clusters", help_heading = "Columns")]
    clustervars: Option<String>,
    /// Periods before treatment in which units may respond to it already.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = parse::periods, help_heading = "Estimation")]
    anticipation: u32,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &DescribeArgs) -> Result<()> {
    let more = More {
        outcome: args.yname.as_ref(),
        covariates: &args.xname,
        cluster: args.clustervars.as_ref(),
        anticipation: args.anticipation,
        ..More::default()
    };
    let look =
        |explore: burn_did::explore::Explore| explore.describe(args.data.source.data.as_path());
    // What there is to say stands in the table.
    args.output.write(&args.data.look(&more, &args.output, look)?)
}
