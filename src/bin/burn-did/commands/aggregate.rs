//! `burn-did aggregate`

use std::path::PathBuf;

use burn_did::{
    SavedResult,
    options::Inference,
    report::{PlotOptions, Reportable},
};
use clap::Args;

use super::draw;
use super::saved::refused;
use crate::args::{AGGREGATE, AGGREGATE_HELP, BandArgs, Format};
use crate::error::{CliError, Result};
use crate::formed::AggregateSpec;
use crate::formed::{Formed, asked, drawn, formed, report_failures, report_warnings};
use crate::output;
use crate::parse;

/// Averages of a saved result; no data are needed.
#[derive(Args)]
pub(crate) struct AggregateArgs {
    /// Result saved by `burn-did att-gt --save` or `burn-did ddd --save`.
    result: PathBuf,
    #[arg(
        long = "aggregate",
        value_name = AGGREGATE,
        help = AGGREGATE_HELP,
        required = true,
        help_heading = "Output"
    )]
    aggregates: Vec<AggregateSpec>,
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
    /// Format of the results.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, help_heading = "Output")]
    format: Format,
    /// Draw the event study, or else the only other aggregate, to this .png or .svg file.
    #[arg(long, value_name = "FILE", value_parser = parse::picture(), help_heading = "Output")]
    plot: Option<PathBuf>,
    /// Add the covariance of the event study, or of other averages, to the JSON.
    #[arg(long, help_heading = "Output")]
    vcov: bool,
    /// No warnings on standard error.
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command. It fails if one of the aggregates cannot be formed or drawn, after all that can.
pub(crate) fn run(args: &AggregateArgs) -> Result<()> {
    let chosen = args.plot.as_ref().and_then(|_| drawn(&args.aggregates));
    if args.plot.is_some() && chosen.is_none() {
        return Err(CliError::usage(
            "--plot needs a dynamic aggregate, or exactly one by group or calendar period",
            "`burn-did plot` draws one of your choice",
        ));
    }
    output::keep_apart(&args.result, [args.plot.as_ref()])?;
    if args.vcov && args.format != Format::Json {
        return Err(CliError::usage("--vcov is part of JSON alone", "add --format json"));
    }
    let saved = SavedResult::load(&args.result)?;
    let SavedResult::GroupTime(fit) = saved else {
        return Err(refused(&saved, &args.result, "what --save of att-gt or ddd wrote"));
    };
    let own = fit.settings.inference;
    let inference = Inference {
        alpha: args.alp.unwrap_or(own.alpha),
        band: args.band.band().unwrap_or(own.band),
        ..own
    };
    let form = |spec: &AggregateSpec| Formed {
        spec: spec.clone(),
        result: fit.aggregate_with(spec.aggregation, &inference),
    };
    let aggregates: Vec<Formed> = args.aggregates.iter().map(form).collect();
    let tables: Vec<&dyn Reportable> =
        formed(&aggregates).map(|aggregate| aggregate as &dyn Reportable).collect();
    let text = match args.format {
        Format::Json => fit.to_json_with(&asked(&aggregates), args.vcov)?,
        _ if tables.is_empty() => String::new(),
        Format::Csv => burn_did::report::csv(&tables)?,
        format => output::blocks(tables.iter().map(|result| output::shown(*result, format))),
    };
    output::results(&text)?;
    if !args.quiet {
        report_warnings(&aggregates);
    }
    let chosen = chosen.and_then(|at| aggregates[at].result.as_ref().ok());
    let drawn = args.plot.as_ref().zip(chosen);
    let drawn = drawn.map(|(file, study)| draw(&fit, Some(study), file, &PlotOptions::default()));
    let formed = report_failures(&aggregates);
    output::all(drawn.into_iter().chain([formed]))
}
