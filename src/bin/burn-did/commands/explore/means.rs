//! `burn-did means`

use clap::Args;

use super::{ExploreArgs, More};
use crate::args::{AnticipationArgs, LevelArgs, OutcomeColumnArgs, OutputArgs};
use crate::error::Result;
use crate::parse;

/// Mean outcomes of each cohort over time, as levels and relative to the last period before treatment, with pointwise intervals.
#[derive(Args)]
#[command(mut_arg("plot", |arg| arg.help("Draw the means to this .png, .svg or .pdf file")))]
pub(crate) struct MeansArgs {
    #[command(flatten)]
    data: ExploreArgs,
    #[command(flatten)]
    outcome: OutcomeColumnArgs,
    #[command(flatten)]
    anticipation: AnticipationArgs,
    /// Base period of the never-treated, and of cohorts without a period before treatment, as in 2003, or 2003-02 with --frequency month;
    /// the first by default. That of other cohorts is the last before treatment.
    #[arg(long, value_name = "PERIOD", allow_negative_numbers = true, help_heading = "Estimation")]
    base_period: Option<String>,
    #[command(flatten)]
    level: LevelArgs,
    /// Show the means relative to their base period, in place of levels.
    #[arg(long, help_heading = "Picture")]
    relative: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &MeansArgs) -> Result<()> {
    let questions = More {
        outcome: Some(&args.outcome.yname),
        anticipation: args.anticipation.anticipation,
        alpha: Some(args.level.alp),
        ..More::default()
    };
    let base = args.base_period.as_deref();
    let base = base.map(|text| parse::period("--base-period", text, args.data.dates.frequency));
    let base = base.transpose()?;
    let look = |mut explore: burn_did::explore::Explore| {
        (explore.base_period, explore.relative) = (base, args.relative);
        explore.means(args.data.source.files())
    };
    args.output.emit(&args.data.look(&questions, &args.output, look)?)
}
