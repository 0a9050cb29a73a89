//! Multiplied sums `Σ_i v_ir u_i` of the bootstrap, by bits.
//!
//! A law with `L + 1` points is `v = v_L + Σ_j (v_j - v_L) 1{class j}`, and the classes of 128 draws of one row are bit
//! masks that are a function of (seed, canonical rank of the row, block of draws). For eight rows at a time, the sums of
//! all 256 subsets of a column are tabulated once and each draw reads one entry.

use super::philox::bits;
use super::{for_tiles, vectorized};
use crate::options::Multiplier;
use crate::pass::{Multipliers, add};

/// Draws that share one word of random bits.
const LANES: usize = 128;

/// Probability of the lower point of Mammen's law, `(√5 + 1) / (2 √5)`, as a 64-bit binary fraction.
pub(crate) const MAMMEN_LOWER: u64 = 0xB93E_4B8B_7FDB_B26A;

/// Value of the last class and the differences of the others from it.
pub(crate) fn law_levels(law: Multiplier) -> (f64, Vec<f64>) {
    let root5 = 5f64.sqrt();
    match law {
        Multiplier::Mammen => ((1.0 + root5) / 2.0, vec![-root5]),
        Multiplier::Rademacher | Multiplier::Gaussian => (-1.0, vec![2.0]),
        Multiplier::Webb => {
            let (high, low) = (1.5f64.sqrt(), 0.5f64.sqrt());
            (-low, [high, 1.0, low, -high, -1.0].map(|v| v + low).to_vec())
        }
    }
}

/// Class masks of 128 draws of one row.
#[inline(always)]
pub(crate) fn masks(law: Multiplier, seed: u64, rank: u32, block: u32, out: &mut [u128]) {
    match law {
        Multiplier::Rademacher | Multiplier::Gaussian => out[0] = bits(seed, [rank, block, 0, 0]),
        Multiplier::Mammen => out[0] = below(MAMMEN_LOWER, seed, rank, block),
        Multiplier::Webb => webb(seed, rank, block, out),
    }
}

/// Lanes whose uniform number is below `fraction / 2^64`, compared bit by bit from the highest.
#[inline(always)]
fn below(fraction: u64, seed: u64, rank: u32, block: u32) -> u128 {
    let (mut open, mut below) = (u128::MAX, 0);
    for step in 0..64 {
        let random = bits(seed, [rank, block, step, 0]);
        if fraction >> (63 - step) & 1 == 1 {
            below |= open & !random;
            open &= random;
        } else {
            open &= !random;
        }
        if open == 0 {
            break;
        }
    }
    below
}

/// Masks of `+√1.5, +1, +√0.5, -√1.5, -1`: a sign and one of three sizes, redrawn until it is one of three.
#[inline(always)]
fn webb(seed: u64, rank: u32, block: u32, out: &mut [u128]) {
    let negative = bits(seed, [rank, block, 0, 0]);
    let (mut open, mut sizes) = (u128::MAX, [0u128; 3]);
    for step in 0..32 {
        let a = bits(seed, [rank, block, 2 * step + 1, 0]);
        let b = bits(seed, [rank, block, 2 * step + 2, 0]);
        sizes[0] |= open & !a & !b;
        sizes[1] |= open & a & !b;
        sizes[2] |= open & !a & b;
        open &= a & b;
        if open == 0 {
            break;
        }
    }
    sizes[0] |= open;
    for (j, size) in sizes.into_iter().enumerate() {
        out[j] = size & !negative;
    }
    out[3] = sizes[0] & negative;
    out[4] = sizes[1] & negative;
}

/// Adds `Σ_i v_ir u_ij` to `out[j R + r]` for the columns `u_j = block[j stride ..][..rank.len()]`.
#[inline(always)]
pub(super) fn accumulate(
    block: &[f64],
    stride: usize,
    rank: &[u32],
    spec: &Multipliers,
    out: &mut [f64],
) {
    let (last, levels) = law_levels(spec.law);
    let padded = spec.draws.next_multiple_of(LANES);
    let columns = out.len() / spec.draws;
    let mut bytes = vec![0u8; levels.len() * padded];
    let mut subsets = [0.0; 256];
    for start in (0..rank.len()).step_by(8) {
        let rows = start..(start + 8).min(rank.len());
        subset_bytes(&rank[rows.clone()], spec, levels.len(), &mut bytes);
        for j in 0..columns {
            tabulate(&block[j * stride + rows.start..j * stride + rows.end], &mut subsets);
            let constant = last * subsets[255];
            let out = &mut out[j * spec.draws..(j + 1) * spec.draws];
            if let [level] = levels[..] {
                let table = subsets.map(|s| constant + level * s);
                for (o, b) in out.iter_mut().zip(&bytes) {
                    *o += table[usize::from(*b)];
                }
                continue;
            }
            for (o, r) in out.iter_mut().zip(0..) {
                let mut v = constant;
                for (level, bytes) in levels.iter().zip(bytes.chunks_exact(padded)) {
                    v += level * subsets[usize::from(bytes[r])];
                }
                *o += v;
            }
        }
    }
}

