//! Sums of weights by cells and levels.

use std::borrow::Cow;

use super::cells::LevelCells;
use crate::base::parallel;

/// Weights of a design.
#[derive(Debug)]
pub(super) struct Weights<'a> {
    /// Of rows; `None` if all are 1.
    pub rows: Option<Cow<'a, [f64]>>,
    /// Of cells, where these are not rows.
    cells: Option<Vec<f64>>,
    /// By levels of the leading factor.
    pub lead: Vec<f64>,
    /// By levels of the other factors.
    pub rest: Vec<f64>,
    /// What is left of the other factors' weights once the leading factor is partialled out: for level `g`,
    /// `Σ_s W_sg (W_s - W_sg) / W_s` over segments `s`. It is 0 where the segments that have the level have no other of its
    /// factor, so that nothing tells its effect from theirs.
    pub partial: Vec<f64>,
}

impl<'a> Weights<'a> {
    pub fn new(cells: &LevelCells, rows: Option<Cow<'a, [f64]>>) -> Self {
        let by_cell = cells.bounds.as_ref().map(|bounds| {
            let mut sums = vec![0.0; bounds.len() - 1];
            parallel::chunks(&mut sums, 1 << 14, |part, sums| {
                for (sum, at) in sums.iter_mut().zip(bounds[part << 14..].windows(2)) {
                    let cell = at[0] as usize..at[1] as usize;
                    *sum = rows.as_ref().map_or(cell.len() as f64, |w| w[cell].iter().sum());
                }
            });
            sums
        });
        let mut weights =
            Self { rows, cells: by_cell, lead: Vec::new(), rest: Vec::new(), partial: Vec::new() };
        weights.lead = weights.by_segment(cells);
        let sums = weights.by_level(cells);
        (weights.rest, weights.partial) =
            sums.into_iter().map(|[all, partial]| (all, partial)).unzip();
        weights
    }

    /// Of cells; `None` if all are 1.
    pub fn cells(&self) -> Option<&[f64]> {
        self.cells.as_deref().or(self.rows.as_deref())
    }

    fn by_segment(&self, cells: &LevelCells) -> Vec<f64> {
        let mut sums = vec![0.0; cells.segments()];
        parallel::chunks(&mut sums, 1 << 12, |part, sums| {
            for (s, sum) in sums.iter_mut().enumerate() {
                let segment = cells.segment((part << 12) + s);
                *sum = self.cells().map_or(segment.len() as f64, |w| w[segment].iter().sum());
            }
        });
        sums
    }

    /// Weight and partial weight of the other factors' levels.
    fn by_level(&self, cells: &LevelCells) -> Vec<[f64; 2]> {
        let m = cells.others();
        let sums = super::stripes::BlockSums::new(cells);
        sums.fill(&cells.blocks, |_, block, acc| {
            // A level's weight in the segment at hand.
            let mut inside = vec![0.0; block.width];
            for s in block.segments.clone() {
                let segment = cells.segment(s);
                let codes = &cells.codes[segment.start * m..segment.end * m];
                let weight = |c: usize| self.cells().map_or(1.0, |w| w[segment.start + c]);
                let places = |f: usize| codes.iter().skip(f).step_by(m).enumerate();
                for (f, shift) in block.shifts.iter().enumerate() {
                    let alone = places(f).all(|(_, code)| *code == codes[f]);
                    for (c, code) in places(f) {
                        inside[code.wrapping_sub(*shift) as usize] += weight(c);
                    }
                    for (_, code) in places(f) {
                        let offset = code.wrapping_sub(*shift) as usize;
                        let w = std::mem::take(&mut inside[offset]);
                        if w > 0.0 {
                            acc[offset][0] += w;
                            let other_weight = (self.lead[s] - w).max(0.0);
                            acc[offset][1] +=
                                if alone { 0.0 } else { w * other_weight / self.lead[s] };
                        }
                    }
                }
            }
        });
        let mut out = vec![[0.0; 2]; cells.width()];
        sums.add_up(&cells.blocks, &mut out);
        out
    }
}
