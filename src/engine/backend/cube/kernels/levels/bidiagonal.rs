//! LSMR's bidiagonalisation, over cells and over the levels of all factors, the leading one's first.
//!
//! Sums by piece and norms are taken by the kernels of conjugate gradients.

use cubecl::prelude::*;

use super::super::runtime::{Ticket, cube_of_grid, sign};
use super::rows::{norm, update};
use super::sums::{LEVEL_UNITS, add_units, entry_of_unit, sum_of_cubes};

/// `β u = A v - α u`, what it adds to the sums by level, and its sums by piece; at the `first` step `u` is `b`. `v` is
/// multiplied by `M`; `norms` has `β` and `α`.
#[cube(launch_unchecked)]
pub(crate) fn advance_cells<F: Float>(
    ticket: &mut Ticket,
    v: &Array<F>,
    codes: &Array<u32>,
    segments: &Array<u32>,
    roots: &Array<F>,
    pieces: &Array<u32>,
    norms: &Array<F>,
    u: &mut Array<F>,
    weighted_u: &mut Array<F>,
    out: &mut Array<F>,
    count: u32,
    leading: u32,
    #[comptime] columns: usize,
    #[comptime] others: usize,
    #[comptime] weighted: bool,
    #[comptime] first: bool,
    #[define(F)] _dtype: StorageType,
) {
    sign(ticket);
    let own = entry_of_unit(columns);
    if own.row < count as usize {
        let column = own.column;
        let mut ratio = F::from_int(0);
        if comptime!(!first) {
            let alpha = norms[norm::ALPHA * columns + column];
            ratio = quotient::<F>(alpha, norms[norm::BETA * columns + column]);
        }
        let mut total = F::from_int(0);
        for cell in pieces[own.row]..pieces[own.row + 1] {
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
        out[own.at] = total;
    }
}

/// `α v = A'u - β v` of all levels; `u` comes as `β u`. At the `first` step there is no `v`.
#[cube(launch_unchecked)]
pub(crate) fn advance_levels<F: Float>(
    ticket: &mut Ticket,
    of_lead: &Array<F>,
    of_rest: &Array<F>,
    scales: &Array<F>,
    norms: &Array<F>,
    before: &Array<F>,
    v: &mut Array<F>,
    leading: u32,
    levels: u32,
    #[comptime] columns: usize,
    #[comptime] first: bool,
    #[define(F)] _dtype: StorageType,
) {
    sign(ticket);
    let own = entry_of_unit(columns);
    if own.row < levels as usize {
        let split = leading as usize * columns;
        let mut sum = F::from_int(0);
        if own.at < split {
            sum = of_lead[own.at];
        }
        if own.at >= split {
            sum = of_rest[own.at - split];
        }
        let beta = norms[norm::BETA * columns + own.column];
        let mut value = quotient::<F>(scales[own.row] * sum, beta);
        if comptime!(!first) {
            value -= beta * before[own.at];
        }
        v[own.at] = value;
    }
}

/// The norms of the columns whose squares the cubes have added up: those of the row `which` of [`norm`].
#[cube(launch_unchecked)]
pub(crate) fn find_norms<F: Float>(
    ticket: &mut Ticket,
    partial: &Array<F>,
    norms: &mut Array<F>,
    found: &mut Array<F>,
    cubes: u32,
    row: u32,
    #[comptime] columns: usize,
    #[comptime] which: usize,
    #[define(F)] _dtype: StorageType,
) {
    sign(ticket);
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
    ticket: &mut Ticket,
    v: &mut Array<F>,
    scaled: &mut Array<F>,
    scales: &Array<F>,
    norms: &Array<F>,
    levels: u32,
    #[comptime] columns: usize,
    #[define(F)] _dtype: StorageType,
) {
    sign(ticket);
    let own = entry_of_unit(columns);
    if own.row < levels as usize {
        let value = quotient::<F>(v[own.at], norms[norm::ALPHA * columns + own.column]);
        v[own.at] = value;
        scaled[own.at] = scales[own.row] * value;
    }
}

/// `h̄ = live h - a h̄`, `x += b h̄`, `h = live v - c h`, with the coefficients of a row of `updates`; from the `first`, no vectors.
#[cube(launch_unchecked)]
pub(crate) fn combine<F: Float>(
    ticket: &mut Ticket,
    v: &Array<F>,
    updates: &Array<F>,
    h: &mut Array<F>,
    hbar: &mut Array<F>,
    x: &mut Array<F>,
    levels: u32,
    row: u32,
    #[comptime] columns: usize,
    #[comptime] first: bool,
    #[define(F)] _dtype: StorageType,
) {
    sign(ticket);
    let own = entry_of_unit(columns);
    let at = own.at;
    if own.row < levels as usize {
        let coefficients = row as usize * comptime!(update::ROWS * columns) + own.column;
        let live = updates[coefficients + update::LIVE * columns];
        if comptime!(first) {
            hbar[at] = F::from_int(0);
            x[at] = F::from_int(0);
            h[at] = live * v[at];
        } else {
            let direction = h[at];
            let average =
                live * direction - updates[coefficients + update::HBAR * columns] * hbar[at];
            hbar[at] = average;
            x[at] += updates[coefficients + update::X * columns] * average;
            h[at] = live * v[at] - updates[coefficients + update::H * columns] * direction;
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
