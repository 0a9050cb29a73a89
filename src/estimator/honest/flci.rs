//! Fixed-length confidence intervals for smooth differences in trends (Rambachan and Roth 2023, section 4).
//!
//! The interval `l_pre'β_pre + l'β_post ± χ` has the shortest half-length `χ = σ · cv(M b / σ)` among estimators whose worst bias
//! over `Δ^SD(M)` is `M b` and whose standard deviation is `σ`, with `cv` the quantile of a folded normal. With `c_j` the double
//! sums of `l_pre` the bias is
//!
//! ```text
//! b = Σ_{s=1..Q} | Σ_{j=1..s} j l_{Q-s+j} | + Σ_{j<P} |c_j|,     c_P = Σ_j j l_j,
//! ```
//!
//! and `σ²` is quadratic in `c`, so the estimators that trade one for the other solve a lasso, and are piecewise linear in
//! its penalty `μ` (Osborne, Presnell and Turlach 2000). `χ` is convex in `b` and `σ`, so that it has one minimum among them: where
//! `μ` is the rate `σ (∂χ/∂b) / (∂χ/∂σ)` at which the interval trades bias for variance. Where `μ` is below this rate, the interval
//! becomes shorter with more of a penalty, and where it is above, with less; this is what is bisected.

use super::coefficients::EventCoefficients;
use super::dense::DenseMatrix;
use super::lasso::{Lasso, Minimum};
use super::normal::FoldedQuantile;
use crate::base::solve::dot;

/// Bisections of the penalty; each halves where it may be.
const STEPS: usize = 100;

/// An optimal affine estimator and the half-length of its interval.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FixedLength {
    /// Weights of all coefficients, before and after treatment.
    pub weights: Vec<f64>,
    pub half_length: f64,
}

impl FixedLength {
    /// Estimate and interval.
    pub fn interval(&self, coefficients: &[f64]) -> [f64; 2] {
        let centre = self.centre(coefficients);
        [centre - self.half_length, centre + self.half_length]
    }

    pub fn centre(&self, coefficients: &[f64]) -> f64 {
        dot(&self.weights, coefficients)
    }
}

/// Estimators from the least biased to the least variable.
#[derive(Clone, Debug)]
pub(crate) struct Frontier<'a> {
    study: &'a EventCoefficients,
    l: Vec<f64>,
    /// `Σ_j j l_j`.
    total: f64,
    /// Bias that no weights before treatment take away.
    constant: f64,
    /// The `c_1 .. c_{P-1}` by the price of their sizes.
    lasso: Lasso,
    /// Where the price is 0: the least variable estimator.
    free: Minimum,
}

impl<'a> Frontier<'a> {
    /// The estimators of the parameter `l'τ_post`; `None` if the covariance before treatment is singular.
    pub fn new(study: &'a EventCoefficients, l: &[f64]) -> Option<Self> {
        let post = l.len();
        let weighted = |s: usize| -> f64 {
            let last = &l[post - s..];
            last.iter().zip(1u32..).map(|(l, j)| f64::from(j) * l).sum()
        };
        let constant = (1..=post).map(|s| weighted(s).abs()).sum();
        let total = weighted(post);
        let (q, r) = variance(study, l, total);
        let lasso = Lasso::new(q, r)?;
        let free = lasso.minimum(0.0, &lasso.zero())?;
        Some(Self { study, l: l.to_vec(), total, constant, lasso, free })
    }

    fn weights(&self, c: &[f64]) -> Vec<f64> {
        weights(c, self.total, &self.l)
    }

    /// Worst bias for `M = 1`, and standard deviation.
    fn bias_and_deviation(&self, c: &[f64]) -> (f64, f64) {
        let weights = self.weights(c);
        let variance = dot(&weights, &self.study.covariance().times(&weights));
        (self.constant + c.iter().map(|c| c.abs()).sum::<f64>(), variance.max(0.0).sqrt())
    }

    /// Half-length of the interval, and the penalty that would be right for it.
    fn half_length_and_rate(&self, c: &[f64], m: f64, alpha: f64) -> (f64, f64) {
        let (bias, deviation) = self.bias_and_deviation(c);
        let bias = m * bias;
        let ratio = if bias > 0.0 { bias / deviation } else { 0.0 };
        let quantile = FoldedQuantile::new(alpha, ratio);
        let rate = deviation * m * quantile.slope / quantile.intercept;
        (quantile.half_length(deviation, bias), rate)
    }

    /// The shortest interval at the level `1 - alpha` over `Δ^SD(m)`.
    pub fn shortest(&self, m: f64, alpha: f64) -> FixedLength {
        let c = self.optimal(m, alpha);
        let (half_length, _) = self.half_length_and_rate(&c, m, alpha);
        FixedLength { weights: self.weights(&c), half_length }
    }

    /// The `c` of the shortest interval.
    fn optimal(&self, m: f64, alpha: f64) -> Vec<f64> {
        let too_large =
            |penalty: f64, c: &[f64]| penalty >= self.half_length_and_rate(c, m, alpha).1;
        let (mut low, mut left) = (0.0, self.free.clone());
        let (mut high, mut right) = (self.lasso.largest_penalty(), self.lasso.zero());
        if too_large(low, &left.c) {
            return left.c;
        }
        if !too_large(high, &right.c) {
            return right.c;
        }
        for _ in 0..STEPS {
            // With the same signs at both ends, c is linear in the penalty between them.
            let is_line = left.signs == right.signs;
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            let between = if is_line {
                let halves = left.c.iter().zip(&right.c).map(|(a, b)| 0.5 * (a + b));
                Some(Minimum { c: halves.collect(), signs: left.signs.clone() })
            } else {
                self.lasso.minimum(middle, &right)
            };
            let Some(between) = between else { break };
            if too_large(middle, &between.c) {
                (high, right) = (middle, between);
            } else {
                (low, left) = (middle, between);
            }
        }
        right.c
    }
}

/// Quadratic and linear part of half the variance as a function of `c_1 .. c_{P-1}`.
fn variance(study: &EventCoefficients, l: &[f64], total: f64) -> (DenseMatrix, Vec<f64>) {
    let free = study.pre() - 1;
    let direction = |j: usize| {
        let mut c = vec![0.0; free + 1];
        c[j] = 1.0;
        // Of the estimator without its part after treatment.
        [second_differences(&c), vec![0.0; l.len()]].concat()
    };
    let directions: Vec<Vec<f64>> = (0..free).map(direction).collect();
    let start = study.covariance().times(&weights(&vec![0.0; free], total, l));
    let images: Vec<Vec<f64>> = directions.iter().map(|k| study.covariance().times(k)).collect();
    let q = DenseMatrix::from_fn(free, free, |i, j| dot(&directions[i], &images[j]));
    (q, directions.iter().map(|k| dot(k, &start)).collect())
}

/// Weights of all coefficients.
fn weights(c: &[f64], total: f64, l: &[f64]) -> Vec<f64> {
    let all = [c, &[total]].concat();
    [second_differences(&all), l.to_vec()].concat()
}

/// `l_pre` from its double sums.
fn second_differences(c: &[f64]) -> Vec<f64> {
    let at = |j: usize, back: usize| if j >= back { c[j - back] } else { 0.0 };
    (0..c.len()).map(|j| c[j] - 2.0 * at(j, 1) + at(j, 2)).collect()
}
