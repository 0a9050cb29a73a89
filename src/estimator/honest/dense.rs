//! Small dense matrices, row-major.

use crate::base::solve::{dot, multiply, sandwich};

/// A matrix of `rows × columns` numbers, row after row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DenseMatrix {
    pub columns: usize,
    values: Vec<f64>,
}

impl DenseMatrix {
    /// The matrix of these rows, which have `columns` numbers each.
    pub fn of(rows: &[Vec<f64>], columns: usize) -> Self {
        Self { columns, values: rows.concat() }
    }

    /// `rows × columns` entries by position.
    pub fn from_fn(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let values = (0..rows * columns).map(|e| entry(e / columns, e % columns)).collect();
        Self { columns, values }
    }

    /// Number of rows; 0 for a matrix without columns.
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.columns).unwrap_or(0)
    }

    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..][..self.columns]
    }

    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.columns.max(1))
    }

    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.columns + column]
    }

    /// `A x`.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        multiply(&self.values, x)
    }

    /// `A B A'` for a symmetric `B`.
    pub fn sandwich(&self, b: &Self) -> Self {
        Self { columns: self.len(), values: sandwich(&self.values, &b.values, self.columns) }
    }
}

/// The solution of `A x = b` by elimination with partial pivoting, which keeps more digits of nearly singular blocks of the lasso than
/// a Cholesky factor does; `None` if `A` is singular to working precision.
pub(crate) fn solve(a: &DenseMatrix, b: &[f64]) -> Option<Vec<f64>> {
    let k = b.len();
    let mut rows: Vec<Vec<f64>> =
        a.rows().zip(b).map(|(row, b)| [row, std::slice::from_ref(b)].concat()).collect();
    let largest = a.values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for p in 0..k {
        let best = (p..k).max_by(|i, j| rows[*i][p].abs().total_cmp(&rows[*j][p].abs()))?;
        rows.swap(p, best);
        let pivot = rows[p][p];
        if pivot.is_nan() || pivot.abs() <= 1e-13 * largest {
            return None;
        }
        let (above, below) = rows.split_at_mut(p + 1);
        for row in below {
            let factor = row[p] / pivot;
            row.iter_mut().zip(&above[p]).skip(p).for_each(|(r, u)| *r -= factor * u);
        }
    }
    let mut x = vec![0.0; k];
    for p in (0..k).rev() {
        x[p] = (rows[p][k] - dot(&rows[p][p + 1..k], &x[p + 1..])) / rows[p][p];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elimination_solves_and_refuses_singular_systems() {
        let a = DenseMatrix::of(&[vec![0.0, 2.0], vec![3.0, 1.0]], 2);
        assert_eq!(solve(&a, &[4.0, 5.0]), Some(vec![1.0, 2.0]));
        let singular = DenseMatrix::of(&[vec![1.0, 2.0], vec![2.0, 4.0]], 2);
        assert_eq!(solve(&singular, &[1.0, 2.0]), None);
    }

    #[test]
    fn products_are_those_of_matrices() {
        let a = DenseMatrix::of(&[vec![1.0, 2.0], vec![0.0, -1.0], vec![1.0, 0.0]], 2);
        let b = DenseMatrix::of(&[vec![2.0, 1.0], vec![1.0, 3.0]], 2);
        assert_eq!(a.times(&[1.0, 1.0]), [3.0, -1.0, 1.0]);
        let s = a.sandwich(&b);
        assert_eq!((s.at(0, 0), s.at(0, 1), s.at(1, 0), s.at(2, 2)), (18.0, -7.0, -7.0, 2.0));
    }
}
