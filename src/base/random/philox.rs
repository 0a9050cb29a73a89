//! Philox4x32-7 (Salmon et al. 2011): random bits as a function of (seed, counter).
//!
//! Seven rounds are the fewest that the authors found to pass `BigCrush`.

use pulp::{Scalar, Simd};

/// Rounds of the generator.
pub(crate) const ROUNDS: usize = 7;

/// What the first and the third word are multiplied by in a round.
pub(crate) const FACTOR_A: u32 = 0xD251_1F53;
pub(crate) const FACTOR_C: u32 = 0xCD9E_8D57;

/// What the two words of the key grow by from one round to the next.
pub(crate) const GROWTH_LOW: u32 = 0x9E37_79B9;
pub(crate) const GROWTH_HIGH: u32 = 0xBB67_AE85;

/// Keys of the rounds.
pub(super) type RoundKeys = [[u32; 2]; ROUNDS];

#[inline(always)]
pub(super) fn keys(seed: u64) -> RoundKeys {
    let mut keys = [halves(seed); ROUNDS];
    for round in 1..ROUNDS {
        let [a, b] = keys[round - 1];
        keys[round] = [a.wrapping_add(GROWTH_LOW), b.wrapping_add(GROWTH_HIGH)];
    }
    keys
}

/// 128 random bits of every lane's counter.
#[inline(always)]
pub(super) fn philox<S: Simd>(simd: S, keys: &RoundKeys, counter: [S::u32s; 4]) -> [S::u32s; 4] {
    // Not a loop: unrolled, the first rounds lose what is common to all rows or all steps.
    let [k0, k1, k2, k3, k4, k5, k6] = *keys;
    let c = round(simd, k0, counter);
    let c = round(simd, k1, c);
    let c = round(simd, k2, c);
    let c = round(simd, k3, c);
    let c = round(simd, k4, c);
    let c = round(simd, k5, c);
    round(simd, k6, c)
}

#[inline(always)]
fn round<S: Simd>(simd: S, key: [u32; 2], c: [S::u32s; 4]) -> [S::u32s; 4] {
    let (a_low, a_high) = simd.widening_mul_u32s(c[0], simd.splat_u32s(FACTOR_A));
    let (b_low, b_high) = simd.widening_mul_u32s(c[2], simd.splat_u32s(FACTOR_C));
    let b = simd.xor_u32s(simd.xor_u32s(b_high, c[1]), simd.splat_u32s(key[0]));
    let a = simd.xor_u32s(simd.xor_u32s(a_high, c[3]), simd.splat_u32s(key[1]));
    [b, b_low, a, a_low]
}

/// The low and the high word.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the two halves of the word")]
pub(crate) fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

/// A uniform number in (0, 1) with 53 random bits: number `index` of `stream`.
pub(crate) fn uniform(seed: u64, stream: u32, index: u64) -> f64 {
    let [low, high] = halves(index);
    let counter = [low, high, stream, 0x756e_6966];
    let [a, b, ..] = philox(Scalar, &keys(seed), counter);
    let word = (u64::from(a) << 32 | u64::from(b)) >> 11;
    (word as f64 + 0.5) * (1.0 / 9_007_199_254_740_992.0)
}

/// Fills `out` with the standard normals of `stream` (Box–Muller on pairs of uniforms).
pub(crate) fn standard_normals(seed: u64, stream: u32, out: &mut [f64]) {
    for (pair, out) in (0u64..).zip(out.chunks_mut(2)) {
        let radius = (-2.0 * uniform(seed, stream, 2 * pair).ln()).sqrt();
        let angle = std::f64::consts::TAU * uniform(seed, stream, 2 * pair + 1);
        out[0] = radius * angle.cos();
        if let Some(second) = out.get_mut(1) {
            *second = radius * angle.sin();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of seven rounds in Random123's `kat_vectors`.
    #[test]
    fn known_answers_of_the_reference_implementation() {
        for (seed, counter, answer) in [
            (0, [0; 4], [0x5f6f_b709, 0x0d89_3f64, 0x4f12_1f81, 0x4f73_0a48]),
            (u64::MAX, [u32::MAX; 4], [0x5207_ddc2, 0x4516_5e59, 0x4d8e_e751, 0x8c52_f662]),
            (
                0x299f_31d0_a409_3822,
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0x4dfc_caba, 0x190a_87f0, 0xc473_62ba, 0xb6b5_242a],
            ),
        ] {
            assert_eq!(philox(Scalar, &keys(seed), counter), answer);
        }
    }
}
