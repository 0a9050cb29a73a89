//! `burn-did bacon`

use burn_did::Bacon;
use clap::Args;

use super::{ControlArgs, StudyArgs};
use crate::args::{LevelArgs, OutputArgs};
use crate::error::Result;
use crate::progress::Bar;

/// The two-way fixed-effects coefficient as the average of all two-by-two comparisons of cohorts (Goodman-Bacon 2021).
///
/// The panel must be balanced. Most options have the names of R's `did`, and the long words that follow as aliases.
#[derive(Args)]
#[command(mut_arg("plot", |arg| arg.help("Draw the comparisons by weight to this .png, .svg or .pdf file")))]
pub(crate) struct BaconArgs {
    #[command(flatten)]
    study: StudyArgs,
    #[command(flatten)]
    controls: ControlArgs,
    /// Cluster of the coefficient's standard error, beyond the unit.
    #[arg(long, value_name = "COLUMN", visible_alias = "clusters", help_heading = "Columns")]
    clustervars: Option<String>,
    #[command(flatten)]
    level: LevelArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &BaconArgs) -> Result<()> {
    let StudyArgs { keys, group, outcome, memory } = &args.study;
    args.output.check(&keys.source.data)?;
    let bar = Bar::new(args.output.quiet);
    let config = Bacon::builder()
        .outcome(&*outcome.yname)
        .unit(&*keys.unit.idname)
        .time(&*keys.period.tname)
        .group(&*group.gname)
        .covariates(args.controls.columns())
        .maybe_cluster(args.clustervars.clone())
        .maybe_frequency(keys.dates.frequency)
        .maybe_memory_budget(memory.memory_budget)
        .maybe_missing_values(keys.source.na.clone())
        .alpha(args.level.alp)
        .maybe_progress(bar.callback())
        .build();
    let fit = config.fit(keys.source.files())?;
    drop(bar);
    args.output.emit(&fit)
}
