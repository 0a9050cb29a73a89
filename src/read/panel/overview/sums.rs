//! Weighted sums of a variable, of which means, variances and standard errors follow.

use serde::{Deserialize, Serialize};

use super::base::Pairs;

/// Sums of a variable around a shift that all sums of the variable share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sums {
    pub rows: usize,
    /// Rows that have a weight, of which there are standard errors.
    weighted: usize,
    weight: f64,
    first: f64,
    second: f64,
    squared_weight: f64,
    squared_first: f64,
    squared_second: f64,
}

impl Sums {
    /// Adds a value less the shift.
    #[inline]
    pub fn add(&mut self, shifted: f64, weight: f64) {
        let squared = weight * weight;
        self.rows += 1;
        self.weighted += usize::from(weight > 0.0);
        self.weight += weight;
        self.first += weight * shifted;
        self.second += weight * shifted * shifted;
        self.squared_weight += squared;
        self.squared_first += squared * shifted;
        self.squared_second += squared * shifted * shifted;
    }

    pub fn merge(&mut self, other: &Self) {
        self.rows += other.rows;
        self.weighted += other.weighted;
        self.weight += other.weight;
        self.first += other.first;
        self.second += other.second;
        self.squared_weight += other.squared_weight;
        self.squared_first += other.squared_first;
        self.squared_second += other.squared_second;
    }

    /// The sum of the weights.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// The weighted mean less the shift; `None` without weight.
    pub fn mean(&self) -> Option<f64> {
        Some(self.first / self.weight).filter(|mean| mean.is_finite())
    }

    /// The variance, without bias where weights are fixed: `Σ w (x - mean)² / (Σ w - Σ w² / Σ w)`, with equal weights the textbook's.
    pub fn variance(&self) -> Option<f64> {
        let mean = self.mean()?;
        let squares = (self.second - self.first * mean).max(0.0);
        let free = self.weight - self.squared_weight / self.weight;
        // One row with a weight has none, whatever the rounding.
        let varies = self.weighted > 1 && free > 1e-14 * self.weight;
        varies.then(|| squares / free).filter(|v| v.is_finite())
    }

    /// The standard error of the mean, with the `n` rows of a weight as independent draws: `sqrt(n / (n - 1) Σ w² (x - mean)²) / Σ w`.
    pub fn standard_error(&self) -> Option<f64> {
        let mean = self.mean()?;
        let n = self.weighted as f64;
        let cross = self.squared_first * mean;
        let squares = self.squared_second - cross - cross + self.squared_weight * mean * mean;
        let variance = squares.max(0.0) * n / (n - 1.0);
        (self.weighted > 1).then(|| variance.sqrt() / self.weight).filter(|se| se.is_finite())
    }

    /// `sqrt(n / (n - 1)) / Σ w`: what `w (x - mean)` is multiplied by in a row's influence on the mean. `None` of a single row
    /// with a weight.
    fn scale(&self) -> Option<f64> {
        let n = self.weighted as f64;
        (self.weighted > 1).then(|| (n / (n - 1.0)).sqrt() / self.weight)
    }

    /// The standard error of the mean less that of other rows, where units have rows in both: the root of the sum over units of the
    /// square of the difference of their influences, of which `pairs` has the products. For the same units with equal weights it is that
    /// of the mean of their differences.
    pub fn standard_error_less(&self, base: &Self, pairs: &Pairs) -> Option<f64> {
        let (own, other) = (self.standard_error()?, base.standard_error()?);
        let products = pairs.products(self.mean()?, base.mean()?) * self.scale()? * base.scale()?;
        let variance = own * own + other * other - 2.0 * products;
        Some(variance.max(0.0).sqrt()).filter(|se| se.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_weights_give_the_textbook_values() {
        let mut sums = Sums::default();
        for x in [1.0, 2.0, 3.0, 6.0] {
            sums.add(x - 2.0, 5.0);
        }
        assert_eq!(sums.mean(), Some(1.0));
        assert!((sums.variance().unwrap() - 14.0 / 3.0).abs() < 1e-14);
        assert!((sums.standard_error().unwrap() - (14.0f64 / 12.0).sqrt()).abs() < 1e-14);
    }

    #[test]
    fn what_does_not_exist_is_not_given() {
        let mut sums = Sums::default();
        assert_eq!((sums.mean(), sums.variance(), sums.standard_error()), (None, None, None));
        sums.add(1.0, 0.0);
        assert_eq!(sums.mean(), None);
        sums.add(3.0, 2.0);
        assert_eq!(sums.mean(), Some(3.0));
        let mut one = Sums::default();
        one.add(1.0, 1.0);
        assert_eq!((one.mean(), one.variance(), one.standard_error()), (Some(1.0), None, None));
    }

    #[test]
    fn rows_without_a_weight_change_nothing() {
        let mut with = Sums::default();
        for (x, weight) in [(1.0, 2.0), (7.0, 0.0), (4.0, 3.0), (9.0, 0.0)] {
            with.add(x, weight);
        }
        let mut without = Sums::default();
        without.add(1.0, 2.0);
        without.add(4.0, 3.0);
        assert_eq!((with.rows, without.rows), (4, 2));
        assert_eq!(with.standard_error(), without.standard_error());
        assert_eq!((with.variance(), with.scale()), (without.variance(), without.scale()));
        let mut one = Sums::default();
        one.add(1.0, 2.0);
        one.add(7.0, 0.0);
        assert_eq!((one.mean(), one.variance(), one.standard_error()), (Some(1.0), None, None));
    }

    #[test]
    fn parts_add_up() {
        let values = [0.5, -1.25, 3.0, 2.0, 8.0];
        let (mut whole, mut parts) = (Sums::default(), [Sums::default(); 2]);
        for (i, value) in values.iter().enumerate() {
            let weight = 1.0 + i as f64;
            whole.add(*value, weight);
            parts[i % 2].add(*value, weight);
        }
        let [mut first, second] = parts;
        first.merge(&second);
        assert_eq!(first, whole);
    }
}
