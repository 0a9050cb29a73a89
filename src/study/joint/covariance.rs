//! The covariance of all effects of all estimators.

use crate::base::error::Result;
use crate::base::{memory, parallel};

/// Clusters whose products are summed before they are added to the rest: sums do not depend on threads.
const TILE: usize = 1 << 14;

/// `Σ_c ψ_c ψ_c'`, `[m, m]`, of columns of influence values by cluster; 0 where a column is empty.
///
/// # Errors
/// [`crate::DidError::Memory`].
pub(super) fn covariance(columns: &[&[f64]]) -> Result<Vec<f64>> {
    let m = columns.len();
    memory::check(
        "the covariance of all effects",
        8 * (m as u128).pow(2),
        "ask for fewer estimators or event times",
    )?;
    let product = |a: &[f64], b: &[f64]| {
        let tiles = a.chunks(TILE).zip(b.chunks(TILE));
        tiles.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>()).sum::<f64>()
    };
    let lower: Vec<Vec<f64>> = parallel::map(m, |i| {
        (0..=i)
            .map(|j| match columns[i].len() == columns[j].len() {
                true => product(columns[i], columns[j]),
                // One of them has no influence values.
                false => 0.0,
            })
            .collect()
    });
    Ok((0..m * m).map(|e| lower[(e / m).max(e % m)][(e / m).min(e % m)]).collect())
}
