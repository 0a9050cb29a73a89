//! Propensity scores: the logit likelihood, and calibration of the odds.

use super::linear::{Factor, dot, factor, independent, regress};

/// What the likelihood has.
pub enum Likelihood {
    Maximum(Score),
    /// It rises for ever, but the scores of some rows go to zero or one and those of the others have a limit.
    Limit(Score),
    /// The scores of all rows go to zero or one.
    Separated,
    /// The columns depend on each other; the scores, if they have a maximum.
    Singular(Option<Score>),
    /// Too close to one of these to tell, and why.
    Undecided(&'static str),
}

/// A maximum-likelihood propensity score.
pub struct Score {
    pub gamma: Vec<f64>,
    /// Of every row.
    pub p: Vec<f64>,
    /// Largest of a row with weight.
    pub highest: f64,
    /// `Σ w p (1 - p) x x'`.
    pub information: Factor,
}

fn logistic(eta: f64) -> f64 {
    1.0 / (1.0 + (-eta).exp())
}

/// `p (1 - p)`.
fn variance(eta: f64) -> f64 {
    let e = (-eta.abs()).exp();
    e / ((1.0 + e) * (1.0 + e))
}

/// Maximises `Σ w [d η - ln(1 + e^η)]`, `η = x'γ`, by Newton steps that are regressions.
pub fn likelihood(x: &[&[f64]], d: &[bool], w: &[f64]) -> Likelihood {
    let rows: Vec<usize> = (0..w.len()).filter(|i| w[*i] > 0.0).collect();
    let on: Vec<&[f64]> = rows.iter().map(|i| x[*i]).collect();
    let weight: Vec<f64> = rows.iter().map(|i| w[*i]).collect();
    let treated: Vec<f64> = rows.iter().map(|i| f64::from(u8::from(d[*i]))).collect();
    let rank = factor(&on, &weight).scaled_reciprocal_condition();
    if rank < 1e-18 {
        return match reduced(x, &rows, d, w) {
            Likelihood::Maximum(score) | Likelihood::Limit(score) => {
                Likelihood::Singular(Some(score))
            }
            _ => Likelihood::Singular(None),
        };
    }
    if rank < 1e-14 {
        return Likelihood::Undecided("covariates of a likelihood that are nearly collinear");
    }
    let etas = |gamma: &[f64]| on.iter().map(|x| dot(x, gamma)).collect::<Vec<f64>>();
    let value = |eta: &[f64]| -> f64 {
        let term = |i: usize| treated[i] * eta[i] - eta[i].max(0.0) - (-eta[i].abs()).exp().ln_1p();
        (0..eta.len()).map(|i| weight[i] * term(i)).sum()
    };
    let mut gamma = vec![0.0; x.first().map_or(0, |x| x.len())];
    let mut eta = etas(&gamma);
    for _ in 0..100 {
        let curvature: Vec<f64> = eta.iter().map(|e| variance(*e).max(1e-300)).collect();
        let working: Vec<f64> =
            (0..eta.len()).map(|i| (treated[i] - logistic(eta[i])) / curvature[i]).collect();
        let by_row: Vec<f64> = weight.iter().zip(&curvature).map(|(w, c)| w * c).collect();
        let mut step = regress(&on, &by_row, &working).beta;
        if step.iter().any(|s| !s.is_finite()) {
            break;
        }
        let start = value(&eta);
        for _ in 0..40 {
            let next: Vec<f64> = gamma.iter().zip(&step).map(|(g, s)| g + s).collect();
            if value(&etas(&next)) >= start - 1e-13 * start.abs() {
                break;
            }
            for s in &mut *step {
                *s /= 2.0;
            }
        }
        gamma.iter_mut().zip(&step).for_each(|(g, s)| *g += s);
        eta = etas(&gamma);
        let moved = on.iter().map(|x| dot(x, &step).abs()).fold(0.0, f64::max);
        let size = eta.iter().fold(1.0f64, |m, e| m.max(e.abs()));
        if moved <= 1e-12 * size {
            return maximum(x, w, gamma);
        }
        if size > 60.0 {
            break;
        }
    }
    if eta.iter().any(|e| (20.0..35.0).contains(&e.abs())) {
        return Likelihood::Undecided(SLOW);
    }
    let left: Vec<usize> = (0..rows.len()).filter(|at| eta[*at].abs() < 20.0).collect();
    if left.is_empty() {
        return Likelihood::Separated;
    }
    let of_row = |i: usize| dot(&gamma, x[i]);
    match reduced(x, &left.iter().map(|at| rows[*at]).collect::<Vec<_>>(), d, w) {
        Likelihood::Maximum(mut score) => {
            for i in (0..x.len()).filter(|i| of_row(*i).abs() > 35.0) {
                score.p[i] = logistic(of_row(i));
                let counted = if w[i] > 0.0 { score.p[i] } else { 0.0 };
                score.highest = score.highest.max(counted);
            }
            Likelihood::Limit(score)
        }
        _ => Likelihood::Undecided(SLOW),
    }
}

const SLOW: &str = "a likelihood that rises for ever in several directions";

/// The likelihood of some rows, in columns that are independent there.
fn reduced(x: &[&[f64]], rows: &[usize], d: &[bool], w: &[f64]) -> Likelihood {
    let on: Vec<&[f64]> = rows.iter().map(|i| x[*i]).collect();
    let width = on.first().map_or(0, |x| x.len());
    let Some(kept) = independent(&on, false).filter(|kept| kept.len() < width) else {
        return Likelihood::Undecided(SLOW);
    };
    let columns: Vec<Vec<f64>> = x.iter().map(|x| kept.iter().map(|j| x[*j]).collect()).collect();
    let views: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let inside = |i: usize| if rows.contains(&i) { w[i] } else { 0.0 };
    let weights: Vec<f64> = (0..w.len()).map(inside).collect();
    let among = |score: Score| {
        let mut gamma = vec![0.0; width];
        kept.iter().zip(&score.gamma).for_each(|(j, g)| gamma[*j] = *g);
        let information = score.information.among(kept.clone(), width);
        Score { gamma, information, ..score }
    };
    match likelihood(&views, d, &weights) {
        Likelihood::Maximum(score) => Likelihood::Maximum(among(score)),
        Likelihood::Limit(score) => Likelihood::Limit(among(score)),
        other => other,
    }
}

fn maximum(x: &[&[f64]], w: &[f64], gamma: Vec<f64>) -> Likelihood {
    let eta: Vec<f64> = x.iter().map(|x| dot(x, &gamma)).collect();
    let p: Vec<f64> = eta.iter().map(|e| logistic(*e)).collect();
    let by_row: Vec<f64> = w.iter().zip(&eta).map(|(w, e)| w * variance(*e)).collect();
    let information = factor(x, &by_row);
    let rank = information.scaled_reciprocal_condition();
    if rank < 1e-13 {
        return Likelihood::Undecided("a nearly singular information matrix");
    }
    let highest = p.iter().zip(w).filter(|(_, w)| **w > 0.0).fold(0.0f64, |m, (p, _)| m.max(*p));
    Likelihood::Maximum(Score { gamma, p, highest, information })
}

/// What calibration found.
pub enum Calibrated {
    /// `e^(x'γ)` of every row.
    Odds(Vec<f64>),
    NoSolution,
    Undecided,
}

/// Odds with which the comparison rows have the covariate totals of the treated: minimises the convex
/// `Σ_C w e^(x'γ) - γ'Σ_T w x`.
pub fn calibrate(x: &[&[f64]], d: &[bool], w: &[f64], start: &[f64]) -> Calibrated {
    let k = start.len();
    let rows: Vec<usize> = (0..w.len()).filter(|i| !d[*i] && w[*i] > 0.0).collect();
    let on: Vec<&[f64]> = rows.iter().map(|i| x[*i]).collect();
    let treated = |j: usize, absolute: bool| -> f64 {
        let each = |i: usize| if absolute { (w[i] * x[i][j]).abs() } else { w[i] * x[i][j] };
        (0..w.len()).filter(|i| d[*i]).map(each).sum()
    };
    let target: Vec<f64> = (0..k).map(|j| treated(j, false)).collect();
    let size: Vec<f64> = (0..k).map(|j| treated(j, true).max(f64::MIN_POSITIVE)).collect();
    let odds = |gamma: &[f64]| -> Vec<f64> {
        rows.iter().zip(&on).map(|(i, x)| w[*i] * dot(x, gamma).exp()).collect()
    };
    let value = |gamma: &[f64]| odds(gamma).iter().sum::<f64>() - dot(&target, gamma);
    let mut gamma = start.to_vec();
    for pass in 0..200 {
        let v = odds(&gamma);
        let gradient: Vec<f64> = (0..k)
            .map(|j| v.iter().zip(&on).map(|(v, x)| v * x[j]).sum::<f64>() - target[j])
            .collect();
        if gradient.iter().zip(&size).all(|(g, s)| g.abs() <= 1e-12 * s) {
            let all: Vec<f64> = x.iter().map(|x| dot(x, &gamma).exp()).collect();
            let far = on.iter().map(|x| dot(x, &gamma).abs()).fold(0.0, f64::max);
            return if pass > 60 || far > 25.0 {
                Calibrated::Undecided
            } else {
                Calibrated::Odds(all)
            };
        }
        let curvature = factor(&on, &v);
        if curvature.scaled_reciprocal_condition() < 1e-15 {
            break;
        }
        let mut step: Vec<f64> = curvature.solve(&gradient).iter().map(|s| -s).collect();
        let (start, slope) = (value(&gamma), dot(&gradient, &step));
        for halving in 0..60 {
            let next: Vec<f64> = gamma.iter().zip(&step).map(|(g, s)| g + s).collect();
            let reached = value(&next);
            let noise = 1e-14 * (v.iter().sum::<f64>() + start.abs());
            let promised = 1e-4 * slope * 0.5f64.powi(halving);
            if reached.is_finite() && reached <= start + promised + noise {
                break;
            }
            for s in &mut *step {
                *s /= 2.0;
            }
        }
        gamma.iter_mut().zip(&step).for_each(|(g, s)| *g += s);
    }
    let far = on.iter().map(|x| dot(x, &gamma).abs()).fold(0.0, f64::max);
    if far > 40.0 { Calibrated::NoSolution } else { Calibrated::Undecided }
}
