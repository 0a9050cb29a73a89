//! `burn-did overlap`

use std::path::PathBuf;

use burn_did::SavedResult;
use clap::Args;

use super::saved::refused;
use crate::args::OutputArgs;
use crate::error::Result;

/// How the estimator weighs the comparison units of each cell: largest propensity scores, trimmed units and their weight, and effective
/// sample sizes before and after weighting.
#[derive(Args)]
#[command(mut_arg("plot", |arg| arg.help(
    "Draw the distribution of the propensity score by arm, of a fit with --weighting, to this .png, .svg or .pdf file"
)))]
pub(crate) struct OverlapArgs {
    /// Result saved with `--save` by `burn-did att-gt`, `ddd` or `drdid`.
    result: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &OverlapArgs) -> Result<()> {
    args.output.check(&args.result)?;
    let overlap = match SavedResult::load(&args.result)? {
        SavedResult::GroupTime(fit) => fit.overlap_by_cell(),
        SavedResult::Drdid(fit) => fit.overlap_by_cell(),
        SavedResult::Overlap(overlap) => *overlap,
        other => {
            return Err(refused(&other, &args.result, "what --save of att-gt, ddd or drdid wrote"));
        }
    };
    args.output.write(&overlap)
}
