//! The normal equations of the other factors, factorised: for networks in which conjugate gradients are slow.
//!
//! These are slow where the levels hang together by few others, and then a sparse Cholesky factor is short. What is factorised is
//! `S + ε diag(S)`, as `S` is singular, and it only preconditions: what `ε` and rounding change, conjugate gradients set right.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, Mat, Par, Side};

use super::conjugate::Normal;
use super::schur::{Entries, WrittenSchur};
use super::sweep::WeightedDesign;

/// Part of the diagonal that is added to it.
const SHIFT: f64 = 1e-11;

/// Entries of the factor, for each of `S`, up to which a step with it is worth its while.
const FILL: usize = 12;

/// Operations that factorising may take, for each cell.
const EFFORT: usize = 1_000;

/// A Cholesky factor.
#[derive(Debug)]
pub(super) struct Cholesky {
    symbolic: SymbolicCholesky<usize>,
    values: Vec<f64>,
}

impl Cholesky {
    /// `None` if the factor would be long.
    pub fn new(design: &WeightedDesign<'_>, entries: &Entries) -> Option<Self> {
        let width = design.cells.width();
        let columns: Vec<usize> = entries.columns.iter().map(|c| *c as usize).collect();
        let mut values = entries.values.clone();
        for level in 0..width {
            let row = entries.starts[level]..entries.starts[level + 1];
            let diagonal = row.start + columns[row].partition_point(|c| *c < level);
            let partial = design.weights.partial[level];
            values[diagonal] += if partial > 0.0 { SHIFT * partial } else { 1.0 };
        }
        // `S` is symmetric: its rows are its columns.
        let pattern =
            SymbolicSparseColMatRef::new_checked(width, width, &entries.starts, None, &columns);
        let params = CholeskySymbolicParams::default();
        let symbolic =
            factorize_symbolic_cholesky(pattern, Side::Lower, SymmetricOrdering::Amd, params)
                .ok()?;
        let length = symbolic.len_val();
        if length > FILL * columns.len() || length / width * length > EFFORT * design.cells.cells()
        {
            return None;
        }
        let mut factor = vec![0.0; length];
        let scratch = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let done = symbolic.factorize_numeric_llt(
            &mut factor,
            SparseColMatRef::new(pattern, &values),
            Side::Lower,
            Default::default(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            Default::default(),
        );
        done.ok()?;
        Some(Self { symbolic, values: factor })
    }
}

/// `S` by its entries, with a factor.
pub(super) struct Factorised<'d, 'w> {
    pub written: WrittenSchur<'d, 'w>,
    pub factor: &'d Cholesky,
}

impl<const K: usize> Normal<K> for Factorised<'_, '_> {
    const DIAGONAL: bool = false;

    fn prepare(&self, p: &[[f64; K]]) {
        self.written.prepare(p);
    }

    fn image(&self, p: &[[f64; K]], stripe: usize, out: &mut [[f64; K]]) {
        self.written.image(p, stripe, out);
    }

    fn inverse(&self, level: usize) -> f64 {
        Normal::<K>::inverse(&self.written, level)
    }

    fn weight(&self, level: usize) -> f64 {
        Normal::<K>::weight(&self.written, level)
    }

    fn invert(&self, sums: &mut [[f64; K]]) {
        let mut x = Mat::from_fn(sums.len(), K, |i, k| sums[i][k]);
        let scratch = self.factor.symbolic.solve_in_place_scratch::<f64>(K, Par::Seq);
        LltRef::new(&self.factor.symbolic, &self.factor.values).solve_in_place_with_conj(
            Conj::No,
            x.as_mut(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
        );
        for (i, sum) in sums.iter_mut().enumerate() {
            *sum = std::array::from_fn(|k| x[(i, k)]);
        }
    }
}
