//! Maximum likelihood by iterated least squares (Correia, Guimarães and Zylkin 2020), for any family.

use super::super::collinear::{Basis, Before};
use super::super::least_squares::least_squares;
use super::super::linear::{
    CentredRegressors, LinearFit, Quality, effects_of_fit, is_iterated, named, weigh,
};
use super::super::problem::{Projected, Where, project};
use super::super::sample::RegressionSample;
use super::super::sums;
use super::model::Model;
use crate::base::error::{DidError, Result};
use crate::base::solve::Spd;
use crate::engine::demean::Demeaner;

/// Halvings of a step that makes the fit worse: enough to come from any number to one that is as good as the step's start.
const HALVINGS: usize = 60;

/// Relative error of a computed mean, in units of rounding and of one plus the size of its logarithm.
const MEAN_ERROR: f64 = 4.0 * f64::EPSILON;

/// A step may make the fit worse by this part of the deviance.
const WORSE: f64 = 1e-6;

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
    let own = |row: usize| sample.weights.as_ref().map_or(1.0, |w| w[row]);
    let total = sums::sum(n, own);
    let mean = sums::sum(n, |row| own(row) * y[row]) / total;
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
        (0..n).map(|row| own(row) * model.weight(y[row], mu[row], eta[row])).collect();
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
            let weight = |row: usize| own(row) * model.weight(y[row], mu[row], eta[row]);
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
        sums::update(&mut mu, |row, _| model.mean(eta[row]));
        let mut now = deviance_of(model, sample, &mu, &eta);
        let mut halvings = 0;
        // What rounding and the error of the projection leave undecided of the deviance.
        let mut noise = noise_of(model, sample, &mu, &eta, error);
        let is_worse =
            |now: f64, noise: f64| !now.is_finite() || now > deviance * (1.0 + WORSE) + noise;
        while halvings < HALVINGS && is_worse(now, noise) {
            sums::update(&mut eta, |row, eta| 0.5 * (eta + last[row]));
            sums::update(&mut mu, |row, _| model.mean(eta[row]));
            (now, noise) =
                (deviance_of(model, sample, &mu, &eta), noise_of(model, sample, &mu, &eta, error));
            halvings += 1;
        }
        last_step.falls = last;
        sums::update(&mut last_step.falls, |row, last| last - eta[row]);
        last_step.eta.clone_from(&eta);
        let is_near = halvings == 0 && (now - deviance).abs() <= stopping.tolerance * now + noise;
        deviance = now;
        let before = std::mem::replace(&mut converged, is_near);
        // One more step, so that weights and scores belong to the means at convergence.
        if before && converged {
            let shifts = chosen.iter().zip(&fit.b).map(|(j, b)| b * regressors.means[*j]);
            let constant = -shifts.sum::<f64>();
            let own_effects: Vec<Vec<f64>> = match effects.is_empty() {
                true => Vec::new(),
                false => {
                    let positions = [0].into_iter().chain(chosen.iter().map(|j| j + 1));
                    positions.map(|c| effects[c].clone()).collect()
                }
            };
            let quality = Quality {
                rss: deviance,
                total: total * model.unit(mean),
                within: None,
                fitted: 0.0,
                rounding: noise / deviance,
                likelihood: Some((
                    likelihood(model, sample, |row| (mu[row], eta[row])),
                    likelihood(model, sample, |_| (mean, model.link(mean))),
                )),
                squared_correlation: squared_correlation(&sample.outcome, &mu),
            };
            let mut raw_residuals = y.clone();
            sums::update(&mut raw_residuals, |row, y| y - mu[row]);
            let bread = match model.expected_weight() {
                None => Bread {
                    columns: basis.columns,
                    turn: basis.turn,
                    matrix: fit.bread,
                    residuals: fit.residuals,
                },
                Some(expected) => {
                    let weight = |row: usize| own(row) * expected(eta[row]);
                    let weights: Vec<f64> = (0..n).map(weight).collect();
                    let mut scores = y.clone();
                    sums::update(&mut scores, |row, y| {
                        own(row) * model.score(y, mu[row], eta[row])
                    });
                    Bread::new(regressors, chosen, demeaner.as_mut(), weights, scores)?
                }
            };
            let estimated = LinearFit {
                columns: bread.columns,
                turn: bread.turn,
                kept: chosen.clone(),
                effects: effects_of_fit(sample, &own_effects, &fit.b, constant),
                b: fit.b,
                residuals: bread.residuals,
                bread: bread.matrix,
                dispersion: n as f64 - 1.0,
                quality,
                raw_residuals,
                report: solved,
                warnings,
                steps: Some(step),
                mean: 0.0,
            };
            return Ok((estimated, mu));
        }
        start = (!effects.is_empty()).then_some(effects);
    }
    drop(warnings);
    Err(DidError::NotConverged { iterations: stopping.iterations })
}

