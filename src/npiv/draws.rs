//! Draws of the Gaussian multiplier bootstrap.
//!
//! Given the data, the sums `M Σ b u η` with standard normal `η` are normal, with the covariance of the coefficients: they are drawn
//! from that, exactly, so that the number of draws costs nothing in the number of observations.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

use super::level::Levels;
use crate::parallel;
use crate::random::standard_normals;
use crate::solve::semidefinite_factor;

/// Draws of the coefficients of several levels, `[R][m]`, and of a shift that is independent of them, `[R]`.
pub(crate) struct Draws {
    pub count: usize,
    coefficients: Vec<Vec<f64>>,
    /// Standard normal numbers.
    pub shift: Vec<f64>,
}

impl Draws {
    /// So many draws of the coefficients.
    pub fn new(levels: &Levels, count: usize, seed: u64) -> Self {
        let m = levels.len();
        let scale: Vec<f64> = (0..m)
            .map(|j| levels.covariance[j * m + j].sqrt())
            .map(|sd| if sd > 0.0 && sd.is_finite() { sd } else { 0.0 })
            .collect();
        let inverse = |j: usize| if scale[j] > 0.0 { scale[j].recip() } else { 0.0 };
        let correlation: Vec<f64> =
            (0..m * m).map(|e| levels.covariance[e] * inverse(e / m) * inverse(e % m)).collect();
        let (factor, rank) = semidefinite_factor(&correlation, m);
        let mut normals = vec![0.0; count * rank];
        for (stream, column) in (1u32..).zip(normals.chunks_exact_mut(count)) {
            standard_normals(seed, stream, column);
        }
        let normals = MatRef::from_column_major_slice(&normals, count, rank);
        let loadings = Mat::from_fn(rank, m, |c, j| scale[j] * factor[j * rank + c]);
        let mut drawn = Mat::<f64>::zeros(count, m);
        matmul(drawn.as_mut(), Accum::Replace, normals, loadings.as_ref(), 1.0, Par::Seq);
        let coefficients = (0..count).map(|r| (0..m).map(|j| drawn[(r, j)]).collect()).collect();
        let mut shift = vec![0.0; count];
        standard_normals(seed, 0, &mut shift);
        Self { count, coefficients, shift }
    }

    /// The curve of a level, at rows of its sieve, in every draw.
    pub fn curves(
        &self,
        levels: &Levels,
        level: usize,
        rows: &[Vec<(usize, f64)>],
    ) -> Vec<Vec<f64>> {
        let first = levels.first[level];
        parallel::map(self.count, |r| {
            let draw = &self.coefficients[r];
            let value =
                |row: &Vec<(usize, f64)>| row.iter().map(|(j, v)| v * draw[first + j]).sum();
            rows.iter().map(value).collect()
        })
    }
}

/// A standard error by which something is divided.
pub(crate) fn guarded(error: f64) -> f64 {
    error.max(f64::EPSILON)
}

/// Quantile of values that need no order, interpolated between the midpoints of the steps of their distribution (R's type 5).
pub(crate) fn quantile(values: &mut [f64], p: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let position = values.len() as f64 * p + 0.5;
    let last = values.len() as f64;
    let below = position.floor().clamp(1.0, last);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a position")]
    let (low, high) = (below as usize - 1, (below + 1.0).min(last) as usize - 1);
    values[low] + (position - below).clamp(0.0, 1.0) * (values[high] - values[low])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_type_5() {
        // R: quantile(c(4, 1, 3, 2), c(.1, .5, .6, .95), type = 5).
        for (p, expected) in [(0.1, 1.0), (0.5, 2.5), (0.6, 2.9), (0.95, 4.0)] {
            let found = quantile(&mut [4.0, 1.0, 3.0, 2.0], p);
            assert!((found - expected).abs() < 1e-12, "{p}: {found}");
        }
        assert_eq!(quantile(&mut [7.0], 0.9), 7.0);
    }
}
