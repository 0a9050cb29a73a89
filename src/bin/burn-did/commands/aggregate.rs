//! `burn-did aggregate`

use std::path::PathBuf;

use burn_did::{Aggregated, GroupTimeResult, Inference, PlotOptions};
use clap::Args;

use super::draw;
use crate::args::{AGGREGATE, AGGREGATE_HELP, BandArgs, Format};
use crate::error::{CliError, Result};
use crate::formed::{Formed, drawn, formed, report_failures, report_warnings};
use crate::values::{self, AggregateSpec};
use crate::{csv, json, output};

/// Averages of a saved result; no data are needed.
#[derive(Args)]
pub(crate) struct AggregateArgs {
    /// What `burn-did att-gt --save` or `burn-did ddd --save` wrote.
    result: PathBuf,
    #[arg(
        long = "aggregate",
        value_name = AGGREGATE,
        help = AGGREGATE_HELP,
        required = true,
        help_heading = "Output"
    )]
    aggregates: Vec<AggregateSpec>,
    /// One minus the confidence level, if not that of the fit.
    #[arg(
        long,
        value_name = "ALPHA",
        visible_alias = "alpha",
        value_parser = values::alpha,
        help_heading = "Inference"
    )]
    alp: Option<f64>,
    #[command(flatten)]
    band: BandArgs,
    /// Format of the results.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, help_heading = "Output")]
    format: Format,
    /// Draw the event study, or else the only other aggregate, to this .png or .svg file.
    #[arg(long, value_name = "FILE", value_parser = values::picture(), help_heading = "Output")]
    plot: Option<PathBuf>,
}

/// Runs the command. It fails if none of the aggregates can be formed, or not the one that is to be drawn.
pub(crate) fn run(args: &AggregateArgs) -> Result<()> {
    let chosen = args.plot.as_ref().and_then(|_| drawn(&args.aggregates));
    if args.plot.is_some() && chosen.is_none() {
        return Err(CliError::usage(
            "--plot needs a dynamic aggregate, or exactly one by group or calendar period",
            "`burn-did plot` draws one of your choice",
        ));
    }
    output::keep_apart(&args.result, [args.plot.as_ref()])?;
    let fit = GroupTimeResult::load(&args.result)?;
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
    let mut aggregates: Vec<Formed> = args.aggregates.iter().map(form).collect();
    let all_failed = formed(&aggregates).next().is_none();
    let tables: Vec<&Aggregated> = formed(&aggregates).collect();
    let text = match args.format {
        Format::Json => json::text(&json::Aggregates::new(&fit, &aggregates))?,
        _ if all_failed => String::new(),
        Format::Csv => csv::table(&fit.settings, &[], tables.into_iter()),
        Format::Table => output::blocks(tables.iter().map(ToString::to_string)),
        Format::Markdown => output::blocks(tables.iter().map(|a| a.to_markdown())),
        Format::Latex => output::blocks(tables.iter().map(|a| a.to_latex())),
    };
    output::results(&text)?;
    if args.format == Format::Csv {
        report_warnings(&aggregates);
    }
    // The command ends with the error of this one, which therefore is no warning.
    let needed = chosen.or(all_failed.then_some(0)).map(|at| aggregates.remove(at));
    if args.format != Format::Json {
        report_failures(&aggregates);
    }
    let needed = needed.map(|formed| formed.result).transpose()?;
    if let Some(file) = &args.plot {
        draw(&fit, needed.as_ref(), file, &PlotOptions::default())?;
    }
    Ok(())
}
