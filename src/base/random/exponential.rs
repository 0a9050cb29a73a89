//! Standard exponential numbers as a function of (seed, draw, rank): the weights of the weighted bootstrap.

use pulp::Scalar;
use rayon::prelude::*;

use super::philox::{halves, keys, philox};
use crate::base::segment::TILE;
use crate::base::simd::vectorized;

/// Draws that share a block of random bits.
pub(crate) const DRAWS_PER_BLOCK: usize = 4;

/// Last word of the counter: tells these numbers from others of the same seed.
const STREAM: u32 = 0x6578_706f;

/// Exponential numbers `[count, ranks]`, row `r` for draw `4 block + r`. Each comes from 32 random bits.
pub(crate) fn exponentials(seed: u64, block: u32, count: usize, rank: &[u64]) -> Vec<f64> {
    let mut out = vec![0.0; count * rank.len()];
    let rows = rank.len().max(1);
    let groups = out.par_chunks_mut(DRAWS_PER_BLOCK * rows).zip(block..u32::MAX);
    groups.for_each(|(group, block)| {
        let mut columns: Vec<_> =
            group.chunks_exact_mut(rows).map(|c| c.chunks_mut(TILE)).collect();
        let tiles: Vec<(&[u64], Vec<&mut [f64]>)> = rank
            .chunks(TILE)
            .map(|ranks| (ranks, columns.iter_mut().filter_map(Iterator::next).collect()))
            .collect();
        tiles.into_par_iter().for_each(|(ranks, mut columns)| {
            vectorized(
                #[inline(always)]
                || fill(seed, block, ranks, &mut columns),
            );
        });
    });
    out
}

#[inline(always)]
fn fill(seed: u64, block: u32, ranks: &[u64], columns: &mut [&mut [f64]]) {
    let keys = keys(seed);
    let mut words = vec![0u32; DRAWS_PER_BLOCK * TILE];
    let (ab, cd) = words.split_at_mut(2 * TILE);
    let ((a, b), (c, d)) = (ab.split_at_mut(TILE), cd.split_at_mut(TILE));
    for (i, rank) in ranks.iter().enumerate() {
        let [low, high] = halves(*rank);
        [a[i], b[i], c[i], d[i]] = philox(Scalar, &keys, [low, high, block, STREAM]);
    }
    for (column, words) in columns.iter_mut().zip(words.chunks_exact(TILE)) {
        for (out, word) in column.iter_mut().zip(words) {
            *out = -ln((f64::from(*word) + 0.5) * (1.0 / 4_294_967_296.0));
        }
    }
}

/// Natural logarithm of a positive normal number, to within 2 units in the last place away from 1.
///
/// `x = 2^n m` with `m` in `[√½, √2)`, and `ln m = 2 artanh s` with `s = (m - 1) / (m + 1)` by its power series.
#[inline(always)]
fn ln(x: f64) -> f64 {
    const HALF_ROOT: u64 = 0x3fe6_a09e_667f_3bcd;
    // Added to an integer below 2^32 in the low bits, it makes them those of a double.
    const MAGIC: f64 = 4_503_599_627_370_496.0;
    let offset = x.to_bits().wrapping_sub(HALF_ROOT).wrapping_add(1024 << 52);
    let n = f64::from_bits((offset >> 52) | MAGIC.to_bits()) - (MAGIC + 1024.0);
    let m = f64::from_bits((offset & ((1 << 52) - 1)).wrapping_add(HALF_ROOT));
    let s = (m - 1.0) / (m + 1.0);
    let s2 = s * s;
    let mut series = 1.0 / 23.0;
    let mut k = 21.0;
    while k > 2.0 {
        series = series * s2 + 1.0 / k;
        k -= 2.0;
    }
    n * std::f64::consts::LN_2 + 2.0 * s * (1.0 + s2 * series)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_law_and_draws_are_independent() {
        let rank: Vec<u64> = (0..100_000).collect();
        let all = exponentials(7, 2, 8, &rank);
        let draws: Vec<&[f64]> = all.chunks_exact(rank.len()).collect();
        let mean = |v: &mut dyn Iterator<Item = f64>| v.sum::<f64>() / rank.len() as f64;
        for (r, draw) in draws.iter().enumerate() {
            assert!(draw.iter().all(|e| *e > 0.0));
            assert!((mean(&mut draw.iter().copied()) - 1.0).abs() < 0.015);
            assert!((mean(&mut draw.iter().map(|e| e * e)) - 2.0).abs() < 0.08);
            for other in &draws[..r] {
                let pairs = draw.iter().zip(*other);
                assert!((mean(&mut pairs.map(|(a, b)| a * b)) - 1.0).abs() < 0.025);
            }
        }
    }

    #[test]
    fn numbers_belong_to_the_rank_whatever_the_chunk() {
        let rank: Vec<u64> = (0..9_000).collect();
        let whole = exponentials(3, 0, 5, &rank);
        let part = exponentials(3, 0, 5, &rank[4_000..6_000]);
        for r in 0..5 {
            assert_eq!(
                part[r * 2_000..(r + 1) * 2_000],
                whole[r * 9_000 + 4_000..r * 9_000 + 6_000]
            );
        }
    }

    #[test]
    fn logarithms_are_accurate_over_many_magnitudes() {
        for i in 1..200_000u32 {
            for x in [f64::from(i) * 1.7e-5, f64::from(i).powi(9), f64::from(i).powi(-9)] {
                let (expected, got) = (x.ln(), ln(x));
                let error = (got - expected).abs();
                assert!(error <= 4e-16 * expected.abs().max(0.5), "ln({x}): {got} {expected}");
            }
        }
    }
}
