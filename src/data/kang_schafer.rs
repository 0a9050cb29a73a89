//! Covariates that are observed only through nonlinear transformations (Kang and Schafer 2007, section 1.4): a model
//! linear in what is observed is right when the observed drive it, and wrong when the latent ones do.

use super::streams::Stream;

/// Means of the four transformations of standard normals. The first is `exp(1/8)`; the third
/// `0.6³ + 3·0.6·E[p²]` with `p = X1·X3/25`, so `E[p²] = 1/625`; the last `20² + 2`.
const MEAN: [f64; 4] = [1.133_148_453_066_826_3, 10.0, 0.218_88, 402.0];

/// Their standard deviations. The first is `√(e^¼ (e^¼ − 1))`; the third follows from `E[p⁴] = 9/625²` and
/// `E[p⁶] = 225/625³`; the last is `√3208`. The second, `√E[(1 + exp X)⁻²]` with `X` standard normal, has no closed
/// form: it is a quadrature with 40 digits.
const SD: [f64; 4] = [
    0.603_900_533_210_881_1,
    0.541_644_750_605_129_5,
    0.044_534_067_858_213_89,
    56.639_209_034_025_185,
];

/// Slopes of the outcome index, up to the scale: 27.4, 13.7, 13.7, 13.7.
const REGRESSION: [f64; 4] = [2.0, 1.0, 1.0, 1.0];

/// Slopes of the propensity index.
const PROPENSITY: [f64; 4] = [-1.0, 0.5, -0.25, -0.1];

/// The observed covariates of latent `x`, each with mean 0 and variance 1.
fn transform([x1, x2, x3, x4]: [f64; 4]) -> [f64; 4] {
    let root = (0.5 * x1).exp();
    let raw = [
        root,
        10.0 + x2 / (1.0 + root * root),
        (0.6 + x1 * x3 / 25.0).powi(3),
        (20.0 + x2 + x4).powi(2),
    ];
    std::array::from_fn(|j| (raw[j] - MEAN[j]) / SD[j])
}

/// Which models are linear in the observed covariates.
#[derive(Clone, Copy)]
pub(super) struct Correct {
    pub(super) outcome: bool,
    pub(super) propensity: bool,
}

/// Covariates of one unit and the indices of its two models.
pub(super) struct Covariates {
    /// Observed covariates, `[k]`.
    pub(super) observed: Vec<f64>,
    /// `Σ_j b_j W_j` with `b = (2, 1, 1, 1, …)`.
    pub(super) regression: f64,
    /// `Σ_j c_j W_j` with `c = (−1, 0.5, −0.25, −0.1, …)`.
    pub(super) propensity: f64,
}

impl Covariates {
    /// The first `k` covariates; slopes repeat, on new latent variables, after each four. Latent variables are drawn in
    /// fours, so that fewer covariates leave the values of the others as they were.
    pub(super) fn draw(stream: &mut Stream, k: usize, correct: Correct) -> Self {
        let mut unit = Self { observed: Vec::with_capacity(k), regression: 0.0, propensity: 0.0 };
        while unit.observed.len() < k {
            let latent: [f64; 4] = std::array::from_fn(|_| stream.normal());
            let observed = transform(latent);
            for j in 0..(k - unit.observed.len()).min(4) {
                let driver = |correct: bool| if correct { observed[j] } else { latent[j] };
                unit.regression += REGRESSION[j] * driver(correct.outcome);
                unit.propensity += PROPENSITY[j] * driver(correct.propensity);
                unit.observed.push(observed[j]);
            }
        }
        unit
    }
}

/// Lengths of the slopes of `k` covariates in the two indices, 1 without covariates.
pub(super) fn lengths(k: usize) -> [f64; 2] {
    [REGRESSION, PROPENSITY].map(|slopes| {
        let squares: f64 = slopes.iter().cycle().take(k).map(|slope| slope * slope).sum();
        if k == 0 { 1.0 } else { squares.sqrt() }
    })
}

#[cfg(test)]
mod tests {
    use super::super::rows::testing::mean;
    use super::*;

    #[test]
    fn moments_of_the_transformations_are_those_of_the_population() {
        let (e, m2) = (0.25f64.exp(), 1.0 / 625.0f64);
        let (m4, m6) = (9.0 * m2 * m2, 225.0 * m2.powi(3));
        let third = 9.0 * 0.6f64.powi(4) * m2 + 9.0 * 0.36 * (m4 - m2 * m2) + 6.0 * 0.36 * m4 + m6;
        let step = 0.05;
        let density = |x: f64| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
        let second: f64 = (-400..=400)
            .map(|i| f64::from(i) * step)
            .map(|x| step * density(x) / (1.0 + x.exp()).powi(2))
            .sum();
        let sd = [(e * (e - 1.0)).sqrt(), second.sqrt(), third.sqrt(), 3208f64.sqrt()];
        let mean = [0.125f64.exp(), 10.0, 0.216 + 3.0 * 0.6 * m2, 402.0];
        for j in 0..4 {
            assert!((MEAN[j] / mean[j] - 1.0).abs() < 1e-14, "mean {}", j + 1);
            assert!((SD[j] / sd[j] - 1.0).abs() < 1e-13, "sd {}", j + 1);
        }
    }

    #[test]
    fn observed_covariates_are_standardised() {
        let mut stream = Stream::new(1, 1);
        let both = Correct { outcome: true, propensity: true };
        let units: Vec<_> =
            (0..200_000).map(|_| Covariates::draw(&mut stream, 4, both).observed).collect();
        for j in 0..4 {
            let moment = |p| mean(units.iter().map(|x| x[j].powi(p)));
            assert!(moment(1).abs() < 0.01 && (moment(2) - 1.0).abs() < 0.03, "x{}", j + 1);
        }
    }

    #[test]
    fn indices_follow_the_observed_or_the_latent_covariates() {
        let draw = |k, outcome, propensity| {
            Covariates::draw(&mut Stream::new(3, 9), k, Correct { outcome, propensity })
        };
        let [both, neither] = [draw(6, true, true), draw(6, false, false)];
        assert_eq!(both.observed, neither.observed);
        let z = &both.observed;
        let expected = 2.0 * (z[0] + z[4]) + z[1] + z[2] + z[3] + z[5];
        assert!((both.regression - expected).abs() < 1e-12);
        let mut stream = Stream::new(3, 9);
        let x: Vec<f64> = (0..8).map(|_| stream.normal()).collect();
        let expected = -(x[0] + x[4]) + 0.5 * (x[1] + x[5]) - 0.25 * x[2] - 0.1 * x[3];
        assert!((neither.propensity - expected).abs() < 1e-12);
        assert_eq!(draw(3, true, true).observed, z[..3]);
        assert_eq!(lengths(5), [11f64.sqrt(), (1.0 + 0.25 + 0.0625 + 0.01 + 1.0f64).sqrt()]);
        assert_eq!(lengths(0), [1.0, 1.0]);
    }
}
