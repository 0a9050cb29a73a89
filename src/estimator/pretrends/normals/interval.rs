//! An interval of a standard normal.

use statrs::function::erf::erfc;

use crate::result::inference::normal_quantile;

/// An interval of a standard normal, reflected to the lower tail if it is in the upper, so that probabilities keep their digits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    lower: f64,
    upper: f64,
    is_reflected: bool,
    /// Probability below it.
    below: f64,
    /// Its probability.
    pub mass: f64,
}

impl Interval {
    pub fn new(lower: f64, upper: f64) -> Self {
        let is_reflected = lower > 0.0;
        let (lower, upper) = if is_reflected { (-upper, -lower) } else { (lower, upper) };
        let below = cdf(lower);
        Self { lower, upper, is_reflected, below, mass: (cdf(upper) - below).max(0.0) }
    }

    /// What a normal within it is below of with this probability.
    pub fn quantile(&self, probability: f64) -> f64 {
        let value = normal_quantile(self.below + probability * self.mass);
        self.placed(value)
    }

    /// Mean of a normal within it.
    pub fn mean(&self) -> f64 {
        self.placed((density(self.lower) - density(self.upper)) / self.mass)
    }

    /// A value within it, which rounding may have put outside.
    fn placed(&self, value: f64) -> f64 {
        let value = value.max(self.lower).min(self.upper);
        if self.is_reflected { -value } else { value }
    }
}

/// Standard normal density.
pub(super) fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

fn cdf(x: f64) -> f64 {
    0.5 * erfc(-x / std::f64::consts::SQRT_2)
}
