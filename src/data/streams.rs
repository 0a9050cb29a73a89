/// `SplitMix64` stream of one unit, and normals from it by Box and Muller (1958).
pub(super) struct Stream {
    state: u64,
    spare: Option<f64>,
}

impl Stream {
    pub(super) fn new(seed: u64, key: u64) -> Self {
        let start = Self { state: seed, spare: None }.next();
        Self { state: start ^ Self { state: !key, spare: None }.next(), spare: None }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform on [0, 1), a multiple of 2⁻⁵³.
    pub(super) fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 * 2f64.powi(-53)
    }

    pub(super) fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        let (sin, cos) = (std::f64::consts::TAU * self.uniform()).sin_cos();
        self.spare = Some(radius * sin);
        radius * cos
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::testing::mean;
    use super::*;

    #[test]
    fn stream_is_splitmix64() {
        let mut stream = Stream { state: 1_234_567, spare: None };
        let published = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973];
        assert_eq!([stream.next(), stream.next()], published);
        let mut stream = Stream::new(1, 2);
        let normals: Vec<f64> = (0..100_000).map(|_| stream.normal()).collect();
        let moment = |p| mean(normals.iter().map(|z| z.powi(p)));
        assert!(moment(1).abs() < 0.01 && (moment(2) - 1.0).abs() < 0.02);
        assert!(moment(3).abs() < 0.04 && (moment(4) - 3.0).abs() < 0.1);
    }
}
