//! Two-by-two estimators of outcome levels in two periods (Sant'Anna and Zhao 2020, eqs. 2.2, 2.3, 3.3, 3.4 and section 3.2).
//!
//! `T_t` and `C_t` are the treated and the comparison rows of period `t`, `σ_1 = 1` and `σ_0 = -1`. Influence is the derivative
//! of the estimate by the logarithm of a row's weight, except for the improved estimators, which take their models as known.

use super::linear::{Regression, dot};
use super::overlap::Overlap;
use super::score::{Propensity, guards};
use super::{Did, Failure, Method, Rows, Rules};

const PERIODS: [(bool, f64); 2] = [(false, -1.0), (true, 1.0)];

/// Estimate and influence so far.
struct Sum<'a> {
    rows: &'a Rows,
    att: f64,
    u: Vec<f64>,
    loss: f64,
}

/// The estimate; `rows.post` says which rows are of the later period.
pub fn estimate(rows: &Rows, rules: &Rules) -> Result<Did, Failure> {
    let score = guards(rows, rules)?;
    let calibrated = score.as_ref().is_none_or(|s| s.calibrated);
    let loss = score.as_ref().map_or(0.0, |s| s.loss);
    let mut sum = Sum { rows, att: 0.0, u: vec![0.0; rows.len()], loss };
    match (rules.method, &score) {
        (Method::HorvitzThompson, Some(score)) => sum.horvitz_thompson(score),
        (Method::Ipw, Some(score)) => {
            let levels = [vec![0.0; rows.len()], vec![0.0; rows.len()]];
            sum.differences(score, &levels);
            sum.through_score(score, &levels);
        }
        (Method::DoublyRobust | Method::Improved, Some(score)) => {
            sum.doubly_robust(score, rules.method, rules.efficient)?;
        }
        _ => sum.regression()?,
    }
    let scored = score.is_some();
    let (extreme, limit) = score.as_ref().map_or((false, false), |s| (s.extreme, s.limit));
    let overlap = Some(Overlap::new(rows, rules.method, score.as_ref()));
    Ok(Did { att: sum.att, u: sum.u, loss: sum.loss, scored, extreme, limit, calibrated, overlap })
}

