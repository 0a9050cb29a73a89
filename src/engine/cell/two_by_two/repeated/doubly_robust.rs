//! Doubly robust estimators of repeated cross sections.
//!
//! With residuals `r = y - z'β_0t` and `τ_Tt = Σ_{T_t} w r / A_Tt`, `τ_Ct = Σ_{C_t} v r / A_Ct`, eq. (3.3) is
//!
//! ```text
//! ATT = Σ_t σ_t (τ_Tt - τ_Ct)
//! ```
//!
//! The locally efficient ones, eq. (3.4), also fit `β_1t` to the treated rows, and add what `g_t = β_1t - β_0t` predicts for
//! the treated rows of both periods less what it predicts for those of period `t`:
//!
//! ```text
//! ATT = Σ_t σ_t (τ_Tt - τ_Ct + Σ_T w z'g_t / A_D - Σ_{T_t} w z'g_t / A_Tt)
//! ```

use super::super::moments::{SideMoments, WeightedMean, mean_difference};
use super::corners::{Corners, SIGN, Treated, difference};
use super::weighting::score_correction;
use crate::base::solve::{combine, dot, scaled};
use crate::engine::cell::algebra::{Algebra, Moments, Regression};
use crate::engine::cell::propensity::PropensityScore;
use crate::engine::cell::sides::CellResult;
use crate::engine::cell::terms::{Coefficients, Silent};

/// Maximum-likelihood propensity score and regressions with the sampling weights: R `DRDID`'s `drdid_rc` and, if not locally
/// efficient, `drdid_rc1`.
///
/// With `m_T = Σ_T w z / A_D`, `m_Tt = Σ_{T_t} w z / A_Tt`, `m_Ct = Σ_{C_t} v z / A_Ct` and `a` of [`score_correction`],
///
/// ```text
///                 not locally efficient (3.3)               locally efficient (3.4)
/// T_t:  u =  σ_t w (r - τ_Tt) / A_Tt                  σ_t w (y - z'β_1t + own_t - τ_Tt) / A_Tt + w Σ_s σ_s (z'g_s - all_s) / A_D
///                                                     + σ_t w (y - z'β_1t) z'B_1t⁻¹ (m_T - m_Tt)
///            - w (1 - p) z'a                          - w (1 - p) z'a
/// C_t:  u = -σ_t v (r - τ_Ct) / A_Ct + w p z'a        the same
///            + σ_t w r z'B_0t⁻¹ (m_Ct - m_Tt)         + σ_t w r z'B_0t⁻¹ (m_Ct - m_T)
/// ```
///
/// where `all_t` and `own_t` are the mean predictions of `g_t` for all treated rows and for those of period `t`.
///
/// Differs from DRDID up to 1.2.3 (and so from did 2.5.1): the correction for the estimated `β_0t` enters the influence of
/// the comparison rows with the period's sign `σ_t`, as the linearisation of the estimator requires; there it enters with a
/// plus for both periods.
pub(super) fn traditional(
    algebra: &Algebra<'_>,
    sides: [&SideMoments; 2],
    odds: [&Moments; 2],
    score: &PropensityScore<'_>,
    efficient: bool,
) -> CellResult<Corners> {
    let control = [algebra.regress(&sides[0].control)?, algebra.regress(&sides[1].control)?];
    let fitted = FittedRegressions::new(algebra, sides, odds, control, efficient)?;
    let beta = [&fitted.control[0].beta, &fitted.control[1].beta];
    let a = score_correction(algebra, odds, beta, &fitted.tau_c, score)?;
    let mut corners = fitted.corners();
    let slopes = fitted.slopes(sides, odds);
    for (t, Slopes { treated, control }) in slopes.into_iter().enumerate() {
        corners.treated[t].b = treated;
        corners.control[t].b = Some(control);
        corners.control[t].a = Some(a.clone());
        corners.treated[t].a = Some(a.clone());
    }
    Ok(corners)
}

/// Calibrated odds, and regressions of the comparison rows weighted by them: R `DRDID`'s `drdid_imp_rc` and, if not locally
/// efficient, `drdid_imp_rc1`. The influence of the estimated odds and regressions vanishes in large samples and is left out.
pub(super) fn improved(
    algebra: &Algebra<'_>,
    sides: [&SideMoments; 2],
    odds: [&Moments; 2],
    efficient: bool,
) -> CellResult<Corners> {
    let regress = |t: usize| algebra.regress(sides[t].calibrated()?);
    let control = [regress(0)?, regress(1)?];
    let fitted = FittedRegressions::new(algebra, sides, odds, control, efficient)?;
    let mut corners = fitted.corners();
    for (t, Slopes { treated, control }) in fitted.slopes(sides, odds).into_iter().enumerate() {
        corners.treated[t].silent = treated.map(|v| Silent { by_odds: false, v });
        corners.control[t].silent = Some(Silent { by_odds: true, v: control });
    }
    Ok(corners)
}

