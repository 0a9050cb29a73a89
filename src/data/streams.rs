use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, RngExt, SeedableRng};
use rand_distr::StandardNormal;

/// Random numbers of one unit: xoshiro256++ (Blackman and Vigna 2021), normals by the ziggurat method.
pub(super) struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The same numbers for the same seed and key, on every machine.
    pub(super) fn new(seed: u64, key: u64) -> Self {
        let mixed = |number| Xoshiro256PlusPlus::seed_from_u64(number).next_u64();
        Self(Xoshiro256PlusPlus::seed_from_u64(mixed(seed) ^ mixed(!key)))
    }

    /// Uniform on [0, 1), a multiple of 2⁻⁵³.
    pub(super) fn uniform(&mut self) -> f64 {
        self.0.random()
    }

    pub(super) fn normal(&mut self) -> f64 {
        self.0.sample(StandardNormal)
    }

    /// What laws draw from.
    pub(super) fn generator(&mut self) -> &mut impl Rng {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::testing::mean;
    use super::*;

    #[test]
    fn streams_are_those_of_their_seed_and_key() {
        let first = |seed, key| Stream::new(seed, key).uniform();
        assert_eq!(first(1, 2), first(1, 2));
        assert!(first(1, 2) != first(2, 1) && first(0, 0) != first(1, 0));
        let firsts: Vec<f64> = (0..100_000).map(|unit| first(7, unit)).collect();
        let moment = |p| mean(firsts.iter().map(|u| (u - 0.5).powi(p)));
        assert!(moment(1).abs() < 0.005 && (moment(2) - 1.0 / 12.0).abs() < 0.002);
    }

    #[test]
    fn normals_have_the_moments_of_the_normal_law() {
        let mut stream = Stream::new(1, 2);
        let normals: Vec<f64> = (0..100_000).map(|_| stream.normal()).collect();
        let moment = |p| mean(normals.iter().map(|z| z.powi(p)));
        assert!(moment(1).abs() < 0.01 && (moment(2) - 1.0).abs() < 0.02);
        assert!(moment(3).abs() < 0.04 && (moment(4) - 3.0).abs() < 0.1);
    }
}
