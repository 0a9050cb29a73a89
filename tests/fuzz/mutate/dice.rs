//! Random choices that depend on a seed alone.

use crate::support::splitmix::SplitMix64;

pub struct Dice(SplitMix64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        let mut random = SplitMix64(seed.wrapping_mul(0xD134_2543_DE82_EF95));
        random.next_u64();
        Self(random)
    }

    /// A number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.0.uniform() * n as f64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// Whether something of this probability happens.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.0.uniform() < probability
    }

    pub fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    pub fn byte(&mut self) -> u8 {
        (self.0.next_u64() >> 33) as u8
    }

    pub fn unit(&mut self) -> f64 {
        self.0.uniform()
    }
}