/// How the outcomes of a period's rows enter the estimate through the regressions: `z'v` of a treated and of a comparison row.
struct Slopes {
    treated: Option<Vec<f64>>,
    control: Vec<f64>,
}

/// Regressions and weighted means of their residuals.
struct FittedRegressions {
    control: [Regression; 2],
    tau_t: [WeightedMean; 2],
    tau_c: [WeightedMean; 2],
    gain: Option<Gain>,
}

/// What the treated rows' regressions add.
struct Gain {
    treated: [Regression; 2],
    /// `β_1t - β_0t`.
    beta: [Vec<f64>; 2],
    /// Its mean prediction for the treated rows of both periods, and of period `t`.
    all: [f64; 2],
    own: [f64; 2],
    /// `A_D`.
    total: f64,
}

impl FittedRegressions {
    fn new(
        algebra: &Algebra<'_>,
        sides: [&SideMoments; 2],
        odds: [&Moments; 2],
        control: [Regression; 2],
        efficient: bool,
    ) -> CellResult<Self> {
        let tau_t = [0, 1].map(|t| WeightedMean::new(&sides[t].treated, &control[t].beta));
        let tau_c = [0, 1].map(|t| WeightedMean::new(odds[t], &control[t].beta));
        let gain = efficient.then(|| Gain::new(algebra, sides, &control)).transpose()?;
        Ok(Self { control, tau_t, tau_c, gain })
    }

    /// `σ_t B_1t⁻¹ (m_T - m_Tt)` of the treated rows, if these are regressed, and of the comparison rows `σ_t B_0t⁻¹ (m_Ct - m_T)`, or
    /// `σ_t B_0t⁻¹ (m_Ct - m_Tt)`.
    fn slopes(&self, sides: [&SideMoments; 2], odds: [&Moments; 2]) -> [Slopes; 2] {
        let all = Treated::new(sides);
        [0, 1].map(|t| {
            let mean_t = scaled(sides[t].treated.z().to_vec(), 1.0 / self.tau_t[t].total);
            let (treated, shift) = match &self.gain {
                None => (None, mean_difference(odds[t], &sides[t].treated)),
                Some(gain) => {
                    let shift = combine(&[(1.0, &all.mean), (-1.0, &mean_t)]);
                    let of_control = [(1.0 / self.tau_c[t].total, odds[t].z()), (-1.0, &all.mean)];
                    let treated = scaled(gain.treated[t].solve(&shift), SIGN[t]);
                    (Some(treated), combine(&of_control))
                }
            };
            Slopes { treated, control: scaled(self.control[t].solve(&shift), SIGN[t]) }
        })
    }

    /// Estimate, and influence with regressions and odds taken as known.
    fn corners(&self) -> Corners {
        let tau = difference(|t| self.tau_t[t].tau - self.tau_c[t].tau);
        let gained = self.gain.as_ref().map_or(0.0, |g| difference(|t| g.all[t] - g.own[t]));
        Corners {
            att: tau + gained,
            treated: [0, 1].map(|t| {
                let c = SIGN[t] / self.tau_t[t].total;
                match &self.gain {
                    None => Coefficients {
                        c,
                        f: -c * self.tau_t[t].tau,
                        beta: Some(self.control[t].beta.clone()),
                        ..Coefficients::default()
                    },
                    Some(gain) => Coefficients {
                        c,
                        f: c * (gain.own[t] - self.tau_t[t].tau)
                            - difference(|s| gain.all[s]) / gain.total,
                        beta: Some(gain.treated[t].beta.clone()),
                        e: Some(combine(&[
                            (1.0 / gain.total, &gain.beta[1]),
                            (-1.0 / gain.total, &gain.beta[0]),
                        ])),
                        ..Coefficients::default()
                    },
                }
            }),
            control: [0, 1].map(|t| {
                let h = SIGN[t] / self.tau_c[t].total;
                Coefficients {
                    h,
                    h_tau: h * self.tau_c[t].tau,
                    beta: Some(self.control[t].beta.clone()),
                    ..Coefficients::default()
                }
            }),
            constant: 0.0,
        }
    }
}

impl Gain {
    fn new(
        algebra: &Algebra<'_>,
        sides: [&SideMoments; 2],
        control: &[Regression; 2],
    ) -> CellResult<Self> {
        let regress = |t: usize| algebra.regress_treated(&sides[t].treated);
        let treated = [regress(0)?, regress(1)?];
        let beta = [0, 1].map(|t| combine(&[(1.0, &treated[t].beta), (-1.0, &control[t].beta)]));
        let mean = Treated::new(sides);
        let all = [0, 1].map(|t| dot(&mean.mean, &beta[t]));
        let treated_mean =
            [0, 1].map(|t| dot(sides[t].treated.z(), &beta[t]) / sides[t].treated.total());
        Ok(Self { treated, beta, all, own: treated_mean, total: mean.total })
    }
}
