//! Two-way fixed effects: the coefficient of `D·post` in a regression of all rows.

use super::cells::Gathered;
use super::linear::{dot, factor, regress};
use super::{Did, Failure, judge};

/// The estimate with the influence of every row. `has_constant` says whether the covariates have one already; whether a
/// constant is a combination of the others is found out.
pub fn estimate(gathered: &Gathered, has_constant: bool) -> Result<Did, Failure> {
    let rows = &gathered.rows;
    for post in [false, true] {
        if rows.arm(true, Some(post)).is_empty() {
            return Err(Failure::NoTreated);
        }
        if rows.arm(false, Some(post)).is_empty() {
            return Err(Failure::NoControls);
        }
    }
    let number = |b: bool| f64::from(u8::from(b));
    let design = |constant: bool| -> Vec<Vec<f64>> {
        let row = |i: usize| {
            let (d, post) = (number(rows.d[i]), number(rows.post[i]));
            let one = if constant { vec![1.0] } else { Vec::new() };
            [one, vec![d * post, post, d], rows.x[i].clone()].concat()
        };
        (0..rows.len()).map(row).collect()
    };
    let mut constant = !has_constant;
    let mut x = design(constant);
    let rank = |x: &[Vec<f64>]| -> f64 {
        let x: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
        factor(&x, &vec![1.0; x.len()]).scaled_reciprocal_condition()
    };
    if constant && rank(&x) < 1e-19 {
        constant = false;
        x = design(constant);
    }
    let x: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
    let fit = regress(&x, &rows.w, &rows.y);
    // Not in the units of the covariates: R has a QR decomposition of its own here.
    judge(1.0, fit.factor.scaled_reciprocal_condition())?;
    let effect = usize::from(constant);
    let unit: Vec<f64> = (0..fit.beta.len()).map(|j| number(j == effect)).collect();
    let direction = fit.factor.solve(&unit);
    let residual = |i: usize| rows.y[i] - dot(x[i], &fit.beta);
    let u = (0..rows.len()).map(|i| rows.w[i] * residual(i) * dot(x[i], &direction)).collect();
    let loss = 1e-16 / fit.factor.scaled_reciprocal_condition();
    Ok(Did { att: fit.beta[effect], u, loss, calibrated: true, ..Did::default() })
}
