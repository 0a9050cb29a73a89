//! The test of pre-trends under a violation: how likely it passes, and what estimates are then expected.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::chi_squared::{Small, small};
use super::normals::{Effort, MOST, truncated};
use super::options::{PreTest, Pretrends};
use crate::base::error::Result;
use crate::base::solve::{Spd, dot, least_eigenvalue};
use crate::estimator::aggregate::wrong;
use crate::estimator::honest::EventCoefficients;

/// Least eigenvalue of the correlation of coefficients whose covariance is regular.
const REGULAR: f64 = 1e-10;

/// The law of the coefficients, and the test.
pub(super) struct TestLaw<'a> {
    study: &'a EventCoefficients,
    options: &'a Pretrends,
    /// Standard errors of the coefficients before the reference, and their correlation, `[pre, pre]`.
    deviations: Vec<f64>,
    correlation: Vec<f64>,
    /// Their covariance, factorised.
    covariance: Spd,
    /// What the Wald statistic of a joint test is compared with.
    quantile: f64,
}

/// What happens if the coefficients are a violation, and no effects.
pub(super) struct Passing {
    /// Probability that the test passes.
    pub probability: f64,
    /// Expected coefficients after passing, `[pre + post]`; `None` if the test never passes, to double precision.
    pub mean: Option<Vec<f64>>,
    /// Error of the probability, and of the expectation before the reference in standard errors.
    pub error: f64,
}

impl<'a> TestLaw<'a> {
    pub fn new(study: &'a EventCoefficients, options: &'a Pretrends) -> Result<Self> {
        let pre = study.pre();
        let entry = |i: usize, j: usize| study.covariance().at(i, j);
        if let Some(i) = (0..pre).find(|i| entry(*i, *i) == 0.0) {
            return wrong(format!(
                "the coefficient at event time {} has no variance; choose a window without it, or make it the reference",
                study.event_times()[i]
            ));
        }
        if pre > MOST && options.test == PreTest::Individual {
            return wrong(format!(
                "it has {pre} event times before the reference period, and individual tests are analysed of at most {MOST}; choose a shorter window, or the joint test"
            ));
        }
        let deviations: Vec<f64> = (0..pre).map(|i| entry(i, i).sqrt()).collect();
        let square = |scale: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            (0..pre * pre).map(|e| scale(e / pre, e % pre)).collect()
        };
        let correlation = square(&|i, j| entry(i, j) / (deviations[i] * deviations[j]));
        let least = least_eigenvalue(&correlation, pre);
        let regular = Spd::regular(&square(&entry), pre).filter(|_| least > REGULAR);
        let Some(covariance) = regular else {
            return wrong(format!(
                "the covariance of the {pre} coefficients before the reference period is singular: a combination of them has no variance, as with fewer clusters than coefficients; choose a window with fewer periods, or cluster by a finer column"
            ));
        };
        let quantile = ChiSquared::new(pre as f64)
            .map_or(f64::NAN, |law| law.inverse_cdf(1.0 - options.alpha));
        Ok(Self { study, options, deviations, correlation, covariance, quantile })
    }

    /// Standard errors of the coefficients before the reference.
    pub fn deviations(&self) -> &[f64] {
        &self.deviations
    }

    /// Whether the estimates pass the test.
    pub fn is_passed(&self) -> bool {
        let pre_estimates = &self.study.values()[..self.study.pre()];
        match self.options.test {
            PreTest::Individual => {
                let small = |(b, se): (&f64, &f64)| b.abs() <= self.options.critical * se;
                pre_estimates.iter().zip(&self.deviations).all(small)
            }
            PreTest::Joint => {
                dot(pre_estimates, &self.covariance.solve(pre_estimates)) <= self.quantile
            }
        }
    }

    /// The test under violations of the coefficients, `[pre + post]`.
    pub fn passing(&self, violations: &[f64], effort: Effort) -> Passing {
        let pre = self.study.pre();
        let pre_violations = &violations[..pre];
        let (probability, shift, error) = match self.options.test {
            PreTest::Individual => {
                let critical = self.options.critical;
                let scaled = || pre_violations.iter().zip(&self.deviations).map(|(v, se)| v / se);
                let lower: Vec<f64> = scaled().map(|mean| -critical - mean).collect();
                let upper: Vec<f64> = scaled().map(|mean| critical - mean).collect();
                let law = truncated(&self.correlation, &lower, &upper, effort);
                let unscaled = |mean: Vec<f64>| -> Vec<f64> {
                    mean.iter().zip(&self.deviations).map(|(mean, se)| mean * se).collect()
                };
                (law.probability, law.mean.map(unscaled), law.error)
            }
            PreTest::Joint => {
                // Within a ball, a normal's mean is shrunk: E[X; |X|² ≤ q] is the mean times P(χ²_{k+2} ≤ q).
                let noncentrality = dot(pre_violations, &self.covariance.solve(pre_violations));
                let law = small(self.quantile, pre, noncentrality);
                let shift = |law: Small| {
                    pre_violations.iter().map(|v| (law.with_two_more - 1.0) * v).collect()
                };
                (law.map_or(0.0, |law| law.log_probability.exp()), law.map(shift), 0.0)
            }
        };
        let mean = shift.map(|shift| self.expected(violations, &shift));
        Passing { probability, mean, error }
    }

    /// Expected coefficients where those before the reference are shifted by this from the violations.
    fn expected(&self, violations: &[f64], shift: &[f64]) -> Vec<f64> {
        let pre = shift.len();
        let weights = self.covariance.solve(shift);
        let moved = |i: usize| match shift.get(i) {
            Some(shift) => *shift,
            None => dot(&self.study.covariance().row(i)[..pre], &weights),
        };
        violations.iter().enumerate().map(|(i, violation)| violation + moved(i)).collect()
    }

    /// Likelihood of the estimates before the reference under violations, relative to that without any.
    pub fn likelihood_ratio(&self, violations: &[f64]) -> f64 {
        let pre = self.study.pre();
        let (estimates, own) = (&self.study.values()[..pre], &violations[..pre]);
        let weights = self.covariance.solve(own);
        (dot(estimates, &weights) - 0.5 * dot(own, &weights)).exp().min(f64::MAX)
    }
}