/// For each class and draw, the byte whose bit `i` says whether row `i` of eight is in the class.
#[inline(always)]
fn subset_bytes(rank: &[u32], spec: &Multipliers, levels: usize, bytes: &mut [u8]) {
    let padded = bytes.len() / levels;
    for (block, start) in (0u32..).zip((0..padded).step_by(LANES)) {
        let mut rows = [[0u128; 5]; 8];
        for (row, rank) in rows.iter_mut().zip(rank) {
            masks(spec.law, spec.seed, *rank, block, row);
        }
        for level in 0..levels {
            let words = rows.map(|r| r[level].to_le_bytes());
            let out = &mut bytes[level * padded + start..level * padded + start + LANES];
            for (byte, out) in out.chunks_exact_mut(8).enumerate() {
                let square = u64::from_le_bytes(words.map(|w| w[byte]));
                out.copy_from_slice(&transpose(square).to_le_bytes());
            }
        }
    }
}

/// Transposes an 8 × 8 bit matrix.
#[inline(always)]
fn transpose(mut x: u64) -> u64 {
    for (shift, mask) in
        [(7, 0x00AA_00AA_00AA_00AA), (14, 0x0000_CCCC_0000_CCCC), (28, 0x0000_0000_F0F0_F0F0)]
    {
        let t = (x ^ (x >> shift)) & mask;
        x ^= t ^ (t << shift);
    }
    x
}

/// Sums of all subsets of up to eight values.
#[inline(always)]
fn tabulate(values: &[f64], subsets: &mut [f64; 256]) {
    let mut padded = [0.0; 8];
    padded[..values.len()].copy_from_slice(values);
    subsets[0] = 0.0;
    for (bit, value) in padded.into_iter().enumerate() {
        let (known, new) = subsets.split_at_mut(1 << bit);
        for (new, known) in new.iter_mut().zip(known.iter()) {
            *new = known + value;
        }
    }
}

/// Draws `[m, R]` from cluster sums `[m, C]`, cluster `c` having rank `c`.
pub(crate) fn cluster_draws(sums: &[f64], clusters: usize, spec: &Multipliers) -> Vec<f64> {
    let columns = sums.len() / clusters.max(1);
    let ranks: Vec<u32> = (0u32..).take(clusters).collect();
    let mut draws = vec![0.0; columns * spec.draws];
    for_tiles(
        clusters,
        |tile| {
            let mut part = vec![0.0; columns * spec.draws];
            vectorized(|| accumulate(&sums[tile.start..], clusters, &ranks[tile], spec, &mut part));
            part
        },
        |_, part| add(&mut draws, &part),
    );
    draws
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAWS: [Multiplier; 3] = [Multiplier::Mammen, Multiplier::Rademacher, Multiplier::Webb];

    /// Multipliers `[rows][draws]`, one by one from the masks.
    fn multipliers(spec: &Multipliers, rank: u32) -> Vec<f64> {
        let (last, levels) = law_levels(spec.law);
        (0..spec.draws)
            .map(|r| {
                let mut row = [0u128; 5];
                masks(spec.law, spec.seed, rank, (r / LANES) as u32, &mut row);
                let on = |j: usize| f64::from((row[j] >> (r % LANES) & 1) as u32);
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
    fn mammen_probability_is_exact_to_32_bits() {
        let exact = (5f64.sqrt() + 1.0) / (2.0 * 5f64.sqrt());
        assert!((MAMMEN_LOWER as f64 / 2f64.powi(64) - exact).abs() < 1e-10);
    }

    #[test]
    fn table_sums_equal_direct_sums() {
        for law in LAWS {
            let spec = Multipliers { law, seed: 11, draws: 300 };
            let rank: Vec<u32> = (0..21).map(|i| i * 37 + 5).collect();
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
