//! Influence values of the rows, tile by tile: a column's values in a tile are one after another.

use cubecl::prelude::*;

use super::super::runtime::{cube_number, sign};
use super::math::{odds, predictor, trimmed, weight};
use super::spans::place;
use crate::engine::pass::TILE;

/// Units of a cube.
pub(crate) const UNITS: usize = 256;

/// Cubes that share a tile's column.
pub(crate) const SHARES: usize = 4;

/// Rows of a unit.
const STEPS: usize = TILE / UNITS / SHARES;

/// Entries of a leg: post, base, two weight columns (indices plus one, 0 for none), treated, and predictors of the
/// log-odds, `β`, `b`, `e`, `a` (indices plus one).
pub(crate) const LEG: usize = 10;

/// Linear predictors `z'v`, `[tiles, dots, TILE]`.
///
/// A span has, beside its rows, its first predictor; `x_first` is the column of each predictor's first covariate.
#[cube(launch_unchecked)]
pub(crate) fn linear_predictors<F: Float>(
    data: &Array<F>,
    coefficients: &Array<F>,
    x_first: &Array<u32>,
    spans: &Array<u32>,
    out: &mut Array<F>,
    stamps: &mut Array<u32>,
    slot: u32,
    number: u32,
    span_count: u32,
    cubes: u32,
    stride: u32,
    #[comptime] k: usize,
    #[define(F)] _dtype: StorageType,
) {
    sign(stamps, slot, number);
    let cube = cube_number(cubes);
    let item = cube / SHARES;
    let place = place(spans, span_count, item);
    let dot = spans[place.span + 5] as usize + place.part;
    let first = x_first[dot] as usize;
    let start = cube % SHARES * comptime!(TILE / SHARES) + UNIT_POS as usize;
    #[unroll]
    for step in 0..STEPS {
        let at = start + step * UNITS;
        if at < place.rows {
            let row = place.first + at;
            out[item * TILE + at] =
                predictor::<F>(data, stride as usize, first, row, coefficients, dot * k, k);
        }
    }
}

/// `Σ w [ (d - z'β)(c + z'b - h q) + z'e + f + h τ q + (p - D) z'a ]` over the legs of each column, `[tiles, columns, TILE]`.
///
/// A span has, beside its rows, where its plan begins, its number of predictors and the first item of those. Its plan is:
/// where its numbers begin, the first leg of each column and one past the last, then the legs. `numbers` holds the settings of
/// the odds, then `c, f, h, h τ` a leg.
#[cube(launch_unchecked)]
pub(crate) fn influence_values<F: Float>(
    data: &Array<F>,
    dots: &Array<F>,
    numbers: &Array<F>,
    plan: &Array<u32>,
    spans: &Array<u32>,
    out: &mut Array<F>,
    stamps: &mut Array<u32>,
    slot: u32,
    number: u32,
    span_count: u32,
    cubes: u32,
    stride: u32,
    #[define(F)] dtype: StorageType,
) {
    sign(stamps, slot, number);
    let double = comptime!(dtype.size() == 8);
    let stride = stride as usize;
    let cube = cube_number(cubes);
    let item = cube / SHARES;
    let place = place(spans, span_count, item);
    let at = spans[place.span + 5] as usize;
    let dots_of_tile = spans[place.span + 6] as usize;
    let first_dot = (spans[place.span + 7] as usize + place.tile * dots_of_tile) * TILE;
    let columns = spans[place.span + 4] as usize;
    let start = cube % SHARES * comptime!(TILE / SHARES) + UNIT_POS as usize;
    let mut u = Array::<F>::new(STEPS);
    #[unroll]
    for step in 0..STEPS {
        u[step] = F::from_int(0);
    }
    for leg in plan[at + 1 + place.part]..plan[at + 2 + place.part] {
        let leg = leg as usize;
        let ints = at + 2 + columns + LEG * leg;
        let floats = plan[at] as usize + 4 * leg;
        let post = plan[ints];
        let base = plan[ints + 1];
        let treated = plan[ints + 4] > 0;
        let prop = plan[ints + 5];
        #[unroll]
        for step in 0..STEPS {
            let local = start + step * UNITS;
            if local < place.rows {
                let row = place.first + local;
                let dot = first_dot + local;
                let mut d = F::from_int(0);
                if post > 0 {
                    d = data[(post as usize - 1) * stride + row];
                }
                if base > 0 {
                    d -= data[(base as usize - 1) * stride + row];
                }
                d -= dot_or_zero::<F>(dots, plan[ints + 6], dot);
                let mut factor = numbers[floats] + dot_or_zero::<F>(dots, plan[ints + 7], dot);
                let mut rest = numbers[floats + 1] + dot_or_zero::<F>(dots, plan[ints + 8], dot);
                if prop > 0 {
                    let q = odds::<F>(dots[(prop as usize - 1) * TILE + dot], numbers, double);
                    let kept = trimmed::<F>(q, numbers);
                    factor -= numbers[floats + 2] * kept;
                    rest += numbers[floats + 3] * kept;
                    let not_p = F::from_int(1) / (F::from_int(1) + q);
                    let residual = select(treated, -not_p, q * not_p);
                    rest += residual * dot_or_zero::<F>(dots, plan[ints + 9], dot);
                }
                let w = weight::<F>(data, stride, plan[ints + 2], plan[ints + 3], row);
                u[step] += w * (d * factor + rest);
            }
        }
    }
    #[unroll]
    for step in 0..STEPS {
        let local = start + step * UNITS;
        if local < place.rows {
            out[item * TILE + local] = u[step];
        }
    }
}

/// A predictor given by its index plus one; 0 is none.
#[cube]
fn dot_or_zero<F: Float>(dots: &Array<F>, index: u32, dot: usize) -> F {
    let mut value = F::from_int(0);
    if index > 0 {
        value = dots[(index as usize - 1) * TILE + dot];
    }
    value
}
