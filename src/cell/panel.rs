//! Two-by-two estimators of a panel: outcome changes of treated and comparison units.
//!
//! Notation: `w` sampling weight, `Δ` outcome change, `r = Δ - z'β` with `β` from the comparison units, `v = w q` with the
//! trimmed odds `q` of the propensity score, `A_T = Σ_T w`, `A_C = Σ_C v`, `B = Σ_C w z z'`, `H` the information.
//! Influence values are on the unit scale. Sources: Sant'Anna and Zhao (2020), eqs. (2.2), (2.3), (2.5) and the influence
//! functions of their theorem 1 and appendix; the algebra below is the reduction to [`Leg`].

use super::algebra::{Algebra, Moments};
use super::estimate::{CellScore, Estimated, Rows, SideSums, rows};
use super::method::Method;
use super::plan::PlannedCell;
use crate::estimates::CellStatus;
use crate::pass::Leg;

/// Influence of the two arms.
struct Arms {
    att: f64,
    treated: Coefficients,
    control: Coefficients,
}

/// Scalars and vectors of one arm's influence.
#[derive(Default)]
pub(super) struct Coefficients {
    pub c: f64,
    pub f: f64,
    pub h: f64,
    pub h_tau: f64,
    pub beta: Option<Vec<f64>>,
    pub b: Option<Vec<f64>>,
    pub e: Option<Vec<f64>>,
    pub a: Option<Vec<f64>>,
}

impl Coefficients {
    /// As the influence of a part's rows.
    pub fn rows(
        &self,
        part: &super::plan::Part,
        outcome: super::plan::Outcome,
        treated: bool,
        score: Option<&CellScore<'_>>,
    ) -> Rows {
        let Self { c, f, h, h_tau, .. } = *self;
        let leg = Leg { treated, c, f, h, h_tau, ..Leg::default() };
        let needs_score = h != 0.0 || self.a.is_some();
        Rows {
            gamma: score.filter(|_| needs_score).map(|s| s.gamma().to_vec()),
            beta: self.beta.clone(),
            b: self.b.clone(),
            e: self.e.clone(),
            a: self.a.clone(),
            ..rows(part, outcome, leg)
        }
    }
}

/// The estimate of a panel cell.
pub(super) fn estimate(
    algebra: &Algebra<'_>,
    method: Method,
    cell: &PlannedCell,
    sums: &SideSums,
    score: Option<&CellScore<'_>>,
) -> Result<Estimated, CellStatus> {
    let treated = &sums.treated;
    let arms = match (method, &sums.odds, score) {
        _ if algebra.is_constant() => means(sums),
        (Method::Ipw, Some(odds), Some(score)) => ipw(algebra, treated, odds, score)?,
        (Method::HorvitzThompson, Some(odds), Some(score)) => {
            horvitz_thompson(algebra, treated, odds, score)?
        }
        (Method::DoublyRobust, Some(odds), Some(score)) => {
            doubly_robust(algebra, sums, odds, score)?
        }
        (Method::Improved, Some(odds), _) => improved(algebra, sums, odds)?,
        _ => regression(algebra, sums)?,
    };
    let side = &cell.sides[0];
    let treated = side.treated.iter().map(|p| arms.treated.rows(p, side.outcome, true, score));
    let control = side.control.iter().map(|p| arms.control.rows(p, side.outcome, false, score));
    Ok(Estimated { att: arms.att, rows: treated.chain(control).collect(), ..Estimated::default() })
}

/// A constant alone: the difference of mean changes, whatever the method.
fn means(sums: &SideSums) -> Arms {
    let mean = |m: &Moments| m.d() / m.total();
    let arm = |m: &Moments, sign: f64| Coefficients {
        c: sign / m.total(),
        f: -sign * mean(m) / m.total(),
        ..Coefficients::default()
    };
    Arms {
        att: mean(&sums.treated) - mean(&sums.control),
        treated: arm(&sums.treated, 1.0),
        control: arm(&sums.control, -1.0),
    }
}

/// `ATT = Σ_T w r / A_T`.
fn regression(algebra: &Algebra<'_>, sums: &SideSums) -> Result<Arms, CellStatus> {
    let regression = algebra.regress(&sums.control)?;
    let total = sums.treated.total();
    let att = sums.treated.residual(&regression.beta) / total;
    let minus_mean: Vec<f64> = sums.treated.z().iter().map(|z| -z / total).collect();
    let control = Coefficients {
        beta: Some(regression.beta.clone()),
        b: Some(regression.solve(&minus_mean)),
        ..Coefficients::default()
    };
    let treated = Coefficients {
        c: 1.0 / total,
        f: -att / total,
        beta: Some(regression.beta),
        ..Coefficients::default()
    };
    Ok(Arms { att, treated, control })
}

