//! From a linear form to estimates with standard errors and bands.

use super::weights::{Combination, linear};
use super::{Aggregated, AggregatedRow, Aggregation};
use crate::error::{DidError, Result};
use crate::estimates::{Estimate, Estimates};
use crate::inference::{Projection, normal_quantile};
use crate::options::Inference;
use crate::report::Settings;

/// Aggregates with these options of inference.
pub(crate) fn aggregate(
    estimates: &Estimates,
    aggregation: Aggregation,
    inference: &Inference,
    settings: Settings,
) -> Result<Aggregated> {
    inference.validate()?;
    let mut warnings = Vec::new();
    let linear = linear(estimates, &aggregation, &mut warnings)?;
    let missing = || DidError::NoInfluence {
        what: "aggregation",
        needs: "the covariance of the estimates",
        remedy: "fit without `point_estimates_only`",
    };
    let weights: Vec<Vec<f64>> =
        linear.rows.iter().map(|r| r.combination.weights.clone()).collect();
    let projection = Projection::new(estimates, &weights).ok_or_else(missing)?;
    let standard_errors = projection.standard_errors();
    let critical = projection.critical(inference, &standard_errors, true, &mut warnings);
    let rows: Vec<AggregatedRow> = linear
        .rows
        .iter()
        .zip(&standard_errors)
        .map(|(row, se)| AggregatedRow {
            at: row.at,
            estimate: Estimate::new(Some(row.combination.value), *se, critical.value),
            reference: row.reference,
        })
        .collect();
    let overall = match linear.overall {
        Some(overall) => single(estimates, &overall, inference).ok_or_else(missing)?,
        None => Estimate::default(),
    };
    let q = rows.len();
    Ok(Aggregated {
        aggregation,
        overall,
        vcov: projection.covariance.chunks_exact(q.max(1)).map(<[f64]>::to_vec).collect(),
        rows,
        critical_value: critical.value,
        band: critical.band,
        alpha: inference.alpha,
        warnings,
        settings: Settings { inference: *inference, ..settings },
    })
}

/// One combination with a pointwise interval.
fn single(
    estimates: &Estimates,
    combination: &Combination,
    inference: &Inference,
) -> Option<Estimate> {
    let projection = Projection::new(estimates, std::slice::from_ref(&combination.weights))?;
    let [se] = projection.standard_errors()[..] else { return None };
    let z = normal_quantile(1.0 - inference.alpha / 2.0);
    Some(Estimate::new(Some(combination.value), se, z))
}
