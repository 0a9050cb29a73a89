//! Philox4x32-10 (Salmon et al. 2011): random bits as a function of (seed, counter).

/// One block of 128 random bits.
#[inline(always)]
pub(super) fn philox(seed: u64, counter: [u32; 4]) -> [u32; 4] {
    #[expect(clippy::cast_possible_truncation, reason = "the two halves of the key")]
    let mut key = [seed as u32, (seed >> 32) as u32];
    let mut c = counter;
    for _ in 0..10 {
        let a = u64::from(c[0]) * 0xD251_1F53;
        let b = u64::from(c[2]) * 0xCD9E_8D57;
        #[expect(clippy::cast_possible_truncation, reason = "the two halves of the products")]
        let (a_low, a_high, b_low, b_high) =
            (a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32);
        c = [b_high ^ c[1] ^ key[0], b_low, a_high ^ c[3] ^ key[1], a_low];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    c
}

/// 128 random bits as one word; bit `j` belongs to lane `j`.
#[inline(always)]
pub(super) fn bits(seed: u64, counter: [u32; 4]) -> u128 {
    let [a, b, c, d] = philox(seed, counter);
    u128::from(a) | u128::from(b) << 32 | u128::from(c) << 64 | u128::from(d) << 96
}

/// A uniform number in (0, 1) with 53 random bits: number `index` of `stream`.
pub(crate) fn uniform(seed: u64, stream: u32, index: u64) -> f64 {
    #[expect(clippy::cast_possible_truncation, reason = "the two halves of the index")]
    let [a, b, ..] = philox(seed, [index as u32, (index >> 32) as u32, stream, 0x756e_6966]);
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
    use super::philox;

    #[test]
    fn known_answers_of_the_reference_implementation() {
        assert_eq!(philox(0, [0; 4]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(
            philox(u64::MAX, [u32::MAX; 4]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
    }
}
