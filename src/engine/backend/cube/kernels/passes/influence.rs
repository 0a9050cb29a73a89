//! Influence values of the rows, tile by tile: a column's values in a tile are one after another.

use cubecl::prelude::*;

use super::super::runtime::{Ticket, cube_number, sign};
use super::columns::{Columns, odds, predictor, trimmed, value_of_next, weight};
use super::layout::{leg, leg_number, plan, predictor_span, span, value_span};
use super::spans::{Spans, entry, place};
use crate::engine::pass::TILE;

/// Units of a cube.
pub(crate) const VALUE_UNITS: usize = 256;

/// Cubes that share a tile's column.
pub(crate) const SHARES: usize = 4;

/// Rows of a unit.
const STEPS: usize = TILE / VALUE_UNITS / SHARES;

/// Linear predictors `z'v`, `[tiles, dots, TILE]`.
///
/// `x_first` is the column of each predictor's first covariate. [`SHARES`] cubes share a predictor of a tile.
#[cube(launch_unchecked)]
pub(crate) fn linear_predictors<F: Float>(
    ticket: &mut Ticket,
    data: &Columns<F>,
    coefficients: &Array<F>,
    x_first: &Array<u32>,
    spans: &Spans,
    out: &mut Array<F>,
    #[comptime] k: usize,
    #[define(F)] _dtype: StorageType,
) {
    sign(ticket);
    let cube = cube_number(spans.cubes);
    let item = cube / SHARES;
    let place = place(spans, item);
    let dot = entry(spans, &place, predictor_span::PREDICTOR) + place.part;
    let first = x_first[dot] as usize;
    let start = cube % SHARES * comptime!(TILE / SHARES) + UNIT_POS as usize;
    #[unroll]
    for step in 0..STEPS {
        let at = start + step * VALUE_UNITS;
        if at < place.rows {
            let row = place.first + at;
            out[item * TILE + at] = predictor::<F>(data, first, row, coefficients, dot * k, k);
        }
    }
}

/// `Σ w [ (d - z'β)(c + z'b - h q) + z'e + f + h τ q + (p - D) z'a ]` over the legs of each column, `[tiles, columns, TILE]`.
///
/// `numbers` has the settings of the odds, then those of each leg. [`SHARES`] cubes share a column of a tile.
#[cube(launch_unchecked)]
pub(crate) fn influence_values<F: Float>(
    ticket: &mut Ticket,
    data: &Columns<F>,
    dots: &Array<F>,
    numbers: &Array<F>,
    plan: &Array<u32>,
    spans: &Spans,
    out: &mut Array<F>,
    #[define(F)] dtype: StorageType,
) {
    sign(ticket);
    let double = comptime!(dtype.size() == 8);
    let cube = cube_number(spans.cubes);
    let item = cube / SHARES;
    let place = place(spans, item);
    let at = entry(spans, &place, value_span::PLAN);
    let dots_of_tile = entry(spans, &place, value_span::PREDICTORS);
    let first_item = entry(spans, &place, value_span::ITEM);
    let first_dot = (first_item + place.tile * dots_of_tile) * TILE;
    let columns = entry(spans, &place, span::PARTS);
    let bounds = at + plan::BOUNDS;
    let first_leg = bounds + columns + 1;
    let first_number = plan[at + plan::NUMBERS] as usize;
    let start = cube % SHARES * comptime!(TILE / SHARES) + UNIT_POS as usize;
    let mut u = Array::<F>::new(STEPS);
    #[unroll]
    for step in 0..STEPS {
        u[step] = F::from_int(0);
    }
    for leg in plan[bounds + place.part]..plan[bounds + place.part + 1] {
        let leg = leg as usize;
        let ints = first_leg + leg::LEN * leg;
        let floats = first_number + leg_number::LEN * leg;
        let post = plan[ints + leg::POST];
        let base = plan[ints + leg::BASE];
        let w_first = plan[ints + leg::W_FIRST];
        let w_second = plan[ints + leg::W_SECOND];
        let treated = plan[ints + leg::TREATED] > 0;
        let log_odds = plan[ints + leg::LOG_ODDS];
        #[unroll]
        for step in 0..STEPS {
            let local = start + step * VALUE_UNITS;
            if local < place.rows {
                let row = place.first + local;
                let dot = first_dot + local;
                let mut d = F::from_int(0);
                if post > 0 {
                    d = value_of_next::<F>(data, post, row);
                }
                if base > 0 {
                    d -= value_of_next::<F>(data, base, row);
                }
                d -= dot_or_zero::<F>(dots, plan[ints + leg::BETA], dot);
                let mut factor = numbers[floats + leg_number::C]
                    + dot_or_zero::<F>(dots, plan[ints + leg::B], dot);
                let mut shift = numbers[floats + leg_number::F]
                    + dot_or_zero::<F>(dots, plan[ints + leg::E], dot);
                if log_odds > 0 {
                    let q = odds::<F>(dots[(log_odds as usize - 1) * TILE + dot], numbers, double);
                    let trimmed_odds = trimmed::<F>(q, numbers);
                    factor -= numbers[floats + leg_number::H] * trimmed_odds;
                    shift += numbers[floats + leg_number::H_TAU] * trimmed_odds;
                    let not_p = F::from_int(1) / (F::from_int(1) + q);
                    let residual = select(treated, -not_p, q * not_p);
                    shift += residual * dot_or_zero::<F>(dots, plan[ints + leg::A], dot);
                }
                let w = weight::<F>(data, w_first, w_second, row);
                u[step] += w * (d * factor + shift);
            }
        }
    }
    #[unroll]
    for step in 0..STEPS {
        let local = start + step * VALUE_UNITS;
        if local < place.rows {
            out[item * TILE + local] = u[step];
        }
    }
}

/// A predictor that is given plus one; 0 where there is none.
#[cube]
fn dot_or_zero<F: Float>(dots: &Array<F>, index: u32, dot: usize) -> F {
    let mut value = F::from_int(0);
    if index > 0 {
        value = dots[(index as usize - 1) * TILE + dot];
    }
    value
}
