//! Weighted cross-products of columns, for the Gram matrices, the logit derivatives and the covariance of influence values.

use cubecl::prelude::*;

use super::super::runtime::{Ticket, cube_number, sign};
use super::columns::{Columns, odds, predictor, trimmed, value_of_next, weight};
use super::layout::{basis, behind_products, job, product_span, setting};
use super::spans::{Spans, entry, place};
use crate::engine::pass::TILE;

/// Units of a cube.
pub(crate) const PRODUCT_UNITS: usize = 256;

/// Columns of a block of products.
pub(crate) const WIDTH: usize = 8;

/// Rows of a block, unless there is but one in all.
pub(crate) const HEIGHT: usize = 4;

/// Sums that are reduced at a time.
const ROUND: usize = 8;

/// Units that add up one of these sums first.
const FIRST_UNITS: usize = PRODUCT_UNITS / ROUND;

/// Units that add up what those have written.
const SECOND_UNITS: usize = 4;

/// Units that compare values first for the largest.
const LARGEST_UNITS: usize = 16;

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
/// The columns of the data are outcomes, covariates, weights. Products are those of the span's columns (1, x, y) on and above the
/// diagonal; what of a block lies beyond repeats the last column. Of every tile, the first `1 / thinning` is read.
#[cube(launch_unchecked)]
pub(crate) fn tile_products<F: Float>(
    ticket: &mut Ticket,
    data: &Columns<F>,
    numbers: &Array<F>,
    jobs: &Array<u32>,
    spans: &Spans,
    out: &mut Array<F>,
    thinning: u32,
    #[comptime] form: Form,
    #[comptime] height: usize,
    #[comptime] k: usize,
    #[define(F)] dtype: StorageType,
) {
    sign(ticket);
    let double = comptime!(dtype.size() == 8);
    let size = comptime!(height * WIDTH);
    let summed = comptime!(size + form.extra_sums());
    let unit = UNIT_POS as usize;
    let stride = data.stride as usize;
    let cube = cube_number(spans.cubes);
    let place = place(spans, cube);
    let blocks = entry(spans, &place, product_span::BLOCKS);
    let columns = entry(spans, &place, product_span::COLUMNS);
    let number = entry(spans, &place, product_span::JOB) + place.part / blocks;

    let corner = corner(place.part % blocks, columns, height);
    let first_i = corner.row;
    let first_j = corner.column;

    let of_job = columns_of_job(jobs, number, form);
    let mut left_at = Array::<usize>::new(height);
    #[unroll]
    for i in 0..height {
        let column = usize::min(first_i + i, columns - 1);
        left_at[i] = column_of(column, jobs, of_job.x_first, form, k) * stride;
    }
    let mut right_at = Array::<usize>::new(WIDTH);
    #[unroll]
    for j in 0..WIDTH {
        let column = usize::min(first_j + j, columns - 1);
        right_at[j] = column_of(column, jobs, of_job.x_first, form, k) * stride;
    }

    let mut sums = Array::<F>::new(summed);
    #[unroll]
    for s in 0..summed {
        sums[s] = F::from_int(0);
    }
    let mut largest = F::from_int(0);
    for step in 0..comptime!(TILE / PRODUCT_UNITS) {
        let row = step * PRODUCT_UNITS + unit;
        if row * (thinning as usize) < place.rows {
            let row = row + place.first;
            let mut omega = F::from_int(1);
            let mut residual = F::from_int(0);
            if comptime!(form != Form::Plain) {
                omega = weight::<F>(data, of_job.w_first, of_job.w_second, row);
            }
            let mut base = F::from_int(0);
            if comptime!(form == Form::Basis) {
                omega *= omega;
                if of_job.reference > 0 {
                    base = value_of_next::<F>(data, of_job.reference, row);
                }
            }
            if comptime!(form == Form::Odds || form == Form::Logit) {
                let at = setting::LEN + number * k;
                let eta = predictor::<F>(data, of_job.x_first, row, numbers, at, k);
                let q = odds::<F>(eta, numbers, double);
                if comptime!(form == Form::Odds) {
                    let trimmed_odds = trimmed::<F>(q, numbers);
                    if trimmed_odds <= F::from_int(0) && omega > F::from_int(0) {
                        sums[comptime!(size + behind_products::TRIMMED_ROWS)] += F::from_int(1);
                        sums[comptime!(size + behind_products::TRIMMED_WEIGHT)] += omega;
                    }
                    omega *= trimmed_odds;
                } else {
                    let not_p = F::from_int(1) / (F::from_int(1) + q);
                    let p = q * not_p;
                    if omega > F::from_int(0) && q > largest {
                        largest = q;
                    }
                    residual = select(of_job.treated == 1, omega * not_p, -omega * p);
                    omega = omega * p * not_p;
                }
            }
            if comptime!(form == Form::Weighted || form == Form::Odds) {
                sums[comptime!(size + behind_products::SQUARES)] += omega * omega;
            }
            let mut right = Array::<F>::new(WIDTH);
            #[unroll]
            for j in 0..WIDTH {
                right[j] = data.data[right_at[j] + row];
                if comptime!(form == Form::Basis) {
                    right[j] -= base;
                }
            }
            // The constant is no column of the data.
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
                let mut value = data.data[left_at[i] + row];
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
    let mut shared = SharedMemory::<F>::new(comptime!(ROUND * PRODUCT_UNITS));
    reduce::<F>(&sums, &mut shared, out, at, summed);
    if comptime!(form == Form::Logit) {
        let largest = largest_of_units::<F>(largest, &mut shared);
        if unit == 0 {
            out[at + size] = largest;
        }
    }
}

/// The columns that a job names, or a basis in its place.
#[derive(CubeType)]
struct JobColumns {
    /// First covariate, or where a basis lists its outcomes.
    x_first: usize,
    /// Weight columns, plus one.
    w_first: u32,
    w_second: u32,
    /// 1 if the rows are treated.
    treated: u32,
    /// Outcome, plus one, that is subtracted.
    reference: u32,
}

#[cube]
fn columns_of_job(jobs: &Array<u32>, number: usize, #[comptime] form: Form) -> JobColumns {
    let mut x_first = 0usize;
    let mut w_first = 0u32;
    let mut w_second = 0u32;
    let mut treated = 0u32;
    let mut reference = 0u32;
    if comptime!(form == Form::Basis) {
        x_first = number + basis::OUTCOMES;
        w_first = jobs[number + basis::W_FIRST];
        w_second = jobs[number + basis::W_SECOND];
        reference = jobs[number + basis::REFERENCE];
    } else if comptime!(form != Form::Plain) {
        let at = number * job::LEN;
        x_first = jobs[at + job::X] as usize;
        w_first = jobs[at + job::W_FIRST];
        w_second = jobs[at + job::W_SECOND];
        treated = jobs[at + job::TREATED];
    }
    JobColumns { x_first, w_first, w_second, treated, reference }
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

/// The largest of the units' values, in the first unit: of some values by each of `LARGEST_UNITS`, then of those.
#[cube]
fn largest_of_units<F: Float>(value: F, shared: &mut SharedMemory<F>) -> F {
    let unit = UNIT_POS as usize;
    let mut largest = value;
    shared[unit] = largest;
    // The first units read what all have written.
    sync_cube();
    if unit < LARGEST_UNITS {
        for part in 1..comptime!(PRODUCT_UNITS / LARGEST_UNITS) {
            largest = larger::<F>(largest, shared[unit + LARGEST_UNITS * part]);
        }
    }
    // All have read before the places are written to again.
    sync_cube();
    shared[unit] = largest;
    // The first unit reads what these have written.
    sync_cube();
    if unit == 0 {
        for part in 1..LARGEST_UNITS {
            largest = larger::<F>(largest, shared[part]);
        }
    }
    largest
}

/// Adds the units' sums and writes them: each of `ROUND` sums by `FIRST_UNITS`, then by `SECOND_UNITS`, then by one.
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
            shared[s * PRODUCT_UNITS + unit] = sums[round * ROUND + s];
        }
        // `FIRST_UNITS` add up each sum's terms, which all have written.
        sync_cube();
        let from = unit / FIRST_UNITS * PRODUCT_UNITS + unit % FIRST_UNITS;
        let mut sum = shared[from];
        #[unroll]
        for part in 1..comptime!(PRODUCT_UNITS / FIRST_UNITS) {
            sum += shared[from + FIRST_UNITS * part];
        }
        // All have read before the places are written to again.
        sync_cube();
        shared[unit] = sum;
        // `SECOND_UNITS` add up what those have written.
        sync_cube();
        if unit < comptime!(ROUND * SECOND_UNITS) {
            let from = unit / SECOND_UNITS * FIRST_UNITS + unit % SECOND_UNITS;
            sum = shared[from];
            #[unroll]
            for part in 1..comptime!(FIRST_UNITS / SECOND_UNITS) {
                sum += shared[from + SECOND_UNITS * part];
            }
        }
        // As above: read, then written to again, then read by others.
        sync_cube();
        if unit < comptime!(ROUND * SECOND_UNITS) {
            shared[unit] = sum;
        }
        sync_cube();
        if unit < ROUND {
            let from = unit * SECOND_UNITS;
            out[at + comptime!(round * ROUND) + unit] =
                (shared[from] + shared[from + 1]) + (shared[from + 2] + shared[from + 3]);
        }
        // The next round writes to the same places.
        sync_cube();
    }
}
