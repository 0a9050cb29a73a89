//! Sums of tiles into sums of everything, in the host's order: tiles of a segment, then segments.

#![expect(
    clippy::collapsible_if,
    reason = "outer conditions are the compiler's, inner ones the device's"
)]

use cubecl::prelude::*;

use super::super::runtime::{Ticket, cube_number, sign};
use super::layout::{ABSENT, output_row, segment};
use super::products::{HEIGHT, WIDTH, block_of};
use super::wide_sum::{WideSum, add, add_sum, empty_sum, load, store};

/// Outputs of a cube.
pub(crate) const OUTPUTS: usize = 4;

/// Segments whose tiles are added at the same time.
const LANES: usize = 64;

/// Units of a cube.
pub(crate) const FOLD_UNITS: usize = OUTPUTS * LANES;

/// What an output is a sum of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Summands {
    /// Blocks of a job, in its stratum alone.
    Jobs,
    /// Blocks of a job whose last entry is a maximum.
    JobsWithLargest,
    /// A pair of columns, in every stratum that has both.
    Pairs,
    /// A column's draw, in every stratum that has the column.
    Draws,
}

/// What a sum starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Start {
    /// Nothing.
    Zero,
    /// What `out` holds of earlier segments.
    Segments,
    /// What `out` holds of the same segment's earlier tiles.
    Tiles,
}

/// Adds up parts of tiles, `[cubes, size]`, to outputs. In single precision an output is two numbers, whose sum it is.
///
/// Each row of `rows` has `width` outputs; outputs past `entries` are not formed. Of pairs and draws `columns` is how many
/// influence columns there are in all, and `local` has for each span the position of every column in it, or [`ABSENT`]. `zero` is 0.
#[cube(launch_unchecked)]
pub(crate) fn add_tiles<F: Float>(
    ticket: &mut Ticket,
    partial: &Array<F>,
    rows: &Array<u32>,
    segments: &Array<u32>,
    local: &Array<u32>,
    out: &mut Array<F>,
    cubes: u32,
    width: u32,
    entries: u32,
    columns: u32,
    size: u32,
    zero: u32,
    #[comptime] parts: Summands,
    #[comptime] start: Start,
    #[define(F)] dtype: StorageType,
) {
    sign(ticket);
    let double = comptime!(dtype.size() == 8);
    let unit = UNIT_POS as usize;
    let lane = unit / OUTPUTS;
    let output = cube_number(cubes) * OUTPUTS + unit % OUTPUTS;
    let row = output / width as usize;
    let entry = output % width as usize;
    let formed = entry < entries as usize;
    let row_at = row * output_row::LEN;
    let first = rows[row_at + output_row::FIRST] as usize;
    let end = rows[row_at + output_row::END] as usize;
    let first_part = rows[row_at + output_row::PART] as usize;
    let size = size as usize;
    let columns = columns as usize;
    let mut total = empty_sum::<F>();
    if comptime!(start == Start::Segments) {
        if formed {
            load::<F>(&mut total, out, output, double);
        }
    }
    let mut highs = SharedMemory::<F>::new(FOLD_UNITS);
    let mut lows = SharedMemory::<F>::new(FOLD_UNITS);
    let is_largest = comptime!(parts == Summands::JobsWithLargest) && entry % size == size - 1;
    let rounds = (end - first + comptime!(LANES - 1)) / LANES;
    for round in 0..rounds {
        let segment = first + round * LANES + lane;
        let mut sum = empty_sum::<F>();
        if comptime!(start == Start::Tiles) {
            if formed && segment == first {
                sum.high = out[output];
            }
        }
        if formed && segment < end {
            let at = segment * segment::LEN;
            let span = segments[at + segment::SPAN] as usize;
            let mut part = first_part + entry / size;
            let mut within = entry % size;
            let mut present = true;
            if comptime!(parts == Summands::Pairs) {
                let a = local[span * columns + entry / columns];
                let b = local[span * columns + entry % columns];
                present = entry / columns <= entry % columns && a != ABSENT && b != ABSENT;
                let i = u32::min(a, b) as usize;
                let j = u32::max(a, b) as usize;
                part = block_of(i, j, segments[at + segment::COLUMNS] as usize);
                within = i % HEIGHT * WIDTH + j % WIDTH;
            }
            if comptime!(parts == Summands::Draws) {
                let column = local[span * columns + entry / size];
                present = column != ABSENT;
                part = column as usize;
            }
            if present {
                let mut cube = segments[at + segment::CUBE] as usize + part;
                for _ in 0..segments[at + segment::TILES] {
                    let value = partial[cube * size + within];
                    if is_largest {
                        sum.high = select(value > sum.high, value, sum.high);
                    } else {
                        add::<F>(&mut sum, value, zero, double);
                    }
                    cube += segments[at + segment::PARTS] as usize;
                }
            }
        }
        highs[unit] = sum.high;
        lows[unit] = sum.low;
        // The first lane adds up what all lanes have written, in the order of segments.
        sync_cube();
        if lane == 0 {
            let count = usize::min(end - first - round * LANES, LANES);
            for other in 0..count {
                let at = other * OUTPUTS + unit;
                let of_lane = WideSum::<F> { high: highs[at], low: lows[at] };
                if is_largest {
                    total.high = select(of_lane.high > total.high, of_lane.high, total.high);
                } else {
                    add_sum::<F>(&mut total, &of_lane, zero, double);
                }
            }
        }
        // The next round writes to the same places.
        sync_cube();
    }
    if lane == 0 && formed {
        store::<F>(&total, out, output, double);
    }
}
