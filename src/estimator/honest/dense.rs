//! Small dense matrices, row-major.

use crate::base::solve::{multiply, sandwich};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_matrices() {
        let a = DenseMatrix::of(&[vec![1.0, 2.0], vec![0.0, -1.0], vec![1.0, 0.0]], 2);
        let b = DenseMatrix::of(&[vec![2.0, 1.0], vec![1.0, 3.0]], 2);
        assert_eq!(a.times(&[1.0, 1.0]), [3.0, -1.0, 1.0]);
        let s = a.sandwich(&b);
        assert_eq!((s.at(0, 0), s.at(0, 1), s.at(1, 0), s.at(2, 2)), (18.0, -7.0, -7.0, 2.0));
    }
}
