//! Weighted sums of a variable, of which means, variances and standard errors follow.

use serde::{Deserialize, Serialize};

use super::base::Pairs;
use crate::base::exact::ExactSum;

/// Which sums there are of a variable, each with those before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Moments {
    /// None but counts.
    None,
    Means,
    Variances,
    /// Standard errors of means.
    #[default]
    Errors,
}

/// Sums of a variable around a shift that all sums of the variable share. They are exact sums of what rows add, so that neither the order of
/// rows nor where parts of them end matters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sums {
    pub rows: usize,
    moments: Moments,
    first: ExactSum,
    second: ExactSum,
    /// None as long as every row has a weight of 1.
    weighted: Option<Box<WeightedSums>>,
}

/// What rows with weights add besides.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct WeightedSums {
    /// Rows that have a weight, of which there are standard errors.
    rows: usize,
    weight: ExactSum,
    squared_weight: ExactSum,
    squared_first: ExactSum,
    squared_second: ExactSum,
}

impl Sums {
    /// Of no rows yet.
    pub fn new(moments: Moments) -> Self {
        Self { moments, ..Self::default() }
    }

    /// Adds a value less the shift.
    #[inline]
    pub fn add(&mut self, shifted: f64, weight: f64) {
        if self.weighted.is_some() || weight != 1.0 {
            self.add_weighted(shifted, weight);
        }
        self.rows += 1;
        if self.moments < Moments::Means {
            return;
        }
        self.first.add(weight * shifted);
        if self.moments >= Moments::Variances {
            self.second.add(weight * shifted * shifted);
        }
    }

    fn add_weighted(&mut self, shifted: f64, weight: f64) {
        let moments = self.moments;
        let sums = self.weighted();
        sums.rows += usize::from(weight > 0.0);
        if moments < Moments::Means {
            return;
        }
        sums.weight.add(weight);
        let squared = weight * weight;
        if moments >= Moments::Variances {
            sums.squared_weight.add(squared);
        }
        if moments >= Moments::Errors {
            sums.squared_first.add(squared * shifted);
            sums.squared_second.add(squared * shifted * shifted);
        }
    }

    /// The sums of weights, which until now were those of rows with a weight of 1.
    fn weighted(&mut self) -> &mut WeightedSums {
        let Self { rows, first, second, weighted, .. } = self;
        weighted.get_or_insert_with(|| {
            let mut weight = ExactSum::default();
            weight.add(*rows as f64);
            let (squared_first, squared_second) = (first.clone(), second.clone());
            let squared_weight = weight.clone();
            let sums =
                WeightedSums { rows: *rows, weight, squared_weight, squared_first, squared_second };
            Box::new(sums)
        })
    }

    /// Adds the sums of other rows.
    pub fn merge(&mut self, other: &Self) {
        self.moments = self.moments.min(other.moments);
        if self.weighted.is_some() || other.weighted.is_some() {
            let mut other = other.clone();
            let more = other.weighted();
            let own = self.weighted();
            own.rows += more.rows;
            own.weight.merge(&more.weight);
            own.squared_weight.merge(&more.squared_weight);
            own.squared_first.merge(&more.squared_first);
            own.squared_second.merge(&more.squared_second);
        }
        self.rows += other.rows;
        self.first.merge(&other.first);
        self.second.merge(&other.second);
    }

    /// The sum of the weights.
    pub fn weight(&self) -> f64 {
        self.weighted.as_ref().map_or(self.rows as f64, |sums| sums.weight.value())
    }

    /// The sum of the squares of the weights.
    fn squared_weight(&self) -> f64 {
        self.weighted.as_ref().map_or(self.rows as f64, |sums| sums.squared_weight.value())
    }

    /// Rows that have a weight.
    fn rows_with_weight(&self) -> usize {
        self.weighted.as_ref().map_or(self.rows, |sums| sums.rows)
    }

    /// Whether there are these sums.
    fn have(&self, moments: Moments) -> Option<()> {
        (self.moments >= moments).then_some(())
    }

    /// The weighted mean less the shift; `None` without weight.
    pub fn mean(&self) -> Option<f64> {
        self.have(Moments::Means)?;
        Some(self.first.value() / self.weight()).filter(|mean| mean.is_finite())
    }

