//! Sums over influence values from those of a basis: without covariates the values are linear in a few columns.

use cubecl::prelude::*;

use super::super::runtime::{Ticket, cube_number, sign};
use super::layout::{mapped_span, mapping, plan, span};
use super::products::{HEIGHT, WIDTH, block_of, corner};
use super::spans::{Spans, entry, place};

/// Units of a cube that maps products: one for each of a block.
pub(crate) const PRODUCTS: usize = HEIGHT * WIDTH;

/// Units of a cube that maps draws.
pub(crate) const MAPPED_DRAWS: usize = 128;

/// A span's combinations: each influence column is a sum of terms, which are columns of the basis times coefficients.
#[derive(CubeType)]
struct Combinations {
    /// First entry of the bounds of the influence columns' terms.
    bounds: usize,
    /// First entry of the terms; each term is a column of the basis.
    terms: usize,
    /// First of the terms' coefficients.
    coefficients: usize,
    /// Columns of the basis.
    basis: usize,
    /// First entry of the basis' products in the tile.
    products: usize,
}

/// Products of every pair of influence columns, `[tiles, blocks, PRODUCTS]`, from those of a basis.
///
/// In the place of rows a span has the first cube of its basis' products, and how many there are of a tile. Products with columns whose
/// terms cancel are left as they are; but if `mark` is 1, the product of such a column with itself becomes [`mapping::MARK`].
#[cube(launch_unchecked)]
pub(crate) fn map_products<F: Float>(
    ticket: &mut Ticket,
    products: &Array<F>,
    numbers: &Array<F>,
    plan: &Array<u32>,
    spans: &Spans,
    out: &mut Array<F>,
    mark: u32,
    #[define(F)] _dtype: StorageType,
) {
    sign(ticket);
    let cube = cube_number(spans.cubes);
    let unit = UNIT_POS as usize;
    let place = place(spans, cube);
    let columns = entry(spans, &place, mapped_span::COLUMNS);
    let basis = entry(spans, &place, mapped_span::BASIS);
    let at = entry(spans, &place, mapped_span::COMBINATIONS);
    let of = combinations(plan, at, columns, basis, place.first);
    let corner = corner(place.part, columns, HEIGHT);
    let i = corner.row + unit / WIDTH;
    let j = corner.column + unit % WIDTH;
    if i <= j && j < columns {
        if is_accurate::<F>(products, numbers, plan, &of, i)
            && is_accurate::<F>(products, numbers, plan, &of, j)
        {
            out[cube * PRODUCTS + unit] = product::<F>(products, numbers, plan, &of, i, j);
        } else if mark == 1 && i == j {
            out[cube * PRODUCTS + unit] = numbers[mapping::MARK];
        }
    }
}

/// Multiplied sums of influence columns, `[tiles, columns, draws]`, from those of a basis, `[tiles, basis, draws]`.
///
/// In the place of rows a span has the first of its basis' sums, and how many there are of a tile. Sums of columns whose terms cancel are
/// left as they are.
#[cube(launch_unchecked)]
pub(crate) fn map_draws<F: Float>(
    ticket: &mut Ticket,
    products: &Array<F>,
    sums: &Array<F>,
    numbers: &Array<F>,
    plan: &Array<u32>,
    spans: &Spans,
    out: &mut Array<F>,
    draws: u32,
    #[define(F)] _dtype: StorageType,
) {
    sign(ticket);
    let cube = cube_number(spans.cubes);
    let draws = draws as usize;
    let place = place(spans, cube);
    let basis = entry(spans, &place, mapped_span::BASIS);
    let blocks = block_of(basis - 1, basis - 1, basis) + 1;
    let first_product = entry(spans, &place, mapped_span::PRODUCTS) + place.tile * blocks;
    let columns = entry(spans, &place, span::PARTS);
    let at = entry(spans, &place, mapped_span::COMBINATIONS);
    let of = combinations(plan, at, columns, basis, first_product);
    if is_accurate::<F>(products, numbers, plan, &of, place.part) {
        let mut draw = UNIT_POS as usize;
        while draw < draws {
            let mut sum = F::from_int(0);
            for term in plan[of.bounds + place.part]..plan[of.bounds + place.part + 1] {
                let column = plan[of.terms + term as usize] as usize;
                sum += numbers[of.coefficients + term as usize]
                    * sums[(place.first + column) * draws + draw];
            }
            out[cube * draws + draw] = sum;
            draw += MAPPED_DRAWS;
        }
    }
}

/// The combinations that begin at `at` in the plan, of so many influence columns, and their basis, whose products of the tile begin at
/// a cube.
#[cube]
fn combinations(
    plan: &Array<u32>,
    at: usize,
    columns: usize,
    basis: usize,
    first_product: usize,
) -> Combinations {
    let bounds = at + plan::BOUNDS;
    Combinations {
        bounds,
        terms: bounds + columns + 1,
        coefficients: plan[at + plan::NUMBERS] as usize,
        basis,
        products: first_product * PRODUCTS,
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
    let mut sum = F::from_int(0);
    for left in plan[of.bounds + u]..plan[of.bounds + u + 1] {
        let a = plan[of.terms + left as usize] as usize;
        let mut row = F::from_int(0);
        for right in plan[of.bounds + v]..plan[of.bounds + v + 1] {
            let b = plan[of.terms + right as usize] as usize;
            row += numbers[of.coefficients + right as usize] * of_basis::<F>(products, of, a, b);
        }
        sum += numbers[of.coefficients + left as usize] * row;
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
    let mut size = F::from_int(0);
    for term in plan[of.bounds + column]..plan[of.bounds + column + 1] {
        let a = plan[of.terms + term as usize] as usize;
        let square = of_basis::<F>(products, of, a, a);
        size += F::abs(numbers[of.coefficients + term as usize]) * F::sqrt(square);
    }
    size * size
        <= numbers[mapping::CANCELLATION]
            * product::<F>(products, numbers, plan, of, column, column)
}

/// Product of two columns of the basis.
#[cube]
fn of_basis<F: Float>(products: &Array<F>, of: &Combinations, a: usize, b: usize) -> F {
    let i = usize::min(a, b);
    let j = usize::max(a, b);
    let block = block_of(i, j, of.basis);
    products[of.products + block * PRODUCTS + i % HEIGHT * WIDTH + j % WIDTH]
}
