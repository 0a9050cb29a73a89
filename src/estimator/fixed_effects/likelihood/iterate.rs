//! Maximum likelihood by iterated least squares (Correia, Guimarães and Zylkin 2020), for any family.

use super::super::linear::{CentredRegressors, LinearFit};
use super::super::problem::Where;
use super::super::regressed::is_iterated;
use super::super::sample::RegressionSample;
use super::super::sums;
use super::approximate::{Approximation, EarlierRegressors};
use super::converged::{Converged, LastRegression};
use super::deviance::{Step, deviance_of};
use super::exact::{Exact, Iterated};
use super::model::Model;
use super::pace::{Pace, Taken};
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
    sample: &RegressionSample,
    regressors: &CentredRegressors,
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
    let mut pace = Pace::new(place.options.tolerance, stopping);
    let mut earlier: Option<EarlierRegressors> = None;
    let iterated = Iterated { sample, regressors, place };
    for step in 1..=stopping.iterations {
        if step > 1 {
            let weight = |row: usize| row_weight(row) * model.weight(y[row], mu[row], eta[row]);
            weights = sums::of_rows(n, weight);
            if let Some(demeaner) = &mut demeaner {
                demeaner.weigh(weights.clone())?;
            }
        }
        let approximation = match (&mut demeaner, &earlier, pace.approximation()) {
            (Some(demeaner), Some(regressors), Some(tolerance)) => {
                demeaner.approach(tolerance);
                let score = |row: usize| {
                    let (y, mu, eta) = (y[row], mu[row], eta[row]);
                    model.score(y, mu, eta) / model.weight(y, mu, eta)
                };
                regressors.step(demeaner, &weights, eta, sums::of_rows(n, score))
            }
            _ => None,
        };
        let (next, exact) = match approximation {
            Some(Approximation { eta: next, effects }) => {
                if let Some(of_outcome) = start.as_mut().and_then(|start| start.first_mut()) {
                    of_outcome.iter_mut().zip(effects).for_each(|(sum, more)| *sum += more);
                }
                (next, None)
            }
            None => {
                earlier = None;
                let mut z = eta.clone();
                sums::update(&mut z, |row, eta| model.response(y[row], mu[row], eta));
                if let Some(demeaner) = &mut demeaner {
                    demeaner.approach(place.options.tolerance);
                }
                let demeaner = demeaner.as_ref();
                let (kept, start) = (kept.as_deref(), start.as_deref());
                let mut exact = iterated.exact(z, &weights, demeaner, kept, start)?;
                (std::mem::take(&mut exact.eta), Some(exact))
            }
        };
        *before = std::mem::replace(eta, next);
        if step == 1 {
            before.fill(first_eta);
        }
        let error = exact.as_ref().map_or(0.0, |exact| exact.error);
        let end = Step { model, sample, start: before, deviance, error }.shortened(eta, &mut mu);
        let change = (end.deviance - deviance).abs();
        deviance = end.deviance;
        // One more step, so that weights and scores belong to the means at convergence.
        let is_last = pace.ends(&Taken {
            is_exact: exact.is_some(),
            is_iterated: exact.as_ref().is_none_or(|exact| is_iterated(exact.solved.as_ref())),
            is_halved: end.halvings > 0,
            change,
            noise: end.noise,
            deviance,
        });
        let Some(Exact { basis, fit, effects, solved, warnings, .. }) = exact else { continue };
        let chosen = &*kept.get_or_insert_with(|| basis.kept.clone());
        if is_last {
            let at = Converged { model, sample, eta, mu: &mu, end, mean, total_weight };
            let last = LastRegression { basis, fit, chosen, effects };
            let fit = at.fit(regressors, demeaner.as_mut(), last)?;
            return Ok((LinearFit { report: solved, warnings, steps: Some(step), ..fit }, mu));
        }
        start = (!effects.is_empty()).then_some(effects);
        earlier = Some(EarlierRegressors { columns: basis.columns, weights: weights.clone() });
    }
    Err(DidError::NotConverged { iterations: stopping.iterations })
}
