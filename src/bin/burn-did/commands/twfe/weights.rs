//! `burn-did twfe-weights`

use burn_did::TwfeWeights;
use burn_did::twfe::{TwfeCells, TwfeRegression};
use clap::Args;

use super::StudyArgs;
use crate::args::{OutputArgs, SummandArgs, WeightArgs};
use crate::configure::{fit_units, with_panel};
use crate::defaults;
use crate::error::Result;
use crate::words::OneOf;

/// The weights that a two-way fixed-effects coefficient gives to the effects by group and period, and what the negative ones may do (de
/// Chaisemartin and D'Haultfœuille 2020).
///
/// Most options have the names of R's `did`, and the long words that follow as aliases; --type is that of R's `twowayfeweights`.
#[derive(Args)]
#[command(mut_arg("xname", |arg| arg.help("Controls, as in x1,x2: columns of numbers")))]
#[command(mut_arg("plot", |arg| arg.help("Draw the weights by time since treatment to this .png, .svg or .pdf file")))]
pub(crate) struct TwfeWeightsArgs {
    #[command(flatten)]
    study: StudyArgs,
    #[command(flatten)]
    weights: WeightArgs,
    #[command(flatten)]
    controls: SummandArgs,
    /// The regression, and what is assumed of effects.
    #[arg(
        long = "type",
        value_name = "WHICH",
        visible_alias = "regression",
        default_value_t = defaults::twfe_weights().regression,
        value_parser = OneOf::<TwfeRegression>::all(),
        help_heading = "Estimation"
    )]
    regression: TwfeRegression,
    /// Of what the cells of the regression are, and its effects beside those of periods.
    #[arg(
        long,
        value_name = "OF",
        default_value_t = defaults::twfe_weights().cells,
        value_parser = OneOf::<TwfeCells>::all(),
        help_heading = "Estimation"
    )]
    cells: TwfeCells,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &TwfeWeightsArgs) -> Result<()> {
    let StudyArgs { keys, group, outcome, rows } = &args.study;
    args.output.fitted(&keys.source.data, |bar| {
        let config = with_panel!(TwfeWeights, keys, outcome, rows.memory, bar)
            .group(&*group.gname)
            .maybe_weights(args.weights.weightsname.clone())
            .covariates(args.controls.columns())
            .regression(args.regression)
            .cells(args.cells)
            .build();
        fit_units!(config, keys.source, rows)
    })
}
