//! Poisson regressions by Newton's steps with every dummy written out.

use super::dense::{Orthonormal, dot};
use super::{Fitted, Problem, weighed};

/// The maximum: coefficients of the kept regressors, the last step's regression, and the deviance.
pub struct Found {
    pub b: Vec<f64>,
    pub last: Fitted,
    pub deviance: f64,
}

/// Smaller logarithms of a mean, in units of the mean outcome, are those of a likelihood without a maximum.
const SMALLEST: f64 = -14.0;

fn deviance(y: &[f64], eta: &[f64], w: &[f64]) -> f64 {
    let each = y.iter().zip(eta).zip(w).map(|((y, eta), w)| {
        // y log(y/μ) - (y - μ) = y (exp(-r) - 1 + r) with r = log(y/μ).
        let unit = if *y == 0.0 {
            eta.exp()
        } else {
            let r = y.ln() - eta;
            let series = r * r * (0.5 - r / 6.0 + r * r / 24.0 - r * r * r / 120.0);
            y * if r.abs() < 1e-3 { series } else { (-r).exp_m1() + r }
        };
        w * unit
    });
    2.0 * each.sum::<f64>()
}

/// `None` if there is no maximum.
pub fn fit(problem: &Problem) -> Option<Found> {
    let (y, w) = (&problem.y, &problem.weights);
    let n = y.len();
    let mean = dot(y, w) / w.iter().sum::<f64>();
    // The span of dummies and kept regressors.
    let mut span = Orthonormal::default();
    let kept: Vec<Vec<f64>> = problem.kept.iter().map(|j| problem.regressors[*j].clone()).collect();
    for column in &problem.dummies {
        span.add(column, dot(column, column));
    }
    for column in &kept {
        span.append(column);
    }
    let fitted =
        |v: &[f64]| -> Vec<f64> { v.iter().zip(span.rest(v)).map(|(v, rest)| v - rest).collect() };
    let mut eta = fitted(&vec![mean.ln(); n]);
    let mut now = deviance(y, &eta, w);
    for _ in 0..500 {
        let mu: Vec<f64> = eta.iter().map(|eta| eta.exp()).collect();
        let weights: Vec<f64> = mu.iter().zip(w).map(|(mu, w)| mu * w).collect();
        let working: Vec<f64> = (0..n).map(|i| (y[i] - mu[i]) / mu[i]).collect();
        let mut basis = Orthonormal::default();
        for column in weighed(span.columns(), &weights) {
            basis.add(&column, dot(&column, &column))?;
        }
        let target = weighed(&[working], &weights).remove(0);
        let rest = basis.rest(&target);
        let step: Vec<f64> = (0..n).map(|i| (target[i] - rest[i]) / weights[i].sqrt()).collect();
        let (mut size, mut halvings) = (1.0, 0);
        let moved = |size: f64| -> Vec<f64> {
            fitted(&eta.iter().zip(&step).map(|(e, s)| e + size * s).collect::<Vec<_>>())
        };
        let mut next = moved(size);
        let mut then = deviance(y, &next, w);
        while !(then.is_finite() && then <= now * (1.0 + 1e-9)) && halvings < 80 {
            size *= 0.5;
            halvings += 1;
            next = moved(size);
            then = deviance(y, &next, w);
        }
        let largest = step.iter().fold(0.0, |a: f64, s| a.max(s.abs()));
        (eta, now) = (next, then);
        if eta.iter().zip(y).any(|(eta, y)| *y == 0.0 && *eta < mean.ln() + SMALLEST) {
            return None;
        }
        if largest < 1e-11 || (halvings >= 80 && largest < 1e-7) {
            let mu: Vec<f64> = eta.iter().map(|eta| eta.exp()).collect();
            let weights: Vec<f64> = mu.iter().zip(w).map(|(mu, w)| mu * w).collect();
            let z: Vec<f64> = (0..n).map(|i| eta[i] + (y[i] - mu[i]) / mu[i]).collect();
            let last = problem.fit(&z, &weights);
            return Some(Found { b: last.b.clone(), last, deviance: now });
        }
    }
    None
}
