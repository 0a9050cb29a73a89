//! Maximum likelihood by iterated least squares (Correia, Guimarães and Zylkin 2020), for any family.

use super::super::collinear::{Basis, Before};
use super::super::least_squares::least_squares;
use super::super::linear::{CentredRegressors, LinearFit};
use super::super::problem::{Projected, Where, project};
use super::super::regressed::{is_iterated, named, weigh};
use super::super::sample::RegressionSample;
use super::super::sums;
use super::converged::{Converged, LastRegression};
use super::deviance::{Step, deviance_of};
use super::model::Model;
use crate::base::error::{DidError, Result};

/// When iteration ends.
#[derive(Clone, Copy)]
pub(in super::super) struct Stopping {
    /// Change of the deviance, as a part of it.
    pub tolerance: f64,
    pub iterations: usize,
}

/// What the last step did, whatever becomes of the iteration.
#[derive(Default)]
pub(super) struct LastStep {
    /// Linear predictors after it.
    pub eta: Vec<f64>,
    /// By how much it made each smaller.
    pub falls: Vec<f64>,
}

/// Iterated least squares of `η` and the score over the weight, with the weights of Newton's method, from the fixed effects of the step
/// before.
pub(super) fn iterate<M: Model>(
    model: &M,
    sample: &RegressionSample,
    regressors: &mut CentredRegressors,
    place: &Where<'_>,
    stopping: Stopping,
    last_step: &mut LastStep,
) -> Result<(LinearFit, Vec<f64>)> {
    let y = &sample.outcome;
    let n = y.len();
    let row_weight = |row: usize| sample.weights.as_ref().map_or(1.0, |w| w[row]);
    let total_weight = sums::sum(n, row_weight);
    let mean = sums::sum(n, |row| row_weight(row) * y[row]) / total_weight;
    if let Some(refused) = model.refused(mean) {
        return Err(refused);
    }
    let spanned = regressors.constant || !sample.factors.is_empty();
    let first_eta = if spanned { model.link(mean) } else { 0.0 };
    let mut mu: Vec<f64> = y.iter().map(|y| model.first(*y, mean, first_eta)).collect();
    let mut eta: Vec<f64> = mu.iter().map(|mu| model.link(*mu)).collect();
    // First means that are no fit of the regression have no deviance that compares with others, and no step leads back to them.
    let mut deviance = match M::STARTS_AT_A_FIT {
        true => deviance_of(model, sample, &mu, &eta),
        false => f64::INFINITY,
    };
    let mut weights: Vec<f64> =
        (0..n).map(|row| row_weight(row) * model.weight(y[row], mu[row], eta[row])).collect();
    let first_weights = weights.clone();
    let mut demeaner = place.demeaner(sample, Some(&first_weights))?;
    let mut kept: Option<Vec<usize>> = None;
    let mut start: Option<Vec<Vec<f64>>> = None;
    let mut warnings = Vec::new();
    let mut converged = false;
    for step in 1..=stopping.iterations {
        let mut z = eta.clone();
        sums::update(&mut z, |row, eta| model.response(y[row], mu[row], eta));
        if step > 1 {
            let weight = |row: usize| row_weight(row) * model.weight(y[row], mu[row], eta[row]);
            weights = (0..n).map(weight).collect();
            if let Some(demeaner) = &mut demeaner {
                demeaner.weigh(weights.clone())?;
            }
        }
        let columns = named(&sample.outcome_label, &z, &regressors.names, &regressors.values);
        let Projected { mut residuals, effects, solved, warnings: more } =
            project(demeaner.as_ref(), &columns, start.as_deref())?;
        warnings = more;
        weigh(&mut residuals, Some(&weights));
        let columns = residuals.split_off(1);
        let outcome = residuals.pop().unwrap_or_default();
        let basis = match &kept {
            None => {
                let before = weighted(regressors, &weights);
                let iterated = is_iterated(solved.as_ref());
                Basis::find(columns, &before, place.options.tolerance, iterated)
            }
            Some(kept) => Basis::of_kept(columns, kept),
        };
        let fit = least_squares(&outcome, &basis)?;
        let chosen = &*kept.get_or_insert_with(|| basis.kept.clone());
        let error = match is_iterated(solved.as_ref()) {
            true => place.options.tolerance * spread(&z, &weights),
            false => 0.0,
        };
        let last = match step {
            1 => vec![first_eta; n],
            _ => std::mem::take(&mut eta),
        };
        if sample.factors.is_empty() {
            // Where a mean is far below its outcome, `z` is so large that nothing of `η` would be left of a difference.
            eta = fitted(regressors, chosen, &fit.b);
        } else {
            eta = z;
            sums::update(&mut eta, |row, z| z - fit.residuals[row] / weights[row].sqrt());
        }
        let end =
            Step { model, sample, start: &last, deviance, error }.shortened(&mut eta, &mut mu);
        last_step.falls = last;
        sums::update(&mut last_step.falls, |row, last| last - eta[row]);
        last_step.eta.clone_from(&eta);
        let change = (end.deviance - deviance).abs();
        let is_near = end.halvings == 0 && change <= stopping.tolerance * end.deviance + end.noise;
        deviance = end.deviance;
        let before = std::mem::replace(&mut converged, is_near);
        // One more step, so that weights and scores belong to the means at convergence.
        if before && converged {
            let at = Converged { model, sample, eta: &eta, mu: &mu, end, mean, total_weight };
            let last = LastRegression { basis, fit, chosen, effects };
            let fit = at.fit(regressors, demeaner.as_mut(), last)?;
            return Ok((LinearFit { report: solved, warnings, steps: Some(step), ..fit }, mu));
        }
        start = (!effects.is_empty()).then_some(effects);
    }
    drop(warnings);
    Err(DidError::NotConverged { iterations: stopping.iterations })
}

/// The kept regressors times their coefficients.
fn fitted(regressors: &CentredRegressors, kept: &[usize], b: &[f64]) -> Vec<f64> {
    let columns: Vec<&[f64]> = kept.iter().map(|j| regressors.values[*j].as_slice()).collect();
    let minus: Vec<f64> = b.iter().map(|b| -b).collect();
    let rows = regressors.values.first().map_or(0, Vec::len);
    sums::less_fitted(&vec![0.0; rows], &columns, &minus)
}

/// Sums of squares of the regressors under `weights`, with the raw sums scaled in proportion.
pub(super) fn weighted(regressors: &CentredRegressors, weights: &[f64]) -> Vec<Before> {
    let of = |(values, before): (&Vec<f64>, &Before)| {
        let now = sums::sum(values.len(), |row| weights[row] * values[row] * values[row]);
        let share = if before.centred > 0.0 { now / before.centred } else { 0.0 };
        Before { raw: before.raw * share, centred: now }
    };
    regressors.values.iter().zip(&regressors.before).map(of).collect()
}

/// Root of the sum of squares of a column about its mean.
fn spread(values: &[f64], weights: &[f64]) -> f64 {
    let n = values.len();
    let mean = sums::sum(n, |row| weights[row] * values[row]) / sums::sum(n, |row| weights[row]);
    sums::sum(n, |row| weights[row] * (values[row] - mean).powi(2)).sqrt()
}
