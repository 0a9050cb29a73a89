//! Whether coefficients and their covariance are numbers that can be worked with.

use super::{DidError, Result};
use crate::report::number::counted;

/// Asymmetry, and negative eigenvalues, up to this part of the largest variance are rounding.
pub(crate) const ROUNDING: f64 = 1e-10;
/// Variances, and their products, stay within double precision between these.
pub(crate) const SMALLEST_VARIANCE: f64 = 1e-150;
pub(crate) const LARGEST_VARIANCE: f64 = 1e150;

pub(crate) fn wrong<T>(problem: impl Into<String>) -> Result<T> {
    Err(DidError::EventStudy { problem: problem.into() })
}

/// An error if coefficients of `pre` periods before the reference and of `post` after it, and their covariance, do not fit together
/// or are beyond double precision.
pub(crate) fn check_usable(
    coefficients: &[f64],
    covariance: &[Vec<f64>],
    pre: usize,
    post: usize,
) -> Result<()> {
    check_dimensions(coefficients.len(), covariance, pre, post)?;
    check_finite(coefficients, covariance)?;
    check_sizes(coefficients, covariance)?;
    if let Some((i, j)) = covarying_constant(covariance) {
        let (value, i, j) = (symmetric(covariance, i, j), i + 1, j + 1);
        return wrong(format!(
            "coefficient {i} has no variance, but a covariance of {value} with coefficient {j}; see where the covariance comes from"
        ));
    }
    Ok(())
}

fn check_dimensions(n: usize, covariance: &[Vec<f64>], pre: usize, post: usize) -> Result<()> {
    if pre == 0 || post == 0 {
        let [pre, post] = [pre, post].map(|count| match count {
            0 => "no period".to_owned(),
            _ => counted(count, "period", "periods"),
        });
        return wrong(format!(
            "it has {pre} before the reference period and {post} after it; at least one of each is needed, in the data and in the window"
        ));
    }
    if pre.checked_add(post) != Some(n) {
        return wrong(format!(
            "{} not {pre} before and {post} after the reference period",
            counted(n, "coefficient is", "coefficients are")
        ));
    }
    if covariance.len() != n || covariance.iter().any(|row| row.len() != n) {
        let columns = covariance.iter().map(Vec::len).find(|c| *c != n).unwrap_or(n);
        let rows = covariance.len();
        return wrong(format!(
            "the covariance of {n} coefficients is {rows} by {columns}, not {n} by {n}"
        ));
    }
    Ok(())
}

fn check_finite(coefficients: &[f64], covariance: &[Vec<f64>]) -> Result<()> {
    if let Some(j) = coefficients.iter().position(|b| !b.is_finite()) {
        return wrong(format!("coefficient {} is {}", j + 1, coefficients[j]));
    }
    for (i, row) in covariance.iter().enumerate() {
        if let Some(j) = row.iter().position(|v| !v.is_finite()) {
            return wrong(format!(
                "the covariance in row {}, column {} is {}",
                i + 1,
                j + 1,
                row[j]
            ));
        }
        if row[i] < 0.0 {
            return wrong(format!("the variance of coefficient {} is {}", i + 1, row[i]));
        }
    }
    Ok(())
}

fn check_sizes(coefficients: &[f64], covariance: &[Vec<f64>]) -> Result<()> {
    let largest = covariance.iter().flatten().fold(0.0_f64, |m, v| m.max(v.abs()));
    if largest > f64::MAX.sqrt() || coefficients.iter().any(|b| b.abs() > f64::MAX.sqrt()) {
        return wrong(
            "its numbers overflow when they are multiplied; divide the outcome by a larger unit",
        );
    }
    let variances = covariance.iter().enumerate().map(|(i, row)| row[i]);
    match variances.enumerate().find(|(_, v)| *v > 0.0 && *v < SMALLEST_VARIANCE) {
        None => Ok(()),
        Some((i, variance)) => wrong(format!(
            "the variance of coefficient {} is {variance:e}, too small for double precision; divide the outcome by a smaller unit",
            i + 1
        )),
    }
}

/// A coefficient without a variance, and one that it has a covariance with, by more than rounding.
fn covarying_constant(covariance: &[Vec<f64>]) -> Option<(usize, usize)> {
    let n = covariance.len();
    let rounding = ROUNDING * (0..n).map(|i| covariance[i][i]).fold(0.0, f64::max);
    let constant = (0..n).filter(|i| covariance[*i][*i] == 0.0);
    let mut pairs = constant.flat_map(|i| (0..n).map(move |j| (i, j)));
    pairs.find(|(i, j)| symmetric(covariance, *i, *j).abs() > rounding)
}

fn symmetric(covariance: &[Vec<f64>], i: usize, j: usize) -> f64 {
    0.5 * (covariance[i][j] + covariance[j][i])
}
