//! Influence values of the rows.

use cubecl::prelude::*;

use super::math::{SETTINGS, entry, odds, predictor, trimmed, weight};

/// Linear predictors `z'v`, `[dots, rows]`, of the rows from `start` on. A cube row is a predictor.
#[cube(launch, address_type = "dynamic")]
pub(crate) fn linear_predictors<F: Float>(
    x: &Tensor<F>,
    coefficients: &Array<F>,
    versions: &Array<u32>,
    out: &mut Array<F>,
    start: u32,
    rows: u32,
    k: u32,
    #[define(F)] _dtype: StorageType,
) {
    let row = ABSOLUTE_POS_X as usize;
    let dot = CUBE_POS_Y as usize;
    let k = k as usize;
    if row < rows as usize {
        let x_first = versions[dot] as usize * (k - 1);
        out[dot * rows as usize + row] =
            predictor::<F>(x, x_first, row + start as usize, coefficients, dot * k, k);
    }
}

/// `Σ w [ (d - z'β)(c + z'b - h q) + z'e + f + h τ q + (p - D) z'a ]` over the legs of each column, `[columns, rows]`.
///
/// A cube row is a column. `plan` holds the first leg of each column and one past the last, then ten entries a leg:
/// post, base, two weight columns (indices plus one, 0 for none), treated, and predictors of the log-odds, `β`, `b`, `e`,
/// `a` (indices plus one). `numbers` holds the settings of the odds, then `c, f, h, h τ` a leg.
#[cube(launch, address_type = "dynamic")]
pub(crate) fn influence_values<F: Float>(
    y: &Tensor<F>,
    w: &Tensor<F>,
    dots: &Array<F>,
    numbers: &Array<F>,
    plan: &Array<u32>,
    out: &mut Array<F>,
    start: u32,
    rows: u32,
    #[define(F)] dtype: StorageType,
) {
    let double = comptime!(dtype.size() == 8);
    let at = ABSOLUTE_POS_X as usize;
    let column = CUBE_POS_Y as usize;
    let rows = rows as usize;
    if at < rows {
        let row = at + start as usize;
        let mut u = F::from_int(0);
        for leg in plan[column]..plan[column + 1] {
            let leg = leg as usize;
            let ints = CUBE_COUNT_Y as usize + 1 + 10 * leg;
            let floats = SETTINGS + 4 * leg;
            let mut d = F::from_int(0);
            let post = plan[ints];
            if post > 0 {
                d = entry::<F>(y, post as usize - 1, row);
            }
            let base = plan[ints + 1];
            if base > 0 {
                d -= entry::<F>(y, base as usize - 1, row);
            }
            d -= dot_or_zero::<F>(dots, plan[ints + 6], rows, at);
            let mut factor = numbers[floats] + dot_or_zero::<F>(dots, plan[ints + 7], rows, at);
            let mut rest = numbers[floats + 1] + dot_or_zero::<F>(dots, plan[ints + 8], rows, at);
            let prop = plan[ints + 5];
            if prop > 0 {
                let q = odds::<F>(dots[(prop as usize - 1) * rows + at], numbers, double);
                let kept = trimmed::<F>(q, numbers);
                factor -= numbers[floats + 2] * kept;
                rest += numbers[floats + 3] * kept;
                let not_p = F::from_int(1) / (F::from_int(1) + q);
                let mut residual = q * not_p;
                if plan[ints + 4] > 0 {
                    residual = -not_p;
                }
                rest += residual * dot_or_zero::<F>(dots, plan[ints + 9], rows, at);
            }
            u += weight::<F>(w, plan[ints + 2], plan[ints + 3], row) * (d * factor + rest);
        }
        out[column * rows + at] = u;
    }
}

/// A predictor given by its index plus one; 0 is none.
#[cube]
fn dot_or_zero<F: Float>(dots: &Array<F>, index: u32, rows: usize, at: usize) -> F {
    let mut value = F::from_int(0);
    if index > 0 {
        value = dots[(index as usize - 1) * rows + at];
    }
    value
}
