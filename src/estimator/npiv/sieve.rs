//! Sieves: linear spaces of splines of several variables.

use crate::base::quantile;
use crate::base::splines::Splines;
use crate::base::words::words;

words! {
    /// How the splines of several variables are put together.
    #[derive(Default)]
    pub enum SieveBasis: "basis" {
        /// All products of one spline of each variable.
        #[default]
        Tensor = "tensor",
        /// A constant, and the splines of each variable but the first.
        Additive = "additive",
    }
}

words! {
    /// Where the knots of a sieve are.
    #[derive(Default)]
    pub enum SieveKnots: "knots" {
        /// Evenly spaced.
        #[default]
        Uniform = "uniform",
        /// At quantiles of the variable.
        Quantiles = "quantiles",
    }
}

/// Functions of a point: products or sums of splines of its coordinates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sieve {
    pub basis: SieveBasis,
    /// One for each variable.
    pub splines: Vec<Splines>,
}

/// Which derivative is taken: the variable and the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Derivative {
    pub variable: usize,
    pub order: usize,
}

/// By how much quantiles are spread, as R's are, and up to which distance they are one knot: a share of the variable's range.
const JITTER: f64 = 1e-10;

/// Breakpoints of so many segments of a variable with these ascending values. Quantiles that coincide, as of a value that many
/// observations have, are one knot.
pub(crate) fn breakpoints(
    sorted: &[f64],
    segments: usize,
    knots: SieveKnots,
    range: (Option<f64>, Option<f64>),
) -> Vec<f64> {
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else { return Vec::new() };
    let share = |j: usize| j as f64 / segments as f64;
    match knots {
        SieveKnots::Uniform => {
            let (low, high) = (range.0.unwrap_or(*first), range.1.unwrap_or(*last));
            let at = |j| if j == segments { high } else { low + share(j) * (high - low) };
            (0..=segments).map(at).collect()
        }
        SieveKnots::Quantiles => {
            let ramp = JITTER * (last - first);
            let mut knots: Vec<f64> = Vec::with_capacity(segments + 1);
            let mut latest = f64::NEG_INFINITY;
            for j in 0..=segments {
                let at = quantile::interpolated(sorted, share(j));
                if at - latest > ramp {
                    knots.push(at + share(j) * ramp);
                    latest = at;
                }
            }
            knots
        }
    }
}

impl Sieve {
    /// Number of functions.
    pub fn len(&self) -> usize {
        dimension(self.basis, self.splines.iter().map(Splines::len))
    }

    /// The functions that are not zero at a point, or their derivatives, with their positions.
    pub fn row(&self, point: &[f64], derivative: Option<Derivative>, out: &mut Vec<(usize, f64)>) {
        out.clear();
        let order = |variable: usize| match derivative {
            Some(d) if d.variable == variable => d.order,
            _ => 0,
        };
        let local = |variable: usize, values: &mut [f64]| {
            self.splines[variable].nonzero(point[variable], order(variable), values)
        };
        match self.basis {
            SieveBasis::Tensor => {
                out.push((0, 1.0));
                for (variable, splines) in self.splines.iter().enumerate() {
                    let mut values = vec![0.0; splines.degree() + 1];
                    let first = local(variable, &mut values);
                    let before = std::mem::take(out);
                    for (position, product) in before {
                        let nonzero = values.iter().enumerate().filter(|(_, v)| **v != 0.0);
                        out.extend(
                            nonzero
                                .map(|(i, v)| (position * splines.len() + first + i, product * v)),
                        );
                    }
                }
            }
            SieveBasis::Additive => {
                if derivative.is_none() {
                    out.push((0, 1.0));
                }
                let mut offset = 0;
                for (variable, splines) in self.splines.iter().enumerate() {
                    let mut values = vec![0.0; splines.degree() + 1];
                    let first = local(variable, &mut values);
                    // The first function depends on the constant and the others.
                    if derivative.is_none_or(|d| d.variable == variable) {
                        let nonzero = (first..).zip(&values).filter(|(j, v)| *j > 0 && **v != 0.0);
                        out.extend(nonzero.map(|(j, v)| (offset + j, *v)));
                    }
                    offset += splines.len() - 1;
                }
            }
        }
    }
}

