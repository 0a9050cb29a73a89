//! Tiles, and segments of them: rows whose statistic is formed in one place, and how one tells that all of them were.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Rows of a reduction tile. Every backend sums within tiles aligned to the start of a stratum and adds the tiles in
/// order, so results depend neither on chunk sizes (multiples of it) nor on the number of threads.
pub const TILE: usize = 4096;

/// Rows of a segment, at most: the statistic of a stratum is the sum of its segments', wherever they are formed.
pub(crate) const SEGMENT: usize = 64 * TILE;

/// A part of a stratum: so many whole tiles from its start on, the last part fewer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Segment {
    /// The stratum.
    pub stratum: usize,
    /// Number of the part in its stratum.
    pub part: usize,
}

/// What some rows are known by, in whatever order they are: how many they are, and a checksum of their ranks in integers,
/// which are added without rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seal {
    /// Number of rows.
    pub rows: u64,
    /// Sum of a hash of each rank, modulo `2^64`.
    ranks: u64,
}

impl Seal {
    /// Of rows with these ranks.
    pub fn of(ranks: &[u64]) -> Self {
        let sum = ranks.iter().fold(0u64, |sum, rank| sum.wrapping_add(mix(*rank)));
        Self { rows: ranks.len() as u64, ranks: sum }
    }

    /// Of so many rows with the ranks from `first` on.
    #[cfg(feature = "cluster")]
    pub fn of_range(first: u64, rows: u64) -> Self {
        let rank = |i: u64| mix(first.wrapping_add(i));
        let ranks = (0..rows).fold(0u64, |sum, i| sum.wrapping_add(rank(i)));
        Self { rows, ranks }
    }
}

impl AddAssign for Seal {
    fn add_assign(&mut self, other: Self) {
        self.rows += other.rows;
        self.ranks = self.ranks.wrapping_add(other.ranks);
    }
}

/// A bijection after which neighbouring numbers have nothing in common (the finaliser of `SplitMix64`).
pub(crate) fn mix(rank: u64) -> u64 {
    let z = rank.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// What tells these bytes from others.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    let start = mix(bytes.len() as u64);
    bytes.chunks(8).fold(start, |hash, bytes| mix(hash ^ word(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_is_additive_and_forgets_the_order() {
        let ranks: Vec<u64> = (0..1_000).map(|i| i * i + (1 << 40)).collect();
        let mut parts = Seal::of(&ranks[700..]);
        parts += Seal::of(&ranks[..700]);
        assert_eq!(parts, Seal::of(&ranks));
    }

    #[test]
    fn lost_doubled_and_exchanged_rows_break_the_seal() {
        let whole = Seal::of(&[3, 4, 5, 6]);
        let high = 3 + (1 << 32);
        for other in
            [&[3, 4, 5][..], &[3, 4, 5, 6, 6], &[3, 4, 6, 6], &[2, 4, 5, 7], &[high, 4, 5, 6]]
        {
            assert_ne!(Seal::of(other), whole, "{other:?}");
        }
        assert_ne!(Seal::of(&[]), Seal::of(&[0]));
    }
}
