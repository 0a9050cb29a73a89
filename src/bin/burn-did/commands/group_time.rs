//! What becomes of group-time effects, of whichever estimator.

use std::path::Path;

use burn_did::{GroupTimeResult, PlotOptions};

use super::draw;
use crate::args::{Format, OutputArgs};
use crate::error::{CliError, Result};
use crate::formed::{Formed, drawn, formed, report_failures, report_warnings};
use crate::values::AggregateSpec;
use crate::{csv, json, output};

/// Refuses options that do not go together, before any work.
pub(super) fn check(data: &Path, output: &OutputArgs) -> Result<()> {
    output::keep_apart(data, [output.save.as_ref(), output.plot.as_ref()])?;
    if output.vcov && output.format != Format::Json && output.save.is_none() {
        return Err(CliError::usage(
            "--vcov is part of JSON alone",
            "add --format json, or --save FILE, which always has it",
        ));
    }
    Ok(())
}

/// Aggregates, writes, saves and draws. It fails if anything asked for could not be made, after all that could.
pub(super) fn report(fit: &GroupTimeResult, output: &OutputArgs, quiet: bool) -> Result<()> {
    let aggregate = |spec: &AggregateSpec| Formed {
        spec: spec.clone(),
        result: fit.aggregate(spec.aggregation),
    };
    let aggregates: Vec<Formed> = output.aggregates.iter().map(aggregate).collect();
    output::results(&text(fit, &aggregates, output)?)?;
    if !quiet {
        let frequency = fit.settings.frequency;
        fit.warnings.iter().for_each(|w| output::warning(w.shown(frequency)));
        report_warnings(&aggregates);
    }
    let saved = output.save.as_ref().map(|file| Ok(fit.save(file)?));
    let chosen = drawn(&output.aggregates).map(|at| &aggregates[at].result);
    let plotted = output.plot.as_ref().and_then(|file| match chosen {
        None => Some(draw(fit, None, file, &PlotOptions::default())),
        Some(Ok(aggregate)) => Some(draw(fit, Some(aggregate), file, &PlotOptions::default())),
        // Said with the aggregates.
        Some(Err(_)) => None,
    });
    let formed = report_failures(&aggregates);
    output::all(saved.into_iter().chain(plotted).chain([formed]))
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