/// What the covariance of the coefficients is formed of, as in [`LinearFit`].
struct Bread {
    columns: Vec<Vec<f64>>,
    turn: Option<Vec<f64>>,
    matrix: Vec<f64>,
    residuals: Vec<f64>,
}

impl Bread {
    /// Of other weights than those of the iteration, by the scores of the linear predictors.
    fn new(
        regressors: &CentredRegressors,
        kept: &[usize],
        mut demeaner: Option<&mut Demeaner<'_>>,
        weights: Vec<f64>,
        scores: Vec<f64>,
    ) -> Result<Self> {
        if let Some(demeaner) = &mut demeaner {
            demeaner.weigh(weights.clone())?;
        }
        let columns: Vec<(&str, &[f64])> = kept
            .iter()
            .map(|j| (regressors.names[*j].as_str(), regressors.values[*j].as_slice()))
            .collect();
        let mut projected = project(demeaner.as_deref(), &columns, None)?;
        weigh(&mut projected.residuals, Some(&weights));
        let all: Vec<usize> = (0..kept.len()).collect();
        let basis = Basis::of_kept(projected.residuals, &all);
        let k = basis.columns.len();
        let matrix = match k {
            0 => Vec::new(),
            _ => {
                let spd = Spd::regular(&basis.gram, k);
                spd.ok_or(DidError::Singular { what: "expected information" })?.inverse()
            }
        };
        let mut residuals = scores;
        sums::update(&mut residuals, |row, score| score / weights[row].sqrt());
        Ok(Self { columns: basis.columns, turn: basis.turn, matrix, residuals })
    }
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

fn deviance_of<M: Model>(model: &M, sample: &RegressionSample, mu: &[f64], eta: &[f64]) -> f64 {
    let weights = sample.weights.as_deref();
    2.0 * sums::sum(mu.len(), |row| {
        weights.map_or(1.0, |w| w[row]) * model.deviance(sample.outcome[row], mu[row], eta[row])
    })
}

/// Bound on the error of the deviance: rounding of the means, and errors of the linear predictors whose weighted sum of squares is
/// the square of `error`.
fn noise_of<M: Model>(
    model: &M,
    sample: &RegressionSample,
    mu: &[f64],
    eta: &[f64],
    error: f64,
) -> f64 {
    let weights = sample.weights.as_deref();
    let differs = !sample.factors.is_empty();
    let rounding = sums::sum(mu.len(), |row| {
        let (y, mu, eta) = (sample.outcome[row], mu[row], eta[row]);
        let reach = if differs { model.reach(y, mu, eta) } else { 0.0 };
        let relative = MEAN_ERROR * (1.0 + eta.abs() + reach);
        let slope = model.score(y, mu, eta).abs();
        weights.map_or(1.0, |w| w[row]) * relative * (slope + relative * model.weight(y, mu, eta))
    });
    2.0 * rounding + error * error
}

/// The square of the correlation of two columns, whose rows count alike; none if one does not vary.
fn squared_correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let n = a.len() as f64;
    let [mean_a, mean_b] = [a, b].map(|values| sums::sum(values.len(), |row| values[row]) / n);
    let products = |x: &[f64], m: f64, y: &[f64], k: f64| {
        sums::sum(x.len(), |row| (x[row] - m) * (y[row] - k))
    };
    let together = products(a, mean_a, b, mean_b);
    let alone = products(a, mean_a, a, mean_a) * products(b, mean_b, b, mean_b);
    Some(together * together / alone).filter(|square| square.is_finite())
}

/// The log-likelihood at each row's mean and linear predictor.
fn likelihood<M: Model>(
    model: &M,
    sample: &RegressionSample,
    at: impl Fn(usize) -> (f64, f64) + Sync,
) -> f64 {
    let weights = sample.weights.as_deref();
    sums::sum(sample.outcome.len(), |row| {
        let (mu, eta) = at(row);
        weights.map_or(1.0, |w| w[row]) * model.log_likelihood(sample.outcome[row], mu, eta)
    })
}
