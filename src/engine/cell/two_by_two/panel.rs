//! Panel: outcome changes `Δ = y_post - y_base` of treated and comparison units.
//!
//! `r = Δ - z'β` with `β` from the comparison units; `A_T = Σ_T w`, `A_C = Σ_C v`, `B = Σ_C w z z'`.
//! Sources: Sant'Anna and Zhao (2020), eqs. (2.2), (2.3) and (3.1), and the influence functions of their theorem 1 and
//! appendix.

use super::moments::{SideMoments, WeightedMean, mean_difference, weighted_by_odds};
use crate::base::solve::{combine, scaled};
use crate::engine::cell::algebra::{Algebra, Moments};
use crate::engine::cell::method::Method;
use crate::engine::cell::propensity::PropensityScore;
use crate::engine::cell::sides::{CellResult, PlannedCell, StratumRows};
use crate::engine::cell::terms::{CellEstimate, Coefficients, InfluenceTerm, Silent};
use crate::result::estimates::CellStatus;

/// Estimate and influence of the two arms.
struct Arms {
    att: f64,
    treated: Coefficients,
    control: Coefficients,
}

/// The estimate of a panel cell.
pub(super) fn estimate(
    algebra: &Algebra<'_>,
    method: Method,
    cell: &PlannedCell,
    sums: &SideMoments,
    score: Option<&PropensityScore<'_>>,
) -> CellResult<CellEstimate> {
    let weighted = || weighted_by_odds([sums], score).map(|([odds], score)| (odds, score));
    let arms = match method {
        _ if algebra.is_constant() => means(sums),
        Method::DoublyRobust => {
            let (odds, score) = weighted()?;
            doubly_robust(algebra, sums, odds, score)?
        }
        Method::Improved => improved(algebra, sums, weighted()?.0)?,
        Method::Ipw => {
            let (odds, score) = weighted()?;
            ipw(algebra, &sums.treated, odds, score)?
        }
        Method::HorvitzThompson => {
            let (odds, score) = weighted()?;
            horvitz_thompson(algebra, &sums.treated, odds, score)?
        }
        Method::OutcomeRegression => regression(algebra, sums)?,
        Method::Twfe => {
            let message = "the regression with fixed effects needs the rows of both periods".into();
            return Err(CellStatus::Estimator { message });
        }
    };
    let side = &cell.sides[0];
    let gamma = score.map(PropensityScore::gamma);
    let of_arm = |rows: &StratumRows, treated, coefficients: &Coefficients| {
        InfluenceTerm::new(rows, side.outcome, treated, gamma, coefficients)
    };
    let treated = side.treated.iter().map(|rows| of_arm(rows, true, &arms.treated));
    let control = side.control.iter().map(|rows| of_arm(rows, false, &arms.control));
    let terms = treated.chain(control).collect();
    Ok(CellEstimate { att: arms.att, terms, ..CellEstimate::default() })
}

/// Doubly robust, eq. (3.1): `ATT = τ_T - τ_C` with `τ_T = Σ_T w r / A_T` and `τ_C = Σ_C v r / A_C`.
///
/// ```text
/// T:  u = w (r - τ_T) / A_T               - w (1 - p) z'a      a = H⁻¹ Σ_C v (r - τ_C) z / A_C
/// C:  u = w r z'b - v (r - τ_C) / A_C     + w p z'a            b = B⁻¹ (Σ_C v z / A_C - Σ_T w z / A_T)
/// ```
fn doubly_robust(
    algebra: &Algebra<'_>,
    sums: &SideMoments,
    odds: &Moments,
    score: &PropensityScore<'_>,
) -> CellResult<Arms> {
    let regression = algebra.regress(&sums.control)?;
    let beta = &regression.beta;
    let (tau_t, tau_c) = (WeightedMean::new(&sums.treated, beta), WeightedMean::new(odds, beta));
    let m2 = scaled(odds.residual_z(beta, tau_c.tau), 1.0 / odds.total());
    let a = algebra.solve_information(&score.fit.hessian, &m2)?;
    let b = regression.solve(&mean_difference(odds, &sums.treated));
    Ok(Arms {
        att: tau_t.tau - tau_c.tau,
        treated: Coefficients {
            beta: Some(beta.clone()),
            a: Some(a.clone()),
            ..treated_mean(&tau_t)
        },
        control: Coefficients {
            beta: Some(beta.clone()),
            b: Some(b),
            a: Some(a),
            ..control_mean(&tau_c)
        },
    })
}

