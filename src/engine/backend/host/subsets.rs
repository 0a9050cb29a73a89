//! Sums over subsets of eight rows, tabulated once and read by every draw.

use crate::base::random::{BATCH, Words};

/// Columns of a table.
pub(super) const WIDTH: usize = 4;

/// Draws of a word for each row.
pub(super) const DRAWS: usize = 32;

/// Values of four columns.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(super) struct Four(pub [f64; WIDTH]);

impl Four {
    #[inline(always)]
    fn add(&mut self, other: &Self) {
        for (v, other) in self.0.iter_mut().zip(&other.0) {
            *v += other;
        }
    }

    #[inline(always)]
    fn scale(&mut self, scale: f64) {
        for v in &mut self.0 {
            *v *= scale;
        }
    }
}

/// Sums of all subsets of eight rows, by the bits of the index.
type SubsetSums = [Four; 256];

/// Adds `Σ_i (start + level 1{row i in the class}) u_i` to each draw, for the 64 rows of `values`.
///
/// `sums` are in the order of the words' bytes: entry `32 h + 4 i + b` is draw `32 h + 8 b + i`.
#[inline(always)]
pub(super) fn add_class(
    values: &[Four; BATCH],
    start: f64,
    level: f64,
    words: &[Words],
    sums: &mut [Four],
) {
    let mut tables = [[Four::default(); 256]; 2];
    for l in (0..8).step_by(2) {
        tabulate(values, l, start, level, &mut tables[0]);
        tabulate(values, l + 1, start, level, &mut tables[1]);
        for (words, sums) in words.iter().zip(sums.as_chunks_mut::<DRAWS>().0) {
            for (words, sums) in words.as_chunks::<8>().0.iter().zip(sums.as_chunks_mut::<4>().0) {
                let subsets = [words[l].to_le_bytes(), words[l + 1].to_le_bytes()];
                // Not a loop: the compiler would gather the same column of several draws.
                read(&tables, subsets, 0, sums);
                read(&tables, subsets, 1, sums);
                read(&tables, subsets, 2, sums);
                read(&tables, subsets, 3, sums);
            }
        }
    }
}

/// Adds a draw's sums over its subsets of the rows of two tables.
#[inline(always)]
fn read(tables: &[SubsetSums; 2], subsets: [[u8; 4]; 2], draw: usize, sums: &mut [Four; 4]) {
    let mut both = tables[0][usize::from(subsets[0][draw])];
    both.add(&tables[1][usize::from(subsets[1][draw])]);
    sums[draw].add(&both);
}

/// Sums of all subsets of the rows `8 j + l` times `level`, each plus all of them times `start`.
#[inline(always)]
fn tabulate(values: &[Four; BATCH], l: usize, start: f64, level: f64, table: &mut SubsetSums) {
    let mut total = values[l];
    for row in values[l..].iter().step_by(8).skip(1) {
        total.add(row);
    }
    total.scale(start);
    table[0] = total;
    for (bit, row) in values[l..].iter().step_by(8).enumerate() {
        let mut row = *row;
        row.scale(level);
        let (known, new) = table.split_at_mut(1 << bit);
        for (new, known) in new.iter_mut().zip(known.iter()) {
            *new = *known;
            new.add(&row);
        }
    }
}
