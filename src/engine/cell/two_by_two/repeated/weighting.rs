//! Weighting estimators of repeated cross sections.

use super::super::moments::{SideMoments, WeightedMean};
use super::corners::{Corners, SIGN, difference};
use crate::base::solve::combine;
use crate::engine::cell::algebra::{Algebra, Moments};
use crate::engine::cell::propensity::PropensityScore;
use crate::engine::cell::sides::CellResult;
use crate::engine::cell::terms::Coefficients;

/// Normalised (Hájek) weights, eq. (2.3): `ATT = Σ_t σ_t (τ_Tt - τ_Ct)` with `τ_Tt = Σ_{T_t} w y / A_Tt` and
/// `τ_Ct = Σ_{C_t} v y / A_Ct`.
///
/// ```text
/// T_t:  u = σ_t w (y - τ_Tt) / A_Tt - w (1 - p) z'a      a = H⁻¹ Σ_t σ_t Σ_{C_t} v (y - τ_Ct) z / A_Ct
/// C_t:  u = -σ_t v (y - τ_Ct) / A_Ct + w p z'a
/// ```
pub(super) fn hajek(
    algebra: &Algebra<'_>,
    sides: [&SideMoments; 2],
    odds: [&Moments; 2],
    score: &PropensityScore<'_>,
) -> CellResult<Corners> {
    let zero = algebra.zeros();
    let eta_t = [0, 1].map(|t| WeightedMean::new(&sides[t].treated, &zero));
    let eta_c = [0, 1].map(|t| WeightedMean::new(odds[t], &zero));
    let a = score_correction(algebra, odds, [&zero, &zero], &eta_c, score)?;
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
        constant: 0.0,
    })
}

/// `a = H⁻¹ Σ_t σ_t Σ_{C_t} v (y - z'β_0t - τ_Ct) z / A_Ct`: what the estimated propensity score does to the comparison rows' means.
pub(super) fn score_correction(
    algebra: &Algebra<'_>,
    odds: [&Moments; 2],
    beta: [&Vec<f64>; 2],
    tau: &[WeightedMean; 2],
    score: &PropensityScore<'_>,
) -> CellResult<Vec<f64>> {
    let term = |t: usize| odds[t].residual_z(beta[t], tau[t].tau);
    let m2 = combine(&[(SIGN[0] / tau[0].total, &term(0)), (SIGN[1] / tau[1].total, &term(1))]);
    algebra.solve_information(&score.fit.hessian, &m2)
}

/// Totals of the weights: `A_D` of the treated rows, `W_t` of each period.
struct WeightTotals {
    treated: f64,
    period: [f64; 2],
}

impl WeightTotals {
    fn new(sides: [&SideMoments; 2]) -> Self {
        Self {
            treated: sides[0].treated.total() + sides[1].treated.total(),
            period: sides.map(|s| s.treated.total() + s.control.total()),
        }
    }

    fn all(&self) -> f64 {
        self.period[0] + self.period[1]
    }

    /// Factor of period `t`'s weighted sums: `W / (A_D W_t)`.
    fn factor(&self, t: usize) -> f64 {
        self.all() / (self.treated * self.period[t])
    }
}

/// Weighting without normalisation: `ATT = Σ_t σ_t (Σ_{T_t} w y - Σ_{C_t} v y) / (N Π λ_t)` with the shares `Π` of the treated
/// and `λ_t` of the periods (Abadie 2005). As in R `DRDID`, the influence leaves out that the mean weight is estimated.
pub(super) fn horvitz_thompson(
    algebra: &Algebra<'_>,
    sides: [&SideMoments; 2],
    odds: [&Moments; 2],
    score: &PropensityScore<'_>,
) -> CellResult<Corners> {
    let totals = WeightTotals::new(sides);
    let [base, post] = [0, 1].map(|t| SIGN[t] * totals.factor(t));
    let m2 = combine(&[(base, &odds[0].zd), (post, &odds[1].zd)]);
    let a = algebra.solve_information(&score.fit.hessian, &m2)?;
    let corners = unnormalised(sides, &totals, |t| odds[t].d());
    Ok(Corners {
        treated: corners.treated.map(|c| Coefficients { a: Some(a.clone()), ..c }),
        control: [0, 1].map(|t| Coefficients {
            h: SIGN[t] * totals.factor(t),
            a: Some(a.clone()),
            f: corners.control[t].f,
            ..Coefficients::default()
        }),
        ..corners
    })
}

/// As [`horvitz_thompson`] with a constant alone, where the odds are `A_D / (W - A_D)` for all rows.
pub(super) fn by_share(sides: [&SideMoments; 2]) -> Corners {
    let totals = WeightTotals::new(sides);
    let p = totals.treated / totals.all();
    let q = p / (1.0 - p);
    let corners = unnormalised(sides, &totals, |t| q * sides[t].control.d());
    let m2 = difference(|t| totals.factor(t) * q * sides[t].control.d());
    let a = m2 / (totals.all() * p * (1.0 - p));
    Corners {
        treated: corners.treated.map(|c| Coefficients { f: c.f - (1.0 - p) * a, ..c }),
        control: [0, 1].map(|t| Coefficients {
            c: -SIGN[t] * totals.factor(t) * q,
            f: corners.control[t].f + p * a,
            ..Coefficients::default()
        }),
        ..corners
    }
}

/// What does not depend on how the propensity score is estimated; `control(t)` is `Σ_{C_t} v y`. Of the comparison rows'
/// coefficients only `f`.
fn unnormalised(
    sides: [&SideMoments; 2],
    totals: &WeightTotals,
    control: impl Fn(usize) -> f64,
) -> Corners {
    let eta = [0, 1].map(|t| SIGN[t] * totals.factor(t) * (sides[t].treated.d() - control(t)));
    let att = eta[0] + eta[1];
    let of_period = |t: usize| -eta[t] / totals.period[t];
    Corners {
        att,
        treated: [0, 1].map(|t| Coefficients {
            c: SIGN[t] * totals.factor(t),
            f: of_period(t) - att / totals.treated,
            ..Coefficients::default()
        }),
        control: [0, 1].map(|t| Coefficients { f: of_period(t), ..Coefficients::default() }),
        constant: att,
    }
}
