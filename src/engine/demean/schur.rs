//! The normal equations of the other factors, by cells or written out.

use super::conjugate::Normal;
use super::stripes::{BlockSums, STRIPE};
use super::sweep::{WeightedDesign, product};
use crate::base::buckets::Buckets;
use crate::base::parallel;

/// `S` by a pass over the cells.
pub(super) struct ByCells<'d, 'w, const K: usize> {
    pub design: &'d WeightedDesign<'w>,
    pub sums: &'d BlockSums<K>,
}

impl<const K: usize> Normal<K> for ByCells<'_, '_, K> {
    fn prepare(&self, p: &[[f64; K]]) {
        self.sums
            .fill(&self.design.cells.blocks, |_, block, acc| product(self.design, block, p, acc));
    }

    fn image(&self, _: &[[f64; K]], stripe: usize, out: &mut [[f64; K]]) {
        self.sums.stripe(&self.design.cells.blocks, stripe, out);
    }

    fn inverse(&self, level: usize) -> f64 {
        inverse(self.design, level)
    }

    fn weight(&self, level: usize) -> f64 {
        self.design.weights.rest[level]
    }
}

/// The entries of `S` by row. Where firms share few workers, say, these are far fewer than cells.
#[derive(Debug)]
pub(super) struct Entries {
    /// First entry of each row, and the number of entries.
    pub starts: Vec<usize>,
    pub columns: Vec<u32>,
    pub values: Vec<f64>,
}

/// `S` by its entries.
pub(super) struct WrittenSchur<'d, 'w> {
    pub design: &'d WeightedDesign<'w>,
    pub entries: &'d Entries,
}

/// Products of cells, for each of them, that writing `S` out may take.
const EFFORT: usize = 64;

/// Rows of `S` that are looked at to find how many entries it has.
const SAMPLE: usize = 256;

/// Rows of `S` that one task writes.
const PART: usize = 512;

impl Entries {
    /// `None` if `S` has more entries than cells have levels, or would take long to write.
    pub fn new(design: &WeightedDesign<'_>) -> Option<Self> {
        let cells = &design.cells;
        let (m, width) = (cells.others(), cells.width());
        let effort = parallel::map(cells.blocks.len(), |b| {
            let lengths = cells.blocks[b].segments.clone().map(|s| cells.segment(s).len() * m);
            lengths.map(|l| l * l).sum::<usize>()
        });
        if effort.iter().sum::<usize>() > EFFORT * cells.cells() * m {
            return None;
        }
        let rows = CellsByLevel::new(design);
        let most = cells.cells() * m;
        let stride = width.div_ceil(SAMPLE);
        let sample: Vec<usize> = (0..width).step_by(stride).collect();
        let lengths = parallel::map(sample.len().div_ceil(16), |p| {
            let mut room = RowRoom::new(width);
            let of = parallel::part(p, 16, sample.len());
            of.map(|i| rows.write(sample[i], &mut room).len()).sum::<usize>()
        });
        if lengths.iter().sum::<usize>() * stride > most {
            return None;
        }
        let parts = parallel::map(width.div_ceil(PART), |p| {
            let mut room = RowRoom::new(width);
            let (mut lengths, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
            for level in parallel::part(p, PART, width) {
                let row = rows.write(level, &mut room);
                lengths.push(row.len());
                columns.extend(row.iter().map(|e| e.0));
                values.extend(row.iter().map(|e| e.1));
            }
            (lengths, columns, values)
        });
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for (lengths, c, v) in parts {
            for length in lengths {
                starts.push(starts[starts.len() - 1] + length);
            }
            columns.extend(c);
            values.extend(v);
        }
        Some(Self { starts, columns, values })
    }
}

/// Cells by the levels of the other factors.
struct CellsByLevel<'d, 'w> {
    design: &'d WeightedDesign<'w>,
    cells: Buckets,
    /// Level of the leading factor of each cell.
    segments: Vec<u32>,
}

/// A row of `S` while it is written: values by column, and which columns it has.
struct RowRoom {
    values: Vec<f64>,
    seen: Vec<bool>,
    row: Vec<(u32, f64)>,
}

impl RowRoom {
    fn new(width: usize) -> Self {
        Self { values: vec![0.0; width], seen: vec![false; width], row: Vec::new() }
    }

    fn add(&mut self, column: u32, value: f64) {
        let at = column as usize;
        if !self.seen[at] {
            self.seen[at] = true;
            self.row.push((column, 0.0));
        }
        self.values[at] += value;
    }
}

impl<'d, 'w> CellsByLevel<'d, 'w> {
    fn new(design: &'d WeightedDesign<'w>) -> Self {
        let cells = &design.cells;
        let (m, width) = (cells.others(), cells.width());
        let by_level = Buckets::new(width, || {
            let of_cells = cells.codes.chunks_exact(m).zip(0..);
            of_cells.flat_map(|(codes, cell)| codes.iter().map(move |code| (*code, cell)))
        });
        let mut segments = vec![0; cells.cells()];
        for s in 0..cells.segments() {
            segments[cells.segment(s)].fill(s as u32);
        }
        Self { design, cells: by_level, segments }
    }

    /// The entries of a row, by column.
    fn write<'r>(&self, level: usize, room: &'r mut RowRoom) -> &'r [(u32, f64)] {
        let (cells, weights) = (&self.design.cells, self.design.weights.cells());
        let m = cells.others();
        let weight = |cell: usize| weights.map_or(1.0, |w| w[cell]);
        room.row.clear();
        room.add(level as u32, 0.0);
        for cell in self.cells.of(level) {
            let cell = *cell as usize;
            let s = self.segments[cell] as usize;
            let segment = cells.segment(s);
            if segment.len() == 1 {
                continue;
            }
            let cell_weight = weight(cell);
            for code in &cells.codes[cell * m..(cell + 1) * m] {
                room.add(*code, cell_weight);
            }
            let share = cell_weight / self.design.weights.lead[s];
            for other in segment {
                let product = share * weight(other);
                for code in &cells.codes[other * m..(other + 1) * m] {
                    room.add(*code, -product);
                }
            }
        }
        room.row.sort_unstable_by_key(|e| e.0);
        for (column, value) in &mut room.row {
            *value = std::mem::take(&mut room.values[*column as usize]);
            room.seen[*column as usize] = false;
        }
        &room.row
    }
}

impl<const K: usize> Normal<K> for WrittenSchur<'_, '_> {
    fn prepare(&self, _: &[[f64; K]]) {}

    fn image(&self, p: &[[f64; K]], stripe: usize, out: &mut [[f64; K]]) {
        let Entries { starts, columns, values } = self.entries;
        crate::base::simd::vectorized(
            #[inline(always)]
            || {
                for (l, out) in out.iter_mut().enumerate() {
                    let level = stripe * STRIPE + l;
                    let row = starts[level]..starts[level + 1];
                    let mut sum = [0.0; K];
                    for (column, value) in columns[row.clone()].iter().zip(&values[row]) {
                        let p = &p[*column as usize];
                        for k in 0..K {
                            sum[k] += value * p[k];
                        }
                    }
                    *out = sum;
                }
            },
        );
    }

    fn inverse(&self, level: usize) -> f64 {
        inverse(self.design, level)
    }

    fn weight(&self, level: usize) -> f64 {
        self.design.weights.rest[level]
    }
}

fn inverse(design: &WeightedDesign<'_>, level: usize) -> f64 {
    let partial = design.weights.partial[level];
    if partial > 0.0 { 1.0 / partial } else { 0.0 }
}
