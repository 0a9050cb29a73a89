//! `burn-did panelview`

use clap::Args;

use super::{ExploreArgs, LookedAtArgs, More};
use crate::args::OutputArgs;
use crate::error::Result;

/// Who is observed and treated when: rollout and treatment status, units by periods, as a picture and a table of patterns.
///
/// Units that are observed and treated in the same periods are one pattern. Rows of the picture are patterns, by cohort, as high as they have
/// units; it says how many units a row stands for, and how many patterns are too few for a row.
#[derive(Args)]
#[command(
    mut_arg("plot", |arg| arg.help("Draw treatment status by unit and period to this .png, .svg or .pdf file")),
    mut_arg("gname", |arg| arg.required(false).required_unless_present("treatment"))
)]
pub(crate) struct PanelviewArgs {
    #[command(flatten)]
    data: ExploreArgs,
    /// Treatment in every period, 0 if untreated, in place of --gname; it may end and begin again.
    #[arg(
        long,
        value_name = "COLUMN",
        visible_alias = "dname",
        conflicts_with = "gname",
        help_heading = "Columns"
    )]
    treatment: Option<String>,
    #[command(flatten)]
    columns: LookedAtArgs,
    /// One row a cohort, as high as it has units, in place of one a pattern.
    #[arg(long, help_heading = "Picture")]
    by_cohort: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &PanelviewArgs) -> Result<()> {
    let questions = More {
        outcome: args.columns.yname.as_ref(),
        covariates: &args.columns.covariates.xname,
        ..More::default()
    };
    let look = |mut explore: burn_did::explore::Explore| {
        explore.treatment.clone_from(&args.treatment);
        explore.by_cohort = args.by_cohort;
        explore.panelview(args.data.source.files())
    };
    // What there is to say stands in the table.
    args.output.write(&args.data.look(&questions, &args.output, look)?)
}
