//! Conjugate gradients on the levels of fixed effects.
//!
//! Vectors are `[levels, columns]` and `[cells, columns]`, and a unit has one entry. `columns` is a power of two.

use cubecl::prelude::*;

use super::super::runtime::{Ticket, cube_of_grid, sign};
use super::rows::{found, scalar};
use super::sums::{LEVEL_ENTRIES, LEVEL_UNITS, STEPS, add_units, entry_of_unit, sum_of_cubes};

/// Sums of levels' entries by cell, and of these, weighted, by piece.
#[cube(launch_unchecked)]
pub(crate) fn gather_levels<F: Float>(
    ticket: &mut Ticket,
    p: &Array<F>,
    codes: &Array<u32>,
    weights: &Array<F>,
    pieces: &Array<u32>,
    fitted: &mut Array<F>,
    out: &mut Array<F>,
    count: u32,
    #[comptime] columns: usize,
    #[comptime] others: usize,
    #[comptime] weighted: bool,
    #[define(F)] _dtype: StorageType,
) {
    sign(ticket);
    let own = entry_of_unit(columns);
    if own.row < count as usize {
        let mut total = F::from_int(0);
        for cell in pieces[own.row]..pieces[own.row + 1] {
            let cell = cell as usize;
            let mut sum = F::from_int(0);
            #[unroll]
            for factor in 0..others {
                sum += p[codes[cell * others + factor] as usize * columns + own.column];
            }
            fitted[cell * columns + own.column] = sum;
            if comptime!(weighted) {
                sum *= weights[cell];
            }
            total += sum;
        }
        out[own.at] = total;
    }
}

/// Cells less the means over the leading factor, weighted.
#[cube(launch_unchecked)]
pub(crate) fn subtract_means<F: Float>(
    ticket: &mut Ticket,
    fitted: &mut Array<F>,
    sums: &Array<F>,
    lead: &Array<F>,
    segments: &Array<u32>,
    weights: &Array<F>,
    cells: u32,
    #[comptime] columns: usize,
    #[comptime] weighted: bool,
    #[define(F)] _dtype: StorageType,
) {
    sign(ticket);
    let own = entry_of_unit(columns);
    if own.row < cells as usize {
        let segment = segments[own.row] as usize;
        let mean = sums[segment * columns + own.column] / lead[segment];
        let mut left = fitted[own.at] - mean;
        if comptime!(weighted) {
            left *= weights[own.row];
        }
        fitted[own.at] = left;
    }
}

/// The step `α` along each direction. `live` has a bit for each column that goes on, at the `first` of some steps.
#[cube(launch_unchecked)]
pub(crate) fn find_steps<F: Float>(
    ticket: &mut Ticket,
    partial: &Array<F>,
    scalars: &mut Array<F>,
    found: &mut Array<F>,
    cubes: u32,
    live: u32,
    row: u32,
    #[comptime] columns: usize,
    #[define(F)] _dtype: StorageType,
) {
    sign(ticket);
    let unit = UNIT_POS as usize;
    let mut shared = SharedMemory::<F>::new(LEVEL_UNITS);
    let sum = sum_of_cubes::<F>(partial, cubes as usize, columns, 0usize, columns);
    add_units::<F>(sum, &mut shared, columns);
    if unit < columns && CUBE_POS_X == 0 && CUBE_POS_Y == 0 {
        let curvature = shared[unit];
        let mut goes_on = (live >> UNIT_POS) & 1u32 == 1u32;
        if row > 0 {
            goes_on = scalars[scalar::LIVE * columns + unit] > F::from_int(0);
        }
        let mut alpha = F::from_int(0);
        let mut flag = F::from_int(0);
        if goes_on && curvature > F::from_int(0) {
            alpha = scalars[scalar::PRECONDITIONED * columns + unit] / curvature;
            flag = F::from_int(1);
        }
        scalars[scalar::STEP * columns + unit] = alpha;
        scalars[scalar::LIVE * columns + unit] = flag;
        let step_at = row as usize * comptime!(found::ROWS * columns) + unit;
        found[step_at + found::CURVATURE * columns] = curvature;
    }
}

