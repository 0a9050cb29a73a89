//! Output of group-time effects, from any estimator.

use std::path::Path;

use burn_did::{GroupTimeResult, report::Reportable};

use crate::args::{Format, GroupTimeOutputArgs};
use crate::error::{CliError, Result};
use crate::formed::AggregateSpec;
use crate::formed::{Formed, asked, drawn, formed, report_failures, report_warnings};
use crate::messages;
use crate::output;

/// Refuses options that do not go together, before any work.
pub(super) fn check(data: &Path, args: &GroupTimeOutputArgs) -> Result<()> {
    let output = &args.output;
    output.check_beside(data, args.weights.save_scores.as_ref())?;
    if args.vcov && output.format != Format::Json && output.save.is_none() {
        return Err(CliError::usage(
            "--vcov is part of JSON alone",
            "add --format json or --save FILE",
        ));
    }
    Ok(())
}

/// Aggregates, writes, saves and draws. It fails if anything asked for could not be made, after all that could.
pub(super) fn report(fit: &GroupTimeResult, args: &GroupTimeOutputArgs) -> Result<()> {
    let output = &args.output;
    let aggregate = |spec: &AggregateSpec| Formed {
        spec: spec.clone(),
        result: fit.aggregate(spec.aggregation),
    };
    let aggregates: Vec<Formed> = args.averages.aggregates.iter().map(aggregate).collect();
    output::results(&text(fit, &aggregates, args)?)?;
    if !output.quiet {
        fit.messages().iter().for_each(messages::remark);
        report_warnings(&aggregates);
    }
    let save = |file| Ok(fit.save_with(file, &asked(&aggregates), args.vcov)?);
    let saved = output.save.as_ref().map(save);
    let chosen = drawn(&args.averages.aggregates).map(|at| &aggregates[at].result);
    let plotted = output.plot.as_ref().and_then(|file| match chosen {
        None => Some(output.picture.draw(fit, file, output.quiet)),
        Some(Ok(aggregate)) => Some(output.picture.draw(aggregate, file, output.quiet)),
        // Said with the aggregates.
        Some(Err(_)) => None,
    });
    let scores = args.weights.write(fit.scores.as_ref(), output.quiet);
    let formed = report_failures(&aggregates);
    output::all(saved.into_iter().chain(plotted).chain(scores).chain([formed]))
}

fn text(
    fit: &GroupTimeResult,
    aggregates: &[Formed],
    args: &GroupTimeOutputArgs,
) -> Result<String> {
    let cells: &dyn Reportable = fit;
    let formed = formed(aggregates).map(|aggregate| aggregate as &dyn Reportable);
    let all: Vec<&dyn Reportable> = std::iter::once(cells).chain(formed).collect();
    Ok(match args.output.format {
        Format::Json => fit.to_json_with(&asked(aggregates), args.vcov)?,
        Format::Csv => burn_did::report::csv(&all)?,
        format => output::blocks(all.iter().map(|result| output::shown(*result, format))),
    })
}
