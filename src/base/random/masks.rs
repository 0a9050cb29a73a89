//! Class masks of the multipliers' laws: which of 128 draws of a row take which value.
//!
//! Lanes of vectors are rows. What a row's bits are depends on nothing else, so that [`masks`], one row at a time, and
//! [`subset_words`], 64 rows at a time in the order in which the tables read them, are the same function.

use pulp::{Arch, Scalar, Simd, WithSimd};

use super::multipliers::Multipliers;
use super::philox::{RoundKeys, halves, keys, philox};
use crate::base::options::Multiplier;

/// Draws that share one block of random bits.
const LANES: usize = 128;

/// Rows whose masks are formed together.
pub(crate) const BATCH: usize = 64;

/// Largest number of classes beside the last.
const CLASSES: usize = 5;

/// Probability of the lower point of Mammen's law, `(√5 + 1) / (2 √5)`, as a 64-bit binary fraction.
pub(crate) const MAMMEN_LOWER: u64 = 0xB93E_4B8B_7FDB_B26A;

/// Class masks of 128 draws of one row.
#[inline(always)]
pub(crate) fn masks(law: Multiplier, seed: u64, rank: u64, block: u32, out: &mut [u128]) {
    let classes = Bits { simd: Scalar, keys: &keys(seed), rank: halves(rank), block }.classes(law);
    for (out, words) in out.iter_mut().zip(classes) {
        *out = words.into_iter().rev().fold(0, |mask, word| mask << 32 | u128::from(word));
    }
}

// Vector operations must be inlined into the dispatched function: no closures here.

/// Four words of 32 draws, each for a vector of rows.
type DrawMask<S> = [<S as Simd>::u32s; 4];

/// The random bits of some rows in one block of draws.
struct Bits<'a, S: Simd> {
    simd: S,
    keys: &'a RoundKeys,
    /// Low and high words of the ranks.
    rank: [S::u32s; 2],
    block: u32,
}

impl<S: Simd> Bits<'_, S> {
    #[inline(always)]
    fn classes(&self, law: Multiplier) -> [DrawMask<S>; CLASSES] {
        let mut out = [self.constant(0); CLASSES];
        match law {
            Multiplier::Rademacher | Multiplier::Gaussian => out[0] = self.step(0),
            Multiplier::Mammen => out[0] = self.mammen(),
            Multiplier::Webb => out = self.webb(),
        }
        out
    }

    #[inline(always)]
    fn constant(&self, word: u32) -> DrawMask<S> {
        [self.simd.splat_u32s(word); 4]
    }

    /// A random bit for every row and draw.
    #[inline(always)]
    fn step(&self, step: u32) -> DrawMask<S> {
        let simd = self.simd;
        let (block, step) = (simd.splat_u32s(self.block), simd.splat_u32s(step));
        let [low, high] = self.rank;
        philox(simd, self.keys, [low, block, step, high])
    }

    #[inline(always)]
    fn any(&self, mask: DrawMask<S>) -> bool {
        let [a, b, c, d] = mask;
        let or = self.simd.or_u32s(self.simd.or_u32s(a, b), self.simd.or_u32s(c, d));
        let mut any = 0;
        for word in bytemuck::cast_slice::<S::u32s, u32>(&[or]) {
            any |= word;
        }
        any != 0
    }

    /// Draws whose uniform number is below [`MAMMEN_LOWER`], compared bit by bit from the highest.
    #[inline(always)]
    fn mammen(&self) -> DrawMask<S> {
        let simd = self.simd;
        let (mut open, mut below) = (self.constant(u32::MAX), self.constant(0));
        for step in 0..64 {
            let random = self.step(step);
            let one = MAMMEN_LOWER >> (63 - step) & 1 == 1;
            for ((open, below), random) in open.iter_mut().zip(&mut below).zip(random) {
                let set = simd.and_u32s(*open, random);
                let unset = simd.xor_u32s(*open, set);
                if one {
                    *below = simd.or_u32s(*below, unset);
                    *open = set;
                } else {
                    *open = unset;
                }
            }
            if !self.any(open) {
                break;
            }
        }
        below
    }

    /// Masks of `+√1.5, +1, +√0.5, -√1.5, -1`: a sign and one of three sizes, redrawn until it is one of three.
    #[inline(always)]
    fn webb(&self) -> [DrawMask<S>; CLASSES] {
        let simd = self.simd;
        let (mut open, mut sizes) = (self.constant(u32::MAX), [self.constant(0); 3]);
        for step in 0..32 {
            let (a, b) = (self.step(2 * step + 1), self.step(2 * step + 2));
            for word in 0..4 {
                let set = simd.and_u32s(open[word], a[word]);
                let unset = simd.xor_u32s(open[word], set);
                let again = simd.and_u32s(set, b[word]);
                let third = simd.and_u32s(unset, b[word]);
                let first = simd.xor_u32s(unset, third);
                let second = simd.xor_u32s(set, again);
                sizes[0][word] = simd.or_u32s(sizes[0][word], first);
                sizes[1][word] = simd.or_u32s(sizes[1][word], second);
                sizes[2][word] = simd.or_u32s(sizes[2][word], third);
                open[word] = again;
            }
            if !self.any(open) {
                break;
            }
        }
        let negative = self.step(0);
        let mut out = [self.constant(0); CLASSES];
        for word in 0..4 {
            sizes[0][word] = simd.or_u32s(sizes[0][word], open[word]);
            for size in 0..3 {
                let below = simd.and_u32s(sizes[size][word], negative[word]);
                out[size][word] = simd.xor_u32s(sizes[size][word], below);
                if size < 2 {
                    out[size + 3][word] = below;
                }
            }
        }
        out
    }
}