/// `w (r - τ) / A`.
fn treated_mean(mean: &WeightedMean) -> Coefficients {
    Coefficients { c: 1.0 / mean.total, f: -mean.tau / mean.total, ..Coefficients::default() }
}

/// `-v (r - τ) / A`.
fn control_mean(mean: &WeightedMean) -> Coefficients {
    let h = 1.0 / mean.total;
    Coefficients { h, h_tau: h * mean.tau, ..Coefficients::default() }
}

/// Doubly robust with calibrated odds and a regression weighted by them (section 3.1): `ATT = (Σ_T w r - Σ_C v r) / A_T`.
///
/// ```text
/// T:  u = w (r - ATT) / A_T
/// C:  u = -v r / A_T
/// ```
///
/// By the equations that define the odds and the regression, estimating them does not change the influence.
fn improved(algebra: &Algebra<'_>, sums: &SideMoments, odds: &Moments) -> CellResult<Arms> {
    let regression = algebra.regress(sums.calibrated()?)?;
    let beta = regression.beta.clone();
    let h = 1.0 / sums.treated.total();
    // Zero where the odds balance the covariates and nothing is trimmed.
    let unbalanced = combine(&[(h, odds.z()), (-h, sums.treated.z())]);
    let silent = Silent { by_odds: true, v: regression.solve(&unbalanced) };
    let att = h * (sums.treated.residual(&beta) - odds.residual(&beta));
    Ok(Arms {
        att,
        treated: Coefficients {
            c: h,
            f: -h * att,
            beta: Some(beta.clone()),
            ..Coefficients::default()
        },
        control: Coefficients {
            h,
            beta: Some(beta),
            silent: Some(silent),
            ..Coefficients::default()
        },
    })
}

/// Outcome regression, eq. (2.2): `ATT = Σ_T w r / A_T`.
///
/// ```text
/// T:  u = w (r - ATT) / A_T
/// C:  u = -w r z'B⁻¹ Σ_T w z / A_T
/// ```
fn regression(algebra: &Algebra<'_>, sums: &SideMoments) -> CellResult<Arms> {
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

/// Weighting, eq. (2.3) with normalised (Hájek) weights: `ATT = τ_T - τ_C` with `τ_T = Σ_T w Δ / A_T` and
/// `τ_C = Σ_C v Δ / A_C`. Its influence is the doubly robust one with `β = 0` and without `b`.
fn ipw(
    algebra: &Algebra<'_>,
    treated: &Moments,
    odds: &Moments,
    score: &PropensityScore<'_>,
) -> CellResult<Arms> {
    let zero = algebra.zeros();
    let (tau_t, tau_c) = (WeightedMean::new(treated, &zero), WeightedMean::new(odds, &zero));
    let m2 = scaled(odds.residual_z(&zero, tau_c.tau), 1.0 / odds.total());
    let a = algebra.solve_information(&score.fit.hessian, &m2)?;
    Ok(Arms {
        att: tau_t.tau - tau_c.tau,
        treated: Coefficients { a: Some(a.clone()), ..treated_mean(&tau_t) },
        control: Coefficients { a: Some(a), ..control_mean(&tau_c) },
    })
}

/// Weighting without normalisation (Abadie 2005), eq. (2.3): `ATT = (Σ_T w Δ - Σ_C v Δ) / A_T`.
///
/// ```text
/// T:  u = [ w (Δ - ATT) - w (1 - p) z'a ] / A_T      a = H⁻¹ Σ_C v Δ z, stored divided by A_T
/// C:  u = [ -v Δ + w p z'a ] / A_T
/// ```
fn horvitz_thompson(
    algebra: &Algebra<'_>,
    treated: &Moments,
    odds: &Moments,
    score: &PropensityScore<'_>,
) -> CellResult<Arms> {
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

/// A constant alone: the difference of mean changes, whatever the method.
fn means(sums: &SideMoments) -> Arms {
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
