//! Draws of the Gaussian multiplier bootstrap.
//!
//! Given the data, the sums `M Σ b u η` with standard normal `η` are normal, with the covariance of the coefficients: they are drawn
//! from that, exactly, so that the number of draws costs nothing in the number of observations.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

use super::levels::SieveLevels;
use crate::base::error::Result;
use crate::base::quantile;
use crate::base::random::standard_normals;
use crate::base::solve::semidefinite_factor;
use crate::{base::memory, base::parallel};

/// Draws of the coefficients of several levels, `[R][m]`, and of a shift that is independent of them, `[R]`.
pub(crate) struct CurveDraws {
    pub count: usize,
    coefficients: Vec<Vec<f64>>,
    shift: Vec<f64>,
}

/// One of them.
#[derive(Clone, Copy)]
pub(crate) struct Draw<'a> {
    /// `[m]`.
    coefficients: &'a [f64],
    /// A standard normal number.
    pub shift: f64,
}

impl Draw<'_> {
    /// The curve at a row of the sieve of a level whose coefficients start at `first`.
    pub fn curve(&self, first: usize, row: &[(usize, f64)]) -> f64 {
        row.iter().map(|(j, v)| v * self.coefficients[first + j]).sum()
    }
}

/// Draws that one task looks at.
const AT_ONCE: usize = 64;

impl CurveDraws {
    /// So many draws of the coefficients.
    ///
    /// # Errors
    /// [`DidError::Memory`](crate::DidError::Memory) for draws that have no room.
    pub fn new(levels: &SieveLevels, count: usize, seed: u64) -> Result<Self> {
        let m = levels.len();
        // Normal numbers, what becomes of them, and that draw by draw.
        let each = 3 * m as u128 + 6;
        memory::check(
            "the draws of the coefficients (`draws`, `--biters`)",
            8 * count as u128 * each,
            "ask for fewer draws",
        )?;
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
        Ok(Self { count, coefficients, shift })
    }

    /// Raises the largest statistic of each draw, `[R]`, to what `statistic` makes of the draw: no curve outlives its draw.
    pub fn raise(&self, largest: &mut [f64], statistic: impl Fn(Draw<'_>) -> f64 + Sync) {
        parallel::chunks(largest, AT_ONCE, |chunk, largest| {
            for (r, largest) in (chunk * AT_ONCE..).zip(largest) {
                let draw = Draw { coefficients: &self.coefficients[r], shift: self.shift[r] };
                *largest = largest.max(statistic(draw));
            }
        });
    }
}

/// The size of a deviation in standard errors; none is 0 whatever its error.
pub(crate) fn in_errors(deviation: f64, error: f64) -> f64 {
    if deviation == 0.0 { 0.0 } else { deviation.abs() / error }
}

/// Quantile of values in any order (R's type 5).
pub(crate) fn quantile(values: &mut [f64], p: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    quantile::between_midpoints(values, p)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_without_room_are_refused() {
        let levels =
            SieveLevels { levels: Vec::new(), first: vec![100_000], covariance: Vec::new() };
        let refused = CurveDraws::new(&levels, 100_000_000, 0).err().unwrap().to_string();
        assert!(refused.contains("--biters") && refused.ends_with("fewer draws"), "{refused}");
    }

    #[test]
    fn the_largest_statistic_of_each_draw_is_kept() {
        let covariance = vec![1.0, 0.5, 0.5, 2.0];
        let levels = SieveLevels { levels: Vec::new(), first: vec![2], covariance };
        let draws = CurveDraws::new(&levels, 200, 3).unwrap();
        let mut largest = vec![0.25; draws.count];
        draws.raise(&mut largest, |draw| draw.curve(0, &[(0, 1.0), (1, 2.0)]));
        draws.raise(&mut largest, |draw| draw.curve(1, &[(0, 1.0)]) + draw.shift);
        for (r, largest) in largest.iter().enumerate() {
            let of = &draws.coefficients[r];
            let expected = 0.25f64.max(of[0] + 2.0 * of[1]).max(of[1] + draws.shift[r]);
            assert_eq!(*largest, expected);
        }
    }
}
