//! One pass over the cells, or the rows, of a design.

use std::ops::Range;
use std::sync::Mutex;

use super::cells::{LevelCells, SegmentBlock};
use super::stripes;
use super::weights::Weights;
use crate::base::parallel::{self, held};

/// A design with its weights.
#[derive(Debug)]
pub(super) struct WeightedDesign<'a> {
    pub cells: LevelCells,
    pub weights: Weights<'a>,
}

impl WeightedDesign<'_> {
    /// Roots of the cells' weights times the cells' weighted means of `x - z`, for LSMR.
    pub fn means<const K: usize>(
        &self,
        x: &[&[f64]; K],
        lead: &[[f64; K]],
        rest: &[[f64; K]],
    ) -> Vec<[f64; K]> {
        let cells = &self.cells;
        let m = cells.others();
        let mut out = vec![[0.0; K]; cells.cells()];
        let lengths: Vec<usize> = cells.blocks.iter().map(|b| self.cells_of(b).len()).collect();
        let slots: Vec<_> =
            stripes::pieces(&mut out, &lengths).into_iter().map(Mutex::new).collect();
        parallel::each(cells.blocks.len(), &|b| {
            let mut out = held(&slots[b]);
            let block = &cells.blocks[b];
            let first = self.cells_of(block).start;
            for s in block.segments.clone() {
                for cell in cells.segment(s) {
                    let mut fitted = lead[s];
                    for code in &cells.codes[cell * m..(cell + 1) * m] {
                        for k in 0..K {
                            fitted[k] += rest[*code as usize][k];
                        }
                    }
                    let mut sum = [0.0; K];
                    let mut weight = 0.0;
                    for row in cells.rows_of(cell..cell + 1) {
                        let w = self.weights.rows.as_ref().map_or(1.0, |w| w[row]);
                        weight += w;
                        for k in 0..K {
                            sum[k] += w * (x[k][row] - fitted[k]);
                        }
                    }
                    out[cell - first] = sum.map(|s| s / weight.sqrt());
                }
            }
        });
        drop(slots);
        out
    }

    /// Cells of a block.
    pub fn cells_of(&self, block: &SegmentBlock) -> Range<usize> {
        let (first, last) = (block.segments.start, block.segments.end - 1);
        self.cells.segment(first).start..self.cells.segment(last).end
    }

    /// Rows of a block.
    pub fn rows_of(&self, block: &SegmentBlock) -> Range<usize> {
        self.cells.rows_of(self.cells_of(block))
    }
}

/// Calls the named generic function for this number of other factors (0 stands for any) and these weights.
macro_rules! for_design {
    ($design:expr, $function:ident::<$k:ident>($($argument:expr),*)) => {
        match ($design.cells.others(), $design.weights.cells()) {
            (1, None) => $function::<$k, 1, false>($($argument),*),
            (1, Some(_)) => $function::<$k, 1, true>($($argument),*),
            (2, None) => $function::<$k, 2, false>($($argument),*),
            (2, Some(_)) => $function::<$k, 2, true>($($argument),*),
            (_, None) => $function::<$k, 0, false>($($argument),*),
            (_, Some(_)) => $function::<$k, 0, true>($($argument),*),
        }
    };
}

pub(super) use for_design;

/// A block's part of `S z`, with `S = D'W(I - P)D` over the other factors and `P` the projection on the leading one.
pub(super) fn product<const K: usize>(
    design: &WeightedDesign<'_>,
    block: &SegmentBlock,
    z: &[[f64; K]],
    acc: &mut [[f64; K]],
) {
    crate::base::simd::vectorized(
        #[inline(always)]
        || for_design!(design, product_of::<K>(design, block, z, acc)),
    );
}

#[inline(always)]
fn product_of<const K: usize, const M: usize, const W: bool>(
    design: &WeightedDesign<'_>,
    block: &SegmentBlock,
    z: &[[f64; K]],
    acc: &mut [[f64; K]],
) {
    let m = if M == 0 { design.cells.others() } else { M };
    let weights = design.weights.cells().unwrap_or_default();
    let mut fitted: Vec<[f64; K]> = Vec::new();
    for s in block.segments.clone() {
        let segment = design.cells.segment(s);
        if segment.len() == 1 {
            continue;
        }
        let codes = &design.cells.codes[segment.start * m..segment.end * m];
        let weights = if W { &weights[segment.clone()] } else { weights };
        let weight = |c: usize| if W { weights[c] } else { 1.0 };
        fitted.clear();
        let mut mean = [0.0; K];
        for (c, cell) in codes.chunks_exact(m).enumerate() {
            let mut sum = [0.0; K];
            for code in cell {
                let z = &z[*code as usize];
                for k in 0..K {
                    sum[k] += z[k];
                }
            }
            for k in 0..K {
                mean[k] += weight(c) * sum[k];
            }
            fitted.push(sum);
        }
        let weight_of_all = design.weights.lead[s];
        for mean in &mut mean {
            *mean /= weight_of_all;
        }
        for ((c, cell), sum) in codes.chunks_exact(m).enumerate().zip(&fitted) {
            let mut difference = [0.0; K];
            for k in 0..K {
                difference[k] = weight(c) * (sum[k] - mean[k]);
            }
            for (code, shift) in cell.iter().zip(&block.shifts) {
                let acc = &mut acc[code.wrapping_sub(*shift) as usize];
                for k in 0..K {
                    acc[k] += difference[k];
                }
            }
        }
    }
}

