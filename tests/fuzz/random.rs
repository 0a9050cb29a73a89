//! Random choices of a design, from its seed alone.

use crate::support::splitmix::SplitMix64;

/// Choices that the seed decides, the same on every machine.
pub struct Random(SplitMix64);

impl Random {
    /// `stream` tells designs of different estimators with the same seed apart.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut mixed = SplitMix64(seed.wrapping_mul(0x9E37_79B9).wrapping_add(stream << 48));
        mixed.next_u64();
        Self(mixed)
    }

    /// Uniform on `[low, high)`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0.uniform()
    }

    /// Nearly normal, variance one.
    pub fn normal(&mut self) -> f64 {
        3f64.sqrt() * self.0.bell()
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.0.uniform() < probability
    }

    /// One of `0..n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.0.uniform() * n as f64) as usize
    }

    /// One of `low..=high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    pub fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    /// A position, with probabilities in proportion to the weights.
    pub fn weighted(&mut self, weights: &[f64]) -> usize {
        let mut left = self.uniform(0.0, weights.iter().sum());
        for (at, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return at;
            }
        }
        weights.len() - 1
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.below(i + 1);
            items.swap(i, j);
        }
    }
}
