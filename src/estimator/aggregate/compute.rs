//! From a linear form to estimates with standard errors and bands.

use super::left_out::{left_out, refuse_missing, window};
use super::universal::universal;
use super::weights::linear;
use super::without_share::without_share;
use super::{Aggregated, AggregatedRow, Aggregation, WithoutShare};
use crate::base::error::{DidError, Result};
use crate::base::memory;
use crate::base::options::Inference;
use crate::result::estimates::GroupTimeEffects;
use crate::result::fit_notes::FitNotes;
use crate::result::inference::{Estimate, Joint, no_covariance};
use crate::result::settings::Settings;

/// Aggregates with these options of inference.
pub(crate) fn aggregate(
    effects: &GroupTimeEffects,
    aggregation: Aggregation,
    inference: &Inference,
    settings: Settings,
) -> Result<Aggregated> {
    inference.validate()?;
    aggregation.validate()?;
    check_memory(effects)?;
    refuse_missing(effects, &aggregation)?;
    let mut warnings = Vec::new();
    let linear = linear(effects, &aggregation, &mut warnings);
    let without_share = without_share(effects, &aggregation, linear.as_ref().ok());
    let of_kind = |without: &WithoutShare| without.warning(aggregation.kind);
    let without_warning = without_share.as_ref().map(of_kind);
    let linear = linear.map_err(|error| match (&error, &without_warning) {
        // There are effects, and none of them counts.
        (DidError::EmptyWindow { .. }, Some(warning)) => {
            DidError::EmptyWindow { what: warning.shown(effects.calendar.frequency) }
        }
        _ => error,
    })?;
    warnings.extend(without_warning);
    let values = linear.rows.iter().map(|r| &r.combination).chain(&linear.overall);
    if values.into_iter().any(|c| !c.value.is_finite()) {
        let what = "an average of the effects overflows; divide the outcome by a larger unit";
        return Err(DidError::EmptyWindow { what: what.into() });
    }
    let missing = || no_covariance("aggregation");
    let combinations = linear.rows.iter().map(|r| &r.combination);
    let joint = effects.joint.combined(combinations).ok_or_else(missing)?;
    let standard_errors = joint.standard_errors();
    warnings.extend(joint.missing(&standard_errors, |row| linear.rows[row].reference));
    let critical = joint.critical(inference, &standard_errors, true, &mut warnings);
    let rows: Vec<AggregatedRow> = linear
        .rows
        .iter()
        .zip(&standard_errors)
        .map(|(row, se)| AggregatedRow {
            at: row.at,
            estimate: critical.estimate(Some(row.combination.value), *se, inference.alpha),
            reference: row.reference,
        })
        .collect();
    let overall = match &linear.overall {
        Some(overall) => effects.joint.estimate(overall, inference.alpha).ok_or_else(missing)?,
        None => Estimate::default(),
    };
    // Where a row has none either, its reason is said; a reference has none by construction.
    if overall.se.is_none() && rows.iter().all(|row| row.reference || row.estimate.se.is_some()) {
        let law = effects.joint.combined(&linear.overall).ok_or_else(missing)?;
        warnings.extend(law.missing(&vec![None; law.len()], |_| false));
    }
    let left_out = left_out(effects, &aggregation);
    warnings.extend(left_out.as_ref().map(|left_out| left_out.warning()));
    let universal = universal(effects, &aggregation, &settings);
    let Joint { covariance, .. } = joint;
    let vcov = covariance.map_or_else(Vec::new, |covariance| covariance.rows(rows.len()));
    Ok(Aggregated {
        aggregation,
        overall,
        vcov,
        rows,
        critical_value: critical.value,
        band: critical.band,
        alpha: inference.alpha,
        left_out,
        without_share,
        window: window(effects, &aggregation),
        warnings,
        settings: Settings { inference: *inference, ..settings },
        fit_notes: FitNotes::default(),
        universal,
        influence: None,
    })
}

/// An error if the rows, at most one a cell, do not fit in free memory with their covariance and draws.
fn check_memory(effects: &GroupTimeEffects) -> Result<()> {
    let m = effects.joint.len() as u128;
    let rows = effects.periods.len() as u128 * 2 + effects.groups.len() as u128;
    let rows = rows.min(effects.cells.len() as u128);
    let draws = effects.joint.draws.as_ref().map_or(0, |d| d.len() as u128 / m.max(1));
    let needed = 8 * rows * (4 * m + rows + draws);
    memory::check("the aggregation", needed, "aggregate on a machine with more memory")
}
