//! `burn-did aggregate`

use std::path::PathBuf;

use burn_did::{Aggregated, SavedResult, doses::DoseTarget, report::Reportable};
use clap::Args;

use super::saved::refused;
use crate::args::{AverageArgs, BandArgs, Format, OutputArgs};
use crate::error::{CliError, Result};
use crate::formed::AggregateSpec;
use crate::formed::{Formed, asked, drawn, formed, report_failures, report_warnings};
use crate::output;
use crate::parse;
use crate::words::OneOf;

/// Averages of a saved result; no data are needed.
///
/// As JSON, one average is its document, which `--save` writes too and `burn-did honest` and `burn-did plot` read, and several are a list of documents.
#[derive(Args)]
#[command(mut_arg("plot", |arg| arg.help("Draw the event study, or else the only other aggregate, to this .png, .svg or .pdf file")))]
#[command(mut_arg("aggregates", |arg| arg.required(true)))]
pub(crate) struct AggregateArgs {
    /// Result saved by --save of `burn-did att-gt`, `ddd` or `cont-did`.
    #[arg(help_heading = None)]
    result: PathBuf,
    #[command(flatten)]
    averages: AverageArgs,
    /// Of a result of cont-did: average effects, or their slopes in the dose; by default those of its event study.
    #[arg(
        long = "target-parameter",
        value_name = "PARAMETER",
        visible_alias = "target",
        value_parser = OneOf::<DoseTarget>::all(),
        help_heading = "Averages"
    )]
    target: Option<DoseTarget>,
    /// One minus the confidence level; by default the level of the fit.
    #[arg(
        long,
        value_name = "ALPHA",
        visible_alias = "alpha",
        value_parser = parse::alpha,
        help_heading = "Inference"
    )]
    alp: Option<f64>,
    #[command(flatten)]
    band: BandArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command. It fails if one of the aggregates cannot be formed or drawn, after all that can.
pub(crate) fn run(args: &AggregateArgs) -> Result<()> {
    let chosen = args.output.plot.as_ref().and_then(|_| drawn(&args.averages.aggregates));
    if args.output.plot.is_some() && chosen.is_none() {
        return Err(CliError::usage(
            "--plot needs a dynamic aggregate, or exactly one by group or calendar period",
            "`burn-did plot` draws one of your choice",
        ));
    }
    if args.output.save.is_some() && args.averages.aggregates.len() > 1 {
        return Err(CliError::usage("--save writes one average", "ask for one by --aggregate"));
    }
    args.output.check(&args.result)?;
    let saved = SavedResult::load(&args.result)?;
    let fit = match &saved {
        SavedResult::GroupTime(fit) => fit.as_ref(),
        SavedResult::ContDid(fit) => fit.cells_of(args.target.unwrap_or(fit.target)),
        _ => {
            return Err(refused(
                &saved,
                &args.result,
                "what --save of att-gt, ddd or cont-did wrote",
            ));
        }
    };
    if args.target.is_some() && !matches!(saved, SavedResult::ContDid(_)) {
        return Err(CliError::usage(
            "--target-parameter is for a result of cont-did",
            "leave it out",
        ));
    }
    let of_fit = fit.settings.inference;
    let inference = of_fit
        .alpha(args.alp.unwrap_or(of_fit.alpha))
        .band(args.band.band().unwrap_or(of_fit.band));
    let form = |spec: &AggregateSpec| Formed {
        spec: spec.clone(),
        result: fit.aggregate_with(spec.aggregation, &inference),
    };
    let aggregates: Vec<Formed> = args.averages.aggregates.iter().map(form).collect();
    let tables: Vec<&dyn Reportable> =
        formed(&aggregates).map(|aggregate| aggregate as &dyn Reportable).collect();
    let text = match args.output.format {
        Format::Json => Aggregated::documents(&asked(&aggregates))?,
        _ if tables.is_empty() => String::new(),
        Format::Csv => burn_did::report::csv(&tables)?,
        format => output::blocks(tables.iter().map(|result| output::shown(*result, format))),
    };
    output::results(&text)?;
    if !args.output.quiet {
        report_warnings(&aggregates);
    }
    let chosen = chosen.and_then(|at| aggregates[at].result.as_ref().ok());
    let drawn = args.output.plot.as_ref().zip(chosen);
    let quiet = args.output.quiet;
    let drawn = drawn.map(|(file, study)| args.output.picture.draw(study, file, quiet));
    let save = |(asked, average): (&str, &Aggregated), file| Ok(average.save_asked(file, asked)?);
    let only = asked(&aggregates).into_iter().find_map(|(asked, of)| Some((asked, of.ok()?)));
    let saved = only.zip(args.output.save.as_ref()).map(|(only, file)| save(only, file));
    let formed = report_failures(&aggregates);
    output::all(drawn.into_iter().chain(saved).chain([formed]))
}
