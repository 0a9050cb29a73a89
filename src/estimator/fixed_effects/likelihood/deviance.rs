//! How well means fit outcomes, and steps that are halved until they fit no worse.

use super::super::sample::RegressionSample;
use super::super::sums;
use super::model::Model;

/// Halvings of a step that makes the fit worse: enough to come from any number to one that is as good as the step's start.
const HALVINGS: usize = 60;

/// Relative error of a computed mean, in units of rounding and of one plus the size of its logarithm.
const MEAN_ERROR: f64 = 4.0 * f64::EPSILON;

/// A step may make the fit worse by this part of the deviance.
const WORSE: f64 = 1e-6;

/// A step that may have gone too far.
pub(super) struct Step<'a, M> {
    pub model: &'a M,
    pub sample: &'a RegressionSample,
    /// Linear predictors before it.
    pub start: &'a [f64],
    /// The deviance before it.
    pub deviance: f64,
    /// Error of the linear predictors, as the root of their weighted sum of squares.
    pub error: f64,
}

/// Where a step ends.
pub(super) struct StepEnd {
    pub deviance: f64,
    /// What rounding and the error of the projection leave undecided of the deviance.
    pub noise: f64,
    /// What rounding leaves of the weighted residuals of least squares: the length of all.
    pub rounding: f64,
    pub halvings: usize,
}

impl<M: Model> Step<'_, M> {
    /// Halves the step from its end, the linear predictors `eta` with their means `mu`, until the fit is no worse than before it.
    pub fn shortened(&self, eta: &mut [f64], mu: &mut [f64]) -> StepEnd {
        let Self { model, sample, .. } = *self;
        let mut halvings = 0;
        loop {
            let read: &[f64] = eta;
            let [deviance, undecided, rounding] = sums::update_and_sum(mu, |row| {
                let (y, eta) = (sample.outcome[row], read[row]);
                let mu = model.mean(eta);
                let weight = sample.weights.as_ref().map_or(1.0, |w| w[row]);
                let [undecided, rounding] = self.rounding(y, mu, eta);
                let terms = [model.deviance(y, mu, eta), undecided, rounding];
                (mu, terms.map(|term| weight * term))
            });
            // Errors of the linear predictors make an error of the deviance, that of the means beside.
            let (deviance, noise) = (2.0 * deviance, 2.0 * undecided + self.error * self.error);
            let is_worse =
                !deviance.is_finite() || deviance > self.deviance * (1.0 + WORSE) + noise;
            if halvings == HALVINGS || !is_worse {
                return StepEnd { deviance, noise, rounding: rounding.sqrt(), halvings };
            }
            sums::update(eta, |row, eta| 0.5 * (eta + self.start[row]));
            halvings += 1;
        }
    }

    /// Bounds on what rounding of a row's mean leaves undecided of its half of the deviance, and of the square of its residual.
    fn rounding(&self, y: f64, mu: f64, eta: f64) -> [f64; 2] {
        let differs = !self.sample.factors.is_empty();
        let reach = if differs { self.model.reach(y, mu, eta) } else { 0.0 };
        let relative = MEAN_ERROR * (1.0 + eta.abs() + reach);
        let slope = self.model.score(y, mu, eta).abs();
        let square = relative * relative * self.model.weight(y, mu, eta);
        [relative * slope + square, square]
    }
}

pub(super) fn deviance_of<M: Model>(
    model: &M,
    sample: &RegressionSample,
    mu: &[f64],
    eta: &[f64],
) -> f64 {
    let weights = sample.weights.as_deref();
    2.0 * sums::sum(mu.len(), |row| {
        weights.map_or(1.0, |w| w[row]) * model.deviance(sample.outcome[row], mu[row], eta[row])
    })
}

/// The square of the correlation of two columns, whose rows count alike; none if one does not vary.
pub(super) fn squared_correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let n = a.len() as f64;
    let [mean_a, mean_b] = [a, b].map(|values| sums::sum(values.len(), |row| values[row]) / n);
    let products = |x: &[f64], m: f64, y: &[f64], k: f64| {
        sums::sum(x.len(), |row| (x[row] - m) * (y[row] - k))
    };
    let together = products(a, mean_a, b, mean_b);
    let alone = products(a, mean_a, a, mean_a) * products(b, mean_b, b, mean_b);
    Some(together * together / alone).filter(|square| square.is_finite())
}

/// The log-likelihood at each row's mean and linear predictor, and at those that are the same in all rows.
pub(super) fn likelihoods<M: Model>(
    model: &M,
    sample: &RegressionSample,
    (mu, eta): (&[f64], &[f64]),
    of_all: (f64, f64),
) -> [f64; 2] {
    let weights = sample.weights.as_deref();
    sums::sum_each(sample.outcome.len(), |row| {
        let (y, weight) = (sample.outcome[row], weights.map_or(1.0, |w| w[row]));
        let constant = model.likelihood_constant(y);
        [(mu[row], eta[row]), of_all]
            .map(|(mu, eta)| weight * (model.log_likelihood(y, mu, eta) - constant))
    })
}
