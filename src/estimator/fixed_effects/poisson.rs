//! Poisson pseudo maximum likelihood by iterated least squares (Correia, Guimarães and Zylkin 2020).

use statrs::function::gamma::ln_gamma;

use super::collinear::Basis;
use super::least_squares::least_squares;
use super::linear::{
    CentredRegressors, LinearFit, Quality, effects_of_fit, is_iterated, named, weigh,
};
use super::problem::{Projected, Where, project};
use super::sample::RegressionSample;
use super::sums;
use crate::base::error::{DidError, Result};

/// Halvings of a step that makes the fit worse: enough to come from any number to one that is as good as the step's start.
const HALVINGS: usize = 60;

/// Relative error of a computed mean, in units of rounding and of one plus the size of its logarithm.
const MEAN_ERROR: f64 = 4.0 * f64::EPSILON;

/// A step may make the fit worse by this part of the deviance.
const WORSE: f64 = 1e-6;

/// When iteration ends.
#[derive(Clone, Copy)]
pub(super) struct Stopping {
    /// Change of the deviance, as a part of it.
    pub tolerance: f64,
    pub iterations: usize,
}

/// Iterated least squares of `η + y/μ - 1` with weights `μ`, from the fixed effects of the step before. `falls` is by how much the last
/// step made `η` smaller, whatever becomes of the iteration.
pub(super) fn poisson(
    sample: &RegressionSample,
    regressors: &mut CentredRegressors,
    place: &Where<'_>,
    stopping: Stopping,
    falls: &mut Vec<f64>,
) -> Result<(LinearFit, Vec<f64>)> {
    let y = &sample.outcome;
    let n = y.len();
    let own = |row: usize| sample.weights.as_ref().map_or(1.0, |w| w[row]);
    let total = sums::sum(n, own);
    let mean = sums::sum(n, |row| own(row) * y[row]) / total;
    if mean <= 0.0 {
        return Err(DidError::EmptySample {
            after: "with a positive outcome",
            remedy: "a Poisson regression needs outcomes that are not all zero",
        });
    }
    let mut mu: Vec<f64> = y.iter().map(|y| 0.5 * (y + mean)).collect();
    let mut eta: Vec<f64> = mu.iter().map(|mu| mu.ln()).collect();
    // The first means are no fit of the regression: no deviance compares with theirs, and no step leads back to them.
    let mut deviance = f64::INFINITY;
    let spanned = regressors.constant || !sample.factors.is_empty();
    let first_eta = if spanned { mean.ln() } else { 0.0 };
    let mut weights: Vec<f64> = (0..n).map(|row| own(row) * mu[row]).collect();
    let first_weights = weights.clone();
    let mut demeaner = place.demeaner(sample, Some(&first_weights))?;
    let mut kept: Option<Vec<usize>> = None;
    let mut start: Option<Vec<Vec<f64>>> = None;
    let mut warnings = Vec::new();
    let mut converged = false;
    for step in 1..=stopping.iterations {
        let mut z = eta.clone();
        sums::update(&mut z, |row, eta| eta + y[row] / mu[row] - 1.0);
        if step > 1 {
            weights = (0..n).map(|row| own(row) * mu[row]).collect();
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
        sums::update(&mut mu, |row, _| eta[row].exp());
        let mut now = deviance_of(sample, &mu);
        let mut halvings = 0;
        // What rounding and the error of the projection leave undecided of the deviance.
        let mut noise = noise_of(sample, &mu, &eta, error);
        let is_worse =
            |now: f64, noise: f64| !now.is_finite() || now > deviance * (1.0 + WORSE) + noise;
        while halvings < HALVINGS && is_worse(now, noise) {
            sums::update(&mut eta, |row, eta| 0.5 * (eta + last[row]));
            sums::update(&mut mu, |row, _| eta[row].exp());
            (now, noise) = (deviance_of(sample, &mu), noise_of(sample, &mu, &eta, error));
            halvings += 1;
        }
        *falls = last;
        sums::update(falls, |row, last| last - eta[row]);
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
                total: total * mean,
                within: None,
                fitted: 0.0,
                rounding: noise / deviance,
                likelihood: Some((likelihood(sample, |row| mu[row]), likelihood(sample, |_| mean))),
            };
            let mut raw_residuals = y.clone();
            sums::update(&mut raw_residuals, |row, y| y - mu[row]);
            let estimated = LinearFit {
                columns: basis.columns,
                turn: basis.turn,
                kept: chosen.clone(),
                effects: effects_of_fit(sample, &own_effects, &fit.b, constant),
                b: fit.b,
                residuals: fit.residuals,
                bread: fit.bread,
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

/// The kept regressors times their coefficients.
fn fitted(regressors: &CentredRegressors, kept: &[usize], b: &[f64]) -> Vec<f64> {
    let columns: Vec<&[f64]> = kept.iter().map(|j| regressors.values[*j].as_slice()).collect();
    let minus: Vec<f64> = b.iter().map(|b| -b).collect();
    let rows = regressors.values.first().map_or(0, Vec::len);
    sums::less_fitted(&vec![0.0; rows], &columns, &minus)
}

/// Sums of squares of the regressors under `weights`, with the raw sums scaled in proportion.
pub(super) fn weighted(
    regressors: &CentredRegressors,
    weights: &[f64],
) -> Vec<super::collinear::Before> {
    let of = |(values, before): (&Vec<f64>, &super::collinear::Before)| {
        let now = sums::sum(values.len(), |row| weights[row] * values[row] * values[row]);
        let share = if before.centred > 0.0 { now / before.centred } else { 0.0 };
        super::collinear::Before { raw: before.raw * share, centred: now }
    };
    regressors.values.iter().zip(&regressors.before).map(of).collect()
}

/// Root of the sum of squares of a column about its mean.
fn spread(values: &[f64], weights: &[f64]) -> f64 {
    let n = values.len();
    let mean = sums::sum(n, |row| weights[row] * values[row]) / sums::sum(n, |row| weights[row]);
    sums::sum(n, |row| weights[row] * (values[row] - mean).powi(2)).sqrt()
}

/// `2 Σ w (y log(y / μ) - (y - μ))`.
fn deviance_of(sample: &RegressionSample, mu: &[f64]) -> f64 {
    let weights = sample.weights.as_deref();
    2.0 * sums::sum(mu.len(), |row| {
        weights.map_or(1.0, |w| w[row]) * unit_deviance(sample.outcome[row], mu[row])
    })
}

/// `y log(y / μ) - (y - μ)`, to the last digits where both nearly are the same: by `log(y / μ) = 2 (v + v³/3 + …)` with
/// `v = (y - μ) / (y + μ)`.
fn unit_deviance(y: f64, mu: f64) -> f64 {
    if y == 0.0 {
        return mu;
    }
    let difference = y - mu;
    let v = difference / (y + mu);
    // Means without bound are no numbers here.
    if v.is_nan() || v.abs() > 0.1 {
        return y * (y / mu).ln() - difference;
    }
    // The first term and the difference are `2 y v - (y - μ) = (y - μ) v`.
    let (mut sum, mut power) = (difference * v, 2.0 * y * v);
    for odd in (3..).step_by(2) {
        power *= v * v;
        let next = sum + power / f64::from(odd);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

/// Bound on the error of the deviance: rounding of the means, and errors of the linear predictors whose weighted sum of squares is
/// the square of `error`.
fn noise_of(sample: &RegressionSample, mu: &[f64], eta: &[f64], error: f64) -> f64 {
    let weights = sample.weights.as_deref();
    let rounding = sums::sum(mu.len(), |row| {
        let relative = MEAN_ERROR * (1.0 + eta[row].abs());
        let difference = (sample.outcome[row] - mu[row]).abs();
        weights.map_or(1.0, |w| w[row]) * relative * (difference + relative * mu[row])
    });
    2.0 * rounding + error * error
}

/// `Σ w (y log μ - μ - log y!)`.
fn likelihood(sample: &RegressionSample, mu: impl Fn(usize) -> f64 + Sync) -> f64 {
    let weights = sample.weights.as_deref();
    sums::sum(sample.outcome.len(), |row| {
        let (y, mu) = (sample.outcome[row], mu(row));
        let log = if y > 0.0 { y * mu.ln() } else { 0.0 };
        weights.map_or(1.0, |w| w[row]) * (log - mu - ln_gamma(y + 1.0))
    })
}
