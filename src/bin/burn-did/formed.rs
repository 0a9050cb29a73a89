//! Aggregations that were asked for, and what came of them.

use std::str::FromStr;

use burn_did::report::Reportable;
use burn_did::{
    Aggregated, Aggregation, DidError, group_time::AggregationKind, options::ParseOptionError,
};

use crate::error::CliError;
use crate::messages;

/// An aggregation as asked for.
#[derive(Clone, Debug)]
pub(crate) struct AggregateSpec {
    /// As typed.
    pub text: String,
    pub aggregation: Aggregation,
}

impl FromStr for AggregateSpec {
    type Err = ParseOptionError;

    fn from_str(text: &str) -> std::result::Result<Self, ParseOptionError> {
        Ok(Self { text: text.to_owned(), aggregation: text.parse()? })
    }
}

/// An aggregation asked for, and what came of it.
pub(crate) struct Formed {
    pub spec: AggregateSpec,
    pub result: std::result::Result<Aggregated, DidError>,
}

/// The aggregations in the words they were asked for in, for documents.
pub(crate) fn asked(
    aggregates: &[Formed],
) -> Vec<(&str, std::result::Result<&Aggregated, &DidError>)> {
    aggregates.iter().map(|a| (a.spec.text.as_str(), a.result.as_ref())).collect()
}

/// The aggregations that could be formed.
pub(crate) fn formed(aggregates: &[Formed]) -> impl Iterator<Item = &Aggregated> {
    aggregates.iter().filter_map(|a| a.result.as_ref().ok())
}

/// Says which aggregations could not be formed; an error if there is one.
pub(crate) fn report_failures(aggregates: &[Formed]) -> Result<(), CliError> {
    let mut done = Ok(());
    for aggregate in aggregates {
        if let Err(error) = &aggregate.result {
            messages::not_formed(&aggregate.spec.text, error);
            done = Err(CliError::Said);
        }
    }
    done
}

/// Says what is to be known of the aggregations that could be formed.
pub(crate) fn report_warnings(aggregates: &[Formed]) {
    for aggregate in aggregates {
        let Ok(aggregated) = &aggregate.result else { continue };
        let about = format!("aggregate {}", aggregate.spec.text);
        aggregated.messages().into_iter().for_each(|m| messages::remark(&m.about(&about)));
    }
}

/// Which aggregation is drawn: the first event study, or else the only one that is more than a number. What could be formed
/// has no part in the choice, or the picture would be of something else than was asked for.
pub(crate) fn drawn(asked: &[AggregateSpec]) -> Option<usize> {
    let kind = |at: &usize| asked[*at].aggregation.kind;
    let mut candidates = (0..asked.len()).filter(|at| kind(at) != AggregationKind::Simple);
    let dynamic = candidates.clone().find(|at| kind(at) == AggregationKind::Dynamic);
    dynamic.or_else(|| {
        let first = candidates.next();
        first.filter(|_| candidates.next().is_none())
    })
}
