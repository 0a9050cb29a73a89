//! Sums over influence values from those of a basis: without covariates the values are linear in a few columns.

use cubecl::prelude::*;

use super::super::runtime::{cube_number, sign};
use super::products::{HEIGHT, WIDTH, block_of, corner};
use super::spans::place;

/// Units of a cube that maps products: one for each of a block.
pub(crate) const PRODUCTS: usize = HEIGHT * WIDTH;

/// Units of a cube that maps draws.
pub(crate) const MAPPED_DRAWS: usize = 128;

/// Numbers before the coefficients: one that no sum hides, and how many times larger the terms of a column's second moment may
/// be than their sum.
pub(crate) const NUMBERS: usize = 2;

/// A span's combinations: where its first coefficient is, the bounds of each influence column's terms, then the basis column of
/// each term.
#[derive(CubeType)]
struct Combinations {
    /// Where they begin.
    at: usize,
    /// Influence columns.
    count: usize,
    /// Columns of the basis.
    basis: usize,
    /// First entry of the basis' products in the tile.
    products: usize,
}

/// Products of every pair of influence columns, `[tiles, blocks, PRODUCTS]`, from those of a basis.
///
/// A span has the first cube of its basis' products and how many there are of a tile in the place of rows, and beside these
/// its combinations and the columns of its basis and of its influence. Products with columns whose terms cancel are left as they
/// are, but for `mark` 1: then their own product is the number that no sum hides.
#[cube(launch_unchecked)]
pub(crate) fn map_products<F: Float>(
    products: &Array<F>,
    numbers: &Array<F>,
    plan: &Array<u32>,
    spans: &Array<u32>,
    out: &mut Array<F>,
    stamps: &mut Array<u32>,
    slot: u32,
    number: u32,
    span_count: u32,
    cubes: u32,
    mark: u32,
    #[define(F)] _dtype: StorageType,
) {
    sign(stamps, slot, number);
    let cube = cube_number(cubes);
    let unit = UNIT_POS as usize;
    let place = place(spans, span_count, cube);
    let columns = spans[place.span + 7] as usize;
    let of = Combinations {
        at: spans[place.span + 5] as usize,
        count: columns,
        basis: spans[place.span + 6] as usize,
        products: place.first * PRODUCTS,
    };
    let corner = corner(place.part, columns, HEIGHT);
    let i = corner.row + unit / WIDTH;
    let j = corner.column + unit % WIDTH;
    if i <= j && j < columns {
        if is_accurate::<F>(products, numbers, plan, &of, i)
            && is_accurate::<F>(products, numbers, plan, &of, j)
        {
            out[cube * PRODUCTS + unit] = product::<F>(products, numbers, plan, &of, i, j);
        } else if mark == 1 && i == j {
            out[cube * PRODUCTS + unit] = numbers[0];
        }
    }
}

/// Multiplied sums of influence columns, `[tiles, columns, draws]`, from those of a basis, `[tiles, basis, draws]`.
///
/// A span has the first of its basis' sums and how many there are of a tile in the place of rows, and beside these its
/// combinations, the columns of its basis and the first cube of its products. Sums of columns whose terms cancel are left as they
/// are.
#[cube(launch_unchecked)]
pub(crate) fn map_draws<F: Float>(
    products: &Array<F>,
    sums: &Array<F>,
    numbers: &Array<F>,
    plan: &Array<u32>,
    spans: &Array<u32>,
    out: &mut Array<F>,
    stamps: &mut Array<u32>,
    slot: u32,
    number: u32,
    span_count: u32,
    cubes: u32,
    draws: u32,
    #[define(F)] _dtype: StorageType,
) {
    sign(stamps, slot, number);
    let cube = cube_number(cubes);
    let draws = draws as usize;
    let place = place(spans, span_count, cube);
    let basis = spans[place.span + 6] as usize;
    let blocks = block_of(basis - 1, basis - 1, basis) + 1;
    let of = Combinations {
        at: spans[place.span + 5] as usize,
        count: spans[place.span + 4] as usize,
        basis,
        products: (spans[place.span + 7] as usize + place.tile * blocks) * PRODUCTS,
    };
    if is_accurate::<F>(products, numbers, plan, &of, place.part) {
        let first = plan[of.at] as usize;
        let terms = of.at + 2 + of.count;
        let mut draw = UNIT_POS as usize;
        while draw < draws {
            let mut sum = F::from_int(0);
            for term in plan[of.at + 1 + place.part]..plan[of.at + 2 + place.part] {
                let column = plan[terms + term as usize] as usize;
                sum += numbers[first + term as usize] * sums[(place.first + column) * draws + draw];
            }
            out[cube * draws + draw] = sum;
            draw += MAPPED_DRAWS;
        }
    }
}

/// `Σ_i u_i v_i` of two influence columns.
#[cube]
fn product<F: Float>(
    products: &Array<F>,
    numbers: &Array<F>,
    plan: &Array<u32>,
    of: &Combinations,
    u: usize,
    v: usize,
) -> F {
    let first = plan[of.at] as usize;
    let terms = of.at + 2 + of.count;
    let mut sum = F::from_int(0);
    for left in plan[of.at + 1 + u]..plan[of.at + 2 + u] {
        let a = plan[terms + left as usize] as usize;
        let mut row = F::from_int(0);
        for right in plan[of.at + 1 + v]..plan[of.at + 2 + v] {
            let b = plan[terms + right as usize] as usize;
            row += numbers[first + right as usize] * of_basis::<F>(products, of, a, b);
        }
        sum += numbers[first + left as usize] * row;
    }
    sum
}

/// Whether the terms of an influence column's second moment are not too large beside their sum.
#[cube]
fn is_accurate<F: Float>(
    products: &Array<F>,
    numbers: &Array<F>,
    plan: &Array<u32>,
    of: &Combinations,
    column: usize,
) -> bool {
    let first = plan[of.at] as usize;
    let terms = of.at + 2 + of.count;
    let mut size = F::from_int(0);
    for term in plan[of.at + 1 + column]..plan[of.at + 2 + column] {
        let a = plan[terms + term as usize] as usize;
        let own = of_basis::<F>(products, of, a, a);
        size += F::abs(numbers[first + term as usize]) * F::sqrt(own);
    }
    size * size <= numbers[1] * product::<F>(products, numbers, plan, of, column, column)
}

/// Product of two columns of the basis.
#[cube]
fn of_basis<F: Float>(products: &Array<F>, of: &Combinations, a: usize, b: usize) -> F {
    let i = usize::min(a, b);
    let j = usize::max(a, b);
    let block = block_of(i, j, of.basis);
    products[of.products + block * PRODUCTS + i % HEIGHT * WIDTH + j % WIDTH]
}
