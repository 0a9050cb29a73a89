//! Sums by level, and sums over all levels, which both solvers take.
//!
//! Sums by level are formed in *pieces* of at most [`PIECE`] consecutive entries, then in pieces of pieces, until a level has one. Sums
//! over all levels are taken by cubes, each in a fixed order, and then by one cube.

use cubecl::prelude::*;

use super::super::runtime::{Ticket, cube_of_grid, sign, unit_of_grid};

/// Units of a cube.
pub(crate) const LEVEL_UNITS: usize = 256;

/// Entries of a piece, at most.
pub(crate) const PIECE: usize = 64;

/// Entries that a unit adds up in a sum over all levels.
pub(super) const STEPS: usize = 4;

/// Entries that a cube adds up in a sum over all levels.
pub(crate) const LEVEL_ENTRIES: usize = LEVEL_UNITS * STEPS;

/// The entry of `[rows, columns]` that is this unit's.
#[derive(CubeType)]
pub(super) struct UnitEntry {
    pub at: usize,
    pub row: usize,
    pub column: usize,
}

#[cube]
pub(super) fn entry_of_unit(#[comptime] columns: usize) -> UnitEntry {
    let at = unit_of_grid(LEVEL_UNITS);
    UnitEntry { at, row: at / columns, column: at % columns }
}

/// Sums of pieces: of consecutive values, or of those that consecutive entries of `index` name.
#[cube(launch_unchecked)]
pub(crate) fn add_pieces<F: Float>(
    ticket: &mut Ticket,
    values: &Array<F>,
    index: &Array<u32>,
    pieces: &Array<u32>,
    out: &mut Array<F>,
    count: u32,
    #[comptime] columns: usize,
    #[comptime] indexed: bool,
    #[define(F)] _dtype: StorageType,
) {
    sign(ticket);
    let own = entry_of_unit(columns);
    if own.row < count as usize {
        let mut total = F::from_int(0);
        for entry in pieces[own.row]..pieces[own.row + 1] {
            let mut entry = entry as usize;
            if comptime!(indexed) {
                entry = index[entry] as usize;
            }
            total += values[entry * columns + own.column];
        }
        out[own.at] = total;
    }
}

/// Sums of `p q` by cube.
#[cube(launch_unchecked)]
pub(crate) fn inner_products<F: Float>(
    ticket: &mut Ticket,
    p: &Array<F>,
    q: &Array<F>,
    partial: &mut Array<F>,
    levels: u32,
    cubes: u32,
    #[comptime] columns: usize,
    #[define(F)] _dtype: StorageType,
) {
    sign(ticket);
    let unit = UNIT_POS as usize;
    let cube = cube_of_grid();
    let mut sum = F::from_int(0);
    #[unroll]
    for step in 0..STEPS {
        let at = cube * LEVEL_ENTRIES + step * LEVEL_UNITS + unit;
        if at < levels as usize * columns {
            sum += p[at] * q[at];
        }
    }
    let mut shared = SharedMemory::<F>::new(LEVEL_UNITS);
    add_units::<F>(sum, &mut shared, columns);
    if unit < columns && cube < cubes as usize {
        partial[cube * columns + unit] = shared[unit];
    }
}

/// This unit's share of the sum over the cubes' sums, of its column.
#[cube]
pub(super) fn sum_of_cubes<F: Float>(
    partial: &Array<F>,
    cubes: usize,
    #[comptime] width: usize,
    #[comptime] offset: usize,
    #[comptime] columns: usize,
) -> F {
    let unit = UNIT_POS as usize;
    let mut sum = F::from_int(0);
    let mut cube = unit / columns;
    while cube < cubes {
        sum += partial[cube * width + offset + unit % columns];
        cube += comptime!(LEVEL_UNITS / columns);
    }
    sum
}

/// Sums of the units' values by column, in the first entries of `shared`.
#[cube]
pub(super) fn add_units<F: Float>(
    value: F,
    shared: &mut SharedMemory<F>,
    #[comptime] columns: usize,
) {
    let unit = UNIT_POS as usize;
    shared[unit] = value;
    // The halves are added to each other, and each must have been written.
    sync_cube();
    #[unroll]
    for halving in 0..comptime!((LEVEL_UNITS / columns).ilog2() as usize) {
        let half = comptime!(LEVEL_UNITS >> (halving + 1));
        if unit < half {
            let other = shared[unit + half];
            shared[unit] += other;
        }
        // The next halving reads these sums; after the last one, the caller does.
        sync_cube();
    }
}
