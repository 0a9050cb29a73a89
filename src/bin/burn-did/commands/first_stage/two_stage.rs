//! `burn-did two-stage`

use burn_did::TwoStage;
use clap::Args;

use super::StageArgs;
use crate::args::OutputArgs;
use crate::configure::with_first_stage;
use crate::error::Result;
use crate::parse;

/// Effects by two regressions: of untreated outcomes on fixed effects, and of what these leave of all outcomes on the treatment, its event
/// times, or a formula (Gardner 2021), with the standard errors of both stages, in the way of R's did2s.
///
/// Columns have the names of the other commands.
#[derive(Args)]
#[command(mut_arg("plot", |arg| arg.help("Draw the event study to this .png, .svg or .pdf file")))]
pub(crate) struct TwoStageArgs {
    #[command(flatten)]
    stage: StageArgs,
    /// Event times without an indicator in the second stage, as in -1; the coefficients of the others do not depend on it.
    #[arg(
        long = "ref",
        value_name = "E,...",
        visible_alias = "references",
        value_delimiter = ',',
        value_parser = parse::finite,
        allow_hyphen_values = true,
        help_heading = "Estimation"
    )]
    references: Vec<f64>,
    /// Estimate the average effect of each group, too.
    #[arg(long, help_heading = "Estimation")]
    groups: bool,
    /// Another second stage, of any columns and without a constant, as in "~ i(event, ref = c(-1, -1000))".
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true, help_heading = "Estimation")]
    second_stage: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &TwoStageArgs) -> Result<()> {
    let stage = &args.stage;
    args.output.check(&stage.panel.source.data)?;
    let config = with_first_stage!(TwoStage, stage)
        .references(args.references.iter().copied())
        .groups(args.groups)
        .maybe_second_stage(args.second_stage.clone())
        .build();
    let fit = config.fit(stage.panel.source.files())?;
    args.output.emit(&fit)
}
