//! Sums of products of columns, in blocks of registers.

use pulp::{Scalar256b, Simd, WithSimd};

use crate::base::parallel;
use crate::engine::pass::TILE;

/// Lanes of a sum, whatever the instruction set.
const LANES: usize = 4;

/// Rows that one task sums.
const TASK_ROWS: usize = 16 * TILE;

/// The stage of long sums of products.
pub(crate) const STAGE: &str = "cross-products";

/// Columns of equal length.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a> {
    /// The first column; column `j` starts at `j * stride`.
    pub data: &'a [f64],
    pub stride: usize,
    pub count: usize,
}

impl<'a> Columns<'a> {
    #[inline(always)]
    fn get(&self, index: usize, rows: usize) -> &'a [f64] {
        &self.data[index * self.stride..][..rows]
    }
}

/// `out_ij += Σ a_i b_j`, `out` `[a.count, b.len()]`, for the columns `j >= i - lag`. Some of the other entries change, too.
pub(crate) fn products(a: Columns<'_>, b: &[&[f64]], lag: usize, out: &mut [f64]) {
    let products = Products { a, b, lag, out };
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return Simd::vectorize(simd, products);
    }
    Simd::vectorize(Scalar256b, products);
}

/// `Σ_i s_i² x_i x_i'` of columns, `[k, k]`; `s` is one without a scale.
pub(crate) fn cross_products(columns: &[&[f64]], scale: Option<&[f64]>) -> Vec<f64> {
    let k = columns.len();
    let rows = columns.first().map_or(0, |c| c.len());
    let sums = parallel::map_telling_of_several(STAGE, rows.div_ceil(TASK_ROWS), |task| {
        let mut sum = vec![0.0; k * k];
        let mut tile = vec![0.0; k * TILE];
        let rows = parallel::part(task, TASK_ROWS, rows);
        for start in rows.clone().step_by(TILE) {
            let range = start..(start + TILE).min(rows.end);
            for (tile, column) in tile.chunks_exact_mut(TILE).zip(columns) {
                let tile = &mut tile[..range.len()];
                match scale {
                    None => tile.copy_from_slice(&column[range.clone()]),
                    Some(scale) => {
                        let pairs = column[range.clone()].iter().zip(&scale[range.clone()]);
                        tile.iter_mut().zip(pairs).for_each(|(t, (x, s))| *t = x * s);
                    }
                }
            }
            let right: Vec<&[f64]> =
                tile.chunks_exact(TILE).map(|column| &column[..range.len()]).collect();
            let left = Columns { data: &tile, stride: TILE, count: k };
            products(left, &right, 0, &mut sum);
        }
        sum
    });
    let mut total = vec![0.0; k * k];
    for sum in sums {
        total.iter_mut().zip(sum).for_each(|(total, sum)| *total += sum);
    }
    for i in 0..k {
        for j in 0..i {
            total[i * k + j] = total[j * k + i];
        }
    }
    total
}

/// All columns of both: no entry is left out.
pub(super) const ALL: usize = usize::MAX;

struct Products<'a> {
    a: Columns<'a>,
    b: &'a [&'a [f64]],
    lag: usize,
    out: &'a mut [f64],
}

impl WithSimd for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (height, width) = (self.a.count, self.b.len());
        let mut i = 0;
        while i < height {
            let rows = (height - i).min(3);
            let mut j = i.saturating_sub(self.lag);
            while j < width {
                let columns = match width - j {
                    5 => 3,
                    rest => rest.min(4),
                };
                let at = ProductBlock { i, j, width };
                let (a, b, out) = (self.a, self.b, &mut *self.out);
                match (rows, columns) {
                    (3, 4) => block::<S, 3, 4>(simd, at, a, b, out),
                    (3, 3) => block::<S, 3, 3>(simd, at, a, b, out),
                    (3, 2) => block::<S, 3, 2>(simd, at, a, b, out),
                    (3, _) => block::<S, 3, 1>(simd, at, a, b, out),
                    (2, 4) => block::<S, 2, 4>(simd, at, a, b, out),
                    (2, 3) => block::<S, 2, 3>(simd, at, a, b, out),
                    (2, 2) => block::<S, 2, 2>(simd, at, a, b, out),
                    (2, _) => block::<S, 2, 1>(simd, at, a, b, out),
                    (_, 4) => block::<S, 1, 4>(simd, at, a, b, out),
                    (_, 3) => block::<S, 1, 3>(simd, at, a, b, out),
                    (_, 2) => block::<S, 1, 2>(simd, at, a, b, out),
                    _ => block::<S, 1, 1>(simd, at, a, b, out),
                }
                j += columns;
            }
            i += rows;
        }
    }
}

