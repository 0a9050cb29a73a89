//! Multiplied sums `Σ_i v_ir u_i` of the bootstrap, by bits.
//!
//! A law with `L + 1` points is `v = v_L + Σ_j (v_j - v_L) 1{class j}`, and the classes of 128 draws of one row are bit
//! masks that are a function of (seed, canonical rank of the row, block of draws). For eight rows at a time, the sums of
//! all 256 subsets of four columns are tabulated once and each draw reads one entry.

use super::for_tiles;
use super::subsets::{DRAWS, Four, WIDTH, add_class};
use crate::base::random::{BATCH, law_levels, subset_words};
use crate::base::simd::vectorized;
use crate::engine::pass::{Multipliers, add};

/// Adds `Σ_i v_ir u_ij` to `out[j R + r]` for the columns `u_j = block[j stride ..][..rank.len()]`.
#[inline(always)]
pub(super) fn accumulate(
    block: &[f64],
    stride: usize,
    rank: &[u64],
    spec: &Multipliers,
    out: &mut [f64],
) {
    let (last, levels) = law_levels(spec.law);
    let columns = out.len() / spec.draws;
    let padded = spec.draws.next_multiple_of(DRAWS);
    // Random bits come in blocks of four words.
    let class = (padded / DRAWS).next_multiple_of(4);
    let mut words = vec![[0; BATCH]; levels.len() * class];
    let mut sums = vec![Four::default(); columns.div_ceil(WIDTH) * padded];
    let mut values = [Four::default(); BATCH];
    for start in (0..rank.len()).step_by(BATCH) {
        let rows = start..(start + BATCH).min(rank.len());
        let mut ranks = [0; BATCH];
        ranks[..rows.len()].copy_from_slice(&rank[rows.clone()]);
        subset_words(&ranks, spec, &mut words);
        for (group, sums) in sums.chunks_exact_mut(padded).enumerate() {
            values.fill(Four::default());
            for (lane, j) in (group * WIDTH..columns).take(WIDTH).enumerate() {
                let column = &block[j * stride + rows.start..j * stride + rows.end];
                for (value, u) in values.iter_mut().zip(column) {
                    value.0[lane] = *u;
                }
            }
            let mut constant = last;
            for (level, words) in levels.iter().zip(words.chunks_exact(class)) {
                add_class(&values, constant, *level, words, sums);
                constant = 0.0;
            }
        }
    }
    for (group, sums) in sums.chunks_exact(padded).enumerate() {
        for (lane, j) in (group * WIDTH..columns).take(WIDTH).enumerate() {
            let column = &mut out[j * spec.draws..(j + 1) * spec.draws];
            for (r, o) in column.iter_mut().enumerate() {
                *o += sums[r / DRAWS * DRAWS + r % 8 * 4 + r % DRAWS / 8].0[lane];
            }
        }
    }
}

/// Draws `[m, R]` from cluster sums `[m, C]`, cluster `c` having rank `c`.
pub(crate) fn cluster_draws(sums: &[f64], clusters: usize, spec: &Multipliers) -> Vec<f64> {
    let columns = sums.len() / clusters.max(1);
    let ranks: Vec<u64> = (0..).take(clusters).collect();
    let mut draws = vec![0.0; columns * spec.draws];
    for_tiles(
        clusters,
        |tile| {
            let mut part = vec![0.0; columns * spec.draws];
            vectorized(
                #[inline(always)]
                || accumulate(&sums[tile.start..], clusters, &ranks[tile], spec, &mut part),
            );
            part
        },
        |_, part| add(&mut draws, &part),
    );
    draws
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::options::Multiplier;
    use crate::base::random::masks;

    const LAWS: [Multiplier; 3] = [Multiplier::Mammen, Multiplier::Rademacher, Multiplier::Webb];

    /// Multipliers `[rows][draws]`, one by one from the masks.
    fn multipliers(spec: &Multipliers, rank: u64) -> Vec<f64> {
        let (last, levels) = law_levels(spec.law);
        (0..spec.draws)
            .map(|r| {
                let mut row = [0u128; 5];
                masks(spec.law, spec.seed, rank, (r / 128) as u32, &mut row);
                let on = |j: usize| f64::from((row[j] >> (r % 128) & 1) as u32);
                last + levels.iter().enumerate().map(|(j, l)| l * on(j)).sum::<f64>()
            })
            .collect()
    }

    #[test]
    fn laws_have_mean_zero_and_variance_one() {
        for law in LAWS {
            let spec = Multipliers { law, seed: 3, draws: 1_000 };
            let all: Vec<f64> = (0..400).flat_map(|rank| multipliers(&spec, rank)).collect();
            let n = all.len() as f64;
            let moment = |k: i32| all.iter().map(|v| v.powi(k)).sum::<f64>() / n;
            assert!(moment(1).abs() < 0.006, "{law:?} mean {}", moment(1));
            assert!((moment(2) - 1.0).abs() < 0.01, "{law:?} variance {}", moment(2));
            let third = if law == Multiplier::Mammen { 1.0 } else { 0.0 };
            assert!((moment(3) - third).abs() < 0.02, "{law:?} third {}", moment(3));
        }
    }

    #[test]
    fn table_sums_equal_direct_sums() {
        for law in LAWS {
            let spec = Multipliers { law, seed: 11, draws: 300 };
            let rank: Vec<u64> = (0..21).map(|i| i * 37 + 5).collect();
            let block: Vec<f64> = (0..42).map(|i| (f64::from(i) * 0.7).sin()).collect();
            let mut out = vec![0.0; 600];
            accumulate(&block, 21, &rank, &spec, &mut out);
            let v: Vec<Vec<f64>> = rank.iter().map(|r| multipliers(&spec, *r)).collect();
            for j in 0..2 {
                for r in 0..300 {
                    let direct: f64 = (0..21).map(|i| v[i][r] * block[j * 21 + i]).sum();
                    assert!((out[j * 300 + r] - direct).abs() < 1e-12);
                }
            }
        }
    }
}
