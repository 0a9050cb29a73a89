//! One file a command, and what they share.

pub(crate) mod aggregate;
pub(crate) mod att_gt;
pub(crate) mod ddd;
pub(crate) mod drdid;
mod group_time;
pub(crate) mod plot;

use std::path::Path;

use burn_did::{Aggregated, AggregationKind, DidError, GroupTimeResult, PlotOptions};

use crate::error::Result;
use crate::output;
use crate::values::AggregateSpec;

/// An aggregation asked for, and what came of it.
pub(crate) struct Formed {
    pub spec: AggregateSpec,
    pub result: std::result::Result<Aggregated, DidError>,
}

/// The aggregations that could be formed.
fn formed(aggregates: &[Formed]) -> impl Iterator<Item = &Aggregated> + Clone {
    aggregates.iter().filter_map(|a| a.result.as_ref().ok())
}

/// Says which aggregations could not be formed.
fn report_failures(aggregates: &[Formed]) {
    for aggregate in aggregates {
        if let Err(error) = &aggregate.result {
            output::warning(format!("aggregate {}: {error}", aggregate.spec.text));
        }
    }
}

/// The event study, or else the only aggregate that can be drawn.
fn drawable(aggregates: &[Formed]) -> Option<&Aggregated> {
    let has_rows = |a: &&Aggregated| a.aggregation.kind != AggregationKind::Simple;
    let mut candidates = formed(aggregates).filter(has_rows);
    let dynamic = |a: &&Aggregated| a.aggregation.kind == AggregationKind::Dynamic;
    candidates.clone().find(dynamic).or_else(|| {
        let first = candidates.next();
        first.filter(|_| candidates.next().is_none())
    })
}

/// Draws an aggregate, or the group-time effects.
fn draw(
    fit: &GroupTimeResult,
    aggregate: Option<&Aggregated>,
    file: &Path,
    options: &PlotOptions,
) -> Result<()> {
    match aggregate {
        Some(aggregate) => aggregate.plot_with(file, options)?,
        None => fit.plot_with(file, options)?,
    }
    Ok(())
}
