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
use crate::error::{DidError, Result};

/// Halvings of a step that makes the fit worse.
const HALVINGS: usize = 10;

/// When iteration ends.
#[derive(Clone, Copy)]
pub(super) struct Stopping {
    /// Relative change of the deviance.
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
    let mut deviance = deviance_of(sample, &mu);
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
        let columns = named(&z, &regressors.names, &regressors.values);
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
        let last = std::mem::replace(&mut eta, z);
        sums::update(&mut eta, |row, z| z - fit.residuals[row] / weights[row].sqrt());
        sums::update(&mut mu, |row, _| eta[row].exp());
        let mut now = deviance_of(sample, &mu);
        for _ in 0..HALVINGS {
            if now.is_finite() && (step == 1 || now <= deviance * (1.0 + 1e-6) + 1e-12) {
                break;
            }
            sums::update(&mut eta, |row, eta| 0.5 * (eta + last[row]));
            sums::update(&mut mu, |row, _| eta[row].exp());
            now = deviance_of(sample, &mu);
        }
        *falls = last;
        sums::update(falls, |row, last| last - eta[row]);
        let change = (now - deviance).abs() / (0.1 + deviance.abs());
        deviance = now;
        let before = std::mem::replace(&mut converged, change < stopping.tolerance);
        // One more step, so that weights and scores are those of the means that it converged to.
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
                total: f64::NAN,
                within: None,
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

/// Sums of squares under other weights than those of the means.
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

/// `2 Σ w (y log(y / μ) - (y - μ))`.
fn deviance_of(sample: &RegressionSample, mu: &[f64]) -> f64 {
    let weights = sample.weights.as_deref();
    2.0 * sums::sum(mu.len(), |row| {
        let (y, mu) = (sample.outcome[row], mu[row]);
        let log = if y > 0.0 { y * (y / mu).ln() } else { 0.0 };
        weights.map_or(1.0, |w| w[row]) * (log - (y - mu))
    })
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