/// Hájek weighting: `ATT = Σ_T w Δ / A_T - Σ_C v Δ / A_C`.
fn ipw(
    algebra: &Algebra<'_>,
    treated: &Moments,
    odds: &Moments,
    score: &CellScore<'_>,
) -> Result<Arms, CellStatus> {
    let zero = algebra.zeros();
    let (arm_t, arm_c, att) = weighted_means(treated, odds, &zero);
    let m2 = scaled(odds.residual_z(&zero, arm_c.tau), 1.0 / odds.total());
    let a = algebra.solve_information(&score.fit.hessian, &m2)?;
    Ok(Arms {
        att,
        treated: Coefficients { a: Some(a.clone()), ..arm_t.treated() },
        control: Coefficients { a: Some(a), ..arm_c.control() },
    })
}

/// Weighting without normalisation: `ATT = (Σ_T w Δ - Σ_C v Δ) / A_T` (Abadie 2005).
fn horvitz_thompson(
    algebra: &Algebra<'_>,
    treated: &Moments,
    odds: &Moments,
    score: &CellScore<'_>,
) -> Result<Arms, CellStatus> {
    let h = 1.0 / treated.total();
    let att = h * (treated.d() - odds.d());
    let m2 = scaled(odds.zd.clone(), h);
    let a = algebra.solve_information(&score.fit.hessian, &m2)?;
    Ok(Arms {
        att,
        treated: Coefficients { c: h, f: -h * att, a: Some(a.clone()), ..Coefficients::default() },
        control: Coefficients { h, a: Some(a), ..Coefficients::default() },
    })
}

/// Calibrated odds and a regression weighted by them: `ATT = (Σ_T w r - Σ_C v r) / A_T` (Sant'Anna and Zhao 2020, section 3.1).
/// By the equations that define the odds and the regression, estimating them does not change the influence.
fn improved(algebra: &Algebra<'_>, sums: &SideSums, odds: &Moments) -> Result<Arms, CellStatus> {
    let beta = algebra.regress(sums.calibrated.as_ref().unwrap_or(odds))?.beta;
    let h = 1.0 / sums.treated.total();
    let att = h * (sums.treated.residual(&beta) - odds.residual(&beta));
    Ok(Arms {
        att,
        treated: Coefficients {
            c: h,
            f: -h * att,
            beta: Some(beta.clone()),
            ..Coefficients::default()
        },
        control: Coefficients { h, beta: Some(beta), ..Coefficients::default() },
    })
}

/// `ATT = Σ_T w r / A_T - Σ_C v r / A_C`.
fn doubly_robust(
    algebra: &Algebra<'_>,
    sums: &SideSums,
    odds: &Moments,
    score: &CellScore<'_>,
) -> Result<Arms, CellStatus> {
    let regression = algebra.regress(&sums.control)?;
    let beta = &regression.beta;
    let (arm_t, arm_c, att) = weighted_means(&sums.treated, odds, beta);
    let m2 = scaled(odds.residual_z(beta, arm_c.tau), 1.0 / odds.total());
    let a = algebra.solve_information(&score.fit.hessian, &m2)?;
    let b = regression.solve(&mean_difference(odds, &sums.treated));
    Ok(Arms {
        att,
        treated: Coefficients { beta: Some(beta.clone()), a: Some(a.clone()), ..arm_t.treated() },
        control: Coefficients {
            beta: Some(beta.clone()),
            b: Some(b),
            a: Some(a),
            ..arm_c.control()
        },
    })
}

/// A weighted mean of residuals and the total of its weights.
pub(super) struct WeightedMean {
    pub tau: f64,
    pub total: f64,
}

impl WeightedMean {
    pub fn new(moments: &Moments, beta: &[f64]) -> Self {
        let total = moments.total();
        Self { tau: moments.residual(beta) / total, total }
    }

    /// `w (r - τ) / A`.
    fn treated(&self) -> Coefficients {
        Coefficients { c: 1.0 / self.total, f: -self.tau / self.total, ..Coefficients::default() }
    }

    /// `-v (r - τ) / A`.
    fn control(&self) -> Coefficients {
        let h = 1.0 / self.total;
        Coefficients { h, h_tau: h * self.tau, ..Coefficients::default() }
    }
}

fn weighted_means(
    treated: &Moments,
    odds: &Moments,
    beta: &[f64],
) -> (WeightedMean, WeightedMean, f64) {
    let (t, c) = (WeightedMean::new(treated, beta), WeightedMean::new(odds, beta));
    let att = t.tau - c.tau;
    (t, c, att)
}

/// `Σ v z / A_C - Σ_T w z / A_T`.
pub(super) fn mean_difference(odds: &Moments, treated: &Moments) -> Vec<f64> {
    let (c, t) = (odds.total(), treated.total());
    odds.z().iter().zip(treated.z()).map(|(v, w)| v / c - w / t).collect()
}

pub(super) fn scaled(v: Vec<f64>, scale: f64) -> Vec<f64> {
    v.into_iter().map(|v| v * scale).collect()
}

/// `Σ_j s_j v_j` of equally long vectors.
pub(super) fn combine(terms: &[(f64, &[f64])]) -> Vec<f64> {
    let k = terms.first().map_or(0, |t| t.1.len());
    (0..k).map(|i| terms.iter().map(|(s, v)| s * v[i]).sum()).collect()
}
