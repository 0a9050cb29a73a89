//! What becomes of group-time effects, of whichever estimator.

use burn_did::{DidWarning, GroupTimeResult, PlotOptions};

use super::draw;
use crate::args::{Format, OutputArgs};
use crate::error::{CliError, Result};
use crate::formed::{Formed, drawable, formed, report_failures};
use crate::values::AggregateSpec;
use crate::{csv, json, output};

/// Refuses options that do not go together, before any work.
pub(super) fn check(output: &OutputArgs) -> Result<()> {
    if output.vcov && output.format != Format::Json {
        return Err(CliError::usage("--vcov is part of the JSON only", "add --format json"));
    }
    Ok(())
}

/// Aggregates, writes, saves and draws.
pub(super) fn report(fit: &GroupTimeResult, output: &OutputArgs, quiet: bool) -> Result<()> {
    let aggregate = |spec: &AggregateSpec| Formed {
        spec: spec.clone(),
        result: fit.aggregate(spec.aggregation),
    };
    let aggregates: Vec<Formed> = output.aggregates.iter().map(aggregate).collect();
    output::results(&text(fit, &aggregates, output)?)?;
    if !quiet {
        warn(fit, &aggregates, output.format);
    }
    if let Some(file) = &output.save {
        fit.save(file)?;
    }
    if let Some(file) = &output.plot {
        draw(fit, drawable(&aggregates), file, &PlotOptions::default())?;
    }
    Ok(())
}

fn text(fit: &GroupTimeResult, aggregates: &[Formed], output: &OutputArgs) -> Result<String> {
    let formed = formed(aggregates);
    Ok(match output.format {
        Format::Json => json::text(&json::Fit::new(fit, aggregates, output.vcov))?,
        Format::Csv => csv::table(&fit.settings, &fit.cells, formed),
        Format::Table => {
            output::blocks([fit.to_string()].into_iter().chain(formed.map(ToString::to_string)))
        }
        Format::Markdown => {
            output::blocks([fit.to_markdown()].into_iter().chain(formed.map(|a| a.to_markdown())))
        }
        Format::Latex => {
            output::blocks([fit.to_latex()].into_iter().chain(formed.map(|a| a.to_latex())))
        }
    })
}

/// What the chosen format does not say.
fn warn(fit: &GroupTimeResult, aggregates: &[Formed], format: Format) {
    if format == Format::Json {
        return;
    }
    if format == Format::Csv {
        let of_aggregates = formed(aggregates).flat_map(|a| &a.warnings);
        let shown: Vec<&DidWarning> = fit.warnings.iter().chain(of_aggregates).collect();
        for warning in shown {
            output::warning(warning.shown(fit.settings.frequency));
        }
    }
    report_failures(aggregates);
}
