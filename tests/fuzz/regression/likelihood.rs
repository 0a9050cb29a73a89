//! Poisson, logit and probit regressions by Fisher's scoring with every dummy written out.

use std::f64::consts::{PI, SQRT_2};

use burn_did::regression::Family;
use statrs::function::erf::erfc;

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

/// Larger linear predictors of a probability are, those of a probit beyond half of it.
const LARGEST: f64 = 12.0;

/// The mean at a linear predictor, its derivative, and the variance of an outcome.
#[derive(Clone, Copy)]
struct Point {
    mean: f64,
    slope: f64,
    variance: f64,
}

fn point(family: Family, eta: f64) -> Point {
    let logistic = |eta: f64| 1.0 / (1.0 + (-eta).exp());
    let normal = |eta: f64| 0.5 * erfc(-eta / SQRT_2);
    match family {
        Family::Logit => {
            let variance = logistic(eta) * logistic(-eta);
            Point { mean: logistic(eta), slope: variance, variance }
        }
        Family::Probit => Point {
            mean: normal(eta),
            slope: (-0.5 * eta * eta).exp() / (2.0 * PI).sqrt(),
            variance: normal(eta) * normal(-eta),
        },
        _ => Point { mean: eta.exp(), slope: eta.exp(), variance: eta.exp() },
    }
}

/// The linear predictor of a mean.
fn link(family: Family, mean: f64) -> f64 {
    match family {
        Family::Logit => (mean / (1.0 - mean)).ln(),
        // A start need not be exact.
        Family::Probit => 0.6 * (mean / (1.0 - mean)).ln(),
        _ => mean.ln(),
    }
}

fn deviance(family: Family, y: &[f64], eta: &[f64], w: &[f64]) -> f64 {
    let poisson = |y: f64, eta: f64| {
        // y log(y/μ) - (y - μ) = y (exp(-r) - 1 + r) with r = log(y/μ).
        if y == 0.0 {
            return eta.exp();
        }
        let r = y.ln() - eta;
        let series = r * r * (0.5 - r / 6.0 + r * r / 24.0 - r * r * r / 120.0);
        y * if r.abs() < 1e-3 { series } else { (-r).exp_m1() + r }
    };
    // Of outcomes that are 0 or 1.
    let binary = |y: f64, eta: f64| {
        let side = if y > 0.5 { eta } else { -eta };
        -point(family, side).mean.ln()
    };
    let each = y.iter().zip(eta).zip(w).map(|((y, eta), w)| match family {
        Family::Poisson => w * poisson(*y, *eta),
        _ => w * binary(*y, *eta),
    });
    2.0 * each.sum::<f64>()
}

/// `None` if there is no maximum.
pub fn fit(problem: &Problem, family: Family) -> Option<Found> {
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
    let mut eta = fitted(&vec![link(family, mean); n]);
    let mut now = deviance(family, y, &eta, w);
    for _ in 0..500 {
        let at = Working::new(family, &eta, y, w);
        let (weights, working) = (at.weights, at.residuals);
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
        let mut then = deviance(family, y, &next, w);
        while !(then.is_finite() && then <= now * (1.0 + 1e-9)) && halvings < 80 {
            size *= 0.5;
            halvings += 1;
            next = moved(size);
            then = deviance(family, y, &next, w);
        }
        let largest = step.iter().fold(0.0, |a: f64, s| a.max(s.abs()));
        (eta, now) = (next, then);
        let lost = |(eta, y): (&f64, &f64)| match family {
            Family::Poisson => *y == 0.0 && *eta < mean.ln() + SMALLEST,
            Family::Probit => eta.abs() >= 0.5 * LARGEST || eta.is_nan(),
            _ => eta.abs() >= LARGEST || eta.is_nan(),
        };
        if eta.iter().zip(y).any(lost) {
            return None;
        }
        if largest < 1e-11 || (halvings >= 80 && largest < 1e-7) {
            let at = Working::new(family, &eta, y, w);
            let z: Vec<f64> = eta.iter().zip(&at.residuals).map(|(eta, r)| eta + r).collect();
            let last = problem.fit(&z, &at.weights);
            return Some(Found { b: last.b.clone(), last, deviance: now });
        }
    }
    None
}

/// The weights and the residuals of a step's regression.
struct Working {
    weights: Vec<f64>,
    residuals: Vec<f64>,
}

impl Working {
    fn new(family: Family, eta: &[f64], y: &[f64], w: &[f64]) -> Self {
        let points: Vec<Point> = eta.iter().map(|eta| point(family, *eta)).collect();
        let weight = |(p, w): (&Point, &f64)| w * p.slope * p.slope / p.variance;
        let residual = |(p, y): (&Point, &f64)| (y - p.mean) / p.slope;
        Self {
            weights: points.iter().zip(w).map(weight).collect(),
            residuals: points.iter().zip(y).map(residual).collect(),
        }
    }
}
