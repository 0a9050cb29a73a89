//! `burn-did weighting`

use std::path::PathBuf;

use burn_did::SavedResult;
use burn_did::weighting::{WeightedComparison, Weighting};
use clap::Args;

use super::saved::refused;
use crate::args::OutputArgs;
use crate::error::{CliError, Result};
use crate::output;
use crate::parse;

/// What the estimator's own weighting does to the comparison: means, normalised differences and variance ratios of the covariates of each
/// cell before and after it.
#[derive(Args)]
#[command(mut_arg("plot", |arg| arg.help(
    "Draw the normalised differences before and after weighting to this .png, .svg or .pdf file"
)))]
pub(crate) struct WeightingOfResultArgs {
    /// Result saved with `--weighting --save` by `burn-did att-gt`, `ddd` or `drdid`.
    result: PathBuf,
    /// Only cells of this group.
    #[arg(long, value_name = "GROUP", help_heading = "Cells")]
    group: Option<String>,
    /// Only cells of this period.
    #[arg(long, value_name = "PERIOD", help_heading = "Cells")]
    time: Option<String>,
    /// Draw how the covariates are distributed over the arms to this .png, .svg or .pdf file.
    #[arg(long, value_name = "FILE", value_parser = parse::picture(), help_heading = "Output")]
    distributions: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &WeightingOfResultArgs) -> Result<()> {
    args.output.check_beside(&args.result, args.distributions.as_ref())?;
    let weighting = match SavedResult::load(&args.result)? {
        SavedResult::GroupTime(fit) => fit.weighting,
        SavedResult::Drdid(fit) => fit.weighting,
        SavedResult::Weighting(weighting) => Some(*weighting),
        other => {
            let reads = "what --weighting --save of att-gt, ddd or drdid wrote";
            return Err(refused(&other, &args.result, reads));
        }
    };
    let Some(weighting) = weighting else {
        return Err(CliError::File {
            problem: format!("{} was saved without what weighting does", args.result.display()),
            hint: "fit again with --weighting beside --save",
        });
    };
    let chosen = weighting.of_cells(
        period(&weighting, ("--group", args.group.as_deref()), |of| of.group)?,
        period(&weighting, ("--time", args.time.as_deref()), |of| of.time)?,
    )?;
    let written = args.output.emit(&chosen);
    let drawn = args.distributions.as_ref().map(|file| {
        let options = args.output.picture.options()?;
        Ok(chosen.plot_distributions(file, &options)?)
    });
    output::all(std::iter::once(written).chain(drawn))
}

/// The group or period that people read as `text`.
fn period(
    weighting: &Weighting,
    (option, text): (&str, Option<&str>),
    of: fn(&WeightedComparison) -> Option<f64>,
) -> Result<Option<f64>> {
    let Some(text) = text else { return Ok(None) };
    let settings = &weighting.settings;
    let mut known: Vec<f64> = weighting.comparisons.iter().filter_map(of).collect();
    known.sort_by(f64::total_cmp);
    known.dedup();
    let asked = parse::period(option, text, settings.frequency)?;
    match known.contains(&asked) {
        true => Ok(Some(asked)),
        false => {
            let known: Vec<String> = known.iter().map(|period| settings.period(*period)).collect();
            let problem =
                format!("no cell of {text} was estimated; there are {}", known.join(", "));
            Err(CliError::usage(problem, "name a group or period of the table"))
        }
    }
}
