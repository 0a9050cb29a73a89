//! `burn-did bacon`

use burn_did::Bacon;
use clap::Args;

use super::StudyArgs;
use crate::args::{ClusterColumnArgs, LevelArgs, OutputArgs, SummandArgs};
use crate::configure::{fit_units, with_panel};
use crate::error::Result;

/// The two-way fixed-effects coefficient as the average of all two-by-two comparisons of cohorts (Goodman-Bacon 2021).
///
/// The panel must be balanced. Most options have the names of R's `did`, and the long words that follow as aliases.
#[derive(Args)]
#[command(mut_arg("xname", |arg| arg.help("Controls, as in x1,x2: columns of numbers")))]
#[command(mut_arg("clustervars", |arg| {
    arg.help("Cluster of the coefficient's standard error, beyond the unit")
}))]
#[command(mut_arg("plot", |arg| arg.help("Draw the comparisons by weight to this .png, .svg or .pdf file")))]
pub(crate) struct BaconArgs {
    #[command(flatten)]
    study: StudyArgs,
    #[command(flatten)]
    controls: SummandArgs,
    #[command(flatten)]
    cluster: ClusterColumnArgs,
    #[command(flatten)]
    level: LevelArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &BaconArgs) -> Result<()> {
    let StudyArgs { keys, group, outcome, rows } = &args.study;
    args.output.fitted(&keys.source.data, |bar| {
        let config = with_panel!(Bacon, keys, outcome, rows.memory, bar)
            .group(&*group.gname)
            .covariates(args.controls.columns())
            .maybe_cluster(args.cluster.clustervars.clone())
            .alpha(args.level.alp)
            .build();
        fit_units!(config, keys.source, rows)
    })
}
