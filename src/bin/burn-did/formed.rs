//! Aggregations that were asked for, and what came of them.

use burn_did::{Aggregated, AggregationKind, DidError};

use crate::output;
use crate::values::AggregateSpec;

/// An aggregation asked for, and what came of it.
pub(crate) struct Formed {
    pub spec: AggregateSpec,
    pub result: std::result::Result<Aggregated, DidError>,
}

/// The aggregations that could be formed.
pub(crate) fn formed(aggregates: &[Formed]) -> impl Iterator<Item = &Aggregated> + Clone {
    aggregates.iter().filter_map(|a| a.result.as_ref().ok())
}

/// Says which aggregations could not be formed.
pub(crate) fn report_failures(aggregates: &[Formed]) {
    for aggregate in aggregates {
        if let Err(error) = &aggregate.result {
            output::warning(format!("aggregate {}: {error}", aggregate.spec.text));
        }
    }
}

/// The event study, or else the only aggregate that can be drawn.
pub(crate) fn drawable(aggregates: &[Formed]) -> Option<&Aggregated> {
    let has_rows = |a: &&Aggregated| a.aggregation.kind != AggregationKind::Simple;
    let mut candidates = formed(aggregates).filter(has_rows);
    let dynamic = |a: &&Aggregated| a.aggregation.kind == AggregationKind::Dynamic;
    candidates.clone().find(dynamic).or_else(|| {
        let first = candidates.next();
        first.filter(|_| candidates.next().is_none())
    })
}
