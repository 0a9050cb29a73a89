//! Weighted cross-products of columns, for the Gram matrices, the logit derivatives and the covariance of influence values.

use cubecl::prelude::*;

use super::super::runtime::{cube_number, sign};
use super::math::{SETTINGS, odds, predictor, trimmed, weight};
use super::spans::place;
use crate::engine::pass::TILE;

/// Units of a cube.
pub(crate) const LANES: usize = 256;

/// Columns of a block of products.
pub(crate) const WIDTH: usize = 8;

/// Rows of a block, unless there is but one in all.
pub(crate) const HEIGHT: usize = 4;

/// Entries of a job: first covariate's column, two weight columns (plus one; 0 is none), and whether its rows are treated.
pub(crate) const JOB: usize = 4;

/// Entries of a basis before its outcomes' columns: two weight columns and the outcome that is subtracted (plus one; 0 is
/// none), and how many columns there are with the constant.
pub(crate) const BASIS: usize = 4;

/// Sums that are reduced at a time.
const ROUND: usize = 8;

/// What is multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    /// Columns with each other.
    Plain,
    /// The constant and outcomes, less one of them, with each other, times the square of the weight.
    Basis,
    /// `z = (1, x)` with `(z, y)`, times the weight.
    Weighted,
    /// The same, times the weight and the trimmed odds.
    Odds,
    /// `z` with `z`, times `w p (1 - p)`, and `z` with `w (D - p)`; and the largest odds.
    Logit,
}

impl Form {
    /// Numbers that a cube writes behind its products: of a logit the largest odds of rows with positive weight; of weighted
    /// columns the sum of squared weights, the number of trimmed rows and their weight, and zeros.
    pub(crate) const fn extra(self) -> usize {
        match self {
            Self::Logit => 1,
            Self::Weighted | Self::Odds => ROUND,
            Self::Plain | Self::Basis => 0,
        }
    }

    /// Those of them that are sums.
    const fn extra_sums(self) -> usize {
        match self {
            Self::Weighted | Self::Odds => self.extra(),
            Self::Logit | Self::Plain | Self::Basis => 0,
        }
    }
}