impl Sum<'_> {
    /// `Σ_on v value / Σ_on v`.
    fn mean(&self, on: &[usize], v: &[f64], value: impl Fn(usize) -> f64) -> f64 {
        let total: f64 = on.iter().map(|i| v[*i]).sum();
        on.iter().map(|i| v[*i] * value(*i)).sum::<f64>() / total
    }

    fn mean_x(&self, on: &[usize], v: &[f64]) -> Vec<f64> {
        let total: f64 = on.iter().map(|i| v[*i]).sum();
        self.rows.total(on, v).into_iter().map(|x| x / total).collect()
    }

    /// Adds `sign · mean` to the estimate, and its influence with values taken as known.
    fn add_mean(&mut self, on: &[usize], v: &[f64], sign: f64, value: impl Fn(usize) -> f64) {
        let total: f64 = on.iter().map(|i| v[*i]).sum();
        let mean = self.mean(on, v, &value);
        self.att += sign * mean;
        for i in on {
            self.u[*i] += sign * v[*i] * (value(*i) - mean) / total;
        }
    }

    /// Adds the influence of a regression's coefficients in a direction.
    fn add_regression(&mut self, on: &[usize], fit: &Regression, sign: f64, direction: &[f64]) {
        let solved = fit.factor.solve(direction);
        for i in on {
            let x = &self.rows.x[*i];
            let residual = self.rows.y[*i] - dot(x, &fit.beta);
            self.u[*i] += sign * self.rows.w[*i] * residual * dot(x, &solved);
        }
    }

    fn fit(&mut self, on: &[usize], v: &[f64]) -> Result<Regression, Failure> {
        let fit = self.rows.regression(on, v)?;
        self.loss = self.loss.max(1e-16 / fit.factor.scaled_reciprocal_condition());
        Ok(fit)
    }

    fn regression(&mut self) -> Result<(), Failure> {
        let (rows, w) = (self.rows, &self.rows.w);
        let all = rows.arm(true, None);
        let target = self.mean_x(&all, w);
        let mut fits = Vec::new();
        for (post, sign) in PERIODS {
            self.add_mean(&rows.arm(true, Some(post)), w, sign, |i| rows.y[i]);
            let control = rows.arm(false, Some(post));
            let fit = self.fit(&control, w)?;
            self.add_regression(&control, &fit, -sign, &target);
            fits.push(fit);
        }
        let gain = |i: usize| dot(&rows.x[i], &fits[1].beta) - dot(&rows.x[i], &fits[0].beta);
        self.add_mean(&all, w, -1.0, gain);
        Ok(())
    }

    /// Four weighted means of outcomes less levels `[period][row]`.
    fn differences(&mut self, score: &Propensity, levels: &[Vec<f64>; 2]) {
        let rows = self.rows;
        for ((post, sign), level) in PERIODS.into_iter().zip(levels) {
            let residual = |i: usize| rows.y[i] - level[i];
            self.add_mean(&rows.arm(true, Some(post)), &rows.w, sign, residual);
            self.add_mean(&rows.arm(false, Some(post)), &score.v, -sign, residual);
        }
    }

    /// Influence of the estimated score on those means.
    fn through_score(&mut self, score: &Propensity, levels: &[Vec<f64>; 2]) {
        let rows = self.rows;
        let mut slope = vec![0.0; rows.x[0].len()];
        for ((post, sign), level) in PERIODS.into_iter().zip(levels) {
            let on = rows.arm(false, Some(post));
            let residual = |i: usize| rows.y[i] - level[i];
            let mean = self.mean(&on, &score.v, residual);
            let total: f64 = on.iter().map(|i| score.v[*i]).sum();
            let products: Vec<f64> =
                (0..rows.len()).map(|i| score.v[i] * (residual(i) - mean) / total).collect();
            let part = rows.total(&on, &products);
            slope.iter_mut().zip(part).for_each(|(s, p)| *s += sign * p);
        }
        let a = score.information.solve(&slope);
        for i in 0..rows.len() {
            let d = f64::from(u8::from(rows.d[i]));
            self.u[i] -= rows.w[i] * (d - score.p[i]) * dot(&rows.x[i], &a);
        }
    }

    fn doubly_robust(
        &mut self,
        score: &Propensity,
        method: Method,
        efficient: bool,
    ) -> Result<(), Failure> {
        let (rows, w, exact) = (self.rows, &self.rows.w, method == Method::DoublyRobust);
        let by = if exact { w } else { &score.untrimmed };
        let (mut control, mut levels) = (Vec::new(), Vec::new());
        for (post, _) in PERIODS {
            let fit = self.fit(&rows.arm(false, Some(post)), by)?;
            levels.push(rows.x.iter().map(|x| dot(x, &fit.beta)).collect::<Vec<f64>>());
            control.push(fit);
        }
        let levels = [levels.remove(0), levels.remove(0)];
        self.differences(score, &levels);
        if exact {
            self.through_score(score, &levels);
            for ((post, sign), fit) in PERIODS.into_iter().zip(&control) {
                let (on_t, on_c) = (rows.arm(true, Some(post)), rows.arm(false, Some(post)));
                let (m_t, m_c) = (self.mean_x(&on_t, w), self.mean_x(&on_c, &score.v));
                let direction: Vec<f64> = m_c.iter().zip(&m_t).map(|(c, t)| c - t).collect();
                self.add_regression(&on_c, fit, sign, &direction);
            }
        }
        if !efficient {
            return Ok(());
        }
        let all = rows.arm(true, None);
        for ((t, (post, sign)), fit_c) in PERIODS.into_iter().enumerate().zip(&control) {
            let (on_t, on_c) = (rows.arm(true, Some(post)), rows.arm(false, Some(post)));
            let fit_t = self.fit(&on_t, w)?;
            let gain = |i: usize| dot(&rows.x[i], &fit_t.beta) - levels[t][i];
            self.add_mean(&all, w, sign, gain);
            self.add_mean(&on_t, w, -sign, gain);
            if exact {
                let (m, m_t) = (self.mean_x(&all, w), self.mean_x(&on_t, w));
                let shift: Vec<f64> = m.iter().zip(&m_t).map(|(m, t)| m - t).collect();
                self.add_regression(&on_t, &fit_t, sign, &shift);
                self.add_regression(&on_c, fit_c, -sign, &shift);
            }
        }
        Ok(())
    }

    /// Weights of mean one; that their mean is estimated is left out of the influence, as in R `DRDID`.
    fn horvitz_thompson(&mut self, score: &Propensity) {
        let rows = self.rows;
        let n = rows.len() as f64;
        let scale = n / rows.w.iter().sum::<f64>();
        let w: Vec<f64> = rows.w.iter().map(|w| w * scale).collect();
        let v: Vec<f64> = score.v.iter().map(|v| v * scale).collect();
        let d = |i: usize| f64::from(u8::from(rows.d[i]));
        let share = (0..rows.len()).map(|i| w[i] * d(i)).sum::<f64>() / n;
        let mut slope = vec![0.0; rows.x[0].len()];
        for (post, sign) in PERIODS {
            let of_period = |i: usize| f64::from(u8::from(rows.post[i] == post));
            let lambda = (0..rows.len()).map(|i| w[i] * of_period(i)).sum::<f64>() / n;
            for (treated, by, side) in [(true, &w, 1.0), (false, &v, -1.0)] {
                let on = rows.arm(treated, Some(post));
                let eta =
                    on.iter().map(|i| by[*i] * rows.y[*i]).sum::<f64>() / (n * share * lambda);
                self.att += side * sign * eta;
                for i in 0..rows.len() {
                    let own = rows.d[i] == treated && rows.post[i] == post;
                    let value = if own { by[i] * rows.y[i] / (share * lambda) } else { 0.0 };
                    let shares =
                        (w[i] * d(i) - share) / share + (w[i] * of_period(i) - lambda) / lambda;
                    self.u[i] += side * sign * (value - eta - shares * eta) / n;
                }
                if !treated {
                    let products: Vec<f64> = (0..rows.len()).map(|i| by[i] * rows.y[i]).collect();
                    for (s, total) in slope.iter_mut().zip(rows.total(&on, &products)) {
                        *s -= sign * total / (n * share * lambda);
                    }
                }
            }
        }
        // The information has the weights as given.
        let a = score.information.solve(&slope);
        for i in 0..rows.len() {
            self.u[i] += rows.w[i] * (d(i) - score.p[i]) * dot(&rows.x[i], &a);
        }
    }
}