/// 32 draws of 64 rows in a class. By row, word `i` holds the draws of row `i`. By subset, byte `b` of word `8 i + l`
/// belongs to draw `8 b + i`; its bit `j` says whether row `8 j + l` is in the class.
pub(crate) type Words = [u32; BATCH];

/// Words by subset of all draws, `[classes, ⌈R / 128⌉ 4]`.
pub(crate) fn subset_words(rank: &[u64; BATCH], spec: &Multipliers, words: &mut [Words]) {
    Arch::new().dispatch(SubsetWords { rank, spec, words });
}

struct SubsetWords<'a> {
    rank: &'a [u64; BATCH],
    spec: &'a Multipliers,
    words: &'a mut [Words],
}

impl WithSimd for SubsetWords<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { rank, spec, words } = self;
        let keys = &keys(spec.seed);
        let blocks = spec.draws.div_ceil(LANES);
        let (low, high) = (rank.map(|r| halves(r)[0]), rank.map(|r| halves(r)[1]));
        let (low, high) = (S::as_simd_u32s(&low).0, S::as_simd_u32s(&high).0);
        for (block, index) in (0u32..).zip(0..blocks) {
            for (i, (low, high)) in low.iter().zip(high).enumerate() {
                let bits = Bits { simd, keys, rank: [*low, *high], block };
                let classes = bits.classes(spec.law);
                for (words, class) in words.chunks_exact_mut(4 * blocks).zip(classes) {
                    for (words, word) in words[4 * index..].iter_mut().zip(class) {
                        S::as_mut_simd_u32s(words).0[i] = word;
                    }
                }
            }
        }
        for words in words {
            transpose(words);
        }
    }
}

/// From words by row to words by subset: eight 8 × 32 bit matrices, transposed byte by byte.
#[inline(always)]
fn transpose(words: &mut Words) {
    for (distance, shift, mask) in [(32, 4, 0x0F0F_0F0F), (16, 2, 0x3333_3333), (8, 1, 0x5555_5555)]
    {
        for pair in words.chunks_exact_mut(2 * distance) {
            let (a, b) = pair.split_at_mut(distance);
            for (a, b) in a.iter_mut().zip(b) {
                let swapped = ((*a >> shift) ^ *b) & mask;
                *a ^= swapped << shift;
                *b ^= swapped;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mammen_probability_is_exact_to_32_bits() {
        let exact = (5f64.sqrt() + 1.0) / (2.0 * 5f64.sqrt());
        assert!((MAMMEN_LOWER as f64 / 2f64.powi(64) - exact).abs() < 1e-10);
    }

    /// Every bit that the tables read against one row at a time.
    #[test]
    fn subset_words_are_the_masks() {
        for (law, classes) in
            [(Multiplier::Mammen, 1), (Multiplier::Rademacher, 1), (Multiplier::Webb, 5)]
        {
            let spec = Multipliers { law, seed: 0xFEDC_BA98_7654_3210, draws: 1_000 };
            for batch in 0..24u64 {
                // The last batches have ranks beyond 32 bits.
                let rank = std::array::from_fn(|i| (64 * batch + i as u64) * 2_654_435_000);
                let mut words = vec![[0; BATCH]; classes * 32];
                subset_words(&rank, &spec, &mut words);
                for (row, rank) in rank.into_iter().enumerate() {
                    for block in 0..8 {
                        let mut mask = [0; 5];
                        masks(law, spec.seed, rank, block, &mut mask);
                        for (class, mask) in mask[..classes].iter().enumerate() {
                            for lane in 0..LANES {
                                let words = &words[class * 32 + 4 * block as usize + lane / 32];
                                let (i, byte) = (lane % 8, lane % 32 / 8);
                                let subset = words[8 * i + row % 8].to_le_bytes()[byte];
                                assert_eq!(u128::from(subset >> (row / 8) & 1), mask >> lane & 1);
                            }
                        }
                    }
                }
            }
        }
    }
}