/// Sums of products over a tile, a cube each block of `height × WIDTH` products: `[cubes, height × WIDTH + extra]`.
///
/// The columns of `data` are `stride` entries long: outcomes, covariates, weights. Products are those of `columns` columns
/// (1, x, y) on and above the diagonal; what of a block lies beyond repeats the last column. Of every tile, the first
/// `1 / thinning` is read. A span has, beside its rows, its first job, the blocks of a job and `columns`; or where its basis
/// begins among the jobs, and the same.
#[cube(launch_unchecked)]
pub(crate) fn tile_products<F: Float>(
    data: &Array<F>,
    numbers: &Array<F>,
    jobs: &Array<u32>,
    spans: &Array<u32>,
    out: &mut Array<F>,
    stamps: &mut Array<u32>,
    slot: u32,
    number: u32,
    span_count: u32,
    cubes: u32,
    stride: u32,
    thinning: u32,
    #[comptime] form: Form,
    #[comptime] height: usize,
    #[comptime] k: usize,
    #[define(F)] dtype: StorageType,
) {
    sign(stamps, slot, number);
    let double = comptime!(dtype.size() == 8);
    let size = comptime!(height * WIDTH);
    let summed = comptime!(size + form.extra_sums());
    let unit = UNIT_POS as usize;
    let stride = stride as usize;
    let cube = cube_number(cubes);
    let place = place(spans, span_count, cube);
    let blocks = spans[place.span + 6] as usize;
    let columns = spans[place.span + 7] as usize;
    let job = spans[place.span + 5] as usize + place.part / blocks;

    let corner = corner(place.part % blocks, columns, height);
    let first_i = corner.row;
    let first_j = corner.column;

    let mut x_first = 0usize;
    let mut w_first = 0u32;
    let mut w_second = 0u32;
    let mut treated = 0u32;
    let mut reference = 0u32;
    if comptime!(form == Form::Basis) {
        x_first = job + BASIS;
        w_first = jobs[job];
        w_second = jobs[job + 1];
        reference = jobs[job + 2];
    } else if comptime!(form != Form::Plain) {
        x_first = jobs[job * JOB] as usize;
        w_first = jobs[job * JOB + 1];
        w_second = jobs[job * JOB + 2];
        treated = jobs[job * JOB + 3];
    }
    let mut left_at = Array::<usize>::new(height);
    #[unroll]
    for i in 0..height {
        let column = usize::min(first_i + i, columns - 1);
        left_at[i] = column_of(column, jobs, x_first, form, k) * stride;
    }
    let mut right_at = Array::<usize>::new(WIDTH);
    #[unroll]
    for j in 0..WIDTH {
        let column = usize::min(first_j + j, columns - 1);
        right_at[j] = column_of(column, jobs, x_first, form, k) * stride;
    }

    let mut sums = Array::<F>::new(summed);
    #[unroll]
    for s in 0..summed {
        sums[s] = F::from_int(0);
    }
    let mut largest = F::from_int(0);
    for step in 0..comptime!(TILE / LANES) {
        let row = step * LANES + unit;
        if row * (thinning as usize) < place.rows {
            let row = row + place.first;
            let mut omega = F::from_int(1);
            let mut residual = F::from_int(0);
            if comptime!(form != Form::Plain) {
                omega = weight::<F>(data, stride, w_first, w_second, row);
            }
            let mut base = F::from_int(0);
            if comptime!(form == Form::Basis) {
                omega *= omega;
                if reference > 0 {
                    base = data[(reference as usize - 1) * stride + row];
                }
            }
            if comptime!(form == Form::Odds || form == Form::Logit) {
                let at = SETTINGS + job * k;
                let eta = predictor::<F>(data, stride, x_first, row, numbers, at, k);
                let q = odds::<F>(eta, numbers, double);
                if comptime!(form == Form::Odds) {
                    let kept = trimmed::<F>(q, numbers);
                    if kept <= F::from_int(0) && omega > F::from_int(0) {
                        sums[comptime!(size + 1)] += F::from_int(1);
                        sums[comptime!(size + 2)] += omega;
                    }
                    omega *= kept;
                } else {
                    let not_p = F::from_int(1) / (F::from_int(1) + q);
                    let p = q * not_p;
                    if omega > F::from_int(0) && q > largest {
                        largest = q;
                    }
                    residual = select(treated == 1, omega * not_p, -omega * p);
                    omega = omega * p * not_p;
                }
            }
            if comptime!(form == Form::Weighted || form == Form::Odds) {
                sums[size] += omega * omega;
            }
            let mut right = Array::<F>::new(WIDTH);
            #[unroll]
            for j in 0..WIDTH {
                right[j] = data[right_at[j] + row];
                if comptime!(form == Form::Basis) {
                    right[j] -= base;
                }
            }
            if comptime!(k > 0) {
                right[0] = select(first_j == 0, F::from_int(1), right[0]);
            }
            #[unroll]
            for j in 0..WIDTH {
                if comptime!(form == Form::Logit) {
                    right[j] = select(first_j + j < k, omega * right[j], residual);
                } else {
                    right[j] = omega * right[j];
                }
            }
            #[unroll]
            for i in 0..height {
                let mut value = data[left_at[i] + row];
                if comptime!(form == Form::Basis) {
                    value -= base;
                }
                if comptime!(k > 0 && i == 0) {
                    value = select(first_i == 0, F::from_int(1), value);
                }
                #[unroll]
                for j in 0..WIDTH {
                    sums[i * WIDTH + j] += value * right[j];
                }
            }
        }
    }

    let at = cube * comptime!(size + form.extra());
    let mut shared = SharedMemory::<F>::new(comptime!(ROUND * LANES));
    reduce::<F>(&sums, &mut shared, out, at, summed);
    if comptime!(form == Form::Logit) {
        shared[unit] = largest;
        sync_cube();
        if unit < 16 {
            for part in 1..comptime!(LANES / 16) {
                largest = larger::<F>(largest, shared[unit + 16 * part]);
            }
        }
        sync_cube();
        shared[unit] = largest;
        sync_cube();
        if unit == 0 {
            for part in 1..16usize {
                largest = larger::<F>(largest, shared[part]);
            }
            out[at + size] = largest;
        }
    }
}