    /// The variance, without bias where weights are fixed: `Σ w (x - mean)² / (Σ w - Σ w² / Σ w)`, with equal weights the textbook's.
    pub fn variance(&self) -> Option<f64> {
        self.have(Moments::Variances)?;
        let (mean, weight) = (self.mean()?, self.weight());
        let squares = (self.second.value() - self.first.value() * mean).max(0.0);
        let free = weight - self.squared_weight() / weight;
        // One row with a weight has none, whatever the rounding.
        let varies = self.rows_with_weight() > 1 && free > 1e-14 * weight;
        varies.then(|| squares / free).filter(|v| v.is_finite())
    }

    /// The standard error of the mean, with the `n` rows of a weight as independent draws: `sqrt(n / (n - 1) Σ w² (x - mean)²) / Σ w`.
    pub fn standard_error(&self) -> Option<f64> {
        self.have(Moments::Errors)?;
        let (mean, rows) = (self.mean()?, self.rows_with_weight());
        let (first, second) = match &self.weighted {
            Some(sums) => (&sums.squared_first, &sums.squared_second),
            None => (&self.first, &self.second),
        };
        let cross = first.value() * mean;
        let squares = second.value() - cross - cross + self.squared_weight() * mean * mean;
        let n = rows as f64;
        let variance = squares.max(0.0) * n / (n - 1.0);
        (rows > 1).then(|| variance.sqrt() / self.weight()).filter(|se| se.is_finite())
    }

    /// `sqrt(n / (n - 1)) / Σ w`: what `w (x - mean)` is multiplied by in a row's influence on the mean. `None` of a single row
    /// with a weight.
    fn scale(&self) -> Option<f64> {
        let n = self.rows_with_weight();
        (n > 1).then(|| (n as f64 / (n as f64 - 1.0)).sqrt() / self.weight())
    }

    /// The standard error of the mean less that of other rows, where units have rows in both: the root of the sum over units of the
    /// square of the difference of their influences, of which `pairs` has the products. For the same units with equal weights it is that
    /// of the mean of their differences.
    pub fn standard_error_less(&self, base: &Self, pairs: Option<&Pairs>) -> Option<f64> {
        let (own, other) = (self.standard_error()?, base.standard_error()?);
        let (mean, base_mean) = (self.mean()?, base.mean()?);
        let products = pairs.map_or(0.0, |pairs| pairs.products(mean, base_mean));
        let products = products * self.scale()? * base.scale()?;
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
        // Those whose weights are all 1 are joined with others, too.
        for weights in [[1.0; 5], [1.0, 2.0, 1.0, 3.0, 1.0], [2.0, 1.0, 0.3, 1.0, 0.0]] {
            let (mut whole, mut parts) = (Sums::default(), [Sums::default(), Sums::default()]);
            for (i, (value, weight)) in values.iter().zip(weights).enumerate() {
                whole.add(*value, weight);
                parts[i % 2].add(*value, weight);
            }
            let [mut first, mut second] = parts.clone();
            first.merge(&parts[1]);
            second.merge(&parts[0]);
            assert_eq!(first, whole);
            assert_eq!(second, whole);
            assert_eq!(first.standard_error(), whole.standard_error());
        }
    }

    /// Without weights as with weights of 1, and with others before and after.
    #[test]
    fn weights_of_one_are_none() {
        let (mut last, mut before) = (Sums::default(), Sums::default());
        before.add(1.0, 3.0);
        for x in [0.1, 0.7, -2.0] {
            last.add(x, 1.0);
            before.add(x, 1.0);
        }
        assert_eq!((last.weight(), last.scale()), (3.0, Some((1.5_f64).sqrt() / 3.0)));
        last.add(1.0, 3.0);
        assert_eq!(last, before);
    }

    #[test]
    fn what_was_not_summed_is_not_given() {
        let of = |moments| {
            let mut sums = Sums::new(moments);
            for x in [1.0, 2.0, 4.0] {
                sums.add(x, 0.5);
            }
            [sums.mean(), sums.variance(), sums.standard_error()].map(|value| value.is_some())
        };
        assert_eq!(of(Moments::None), [false; 3]);
        assert_eq!(of(Moments::Means), [true, false, false]);
        assert_eq!(of(Moments::Variances), [true, true, false]);
        assert_eq!(of(Moments::Errors), [true; 3]);
    }
}
