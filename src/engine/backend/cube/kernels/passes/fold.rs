//! Sums of tiles into sums of everything, in the host's order: tiles of a segment, then segments.

#![expect(
    clippy::collapsible_if,
    reason = "outer conditions are the compiler's, inner ones the device's"
)]

use cubecl::prelude::*;

use super::super::runtime::{Ticket, cube_number, sign};
use super::layout::{ABSENT, output_row, segment};
use super::products::{HEIGHT, WIDTH, block_of};

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
    /// Blocks of a job of which the last entry is a maximum.
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
/// `width` outputs belong to a row of `rows`, of which those past `entries` are not formed. Of pairs and draws `columns` is how many
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
    let mut high = F::from_int(0);
    let mut low = F::from_int(0);
    if comptime!(start == Start::Segments) {
        if formed {
            if comptime!(double) {
                high = out[output];
            } else {
                high = out[2 * output];
                low = out[2 * output + 1];
            }
        }
    }
    let mut highs = SharedMemory::<F>::new(FOLD_UNITS);
    let mut lows = SharedMemory::<F>::new(FOLD_UNITS);
    let is_largest = comptime!(parts == Summands::JobsWithLargest) && entry % size == size - 1;
    let rounds = (end - first + comptime!(LANES - 1)) / LANES;
    for round in 0..rounds {
        let segment = first + round * LANES + lane;
        let mut sum = F::from_int(0);
        let mut rest = F::from_int(0);
        if comptime!(start == Start::Tiles) {
            if formed && segment == first {
                sum = out[output];
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
                        sum = select(value > sum, value, sum);
                    } else if comptime!(double) {
                        sum += value;
                    } else {
                        let total = opaque::<F>(sum + value, zero);
                        rest += error_of_sum::<F>(sum, value, total, zero);
                        sum = total;
                    }
                    cube += segments[at + segment::PARTS] as usize;
                }
            }
        }
        highs[unit] = sum;
        lows[unit] = rest;
        // The first lane adds up what all lanes have written, in the order of segments.
        sync_cube();
        if lane == 0 {
            let count = usize::min(end - first - round * LANES, LANES);
            for other in 0..count {
                let value = highs[other * OUTPUTS + unit];
                if is_largest {
                    high = select(value > high, value, high);
                } else if comptime!(double) {
                    high += value;
                } else {
                    let total = opaque::<F>(high + value, zero);
                    low +=
                        error_of_sum::<F>(high, value, total, zero) + lows[other * OUTPUTS + unit];
                    high = total;
                }
            }
        }
        // The next round writes to the same places.
        sync_cube();
    }
    if lane == 0 && formed {
        if comptime!(double) {
            out[output] = high;
        } else {
            out[2 * output] = high;
            out[2 * output + 1] = low;
        }
    }
}

/// What rounding took from `a + b = sum` (Knuth).
#[cube]
pub(super) fn error_of_sum<F: Float>(a: F, b: F, sum: F, zero: u32) -> F {
    let b_part = opaque::<F>(sum - a, zero);
    (a - (sum - b_part)) + (b - b_part)
}

/// The value, which is a float, as one that no compiler knows the origin of: some cancel `(a + b) - a`.
#[cube]
pub(super) fn opaque<F: Float>(value: F, zero: u32) -> F {
    F::reinterpret(u32::reinterpret(value) ^ zero)
}
