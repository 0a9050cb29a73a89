//! Two-by-two estimators of repeated cross sections: outcome levels of treated and comparison rows in two periods.
//!
//! Notation as in [`panel`](super::panel), with `t = 0` for the base period and `t = 1` for the cell's, `σ_0 = -1`, `σ_1 = 1`,
//! `β_dt` from the rows with `D = d` in period `t`. The doubly robust estimator is the locally efficient one: Sant'Anna
//! and Zhao (2020), eq. (3.4), with the influence function of their theorem 2.

use super::algebra::{Algebra, Moments};
use super::estimate::{Estimated, SideSums};
use super::logit::Fit;
use super::panel::{Coefficients, WeightedMean, combine, scaled};
use super::plan::PlannedCell;
use crate::estimates::CellStatus;
use crate::options::EstimationMethod;
use crate::solve::dot;

const SIGN: [f64; 2] = [-1.0, 1.0];

/// Estimate and influence of the four corners.
struct Corners {
    att: f64,
    treated: [Coefficients; 2],
    control: [Coefficients; 2],
}

/// The estimate of a cell of rows.
pub(super) fn estimate(
    algebra: &Algebra<'_>,
    method: EstimationMethod,
    cell: &PlannedCell,
    sides: [&SideSums; 2],
    fit: Option<&Fit>,
) -> Result<Estimated, CellStatus> {
    let odds = match sides.map(|s| s.odds.as_ref()) {
        [Some(base), Some(post)] => Some([base, post]),
        _ => None,
    };
    let corners = match (method, odds, fit) {
        _ if algebra.is_constant() => means(sides),
        (EstimationMethod::Ipw, Some(odds), Some(fit)) => ipw(algebra, sides, odds, fit)?,
        (EstimationMethod::DoublyRobust, Some(odds), Some(fit)) => {
            doubly_robust(algebra, sides, odds, fit)?
        }
        _ => regression(algebra, sides)?,
    };
    let mut rows = Vec::new();
    for (t, side) in cell.sides.iter().enumerate() {
        let (treated, control) = (&corners.treated[t], &corners.control[t]);
        rows.extend(side.treated.iter().map(|p| treated.rows(p, side.outcome, true, fit)));
        rows.extend(side.control.iter().map(|p| control.rows(p, side.outcome, false, fit)));
    }
    let not_converged = fit.is_some_and(|f| !f.converged);
    Ok(Estimated { att: corners.att, rows, not_converged })
}

/// `Σ_t σ_t value_t`.
fn difference(value: impl Fn(usize) -> f64) -> f64 {
    value(1) - value(0)
}

/// A constant alone: the difference in differences of four means.
fn means(sides: [&SideSums; 2]) -> Corners {
    let corner = |t: usize, m: &Moments, sign: f64| {
        let c = sign * SIGN[t] / m.total();
        Coefficients { c, f: -c * m.d() / m.total(), ..Coefficients::default() }
    };
    let mean = |m: &Moments| m.d() / m.total();
    Corners {
        att: difference(|t| mean(&sides[t].treated) - mean(&sides[t].control)),
        treated: [0, 1].map(|t| corner(t, &sides[t].treated, 1.0)),
        control: [0, 1].map(|t| corner(t, &sides[t].control, -1.0)),
    }
}

/// Sums over the treated rows of both periods.
struct Treated {
    /// `A_D = Σ_T w`.
    total: f64,
    /// `Σ_T w z / A_D`.
    mean: Vec<f64>,
}

impl Treated {
    fn new(sides: [&SideSums; 2]) -> Self {
        let total = sides[0].treated.total() + sides[1].treated.total();
        let mean =
            combine(&[(1.0 / total, sides[0].treated.z()), (1.0 / total, sides[1].treated.z())]);
        Self { total, mean }
    }
}

/// Outcome regression: `ATT = η_1 - η_0 - Σ_T w z'(β_01 - β_00) / A_D`.
fn regression(algebra: &Algebra<'_>, sides: [&SideSums; 2]) -> Result<Corners, CellStatus> {
    let control = [algebra.regress(&sides[0].control)?, algebra.regress(&sides[1].control)?];
    let all = Treated::new(sides);
    let zero = algebra.zeros();
    let eta = [0, 1].map(|t| WeightedMean::new(&sides[t].treated, &zero));
    let change = combine(&[(1.0, &control[1].beta), (-1.0, &control[0].beta)]);
    let eta_c = dot(&all.mean, &change);
    let e = scaled(change, -1.0 / all.total);
    let att = difference(|t| eta[t].tau) - eta_c;
    Ok(Corners {
        att,
        treated: [0, 1].map(|t| {
            let c = SIGN[t] / eta[t].total;
            Coefficients {
                c,
                f: eta_c / all.total - c * eta[t].tau,
                e: Some(e.clone()),
                ..Coefficients::default()
            }
        }),
        control: [0, 1].map(|t| Coefficients {
            b: Some(scaled(control[t].solve(&all.mean), -SIGN[t])),
            beta: Some(control[t].beta.clone()),
            ..Coefficients::default()
        }),
    })
}