/// Number of functions of a sieve whose variables have so many splines.
pub(crate) fn dimension(basis: SieveBasis, splines: impl Iterator<Item = usize>) -> usize {
    match basis {
        SieveBasis::Tensor => splines.fold(1, usize::saturating_mul),
        SieveBasis::Additive => 1 + splines.map(|j| j - 1).sum::<usize>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(sieve: &Sieve, point: &[f64], derivative: Option<Derivative>) -> Vec<f64> {
        let mut row = Vec::new();
        sieve.row(point, derivative, &mut row);
        let mut out = vec![0.0; sieve.len()];
        for (j, v) in row {
            out[j] += v;
        }
        out
    }

    fn two(basis: SieveBasis) -> Sieve {
        let splines = |degree, points: &[f64]| Splines::new(degree, points).unwrap();
        Sieve { basis, splines: vec![splines(1, &[0.0, 1.0]), splines(2, &[0.0, 0.5, 1.0])] }
    }

    #[test]
    fn products_have_the_first_variable_slowest() {
        let sieve = two(SieveBasis::Tensor);
        assert_eq!(sieve.len(), 8);
        let row = dense(&sieve, &[0.25, 0.7], None);
        let (a, b) = (sieve.splines[0].row(0.25, 0), sieve.splines[1].row(0.7, 0));
        for i in 0..2 {
            for j in 0..4 {
                assert!((row[4 * i + j] - a[i] * b[j]).abs() < 1e-15);
            }
        }
        let slope = dense(&sieve, &[0.25, 0.7], Some(Derivative { variable: 1, order: 1 }));
        let b = sieve.splines[1].row(0.7, 1);
        assert!((0..8).all(|e| (slope[e] - a[e / 4] * b[e % 4]).abs() < 1e-15));
    }

    #[test]
    fn sums_have_one_constant() {
        let sieve = two(SieveBasis::Additive);
        assert_eq!(sieve.len(), 5);
        let row = dense(&sieve, &[0.25, 0.7], None);
        let (a, b) = (sieve.splines[0].row(0.25, 0), sieve.splines[1].row(0.7, 0));
        assert_eq!(row, [vec![1.0], a[1..].to_vec(), b[1..].to_vec()].concat());
        let slope = dense(&sieve, &[0.25, 0.7], Some(Derivative { variable: 0, order: 1 }));
        assert_eq!(slope, [0.0, 1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn breakpoints_are_even_or_at_quantiles() {
        let sorted = [1.0, 2.0, 2.0, 2.0, 5.0];
        let even = breakpoints(&sorted, 2, SieveKnots::Uniform, (None, Some(6.0)));
        assert_eq!(even, [1.0, 3.5, 6.0]);
        let quantiles = breakpoints(&sorted, 4, SieveKnots::Quantiles, (None, None));
        assert!(quantiles.is_sorted_by(|a, b| a < b));
        // Three of the five quantiles are the same value.
        let near = |at: usize, value: f64| (quantiles[at] - value).abs() < 1e-9;
        assert!(quantiles.len() == 3 && near(0, 1.0) && near(1, 2.0) && near(2, 5.0));
        let at_the_end =
            breakpoints(&[1.0, 2.0, 5.0, 5.0, 5.0], 4, SieveKnots::Quantiles, (None, None));
        assert!(at_the_end.len() == 3 && at_the_end[2] >= 5.0, "{at_the_end:?}");
        assert_eq!(breakpoints(&[2.0; 4], 4, SieveKnots::Quantiles, (None, None)), [2.0]);
    }
}
