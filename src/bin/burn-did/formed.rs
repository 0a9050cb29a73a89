//! Aggregations that were asked for, and what came of them.

use burn_did::{
    Aggregated, Aggregation, AggregationKind, ContDidResult, DidError, DoseAggregation, DoseTarget,
};

use crate::error::CliError;
use crate::output;
use crate::values::AggregateSpec;

/// An aggregation asked for, and what came of it.
pub(crate) struct Formed {
    pub spec: AggregateSpec,
    pub result: std::result::Result<Aggregated, DidError>,
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
            output::not_formed(&aggregate.spec.text, error);
            done = Err(CliError::Said);
        }
    }
    done
}

/// Says what is to be known of the aggregations that could be formed.
pub(crate) fn report_warnings(aggregates: &[Formed]) {
    for aggregate in aggregates {
        let Ok(aggregated) = &aggregate.result else { continue };
        let frequency = aggregated.settings.frequency;
        let shown = aggregated.warnings.iter().map(|w| w.shown(frequency));
        shown.for_each(|w| output::warning(format!("aggregate {}: {w}", aggregate.spec.text)));
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

/// The event study of a continuous treatment, if that was asked for.
pub(crate) fn study(fit: &ContDidResult) -> Option<Result<Aggregated, DidError>> {
    (fit.aggregation == DoseAggregation::EventStudy)
        .then(|| fit.aggregate(fit.target, Aggregation::dynamic().na_rm(true)))
}

/// Warnings of a continuous treatment's fit, and those that only its event study has.
pub(crate) fn warnings_with(fit: &ContDidResult, study: Option<&Aggregated>) -> Vec<String> {
    let frequency = fit.level.settings.frequency;
    let overall = [DoseTarget::Level, DoseTarget::Slope].into_iter().filter_map(|target| {
        let left_out = fit.overall_left_out(target).filter(|_| study.is_none())?;
        Some(format!("{}: {}", target.parameter(), left_out.warning().shown(frequency)))
    });
    let own = fit.warnings.iter().map(|w| w.shown(frequency)).chain(overall);
    let more = study.into_iter().flat_map(|study| &study.warnings);
    let more = more.filter(|w| !fit.warnings.contains(w));
    own.chain(more.map(|w| format!("event study: {}", w.shown(frequency)))).collect()
}