/// Hájek weighting: a difference in differences of four weighted means.
fn ipw(
    algebra: &Algebra<'_>,
    sides: [&SideSums; 2],
    odds: [&Moments; 2],
    fit: &Fit,
) -> Result<Corners, CellStatus> {
    let zero = algebra.zeros();
    let eta_t = [0, 1].map(|t| WeightedMean::new(&sides[t].treated, &zero));
    let eta_c = [0, 1].map(|t| WeightedMean::new(odds[t], &zero));
    let a = score_correction(algebra, odds, [&zero, &zero], &eta_c, fit)?;
    Ok(Corners {
        att: difference(|t| eta_t[t].tau - eta_c[t].tau),
        treated: [0, 1].map(|t| {
            let c = SIGN[t] / eta_t[t].total;
            Coefficients { c, f: -c * eta_t[t].tau, a: Some(a.clone()), ..Coefficients::default() }
        }),
        control: [0, 1].map(|t| {
            let h = SIGN[t] / eta_c[t].total;
            Coefficients {
                h,
                h_tau: h * eta_c[t].tau,
                a: Some(a.clone()),
                ..Coefficients::default()
            }
        }),
    })
}

/// `H⁻¹ Σ_t σ_t Σ_{C_t} v (y - z'β_0t - τ_Ct) z / A_Ct`.
fn score_correction(
    algebra: &Algebra<'_>,
    odds: [&Moments; 2],
    beta: [&Vec<f64>; 2],
    tau: &[WeightedMean; 2],
    fit: &Fit,
) -> Result<Vec<f64>, CellStatus> {
    let term = |t: usize| odds[t].residual_z(beta[t], tau[t].tau);
    let m2 = combine(&[(SIGN[0] / tau[0].total, &term(0)), (SIGN[1] / tau[1].total, &term(1))]);
    algebra.solve_information(&fit.hessian, &m2)
}

/// Locally efficient doubly robust estimator.
///
/// Differs from DRDID up to 1.2.3 (and so from did 2.5.1): the correction for the estimated `β_0t` enters the influence of
/// the comparison rows with the period's sign `σ_t`, as the linearisation of the estimator requires; there it enters with a
/// plus for both periods.
fn doubly_robust(
    algebra: &Algebra<'_>,
    sides: [&SideSums; 2],
    odds: [&Moments; 2],
    fit: &Fit,
) -> Result<Corners, CellStatus> {
    let control = [algebra.regress(&sides[0].control)?, algebra.regress(&sides[1].control)?];
    let treated = [algebra.regress(&sides[0].treated)?, algebra.regress(&sides[1].treated)?];
    let all = Treated::new(sides);
    let tau_t = [0, 1].map(|t| WeightedMean::new(&sides[t].treated, &control[t].beta));
    let tau_c = [0, 1].map(|t| WeightedMean::new(odds[t], &control[t].beta));
    let gain = [0, 1].map(|t| combine(&[(1.0, &treated[t].beta), (-1.0, &control[t].beta)]));
    let delta_d = [0, 1].map(|t| dot(&all.mean, &gain[t]));
    let delta_1 = [0, 1].map(|t| dot(sides[t].treated.z(), &gain[t]) / tau_t[t].total);
    let a = score_correction(algebra, odds, [&control[0].beta, &control[1].beta], &tau_c, fit)?;
    let e = combine(&[(1.0 / all.total, &gain[1]), (-1.0 / all.total, &gain[0])]);
    let constant = difference(|t| delta_d[t]) / all.total;
    Ok(Corners {
        att: difference(|t| tau_t[t].tau - tau_c[t].tau + delta_d[t] - delta_1[t]),
        treated: [0, 1].map(|t| {
            let c = SIGN[t] / tau_t[t].total;
            let shift = combine(&[(1.0, &all.mean), (-1.0 / tau_t[t].total, sides[t].treated.z())]);
            Coefficients {
                c,
                f: c * (delta_1[t] - tau_t[t].tau) - constant,
                beta: Some(treated[t].beta.clone()),
                b: Some(scaled(treated[t].solve(&shift), SIGN[t])),
                e: Some(e.clone()),
                a: Some(a.clone()),
                ..Coefficients::default()
            }
        }),
        control: [0, 1].map(|t| {
            let h = SIGN[t] / tau_c[t].total;
            let shift = combine(&[(1.0 / tau_c[t].total, odds[t].z()), (-1.0, &all.mean)]);
            Coefficients {
                h,
                h_tau: h * tau_c[t].tau,
                beta: Some(control[t].beta.clone()),
                b: Some(scaled(control[t].solve(&shift), SIGN[t])),
                a: Some(a.clone()),
                ..Coefficients::default()
            }
        }),
    })
}
