//! Least squares of columns without their fixed effects.

use super::collinear::Basis;
use super::sums;
use crate::base::error::{DidError, Result};
use crate::base::solve::{Spd, multiply};

/// A correction of the coefficients beyond this part of their standard errors is worth another look at the residuals.
const WORTHWHILE: f64 = 1e-9;

/// Coefficients and residuals.
pub(super) struct LeastSquares {
    /// Of the columns that the basis keeps, `[k]`.
    pub b: Vec<f64>,
    /// Inverse of the cross-products of the basis, `[k, k]`.
    pub bread: Vec<f64>,
    /// Residuals, weighted as the columns are.
    pub residuals: Vec<f64>,
    /// Their sum of squares.
    pub rss: f64,
}

/// Regresses `y` on the columns of a basis, all multiplied by the roots of the weights.
pub(super) fn least_squares(y: &[f64], basis: &Basis) -> Result<LeastSquares> {
    let columns: Vec<&[f64]> = basis.columns.iter().map(Vec::as_slice).collect();
    let k = columns.len();
    if k == 0 {
        let residuals = y.to_vec();
        let rss = sums::inner(&residuals, &residuals);
        return Ok(LeastSquares { b: Vec::new(), bread: Vec::new(), residuals, rss });
    }
    let spd = Spd::regular(&basis.gram, k).ok_or(DidError::Singular { what: "least squares" })?;
    let bread = spd.inverse();
    let mut b = spd.solve(&sums::cross(&columns, y));
    let mut residuals = sums::less_fitted(y, &columns, &b);
    let mut rss = sums::inner(&residuals, &residuals);
    // What rounding left of the normal equations.
    let correction = multiply(&bread, &sums::cross(&columns, &residuals));
    let variance = rss / y.len() as f64;
    let matters =
        |j: usize| correction[j].powi(2) > WORTHWHILE.powi(2) * variance * bread[j * k + j];
    if (0..k).any(matters) && correction.iter().all(|c| c.is_finite()) {
        b.iter_mut().zip(&correction).for_each(|(b, c)| *b += c);
        residuals = sums::less_fitted(y, &columns, &b);
        rss = sums::inner(&residuals, &residuals);
    }
    Ok(LeastSquares { b: basis.back(b), bread, residuals, rss })
}
