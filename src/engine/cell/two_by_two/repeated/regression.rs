//! Repeated cross sections without a propensity score: outcome regression, and means.

use super::super::moments::{SideMoments, WeightedMean};
use super::corners::{Corners, SIGN, Treated, difference};
use crate::base::solve::{combine, dot, scaled};
use crate::engine::cell::algebra::{Algebra, Moments};
use crate::engine::cell::sides::CellResult;
use crate::engine::cell::terms::Coefficients;

/// Outcome regression, eq. (2.2): `ATT = η_1 - η_0 - η_C` with `η_t = Σ_{T_t} w y / A_Tt` and
/// `η_C = Σ_T w z'(β_01 - β_00) / A_D`.
///
/// ```text
/// T_t:  u = σ_t w (y - η_t) / A_Tt - w (z'(β_01 - β_00) - η_C) / A_D
/// C_t:  u = -σ_t w (y - z'β_0t) z'B_0t⁻¹ Σ_T w z / A_D
/// ```
pub(super) fn regression(algebra: &Algebra<'_>, sides: [&SideMoments; 2]) -> CellResult<Corners> {
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
        constant: 0.0,
    })
}

/// A constant alone: the difference in differences of four means.
pub(super) fn means(sides: [&SideMoments; 2]) -> Corners {
    let corner = |t: usize, m: &Moments, sign: f64| {
        let c = sign * SIGN[t] / m.total();
        Coefficients { c, f: -c * m.d() / m.total(), ..Coefficients::default() }
    };
    let mean = |m: &Moments| m.d() / m.total();
    Corners {
        att: difference(|t| mean(&sides[t].treated) - mean(&sides[t].control)),
        treated: [0, 1].map(|t| corner(t, &sides[t].treated, 1.0)),
        control: [0, 1].map(|t| corner(t, &sides[t].control, -1.0)),
        constant: 0.0,
    }
}
