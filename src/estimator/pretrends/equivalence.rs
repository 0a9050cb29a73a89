//! Equivalence tests of pre-trends (Dette and Schumann 2024): their alternative, not their hypothesis, is that violations are small.
//!
//! The test of the root mean square needs estimates of growing subsamples and does not follow from coefficients and covariance.

use serde::{Deserialize, Serialize};
use statrs::function::erf::erfc;

use super::options::Pretrends;
use crate::estimator::honest::EventCoefficients;
use crate::result::inference::normal_quantile;

/// Bisections of the smallest threshold.
const HALVINGS: usize = 100;

/// Equivalence tests of the coefficients before the reference period.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[doc(alias = "maxEquivTest")]
#[doc(alias = "meanEquivTest")]
#[non_exhaustive]
pub struct EquivalenceTests {
    /// Coefficients one by one.
    pub periods: Vec<EquivalencePeriod>,
    /// That all coefficients are at most the threshold in absolute value: the intersection-union test.
    pub maximum: EquivalenceTest,
    /// That their mean is.
    pub mean: EquivalenceTest,
}

/// One coefficient's part in the test of all.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EquivalencePeriod {
    /// Event time.
    pub event_time: f64,
    /// Coefficient.
    pub estimate: f64,
    /// Standard error.
    pub se: f64,
    /// The smallest threshold below which it is concluded to be.
    pub smallest_threshold: f64,
}

/// A test whose alternative is that a quantity is below a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EquivalenceTest {
    /// The quantity, in absolute value.
    pub estimate: f64,
    /// Standard error of the coefficient, or of the mean, that it is of.
    pub se: f64,
    /// The smallest threshold below which it is concluded to be.
    pub smallest_threshold: f64,
    /// p-value at the options' threshold, if there is one: equivalence is concluded if it is at most `alpha`.
    pub p_value: Option<f64>,
}

/// The tests of these coefficients.
pub(super) fn equivalence(study: &EventCoefficients, options: &Pretrends) -> EquivalenceTests {
    let pre = study.pre();
    let variance = |i: usize, j: usize| study.covariance().at(i, j);
    let period = |i: usize| {
        let (estimate, se) = (study.values()[i], variance(i, i).sqrt());
        let smallest_threshold = smallest_threshold(estimate.abs(), se, options.alpha);
        EquivalencePeriod { event_time: study.event_times()[i], estimate, se, smallest_threshold }
    };
    let periods: Vec<EquivalencePeriod> = (0..pre).map(period).collect();
    let test = |estimate: f64, se: f64| EquivalenceTest {
        estimate: estimate.abs(),
        se,
        smallest_threshold: smallest_threshold(estimate.abs(), se, options.alpha),
        p_value: options.threshold.map(|threshold| folded(estimate.abs(), threshold, se)),
    };
    let tests = || periods.iter().map(|period| test(period.estimate, period.se));
    let largest = |a: EquivalenceTest, b: EquivalenceTest| EquivalenceTest {
        smallest_threshold: a.smallest_threshold.max(b.smallest_threshold),
        p_value: a.p_value.zip(b.p_value).map(|(a, b)| a.max(b)),
        ..if b.estimate > a.estimate { b } else { a }
    };
    let mean = periods.iter().map(|period| period.estimate).sum::<f64>() / pre as f64;
    let sum: f64 = (0..pre).flat_map(|i| (0..pre).map(move |j| variance(i, j))).sum();
    let mean = test(mean, sum.max(0.0).sqrt() / pre as f64);
    let maximum = tests().reduce(largest).unwrap_or(mean);
    EquivalenceTests { periods, maximum, mean }
}

/// `P(|N(mean, sd²)| ≤ bound)`.
fn folded(bound: f64, mean: f64, sd: f64) -> f64 {
    let above = |x: f64| 0.5 * erfc(x / sd / std::f64::consts::SQRT_2);
    above(mean - bound) - above(mean + bound)
}

/// The mean at which an absolute value of at most `bound` has the probability `alpha`; 0 if it is as improbable at 0.
fn smallest_threshold(bound: f64, sd: f64, alpha: f64) -> f64 {
    if folded(bound, 0.0, sd) <= alpha {
        return 0.0;
    }
    // One tail alone has this probability there.
    let (mut low, mut high) = (0.0, (bound - sd * normal_quantile(alpha)).max(0.0));
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if folded(bound, middle, sd) > alpha { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_r_package_agree() {
        // EquiTrends 1.0.0, the printed examples of its tests: estimate, smallest threshold.
        for (estimate, threshold) in
            [(0.1151, 0.3171), (0.1367, 0.3388), (0.2324, 0.4345), (0.0120, 0.1157)]
        {
            let found = smallest_threshold(estimate, 0.1229, 0.05);
            assert!((found - threshold).abs() < 3e-4, "{estimate}: {found}");
        }
        assert!((smallest_threshold(0.118, 0.097_16, 0.1) - 0.2425).abs() < 1e-4);
        assert!((folded(0.118, 0.2, 0.097_16) - 0.1989).abs() < 3e-4);
    }

    #[test]
    fn estimates_near_zero_are_equivalent_to_it() {
        assert_eq!(smallest_threshold(0.001, 1.0, 0.05), 0.0);
        let far = smallest_threshold(5.0, 1.0, 0.05);
        assert!((far - 6.644_853_626_951_472).abs() < 1e-9, "{far}");
        assert!(folded(5.0, far, 1.0) <= 0.05 + 1e-9);
    }
}
