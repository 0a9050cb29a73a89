//! Weighted cross-products of columns, for the Gram matrices, the logit derivatives and the covariance of influence values.

use cubecl::prelude::*;

use super::math::{SETTINGS, entry, odds, predictor, trimmed, weight};
use crate::pass::TILE;

/// Units of a cube.
pub(crate) const LANES: usize = 64;

/// Columns of a block of products.
pub(crate) const WIDTH: usize = 8;

/// Lanes are padded so that a warp's reads in the reduction fall into different banks.
const PITCH: usize = LANES + 2;

/// What is multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    /// Columns of `y` with each other.
    Plain,
    /// `z = (1, x)` with `(z, y)`, times the weight.
    Weighted,
    /// The same, times the weight and the trimmed odds.
    Odds,
    /// `z` with `z`, times `w p (1 - p)`, and `z` with `w (D - p)`; and the largest odds.
    Logit,
}

/// Sums of products over each tile, block by block.
///
/// A cube takes one tile and one block of `height × WIDTH` products, whose first row and column are
/// `blocks[2 b], blocks[2 b + 1]`; indices past `columns` repeat the last. Rows start at row `start` of the matrices; of
/// every tile, the first `1 / thinning` is read.
/// Output `[tiles, blocks, height × WIDTH + 1]`; the last entry is the largest odds of rows with positive weight.
#[cube(launch, address_type = "dynamic")]
pub(crate) fn tile_products<F: Float>(
    y: &Tensor<F>,
    x: &Tensor<F>,
    w: &Tensor<F>,
    numbers: &Array<F>,
    blocks: &Array<u32>,
    out: &mut Array<F>,
    start: u32,
    rows: u32,
    thinning: u32,
    k: u32,
    columns: u32,
    x_first: u32,
    w_first: u32,
    w_second: u32,
    treated: u32,
    #[comptime] form: Form,
    #[comptime] height: usize,
    #[define(F)] dtype: StorageType,
) {
    let double = comptime!(dtype.size() == 8);
    let size = comptime!(height * WIDTH);
    let block = CUBE_POS_X as usize;
    let tile = CUBE_POS_Y as usize;
    let unit = UNIT_POS as usize;
    let k = k as usize;
    let x_first = x_first as usize;
    let last_column = columns as usize - 1;
    let first_i = blocks[2 * block] as usize;
    let first_j = blocks[2 * block + 1] as usize;

    let mut sums = Array::<F>::new(size);
    #[unroll]
    for s in 0..size {
        sums[s] = F::from_int(0);
    }
    let mut largest = F::from_int(0);
    let tile_rows = usize::min(rows as usize - tile * TILE, TILE);
    let first = start as usize + tile * TILE;
    for step in 0..comptime!(TILE / LANES) {
        let row = step * LANES + unit;
        if row * (thinning as usize) < tile_rows {
            let row = row + first;
            let mut omega = F::from_int(1);
            let mut residual = F::from_int(0);
            if comptime!(form != Form::Plain) {
                omega = weight::<F>(w, w_first, w_second, row);
            }
            if comptime!(form == Form::Odds) {
                let eta = predictor::<F>(x, x_first, row, numbers, SETTINGS, k);
                omega *= trimmed::<F>(odds::<F>(eta, numbers, double), numbers);
            }
            if comptime!(form == Form::Logit) {
                let eta = predictor::<F>(x, x_first, row, numbers, SETTINGS, k);
                let q = odds::<F>(eta, numbers, double);
                let not_p = F::from_int(1) / (F::from_int(1) + q);
                let p = q * not_p;
                if omega > F::from_int(0) {
                    largest = F::max(largest, q);
                }
                residual = -omega * p;
                if treated == 1 {
                    residual = omega * not_p;
                }
                omega = omega * p * not_p;
            }
            let mut right = Array::<F>::new(WIDTH);
            #[unroll]
            for j in 0..WIDTH {
                let column = usize::min(first_j + j, last_column);
                if comptime!(form == Form::Logit) {
                    right[j] = residual;
                    if column < k {
                        right[j] = omega * design::<F>(y, x, x_first, k, column, row);
                    }
                } else {
                    right[j] = omega * design::<F>(y, x, x_first, k, column, row);
                }
            }
            #[unroll]
            for i in 0..height {
                let column = usize::min(first_i + i, last_column);
                let left = design::<F>(y, x, x_first, k, column, row);
                #[unroll]
                for j in 0..WIDTH {
                    sums[i * WIDTH + j] += left * right[j];
                }
            }
        }
    }

    let at = (tile * CUBE_COUNT_X as usize + block) * comptime!(size + 1);
    reduce::<F>(&sums, out, at, size);
    if comptime!(form == Form::Logit) {
        let mut shared = SharedMemory::<F>::new(LANES);
        shared[unit] = largest;
        sync_cube();
        if unit == 0 {
            for lane in 1..LANES {
                largest = F::max(largest, shared[lane]);
            }
            out[at + size] = largest;
        }
    }
}

/// Column of `(1, x, y)`; of `y` if `k` is 0.
#[cube]
fn design<F: Float>(
    y: &Tensor<F>,
    x: &Tensor<F>,
    x_first: usize,
    k: usize,
    column: usize,
    row: usize,
) -> F {
    let mut value = F::from_int(1);
    if column >= k {
        value = entry::<F>(y, column - k, row);
    } else if column > 0 {
        value = entry::<F>(x, x_first + column - 1, row);
    }
    value
}

/// Adds the units' sums and writes them: `LANES / size` units a sum, then one.
#[cube]
fn reduce<F: Float>(sums: &Array<F>, out: &mut Array<F>, at: usize, #[comptime] size: usize) {
    let unit = UNIT_POS as usize;
    let share = comptime!(LANES / size);
    let mut shared = SharedMemory::<F>::new(comptime!(size * PITCH));
    #[unroll]
    for s in 0..size {
        shared[s * PITCH + unit] = sums[s];
    }
    sync_cube();
    let from = unit / share * PITCH + unit % share;
    let mut sum = F::from_int(0);
    for lane in 0..comptime!(LANES / share) {
        sum += shared[from + lane * share];
    }
    sync_cube();
    shared[unit] = sum;
    sync_cube();
    if unit < size {
        let mut total = shared[unit * share];
        for part in 1..share {
            total += shared[unit * share + part];
        }
        out[at + unit] = total;
    }
}
