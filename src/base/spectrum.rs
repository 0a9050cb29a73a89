//! Eigenvalues of symmetric matrices, and the generalised inverses that are sums over them.

use faer::{MatRef, Side};
use serde::{Deserialize, Serialize};

/// An eigenvalue of at most this part of the largest is zero, as a singular value is in R `MASS::ginv`: the root of the rounding unit.
pub(crate) const GINV: f64 = 1.490_116_119_384_765_6e-8;

/// `Σ λ u u'`, the decomposition of a symmetric matrix.
pub(crate) struct Spectrum {
    k: usize,
    pub values: Vec<f64>,
    /// The eigenvectors, `[k, k]` row-major: one a column.
    pub vectors: Vec<f64>,
}

impl Spectrum {
    /// Of a matrix `[k, k]`; `None` if the iteration does not arrive.
    pub fn new(a: &[f64], k: usize) -> Option<Self> {
        let matrix = MatRef::from_row_major_slice(a, k, k);
        let decomposition = matrix.self_adjoint_eigen(Side::Lower).ok()?;
        let values = (0..k).map(|i| decomposition.S()[i]).collect();
        Some(Self { k, values, vectors: row_major(decomposition.U()) })
    }

    /// Positions of the eigenvalues larger than this part of the largest; where users follow different references, the part is theirs.
    pub fn beyond(&self, part: f64) -> Vec<usize> {
        let largest = self.values.iter().copied().fold(0.0, f64::max);
        (0..self.k).filter(|i| self.values[*i] > largest * part).collect()
    }

    /// Entry `(row, column)` of `Σ f(λ) u u'` over the eigenvalues at these positions; `term` is given an entry of `u u'` and `λ`.
    pub fn entry(
        &self,
        kept: &[usize],
        (row, column): (usize, usize),
        term: impl Fn(f64, f64) -> f64,
    ) -> f64 {
        let [row, column] = [row, column].map(|i| &self.vectors[i * self.k..][..self.k]);
        kept.iter().map(|i| term(row[*i] * column[*i], self.values[*i])).sum()
    }

    /// `Σ u u' / λ`, `[k, k]`, over the eigenvalues at these positions: the Moore-Penrose inverse, if the others are zero.
    pub fn inverse(&self, kept: &[usize]) -> Vec<f64> {
        let k = self.k;
        (0..k * k).map(|e| self.entry(kept, (e / k, e % k), |uu, value| uu / value)).collect()
    }
}

/// Directions of coefficients in which a matrix of sums says nothing: along them coefficients fit the data alike.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Undetermined(Vec<Vec<f64>>);

/// What a linear map has along an undetermined direction, as a share of its length, that counts as rounding: an average of outcomes of
/// size 1e6 moves by one. Eigenvectors are exact to `ε` over [`GINV`], which is less.
const ALONG: f64 = 1e-6;

impl Undetermined {
    /// The directions of the eigenvalues that are at most [`GINV`] of the largest.
    pub fn of(spectrum: &Spectrum) -> Self {
        let k = spectrum.k;
        let kept = spectrum.beyond(GINV);
        let lost = (0..k).filter(|i| !kept.contains(i));
        let direction = |i: usize| (0..k).map(|row| spectrum.vectors[row * k + i]).collect();
        Self(lost.map(direction).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of directions.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether they are of so many coefficients, and numbers.
    pub fn is_of(&self, coefficients: usize) -> bool {
        self.0.iter().all(|d| d.len() == coefficients && d.iter().all(|v| v.is_finite()))
    }

    /// Whether a linear map of the coefficients, given by the entries that are not zero, is the same for all that fit alike.
    pub fn leaves(&self, map: impl Iterator<Item = (usize, f64)> + Clone) -> bool {
        if self.is_empty() {
            return true;
        }
        let length: f64 = map.clone().map(|(_, v)| v * v).sum();
        let along = |direction: &Vec<f64>| map.clone().map(|(j, v)| v * direction[j]).sum::<f64>();
        let lost: f64 = self.0.iter().map(along).map(|v| v * v).sum();
        lost <= ALONG * ALONG * length
    }
}

/// The entries of a matrix, row after row.
pub(crate) fn row_major(matrix: MatRef<'_, f64>) -> Vec<f64> {
    let columns = matrix.ncols();
    (0..matrix.nrows() * columns).map(|e| matrix[(e / columns, e % columns)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_leaves_out_what_is_cut() {
        // 2 of (1, 1) and nothing of (1, -1), each over its length.
        let a = [1.0, 1.0, 1.0, 1.0];
        let spectrum = Spectrum::new(&a, 2).unwrap();
        let kept = spectrum.beyond(GINV);
        assert_eq!(kept.len(), 1);
        assert!(spectrum.inverse(&kept).iter().all(|v| (v - 0.25).abs() < 1e-15));
        let regular = Spectrum::new(&[2.0, 0.0, 0.0, 1e-9], 2).unwrap();
        assert_eq!((regular.beyond(GINV).len(), regular.beyond(1e-12).len()), (1, 2));
        let whole = regular.entry(&[0, 1], (1, 1), |uu, value| uu * value);
        assert!((whole - 1e-9).abs() < 1e-14);
    }

    #[test]
    fn what_is_not_determined_is_known() {
        // The data tell the sum of two coefficients, and the third.
        let a = [1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 3.0];
        let undetermined = Undetermined::of(&Spectrum::new(&a, 3).unwrap());
        assert!(undetermined.len() == 1 && undetermined.is_of(3) && !undetermined.is_of(2));
        let leaves = |map: [f64; 3]| undetermined.leaves(map.into_iter().enumerate());
        assert!(leaves([2.0, 2.0, 0.0]) && leaves([0.5, 0.5, 7.0]) && leaves([0.0; 3]));
        assert!(!leaves([1.0, 0.0, 0.0]) && !leaves([1.0, 1.0 + 1e-4, 0.0]));
        let regular = Undetermined::of(&Spectrum::new(&[2.0, 0.0, 0.0, 1.0], 2).unwrap());
        assert!(regular.is_empty() && regular.leaves([(0, 1.0)].into_iter()));
    }

    #[test]
    fn rows_come_one_after_the_other() {
        let rows = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(row_major(MatRef::from_row_major_slice(&rows, 2, 3)), rows);
    }
}
