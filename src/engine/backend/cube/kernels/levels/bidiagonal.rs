//! LSMR's bidiagonalisation, over cells and over the levels of all factors, the leading one's first.
//!
//! Sums by piece and norms are taken by the kernels of conjugate gradients.

use cubecl::prelude::*;

use super::super::runtime::{cube_of_grid, sign, unit_of_grid};
use super::sums::{LEVEL_UNITS, add_units, sum_of_cubes};

/// Rows of coefficients of an update: `live`, and of `h̄`, `x` and `h`.
pub(crate) const UPDATE: usize = 4;

/// `β u = A v - α u`, what it adds to the sums by level, and its sums by piece; at the `first` step `u` is `b`. `v` is
/// multiplied by `M`; `norms` has `β` and `α`.
#[cube(launch_unchecked)]
pub(crate) fn advance_cells<F: Float>(
    v: &Array<F>,
    codes: &Array<u32>,
    segments: &Array<u32>,
    roots: &Array<F>,
    pieces: &Array<u32>,
    norms: &Array<F>,
    u: &mut Array<F>,
    weighted_u: &mut Array<F>,
    out: &mut Array<F>,
    stamps: &mut Array<u32>,
    slot: u32,
    number: u32,
    count: u32,
    leading: u32,
    #[comptime] columns: usize,
    #[comptime] others: usize,
    #[comptime] weighted: bool,
    #[comptime] first: bool,
    #[define(F)] _dtype: StorageType,
) {
    sign(stamps, slot, number);
    let at = unit_of_grid(LEVEL_UNITS);
    let piece = at / columns;
    let column = at % columns;
    if piece < count as usize {
        let mut ratio = F::from_int(0);
        if comptime!(!first) {
            ratio = quotient::<F>(norms[columns + column], norms[column]);
        }
        let mut total = F::from_int(0);
        for cell in pieces[piece]..pieces[piece + 1] {
            let cell = cell as usize;
            let entry = cell * columns + column;
            let mut value = u[entry];
            if comptime!(!first) {
                let mut sum = v[segments[cell] as usize * columns + column];
                #[unroll]
                for factor in 0..others {
                    let level = leading as usize + codes[cell * others + factor] as usize;
                    sum += v[level * columns + column];
                }
                if comptime!(weighted) {
                    sum *= roots[cell];
                }
                value = sum - ratio * value;
                u[entry] = value;
            }
            if comptime!(weighted) {
                value *= roots[cell];
            }
            weighted_u[entry] = value;
            total += value;
        }
        out[at] = total;
    }
}

/// `α v = A'u - β v` of all levels; `u` comes as `β u`. At the `first` step there is no `v`.
#[cube(launch_unchecked)]
pub(crate) fn advance_levels<F: Float>(
    of_lead: &Array<F>,
    of_rest: &Array<F>,
    scales: &Array<F>,
    norms: &Array<F>,
    before: &Array<F>,
    v: &mut Array<F>,
    stamps: &mut Array<u32>,
    slot: u32,
    number: u32,
    leading: u32,
    levels: u32,
    #[comptime] columns: usize,
    #[comptime] first: bool,
    #[define(F)] _dtype: StorageType,
) {
    sign(stamps, slot, number);
    let at = unit_of_grid(LEVEL_UNITS);
    let level = at / columns;
    let column = at % columns;
    if level < levels as usize {
        let split = leading as usize * columns;
        let mut sum = F::from_int(0);
        if at < split {
            sum = of_lead[at];
        }
        if at >= split {
            sum = of_rest[at - split];
        }
        let beta = norms[column];
        let mut value = quotient::<F>(scales[level] * sum, beta);
        if comptime!(!first) {
            value -= beta * before[at];
        }
        v[at] = value;
    }
}

/// The norms of the columns whose squares the cubes have added up: `β`, row 0, or `α`, row 1.
#[cube(launch_unchecked)]
pub(crate) fn find_norms<F: Float>(
    partial: &Array<F>,
    norms: &mut Array<F>,
    found: &mut Array<F>,
    stamps: &mut Array<u32>,
    slot: u32,
    number: u32,
    cubes: u32,
    row: u32,
    #[comptime] columns: usize,
    #[comptime] which: usize,
    #[define(F)] _dtype: StorageType,
) {
    sign(stamps, slot, number);
    let unit = UNIT_POS as usize;
    let mut shared = SharedMemory::<F>::new(LEVEL_UNITS);
    let sum = sum_of_cubes::<F>(partial, cubes as usize, columns, 0usize, columns);
    add_units::<F>(sum, &mut shared, columns);
    if unit < columns && cube_of_grid() == 0 {
        let norm = F::sqrt(shared[unit]);
        norms[which * columns + unit] = norm;
        found[row as usize * columns + unit] = norm;
    }
}

/// Divides `v` by `α`; `scaled` is `M v`.
#[cube(launch_unchecked)]
pub(crate) fn normalise<F: Float>(
    v: &mut Array<F>,
    scaled: &mut Array<F>,
    scales: &Array<F>,
    norms: &Array<F>,
    stamps: &mut Array<u32>,
    slot: u32,
    number: u32,
    levels: u32,
    #[comptime] columns: usize,
    #[define(F)] _dtype: StorageType,
) {
    sign(stamps, slot, number);
    let at = unit_of_grid(LEVEL_UNITS);
    let level = at / columns;
    if level < levels as usize {
        let value = quotient::<F>(v[at], norms[columns + at % columns]);
        v[at] = value;
        scaled[at] = scales[level] * value;
    }
}

/// `h̄ = live h - a h̄`, `x += b h̄`, `h = live v - c h`, with the coefficients of a row of `updates`; from the `first`, no vectors.
#[cube(launch_unchecked)]
pub(crate) fn combine<F: Float>(
    v: &Array<F>,
    updates: &Array<F>,
    h: &mut Array<F>,
    hbar: &mut Array<F>,
    x: &mut Array<F>,
    stamps: &mut Array<u32>,
    slot: u32,
    number: u32,
    levels: u32,
    row: u32,
    #[comptime] columns: usize,
    #[comptime] first: bool,
    #[define(F)] _dtype: StorageType,
) {
    sign(stamps, slot, number);
    let at = unit_of_grid(LEVEL_UNITS);
    let level = at / columns;
    if level < levels as usize {
        let coefficients = row as usize * comptime!(UPDATE * columns) + at % columns;
        let live = updates[coefficients];
        if comptime!(first) {
            hbar[at] = F::from_int(0);
            x[at] = F::from_int(0);
            h[at] = live * v[at];
        } else {
            let direction = h[at];
            let average = live * direction - updates[coefficients + columns] * hbar[at];
            hbar[at] = average;
            x[at] += updates[coefficients + 2 * columns] * average;
            h[at] = live * v[at] - updates[coefficients + 3 * columns] * direction;
        }
    }
}

/// `a / b`, and 0 where `b` is.
#[cube]
fn quotient<F: Float>(a: F, b: F) -> F {
    let mut value = F::from_int(0);
    if b > F::from_int(0) {
        value = a / b;
    }
    value
}
