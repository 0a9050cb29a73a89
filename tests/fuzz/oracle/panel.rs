//! Two-by-two estimators of outcome changes (Sant'Anna and Zhao 2020, eqs. 2.2, 2.3, 3.1 and section 3.1; Abadie 2005).

use super::linear::{Regression, dot};
use super::overlap::Overlap;
use super::score::{Propensity, guards};
use super::{Did, Failure, Method, Rows, Rules};

/// What the estimators share.
struct Pieces<'a> {
    rows: &'a Rows,
    treated: Vec<usize>,
    control: Vec<usize>,
    /// `Σ_T w`.
    total: f64,
}

/// Weighted mean of values over rows.
fn mean(on: &[usize], v: &[f64], value: &[f64]) -> f64 {
    let total: f64 = on.iter().map(|i| v[*i]).sum();
    on.iter().map(|i| v[*i] * value[*i]).sum::<f64>() / total
}

/// The estimate; the rows' outcomes are changes.
pub fn estimate(rows: &Rows, rules: &Rules) -> Result<Did, Failure> {
    let score = guards(rows, rules)?;
    let (treated, control) = (rows.arm(true, None), rows.arm(false, None));
    let total = treated.iter().map(|i| rows.w[*i]).sum();
    let pieces = Pieces { rows, treated, control, total };
    let scored = score.is_some();
    let (extreme, limit) = score.as_ref().map_or((false, false), |s| (s.extreme, s.limit));
    let overlap = Some(Overlap::new(rows, rules.method, score.as_ref()));
    let did = match (rules.method, score) {
        (Method::Ipw, Some(score)) => pieces.weighted(&score, None),
        (Method::DoublyRobust, Some(score)) => {
            let fit = rows.regression(&pieces.control, &rows.w)?;
            pieces.weighted(&score, Some(&fit))
        }
        (Method::HorvitzThompson, Some(score)) => Ok(pieces.horvitz_thompson(&score)),
        (Method::Improved, Some(score)) => pieces.improved(&score),
        _ => pieces.regression(),
    };
    Ok(Did { scored, extreme, limit, overlap, ..did? })
}

impl Pieces<'_> {
    fn residuals(&self, fit: Option<&Regression>) -> Vec<f64> {
        let fitted = |i: usize| fit.map_or(0.0, |fit| dot(&self.rows.x[i], &fit.beta));
        (0..self.rows.len()).map(|i| self.rows.y[i] - fitted(i)).collect()
    }

    /// `Σ_on v x / Σ_on v`.
    fn mean_x(&self, on: &[usize], v: &[f64]) -> Vec<f64> {
        let total: f64 = on.iter().map(|i| v[*i]).sum();
        self.rows.total(on, v).into_iter().map(|x| x / total).collect()
    }

    fn regression(&self) -> Result<Did, Failure> {
        let (rows, w) = (self.rows, &self.rows.w);
        let fit = rows.regression(&self.control, w)?;
        let r = self.residuals(Some(&fit));
        let att = mean(&self.treated, w, &r);
        let direction = fit.factor.solve(&self.mean_x(&self.treated, w));
        let mut u = vec![0.0; rows.len()];
        for i in &self.treated {
            u[*i] = w[*i] * (r[*i] - att) / self.total;
        }
        for i in &self.control {
            u[*i] = -w[*i] * r[*i] * dot(&rows.x[*i], &direction);
        }
        let loss = 1e-16 / fit.factor.scaled_reciprocal_condition();
        Ok(Did { att, u, loss, calibrated: true, ..Did::default() })
    }

    /// Normalised weights, and a regression if it is to be doubly robust.
    fn weighted(&self, score: &Propensity, fit: Option<&Regression>) -> Result<Did, Failure> {
        let (rows, w, v, p) = (self.rows, &self.rows.w, &score.v, &score.p);
        let r = self.residuals(fit);
        let (tau_t, tau_c) = (mean(&self.treated, w, &r), mean(&self.control, v, &r));
        let total_c: f64 = self.control.iter().map(|i| v[*i]).sum();
        let deviations: Vec<f64> =
            (0..rows.len()).map(|i| v[i] * (r[i] - tau_c) / total_c).collect();
        let a = score.information.solve(&rows.total(&self.control, &deviations));
        let mut loss = score.loss;
        let b = fit.map_or(vec![0.0; a.len()], |fit| {
            loss = loss.max(1e-16 / fit.factor.scaled_reciprocal_condition());
            let (m1, m3) = (self.mean_x(&self.treated, w), self.mean_x(&self.control, v));
            let gap: Vec<f64> = m3.iter().zip(&m1).map(|(m3, m1)| m3 - m1).collect();
            fit.factor.solve(&gap)
        });
        let mut u = vec![0.0; rows.len()];
        for i in &self.treated {
            let x = &rows.x[*i];
            u[*i] = w[*i] * (r[*i] - tau_t) / self.total - w[*i] * (1.0 - p[*i]) * dot(x, &a);
        }
        for i in &self.control {
            let x = &rows.x[*i];
            let from_score = w[*i] * p[*i] * dot(x, &a);
            u[*i] = w[*i] * r[*i] * dot(x, &b) - v[*i] * (r[*i] - tau_c) / total_c + from_score;
        }
        Ok(Did { att: tau_t - tau_c, u, loss, calibrated: true, ..Did::default() })
    }

    fn horvitz_thompson(&self, score: &Propensity) -> Did {
        let (rows, w, v, p) = (self.rows, &self.rows.w, &score.v, &score.p);
        let y = &rows.y;
        let sum = |on: &[usize], v: &[f64]| on.iter().map(|i| v[*i] * y[*i]).sum::<f64>();
        let att = (sum(&self.treated, w) - sum(&self.control, v)) / self.total;
        let products: Vec<f64> = (0..rows.len()).map(|i| v[i] * y[i]).collect();
        let a = score.information.solve(&rows.total(&self.control, &products));
        let mut u = vec![0.0; rows.len()];
        for i in &self.treated {
            let correction = (1.0 - p[*i]) * dot(&rows.x[*i], &a);
            u[*i] = w[*i] * (y[*i] - att - correction) / self.total;
        }
        for i in &self.control {
            u[*i] = (-products[*i] + w[*i] * p[*i] * dot(&rows.x[*i], &a)) / self.total;
        }
        Did { att, u, loss: score.loss, calibrated: true, ..Did::default() }
    }

    fn improved(&self, score: &Propensity) -> Result<Did, Failure> {
        let (rows, w) = (self.rows, &self.rows.w);
        let fit = rows.regression(&self.control, &score.untrimmed)?;
        let r = self.residuals(Some(&fit));
        let mut e = vec![0.0; rows.len()];
        self.treated.iter().for_each(|i| e[*i] = w[*i] * r[*i]);
        self.control.iter().for_each(|i| e[*i] = -score.v[*i] * r[*i]);
        let att = e.iter().sum::<f64>() / self.total;
        let own = |i: usize| if rows.d[i] { w[i] * att } else { 0.0 };
        let u = (0..rows.len()).map(|i| (e[i] - own(i)) / self.total).collect();
        let loss = score.loss.max(1e-16 / fit.factor.scaled_reciprocal_condition());
        Ok(Did { att, u, loss, calibrated: score.calibrated, ..Did::default() })
    }
}
