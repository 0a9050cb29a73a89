//! Maximum likelihood by iterated least squares (Correia, Guimarães and Zylkin 2020), for any family.

use super::super::linear::LinearFit;
use super::super::sums;
use super::converged::{Converged, LastRegression};
use super::deviance::{Step, deviance_of};
use super::model::Model;
use super::step::{Iterated, LeastSquaresStep};
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
    /// Linear predictors before it; none if there was no step.
    before: Vec<f64>,
    /// Linear predictors after it.
    after: Vec<f64>,
}

impl LastStep {
    /// Linear predictors after it; none if there was no step.
    pub fn eta(&self) -> &[f64] {
        &self.after[..self.before.len()]
    }

    /// By how much it made each linear predictor smaller.
    pub fn falls(&self) -> impl Iterator<Item = f64> {
        self.before.iter().zip(&self.after).map(|(before, after)| before - after)
    }
}

/// Iterated least squares of `η` and the score over the weight, with the weights of Newton's method, from the fixed effects of the step
/// before.
pub(super) fn iterate<M: Model>(
    model: &M,
    iterated: Iterated<'_>,
    stopping: Stopping,
    last_step: &mut LastStep,
) -> Result<(LinearFit, Vec<f64>)> {
    let Iterated { sample, regressors, place } = iterated;
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
    let mut mu = sums::of_rows(n, |row| model.first(y[row], mean, first_eta));
    let LastStep { before, after: eta } = last_step;
    *eta = sums::of_rows(n, |row| model.link(mu[row]));
    // First means that are no fit of the regression have no deviance that compares with others, and no step leads back to them.
    let mut deviance = match M::STARTS_AT_A_FIT {
        true => deviance_of(model, sample, &mu, eta),
        false => f64::INFINITY,
    };
    let mut weights =
        sums::of_rows(n, |row| row_weight(row) * model.weight(y[row], mu[row], eta[row]));
    let first_weights = weights.clone();
    let mut demeaner = place.demeaner(sample, Some(&first_weights))?;
    let mut kept: Option<Vec<usize>> = None;
    let mut start: Option<Vec<Vec<f64>>> = None;
    let mut converged = false;
    for step in 1..=stopping.iterations {
        if step > 1 {
            let weight = |row: usize| row_weight(row) * model.weight(y[row], mu[row], eta[row]);
            weights = sums::of_rows(n, weight);
            if let Some(demeaner) = &mut demeaner {
                demeaner.weigh(weights.clone())?;
            }
        }
        let mut z = eta.clone();
        sums::update(&mut z, |row, eta| model.response(y[row], mu[row], eta));
        let (chosen, effects_before) = (kept.as_deref(), start.as_deref());
        let taken = iterated.step(z, &weights, demeaner.as_ref(), chosen, effects_before);
        // Values of columns are within range at the first step: later it is means that leave it, and no column.
        let taken = taken.map_err(|error| match error {
            DidError::CovariateRange { .. } if step > 1 => {
                DidError::NotConverged { iterations: step }
            }
            error => error,
        })?;
        let LeastSquaresStep { eta: next, basis, fit, effects, solved, warnings, error } = taken;
        *before = std::mem::replace(eta, next);
        if step == 1 {
            before.fill(first_eta);
        }
        let end = Step { model, sample, start: before, deviance, error }.shortened(eta, &mut mu);
        let change = (end.deviance - deviance).abs();
        deviance = end.deviance;
        let is_near = end.halvings == 0 && change <= stopping.tolerance * end.deviance + end.noise;
        let was_near = std::mem::replace(&mut converged, is_near);
        let chosen = &*kept.get_or_insert_with(|| basis.kept.clone());
        // One more step, so that weights and scores belong to the means at convergence.
        if was_near && is_near {
            let at = Converged { model, sample, eta, mu: &mu, end, mean, total_weight };
            let last = LastRegression { basis, fit, chosen, effects };
            let fit = at.fit(regressors, demeaner.as_mut(), last)?;
            return Ok((LinearFit { report: solved, warnings, steps: Some(step), ..fit }, mu));
        }
        start = (!effects.is_empty()).then_some(effects);
    }
    Err(DidError::NotConverged { iterations: stopping.iterations })
}
