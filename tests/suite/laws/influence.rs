//! Influence values are derivatives of the estimates, and give their covariance.

use super::report::Report;
use super::subject::{Case, Change};
use crate::support::frames::{floats, with};

/// Units that a derivative is taken for.
const UNITS: usize = 10;

/// Relative step of a weight.
const STEP: f64 = 1e-4;

law!(derivatives);

/// Influence values over n are the derivatives of the estimates in the log weights: nothing is left out of the linearisation, and
/// no sign is wrong.
fn derivatives(case: &Case, report: &mut Report) {
    let Some((case, weights)) = case.weighted() else { return report.skip() };
    let Some(case) = case.changed(Change::KeepInfluence).filter(|case| case.has_derivatives) else {
        return report.skip();
    };
    let mut frame = (case.frame_of)(100);
    frame = super::weights::with_ones(&frame);
    if case.rows_are_units {
        frame = with(&frame, "id", (1..=frame.height() as i64).collect::<Vec<_>>());
    }
    let plain = case.fit(&frame);
    let influence = plain.influence.as_ref().expect("influence values");
    let n = influence.units.len() as f64;
    let (ids, old) = (floats(&frame, "id"), floats(&frame, weights));
    for (row, unit) in influence.units.iter().enumerate().step_by(influence.units.len() / UNITS) {
        let unit: f64 = unit.parse().unwrap();
        let moved = |factor: f64| {
            let new = ids.iter().zip(&old).map(|(id, w)| if *id == unit { w * factor } else { *w });
            case.fit(&with(&frame, weights, new.collect::<Vec<f64>>()))
        };
        let (up, down) = (moved(1.0 + STEP), moved(1.0 - STEP));
        let pairs = up.estimates.iter().zip(&down.estimates);
        for ((up, down), column) in pairs.zip(&influence.columns) {
            if column.is_empty() {
                continue;
            }
            let (Some(up), Some(down)) = (up.value, down.value) else { continue };
            let derivative = (up - down) / (2.0 * STEP);
            let largest = column.iter().fold(0.0f64, |m, v| m.max(v.abs())) / n;
            let value = column[row] / n;
            report.check((value - derivative).abs() <= 1e-5 * largest, || {
                format!(
                    "{}: unit {unit}: {value:e} is not the derivative {derivative:e}",
                    case.name
                )
            });
        }
    }
}

law!(covariance);

/// Their mean is zero if they are derivatives, and the sums of their products are the covariances.
fn covariance(case: &Case, report: &mut Report) {
    let own = if case.rows_are_units { None } else { Some("id") };
    let kept = case.changed(Change::KeepInfluence).filter(|case| !case.has_draws);
    let Some(case) = kept else { return report.skip() };
    let frame = with(&case.frame, "own", floats(&case.frame, "id"));
    let case = case.changed(Change::Cluster(own.map(|_| "own"))).unwrap_or(case);
    let fit = case.fit(&frame);
    let influence = fit.influence.as_ref().expect("influence values");
    let n = influence.units.len() as f64;
    let vcov = fit.group_time.as_ref().map(|fit| fit.vcov().unwrap());
    for (j, a) in influence.columns.iter().enumerate() {
        let mean = a.iter().sum::<f64>() / n;
        let Some(first) = fit.estimates[j].se else { continue };
        let is_centred = mean.abs() <= 1e-9 * first * n.sqrt();
        report.check(is_centred || !case.has_derivatives, || format!("{}: mean {mean}", case.name));
        for (k, b) in influence.columns.iter().enumerate() {
            let own = (k == j).then_some(first * first);
            let found = own.or_else(|| vcov.as_ref().and_then(|vcov| vcov[j][k]));
            let (Some(found), Some(second)) = (found, fit.estimates[k].se) else { continue };
            report.check(!a.is_empty() && a.len() == b.len(), || {
                format!("{}: no influence on {j} or {k}", case.name)
            });
            let product = a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / (n * n);
            // Some divide by one observation less.
            let off = [product, product * n / (n - 1.0)]
                .map(|expected| (found - expected).abs() / (first * second));
            report.check(off[0].min(off[1]) <= 1e-9, || {
                format!("{}: covariance of {j} and {k} by {off:?}", case.name)
            });
        }
    }
}