/// The first product of a block.
#[derive(CubeType)]
pub(super) struct Corner {
    pub row: usize,
    pub column: usize,
}

/// The corner of a block: rows of blocks become shorter towards the end.
#[cube]
pub(super) fn corner(block: usize, columns: usize, #[comptime] height: usize) -> Corner {
    let across = (columns + comptime!(WIDTH - 1)) / WIDTH;
    let mut row = 0usize;
    let mut left = block;
    let mut width = across;
    while left >= width {
        left -= width;
        row += height;
        width = across - row / WIDTH;
    }
    Corner { row, column: (row / WIDTH + left) * WIDTH }
}

/// Number of the block of `HEIGHT` rows that has the pair `i <= j`.
#[cube]
pub(super) fn block_of(i: usize, j: usize, columns: usize) -> usize {
    let across = (columns + comptime!(WIDTH - 1)) / WIDTH;
    let above = i / HEIGHT;
    let mut skipped = 0usize;
    if above > 0 {
        skipped = (above - 1) * (above - 1) / 4;
    }
    above * across - skipped + j / WIDTH - above / 2
}

/// Where a column of `(1, x, y)` is in the data, whose first are the outcomes, or of a basis, which lists them; that of the
/// constant is any.
#[cube]
fn column_of(
    column: usize,
    jobs: &Array<u32>,
    first: usize,
    #[comptime] form: Form,
    #[comptime] k: usize,
) -> usize {
    let mut at = column;
    if comptime!(form == Form::Basis) {
        at = 0usize;
        if column > 0 {
            at = jobs[first + column - 1] as usize;
        }
    } else if comptime!(k > 0) {
        at = 0usize;
        if column >= k {
            at = column - k;
        } else if column > 0 {
            at = first + column - 1;
        }
    }
    at
}

#[cube]
fn larger<F: Float>(a: F, b: F) -> F {
    select(b > a, b, a)
}

/// Adds the units' sums and writes them: each of `ROUND` sums by 32 units, then by four, then by one.
#[cube]
fn reduce<F: Float>(
    sums: &Array<F>,
    shared: &mut SharedMemory<F>,
    out: &mut Array<F>,
    at: usize,
    #[comptime] size: usize,
) {
    let unit = UNIT_POS as usize;
    #[unroll]
    for round in 0..comptime!(size / ROUND) {
        #[unroll]
        for s in 0..ROUND {
            shared[s * LANES + unit] = sums[round * ROUND + s];
        }
        sync_cube();
        let from = unit / 32 * LANES + unit % 32;
        let mut sum = shared[from];
        #[unroll]
        for part in 1..comptime!(LANES / 32) {
            sum += shared[from + 32 * part];
        }
        sync_cube();
        shared[unit] = sum;
        sync_cube();
        if unit < 32 {
            let from = unit / 4 * 32 + unit % 4;
            sum = shared[from];
            #[unroll]
            for part in 1..8usize {
                sum += shared[from + 4 * part];
            }
        }
        sync_cube();
        if unit < 32 {
            shared[unit] = sum;
        }
        sync_cube();
        if unit < ROUND {
            let from = unit * 4;
            out[at + comptime!(round * ROUND) + unit] =
                (shared[from] + shared[from + 1]) + (shared[from + 2] + shared[from + 3]);
        }
        sync_cube();
    }
}
