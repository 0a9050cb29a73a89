//! From a linear form to estimates with standard errors and bands.

use super::weights::{Combination, linear};
use super::{Aggregated, AggregatedRow, Aggregation};
use crate::error::{DidError, Result};
use crate::estimates::{Estimate, Estimates};
use crate::inference::{Projection, pointwise};
use crate::memory;
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
    aggregation.validate()?;
    check_memory(estimates)?;
    let mut warnings = Vec::new();
    let linear = linear(estimates, &aggregation, &mut warnings)?;
    let values = linear.rows.iter().map(|r| &r.combination).chain(&linear.overall);
    if values.into_iter().any(|c| !c.value.is_finite()) {
        let what = "an average of the effects overflows; divide the outcome by a larger unit";
        return Err(DidError::EmptyWindow { what: what.into() });
    }
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

/// An error if the rows, at most one a cell, do not fit in free memory with their covariance and draws.
fn check_memory(estimates: &Estimates) -> Result<()> {
    let m = estimates.columns() as u128;
    let rows = estimates.periods.len() as u128 * 2 + estimates.shares.len() as u128;
    let rows = rows.min(estimates.cells.len() as u128);
    let draws = estimates.draws.as_ref().map_or(0, |d| d.len() as u128 / m.max(1));
    let needed = 8 * rows * (4 * m + rows + draws);
    memory::check("the aggregation", needed, "aggregate on a machine with more memory")
}

/// One combination with a pointwise interval.
fn single(
    estimates: &Estimates,
    combination: &Combination,
    inference: &Inference,
) -> Option<Estimate> {
    let projection = Projection::new(estimates, std::slice::from_ref(&combination.weights))?;
    let [se] = projection.standard_errors()[..] else { return None };
    let z = pointwise(inference.alpha);
    Some(Estimate::new(Some(combination.value), se, z))
}
