//! Doubly robust estimators of repeated cross sections.
//!
//! All compare residuals from the comparison rows' regressions `β_0t`. The locally efficient ones also fit `β_1t` to the
//! treated rows, and add what the regressions predict for the treated rows of both periods less what they predict for those
//! of period `t`.

use super::super::algebra::{Algebra, Moments, Regression};
use super::super::estimate::{CellScore, SideSums};
use super::super::panel::{Coefficients, WeightedMean, combine, mean_difference, scaled};
use super::weighting::score_correction;
use super::{Corners, SIGN, Treated, difference};
use crate::estimates::CellStatus;
use crate::solve::dot;

/// Maximum-likelihood propensity score and regressions with the sampling weights: R `DRDID`'s `drdid_rc` and, if not locally
/// efficient, `drdid_rc1`.
///
/// Differs from DRDID up to 1.2.3 (and so from did 2.5.1): the correction for the estimated `β_0t` enters the influence of
/// the comparison rows with the period's sign `σ_t`, as the linearisation of the estimator requires; there it enters with a
/// plus for both periods.
pub(super) fn traditional(
    algebra: &Algebra<'_>,
    sides: [&SideSums; 2],
    odds: [&Moments; 2],
    score: &CellScore<'_>,
    efficient: bool,
) -> Result<Corners, CellStatus> {
    let control = [algebra.regress(&sides[0].control)?, algebra.regress(&sides[1].control)?];
    let parts = Parts::new(algebra, sides, odds, control, efficient)?;
    let beta = [&parts.control[0].beta, &parts.control[1].beta];
    let a = score_correction(algebra, odds, beta, &parts.tau_c, score)?;
    let mut corners = parts.corners();
    let all = Treated::new(sides);
    for t in [0, 1] {
        let mean_t = scaled(sides[t].treated.z().to_vec(), 1.0 / parts.tau_t[t].total);
        let shift = match &parts.gain {
            None => mean_difference(odds[t], &sides[t].treated),
            Some(gain) => {
                let shift = combine(&[(1.0, &all.mean), (-1.0, &mean_t)]);
                corners.treated[t].b = Some(scaled(gain.treated[t].solve(&shift), SIGN[t]));
                combine(&[(1.0 / parts.tau_c[t].total, odds[t].z()), (-1.0, &all.mean)])
            }
        };
        corners.control[t].b = Some(scaled(parts.control[t].solve(&shift), SIGN[t]));
        corners.control[t].a = Some(a.clone());
        corners.treated[t].a = Some(a.clone());
    }
    Ok(corners)
}

/// Calibrated odds, and regressions of the comparison rows weighted by them: R `DRDID`'s `drdid_imp_rc` and, if not locally
/// efficient, `drdid_imp_rc1`. The influence of the estimated odds and regressions vanishes in large samples and is left out.
pub(super) fn improved(
    algebra: &Algebra<'_>,
    sides: [&SideSums; 2],
    odds: [&Moments; 2],
    efficient: bool,
) -> Result<Corners, CellStatus> {
    let regress = |t: usize| algebra.regress(sides[t].calibrated.as_ref().unwrap_or(odds[t]));
    let control = [regress(0)?, regress(1)?];
    Ok(Parts::new(algebra, sides, odds, control, efficient)?.corners())
}

/// Regressions and weighted means of their residuals.
struct Parts {
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

impl Parts {
    fn new(
        algebra: &Algebra<'_>,
        sides: [&SideSums; 2],
        odds: [&Moments; 2],
        control: [Regression; 2],
        efficient: bool,
    ) -> Result<Self, CellStatus> {
        let tau_t = [0, 1].map(|t| WeightedMean::new(&sides[t].treated, &control[t].beta));
        let tau_c = [0, 1].map(|t| WeightedMean::new(odds[t], &control[t].beta));
        let gain = efficient.then(|| Gain::new(algebra, sides, &control)).transpose()?;
        Ok(Self { control, tau_t, tau_c, gain })
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
        sides: [&SideSums; 2],
        control: &[Regression; 2],
    ) -> Result<Self, CellStatus> {
        let treated = [algebra.regress(&sides[0].treated)?, algebra.regress(&sides[1].treated)?];
        let beta = [0, 1].map(|t| combine(&[(1.0, &treated[t].beta), (-1.0, &control[t].beta)]));
        let mean = Treated::new(sides);
        let all = [0, 1].map(|t| dot(&mean.mean, &beta[t]));
        let own = [0, 1].map(|t| dot(sides[t].treated.z(), &beta[t]) / sides[t].treated.total());
        Ok(Self { treated, beta, all, own, total: mean.total })
    }
}