/// `θ += α p`, `g -= α S p`, and sums of `g'M g` and `g² / w` by cube; from `first`, no effects. `scales` has `M`, then `1 / w`.
#[cube(launch_unchecked)]
pub(crate) fn advance<F: Float>(
    ticket: &mut Ticket,
    effects: &mut Array<F>,
    sums: &mut Array<F>,
    p: &Array<F>,
    image: &Array<F>,
    scales: &Array<F>,
    scalars: &Array<F>,
    partial: &mut Array<F>,
    levels: u32,
    cubes: u32,
    #[comptime] columns: usize,
    #[comptime] first: bool,
    #[define(F)] _dtype: StorageType,
) {
    sign(ticket);
    let unit = UNIT_POS as usize;
    let cube = cube_of_grid();
    let levels = levels as usize;
    let mut preconditioned = F::from_int(0);
    let mut normal = F::from_int(0);
    #[unroll]
    for step in 0..STEPS {
        let at = cube * LEVEL_ENTRIES + step * LEVEL_UNITS + unit;
        if at < levels * columns {
            let level = at / columns;
            let mut sum = sums[at];
            if comptime!(first) {
                effects[at] = F::from_int(0);
            } else {
                let alpha = scalars[scalar::STEP * columns + at % columns];
                effects[at] += alpha * p[at];
                sum -= alpha * image[at];
                sums[at] = sum;
            }
            preconditioned += sum * sum * scales[level];
            normal += sum * sum * scales[levels + level];
        }
    }
    let mut shared = SharedMemory::<F>::new(LEVEL_UNITS);
    add_units::<F>(preconditioned, &mut shared, columns);
    if unit < columns && cube < cubes as usize {
        partial[cube * comptime!(2 * columns) + unit] = shared[unit];
    }
    // The second sum takes the place of the first, which has to be written by then.
    sync_cube();
    add_units::<F>(normal, &mut shared, columns);
    if unit < columns && cube < cubes as usize {
        partial[cube * comptime!(2 * columns) + columns + unit] = shared[unit];
    }
}

/// How much of each direction is kept, `β`.
#[cube(launch_unchecked)]
pub(crate) fn find_turns<F: Float>(
    ticket: &mut Ticket,
    partial: &Array<F>,
    scalars: &mut Array<F>,
    found: &mut Array<F>,
    cubes: u32,
    row: u32,
    #[comptime] columns: usize,
    #[comptime] first: bool,
    #[define(F)] _dtype: StorageType,
) {
    sign(ticket);
    let unit = UNIT_POS as usize;
    let cubes = cubes as usize;
    let mut shared = SharedMemory::<F>::new(LEVEL_UNITS);
    let width = comptime!(2 * columns);
    let sum = sum_of_cubes::<F>(partial, cubes, width, 0usize, columns);
    add_units::<F>(sum, &mut shared, columns);
    let preconditioned = shared[unit % columns];
    // The second sum takes the place of the first, which all have read by then.
    sync_cube();
    let sum = sum_of_cubes::<F>(partial, cubes, width, columns, columns);
    add_units::<F>(sum, &mut shared, columns);
    if unit < columns && CUBE_POS_X == 0 && CUBE_POS_Y == 0 {
        let mut beta = F::from_int(0);
        if comptime!(!first) {
            let before = scalars[scalar::PRECONDITIONED * columns + unit];
            let live = scalars[scalar::LIVE * columns + unit];
            if before > F::from_int(0) && live > F::from_int(0) {
                beta = preconditioned / before;
            }
            let step_at = row as usize * comptime!(found::ROWS * columns) + unit;
            found[step_at + found::PRECONDITIONED * columns] = preconditioned;
            found[step_at + found::NORMAL * columns] = shared[unit];
        }
        scalars[scalar::PRECONDITIONED * columns + unit] = preconditioned;
        scalars[scalar::TURN * columns + unit] = beta;
    }
}

/// `p = M g + β p`.
#[cube(launch_unchecked)]
pub(crate) fn turn<F: Float>(
    ticket: &mut Ticket,
    p: &mut Array<F>,
    sums: &Array<F>,
    scales: &Array<F>,
    scalars: &Array<F>,
    levels: u32,
    #[comptime] columns: usize,
    #[comptime] first: bool,
    #[define(F)] _dtype: StorageType,
) {
    sign(ticket);
    let own = entry_of_unit(columns);
    if own.row < levels as usize {
        let mut direction = scales[own.row] * sums[own.at];
        if comptime!(!first) {
            direction += scalars[scalar::TURN * columns + own.column] * p[own.at];
        }
        p[own.at] = direction;
    }
}
