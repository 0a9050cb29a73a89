//! Whether the columns' values are within the range of double-precision arithmetic.

use crate::base::error::{DidError, Result};
use crate::base::parallel;

/// Values are between this and its inverse: products of six of them, which a covariance is a sum of, neither overflow nor
/// underflow.
const RANGE: f64 = 1e-40;

/// An error for values that are so large or small that their products are no numbers.
pub(in crate::estimator) fn check_range(name: &str, values: &[f64]) -> Result<()> {
    const PART: usize = 1 << 16;
    let largest = parallel::map(values.len().div_ceil(PART), |part| {
        let part = parallel::part(part, PART, values.len());
        values[part].iter().fold(0.0, |largest: f64, value| largest.max(value.abs()))
    });
    let largest = largest.into_iter().fold(0.0, f64::max);
    if largest == 0.0 || (RANGE..=1.0 / RANGE).contains(&largest) {
        return Ok(());
    }
    Err(DidError::CovariateRange { column: name.to_owned(), largest })
}
