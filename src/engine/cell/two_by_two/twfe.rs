//! Two-way fixed effects: the coefficient of `D·post` in the weighted regression of the outcome on a constant, `D·post`, `post`,
//! `D` and the covariates, over the rows of both periods (R `DRDID`'s `twfe_did_panel` and `twfe_did_rc`).
//!
//! With all regressors `g` of a row, `A = Σ w g g'` and the coefficients `θ = A⁻¹ Σ w g y`,
//!
//! ```text
//! ATT = θ_(D·post)        u = w (y - g'θ) g'A⁻¹ e_(D·post)
//! ```
//!
//! Within a corner the dummies are constants, which go into the constants of `β` and `b`.
//!
//! It is consistent only if effects and trends do not vary with the covariates; it is here for comparison.

use super::moments::SideMoments;
use crate::base::solve::{
    COLLINEAR, DEPENDENT, SINGULAR, Spd, dependent_columns, dot, reciprocal_condition,
};
use crate::engine::cell::algebra::{Algebra, Moments};
use crate::engine::cell::sides::{CellResult, PlannedCell};
use crate::engine::cell::terms::{CellEstimate, Coefficients, InfluenceTerm};
use crate::result::estimates::{CellStatus, RegressionUnits};

/// Regressors besides those of the design: `D`, `post` and `D·post`.
const DUMMIES: usize = 3;
const DUMMY_NAMES: [&str; DUMMIES] = ["treated", "post", "treated:post"];

/// The estimate of a cell with a side for each period.
pub(super) fn estimate(
    algebra: &Algebra<'_>,
    cell: &PlannedCell,
    sides: [&SideMoments; 2],
) -> CellResult<CellEstimate> {
    let columns = &with_constant(algebra, sides);
    let k = columns.len();
    let width = k + DUMMIES;
    let mut gram = vec![0.0; width * width];
    let mut moment = vec![0.0; width];
    for (corner, dummies) in corners(sides) {
        add_corner(corner, dummies, columns, &mut gram, &mut moment);
    }
    let name = |j: usize| match columns.get(j) {
        Some(column) => algebra.name(*column).to_owned(),
        None => DUMMY_NAMES[j - k].to_owned(),
    };
    let singular = || CellStatus::SingularDesign {
        rcond: 0.0,
        columns: dependent_columns(&gram, width, DEPENDENT).into_iter().map(name).collect(),
        among: RegressionUnits::All,
    };
    let factor = Spd::regular(&gram, width).ok_or_else(singular)?;
    let inverse = factor.inverse();
    if reciprocal_condition(&gram, &inverse, width) < SINGULAR {
        return Err(singular());
    }
    let beta = factor.solve(&moment);
    let last: Vec<f64> = (0..width).map(|j| f64::from(u8::from(j == width - 1))).collect();
    let row = factor.solve(&last);
    let coefficients = |dummies: [f64; DUMMIES]| {
        let within = |v: &[f64]| {
            let mut z = algebra.zeros();
            columns.iter().zip(v).for_each(|(j, v)| z[*j] = *v);
            z[0] += dot(&v[k..], &dummies);
            z
        };
        Coefficients { beta: Some(within(&beta)), b: Some(within(&row)), ..Coefficients::default() }
    };
    let mut terms = Vec::new();
    for (t, side) in cell.sides.iter().enumerate() {
        for (arm, treated) in [(&side.treated, true), (&side.control, false)] {
            let of_arm = coefficients(dummies(treated, t == 1));
            let term = |rows| InfluenceTerm::new(rows, side.outcome, treated, None, &of_arm);
            terms.extend(arm.iter().map(term));
        }
    }
    Ok(CellEstimate { att: beta[width - 1], terms, ..CellEstimate::default() })
}

/// The design's columns with the constant, which the regression always has, less what depends on it and the ones before.
fn with_constant(algebra: &Algebra<'_>, sides: [&SideMoments; 2]) -> Vec<usize> {
    let design = algebra.columns();
    if design.first() == Some(&0) {
        return design.to_vec();
    }
    let columns: Vec<usize> = std::iter::once(0).chain(design.iter().copied()).collect();
    let mut gram = vec![0.0; columns.len() * columns.len()];
    for (m, _) in corners(sides) {
        let all = m.zd.len();
        let block = columns.iter().flat_map(|a| columns.iter().map(move |b| m.zz[a * all + b]));
        gram.iter_mut().zip(block).for_each(|(sum, z)| *sum += z);
    }
    let dependent = dependent_columns(&gram, columns.len(), COLLINEAR);
    let is_free = |at: &usize| !dependent.contains(at);
    (0..columns.len()).filter(is_free).map(|at| columns[at]).collect()
}

/// `D`, `post`, `D·post`.
fn dummies(treated: bool, post: bool) -> [f64; DUMMIES] {
    [treated, post, treated && post].map(|d| f64::from(u8::from(d)))
}

fn corners(sides: [&SideMoments; 2]) -> impl Iterator<Item = (&Moments, [f64; DUMMIES])> {
    sides.into_iter().enumerate().flat_map(|(t, side)| {
        [(&side.treated, dummies(true, t == 1)), (&side.control, dummies(false, t == 1))]
    })
}

/// Adds the cross-products of rows with these dummies.
fn add_corner(
    m: &Moments,
    dummies: [f64; DUMMIES],
    columns: &[usize],
    gram: &mut [f64],
    moment: &mut [f64],
) {
    let (all, k) = (m.zd.len(), columns.len());
    let width = k + DUMMIES;
    for (i, a) in columns.iter().enumerate() {
        moment[i] += m.zd[*a];
        for (j, b) in columns.iter().enumerate() {
            gram[i * width + j] += m.zz[a * all + b];
        }
        for (j, d) in dummies.iter().enumerate() {
            gram[i * width + k + j] += d * m.zz[*a];
            gram[(k + j) * width + i] += d * m.zz[*a];
        }
    }
    for (i, d) in dummies.iter().enumerate() {
        moment[k + i] += d * m.d();
        for (j, e) in dummies.iter().enumerate() {
            gram[(k + i) * width + k + j] += d * e * m.total();
        }
    }
}