/// What a pass over the rows of a block finds, beside its sums by level.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowSums<const K: usize> {
    /// `Σ w r²`.
    pub squares: [f64; K],
    /// `Σ_s (Σ_{i in s} w r)² / W_s` over the segments.
    pub lead: [f64; K],
}

/// Residuals of a block's rows: `x - z`, less their means over the leading factor, which are its effects. `x` and `out` are
/// columns, of all rows and of the block's; sums of `w r` by level of the other factors are added to `acc`.
pub(super) fn residuals<const K: usize>(
    design: &WeightedDesign<'_>,
    block: &SegmentBlock,
    x: &[&[f64]; K],
    z: &[[f64; K]],
    out: &mut Residuals<'_, K>,
    acc: &mut [[f64; K]],
) -> RowSums<K> {
    crate::base::simd::vectorized(
        #[inline(always)]
        || for_design!(design, residuals_of::<K>(design, block, x, z, out, acc)),
    )
}

/// Where a block's residuals and effects of the leading factor go; columns that nobody asked for are empty.
pub(super) struct Residuals<'a, const K: usize> {
    pub rows: [&'a mut [f64]; K],
    pub effects: [&'a mut [f64]; K],
}

impl<const K: usize> Default for Residuals<'_, K> {
    fn default() -> Self {
        Self {
            rows: std::array::from_fn(|_| Default::default()),
            effects: std::array::from_fn(|_| Default::default()),
        }
    }
}

#[inline(always)]
fn residuals_of<const K: usize, const M: usize, const W: bool>(
    design: &WeightedDesign<'_>,
    block: &SegmentBlock,
    x: &[&[f64]; K],
    z: &[[f64; K]],
    out: &mut Residuals<'_, K>,
    acc: &mut [[f64; K]],
) -> RowSums<K> {
    let cells = &design.cells;
    let m = if M == 0 { cells.others() } else { M };
    let by_row = design.weights.rows.as_deref();
    let first_row = cells.rows_of(cells.segment(block.segments.start)).start;
    let mut sums = RowSums { squares: [0.0; K], lead: [0.0; K] };
    let mut residuals: Vec<[f64; K]> = Vec::new();
    for s in block.segments.clone() {
        let segment = cells.segment(s);
        let rows = cells.rows_of(segment.clone());
        let weight = |row: usize| if W { by_row.map_or(1.0, |w| w[row]) } else { 1.0 };
        residuals.clear();
        let mut mean = [0.0; K];
        let mut weight_of_all = 0.0;
        for cell in segment.clone() {
            let mut sum = [0.0; K];
            for code in &cells.codes[cell * m..(cell + 1) * m] {
                let z = &z[*code as usize];
                for k in 0..K {
                    sum[k] += z[k];
                }
            }
            for row in cells.rows_of(cell..cell + 1) {
                let mut difference = [0.0; K];
                for k in 0..K {
                    difference[k] = x[k][row] - sum[k];
                    mean[k] += weight(row) * difference[k];
                }
                weight_of_all += weight(row);
                residuals.push(difference);
            }
        }
        for mean in &mut mean {
            *mean /= weight_of_all;
        }
        let mut left = [0.0; K];
        let mut at = rows.start;
        for cell in segment {
            let mut sum = [0.0; K];
            let of_cell = cells.rows_of(cell..cell + 1).len();
            for r in &mut residuals[at - rows.start..][..of_cell] {
                for k in 0..K {
                    r[k] -= mean[k];
                    let weighted = weight(at) * r[k];
                    sum[k] += weighted;
                    sums.squares[k] += weighted * r[k];
                }
                at += 1;
            }
            for (code, shift) in cells.codes[cell * m..(cell + 1) * m].iter().zip(&block.shifts) {
                let acc = &mut acc[code.wrapping_sub(*shift) as usize];
                for k in 0..K {
                    acc[k] += sum[k];
                }
            }
            for k in 0..K {
                left[k] += sum[k];
            }
        }
        for k in 0..K {
            sums.lead[k] += left[k] * left[k] / weight_of_all;
            if let Some(effect) = out.effects[k].get_mut(s - block.segments.start) {
                *effect = mean[k];
            }
            if !out.rows[k].is_empty() {
                let out = &mut out.rows[k][rows.start - first_row..rows.end - first_row];
                for (out, r) in out.iter_mut().zip(&residuals) {
                    *out = r[k];
                }
            }
        }
    }
    sums
}