/// First row and column of a block, and the width of the whole.
#[derive(Clone, Copy)]
struct ProductBlock {
    i: usize,
    j: usize,
    width: usize,
}

/// `R × C` sums in registers.
#[inline(always)]
fn block<S: Simd, const R: usize, const C: usize>(
    simd: S,
    at: ProductBlock,
    a: Columns<'_>,
    b: &[&[f64]],
    out: &mut [f64],
) {
    let n = b[at.j].len();
    let whole = n / LANES;
    let a: [&[f64]; R] = std::array::from_fn(|i| a.get(at.i + i, n));
    let b: [&[f64]; C] = std::array::from_fn(|j| &b[at.j + j][..n]);
    let a_lanes = a.map(|a| &S::as_simd_f64s(a).0[..whole]);
    let b_lanes = b.map(|b| &S::as_simd_f64s(b).0[..whole]);
    let mut sums = [[simd.splat_f64s(0.0); C]; R];
    for t in 0..whole {
        let a = a_lanes.map(|a| a[t]);
        for (j, b) in b_lanes.iter().enumerate() {
            for (sums, a) in sums.iter_mut().zip(a) {
                sums[j] = simd.add_f64s(sums[j], simd.mul_f64s(a, b[t]));
            }
        }
    }
    if n > whole * LANES {
        let padded_tail = |v: &[f64]| {
            let mut lanes = [0.0; LANES];
            lanes[..n - whole * LANES].copy_from_slice(&v[whole * LANES..]);
            S::as_simd_f64s(&lanes).0[0]
        };
        for (sums, a) in sums.iter_mut().zip(a) {
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum = simd.add_f64s(*sum, simd.mul_f64s(padded_tail(a), padded_tail(b)));
            }
        }
    }
    for (i, sums) in sums.into_iter().enumerate() {
        let out = &mut out[(at.i + i) * at.width + at.j..][..C];
        for (out, sum) in out.iter_mut().zip(sums) {
            let mut lanes = [0.0; LANES];
            S::as_mut_simd_f64s(&mut lanes).0[0] = sum;
            *out += (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(count: usize, rows: usize, seed: usize) -> Vec<f64> {
        (0..count * rows).map(|i| ((i + seed) as f64 * 0.7).sin()).collect()
    }

    #[test]
    fn products_are_the_sums_of_products_whatever_the_shape() {
        for (rows, height, width) in [(1, 1, 1), (3, 2, 5), (256, 4, 4), (257, 7, 6), (30, 8, 11)] {
            let [a, b] = [columns(height, rows, 1), columns(width, rows, 5)];
            let b: Vec<&[f64]> = b.chunks_exact(rows).collect();
            for lag in [0, 1, ALL] {
                let mut out = vec![1.0; height * width];
                let a = Columns { data: &a, stride: rows, count: height };
                products(a, &b, lag, &mut out);
                for (i, j) in (0..height).flat_map(|i| (0..width).map(move |j| (i, j))) {
                    let sum: f64 = a.get(i, rows).iter().zip(b[j]).map(|(a, b)| a * b).sum();
                    if j >= i.saturating_sub(lag) {
                        assert!((out[i * width + j] - 1.0 - sum).abs() < 1e-12, "{i}, {j}");
                    }
                }
            }
        }
    }

    #[test]
    fn sums_do_not_depend_on_the_instruction_set() {
        let (rows, width) = (257, 7);
        let data = columns(width, rows, 3);
        let b: Vec<&[f64]> = data.chunks_exact(rows).collect();
        let a = Columns { data: &data, stride: rows, count: width };
        let [mut here, mut plain] = [vec![0.0; width * width], vec![0.0; width * width]];
        products(a, &b, 0, &mut here);
        Simd::vectorize(Scalar256b, Products { a, b: &b, lag: 0, out: &mut plain });
        assert_eq!(here, plain);
    }
}
