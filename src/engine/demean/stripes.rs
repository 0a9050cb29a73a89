//! Sums by levels that several tasks contribute to, in an order that does not depend on which thread does what when.

use std::sync::{Mutex, PoisonError, RwLock};

use super::cells::{LevelCells, SegmentBlock};
use crate::base::parallel::{self, held};

/// Levels that one task adds up.
pub(super) const STRIPE: usize = 1 << 11;

/// Room for each block's sums by the levels that occur in it.
pub(super) struct BlockSums<const K: usize>(Vec<RwLock<Vec<[f64; K]>>>);

impl<const K: usize> BlockSums<K> {
    pub fn new(cells: &LevelCells) -> Self {
        Self(cells.blocks.iter().map(|b| RwLock::new(vec![[0.0; K]; b.width])).collect())
    }

    /// Sums of each block, from zero; what the blocks return, in order.
    pub fn fill<T: Send>(
        &self,
        blocks: &[SegmentBlock],
        sum: impl Fn(usize, &SegmentBlock, &mut [[f64; K]]) -> T + Sync,
    ) -> Vec<T> {
        parallel::map(blocks.len(), |b| {
            let mut acc = self.0[b].write().unwrap_or_else(PoisonError::into_inner);
            acc.fill([0.0; K]);
            sum(b, &blocks[b], &mut acc)
        })
    }

    /// Sums of all blocks by level.
    pub fn add_up(&self, blocks: &[SegmentBlock], out: &mut [[f64; K]]) {
        over(out, |stripe, out| self.stripe(blocks, stripe, out));
    }

    /// Sums of all blocks for a stripe of levels: blocks in order.
    pub fn stripe(&self, blocks: &[SegmentBlock], stripe: usize, out: &mut [[f64; K]]) {
        out.fill([0.0; K]);
        let first = stripe * STRIPE;
        let end = first + out.len();
        for (block, acc) in blocks.iter().zip(&self.0) {
            let acc = acc.read().unwrap_or_else(PoisonError::into_inner);
            for (range, shift) in block.ranges.iter().zip(&block.shifts) {
                let (from, to) = (range.start.max(first), range.end.min(end));
                if from < to {
                    let offset = (from as u32).wrapping_sub(*shift) as usize;
                    let part = &acc[offset..offset + to - from];
                    for (out, part) in out[from - first..].iter_mut().zip(part) {
                        for k in 0..K {
                            out[k] += part[k];
                        }
                    }
                }
            }
        }
    }
}

/// Calls `f` with the number of each stripe and its values; what it returns, in order.
pub(super) fn over<T: Send, R: Send>(
    values: &mut [T],
    f: impl Fn(usize, &mut [T]) -> R + Sync,
) -> Vec<R> {
    if values.len() <= STRIPE {
        return vec![f(0, values)];
    }
    let stripes: Vec<Mutex<&mut [T]>> = values.chunks_mut(STRIPE).map(Mutex::new).collect();
    parallel::map(stripes.len(), |s| f(s, &mut held(&stripes[s])))
}

/// Sums by column of what stripes or blocks return, in their order.
pub(super) fn total<const K: usize>(parts: impl IntoIterator<Item = [f64; K]>) -> [f64; K] {
    let mut sum = [0.0; K];
    for part in parts {
        for k in 0..K {
            sum[k] += part[k];
        }
    }
    sum
}

/// Consecutive pieces of these lengths.
pub(super) fn pieces<'a, T>(values: &'a mut [T], lengths: &[usize]) -> Vec<&'a mut [T]> {
    let mut remaining = values;
    let piece = |length: &usize| {
        let (piece, after) = std::mem::take(&mut remaining).split_at_mut(*length);
        remaining = after;
        piece
    };
    lengths.iter().map(piece).collect()
}
