//! The law of one statistic, and of two, beyond a critical value.

use std::f64::consts::{FRAC_PI_2, TAU};

use statrs::distribution::{ChiSquared, ContinuousCDF, StudentsT};

use super::super::normal_quantile;
use crate::base::normal::upper_tail;

/// Values that stand for the law of a statistic in its tail, and for that of its divisor.
const VALUES: usize = 1024;

/// Angles at which the law of two statistics is known.
const ANGLES: usize = 256;

/// The law of the statistics: normal, or that of Student.
pub(super) enum Law {
    Normal,
    Student(Student),
}

/// For t statistics `T = Z / s`: given `T = t`, `(d + t²) s²` has the χ² law with `d + 1` degrees of freedom.
pub(super) struct Student {
    df: f64,
    single: StudentsT,
    /// Equally likely values of `(d + t²) s²`.
    scales: Vec<f64>,
}

impl Law {
    /// That of Student with these degrees of freedom, or the normal one.
    pub fn new(df: Option<f64>) -> Self {
        let student = df.and_then(|df| {
            let single = StudentsT::new(0.0, 1.0, df).ok()?;
            let law = ChiSquared::new(df + 1.0).ok()?;
            Some(Student { df, single, scales: quantiles(1.0, |p| law.inverse_cdf(p)) })
        });
        student.map_or(Self::Normal, Self::Student)
    }

    /// What the absolute value of a statistic exceeds with this probability.
    pub fn beyond(&self, tail: f64) -> f64 {
        self.upper_quantile(tail / 2.0)
    }

    fn upper_quantile(&self, p: f64) -> f64 {
        match self {
            Self::Normal => -normal_quantile(p),
            Self::Student(Student { single, .. }) => -single.inverse_cdf(p),
        }
    }

    /// `P(T > q)`.
    fn above(&self, q: f64) -> f64 {
        match self {
            Self::Normal => upper_tail(q),
            Self::Student(Student { single, .. }) => single.sf(q),
        }
    }

    pub fn tail(&self, q: f64) -> Tail<'_> {
        let above = self.above(q);
        let values = quantiles(above, |p| self.upper_quantile(p));
        Tail { law: self, q, above, values }
    }

    /// How `P(T_j > q, T_k > q)` grows with the angle whose sine is the correlation of the two (Plackett 1954; for t
    /// statistics Dunnett and Sobel 1954).
    fn growth(&self, q: f64, angle: f64) -> f64 {
        let distance = q * q / (1.0 + angle.sin());
        let density = match self {
            Self::Normal => (-distance).exp(),
            Self::Student(Student { df, .. }) => (1.0 + 2.0 * distance / df).powf(-0.5 * df),
        };
        density / TAU
    }
}

/// The part of the law beyond a critical value.
pub(super) struct Tail<'a> {
    law: &'a Law,
    q: f64,
    /// `P(T > q)`.
    above: f64,
    /// Equally likely values of a statistic that is above `q`.
    values: Vec<f64>,
}

impl Tail<'_> {
    /// A value to which a standard normal statistic is moved, and what its neighbours are compared with there. Places in the laws
    /// of the statistic and of its divisor are taken modulo one.
    #[inline(always)]
    pub fn value(&self, [place, of_divisor]: [f64; 2]) -> (f64, f64) {
        let t = at(&self.values, place);
        match self.law {
            Law::Normal => (t, self.q),
            Law::Student(Student { df, scales, .. }) => {
                let s = (at(scales, of_divisor) / (df + t * t)).sqrt();
                (t * s, self.q * s)
            }
        }
    }

    /// `P(max_j |T_j| > q)` of `m` statistics; `inverse` is the mean expectation of `1 / N`.
    pub fn of_all(&self, m: usize, inverse: f64) -> f64 {
        2.0 * m as f64 * self.above * inverse
    }

    pub fn pairs(&self) -> Pairs {
        let step = FRAC_PI_2 / ANGLES as f64;
        let growth = |angle: f64| self.law.growth(self.q, angle);
        // From the angle -π/2, where the two are never above `q` together, in steps by Simpson's rule.
        let angle = |i: usize| i as f64 * step - FRAC_PI_2;
        let mut together = vec![0.0];
        for i in 0..2 * ANGLES {
            let (left, right) = (angle(i), angle(i + 1));
            let area = growth(left) + 4.0 * growth(0.5 * (left + right)) + growth(right);
            together.push(together[i] + area * step / 6.0);
        }
        let all = together[2 * ANGLES];
        let node = |i: usize| {
            let (positive, negative) = (ANGLES + i, ANGLES - i);
            let share = (together[positive] + together[negative]) / all;
            let rise = (growth(angle(positive)) - growth(angle(negative))) / all;
            [share, rise * step]
        };
        Pairs { nodes: (0..=ANGLES).map(node).collect() }
    }
}

/// `P(|T_k| > q given |T_j| > q)` as a function of the angle whose sine is their correlation.
pub(super) struct Pairs {
    /// Its value and its growth within a step, from 0 to π/2.
    nodes: Vec<[f64; 2]>,
}

impl Pairs {
    /// Between two nodes it is the cubic with their values and slopes.
    pub fn share(&self, correlation: f64) -> f64 {
        let place = correlation.abs().min(1.0).asin() / FRAC_PI_2 * ANGLES as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to ANGLES")]
        let left = (place as usize).min(ANGLES - 1);
        let t = place - left as f64;
        let ([a, da], [b, db]) = (self.nodes[left], self.nodes[left + 1]);
        let rest = 1.0 - t;
        rest * rest * ((1.0 + 2.0 * t) * a + t * da) + t * t * ((3.0 - 2.0 * t) * b - rest * db)
    }
}

/// The element of an interval of equal probability, for a place that is taken modulo one.
#[inline(always)]
fn at(values: &[f64], place: f64) -> f64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within [0, 1)")]
    let index = (place.fract() * VALUES as f64) as usize;
    values[index.min(VALUES - 1)]
}

/// `quantile` at the middles of [`VALUES`] equal parts of `[0, all]`. It is costly: its inverse hyperbolic sine is interpolated over
/// normal quantiles by cubic polynomials.
fn quantiles(all: f64, quantile: impl Fn(f64) -> f64) -> Vec<f64> {
    const NODES: usize = 64;
    let probability = |i: usize| (i as f64 + 0.5) / VALUES as f64 * all;
    let low = normal_quantile(probability(0));
    let step = (normal_quantile(probability(VALUES - 1)) - low) / (NODES - 3) as f64;
    // One node on either side is for the polynomials alone.
    let node = |k: usize| quantile(upper_tail(-low - (k as f64 - 1.0) * step)).asinh();
    let nodes: Vec<f64> = (0..NODES).map(node).collect();
    let between = |i: usize| {
        let place = (normal_quantile(probability(i)) - low) / step;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative")]
        let left = (place.max(0.0) as usize).min(NODES - 4);
        let t = place - left as f64;
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| nodes[left + k]);
        let (before, after, beyond) = (t + 1.0, t - 1.0, t - 2.0);
        let outer = t * after * (before * d - beyond * a) / 6.0;
        let inner = before * beyond * (after * b - t * c) / 2.0;
        (outer + inner).sinh()
    };
    (0..VALUES).map(between).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laws() -> [Law; 4] {
        [None, Some(1.0), Some(7.0), Some(40.0)].map(Law::new)
    }

    #[test]
    fn interpolated_quantiles_are_those_of_the_law() {
        for law in laws() {
            let tail = law.tail(2.5);
            for (i, value) in tail.values.iter().enumerate().step_by(31) {
                let exact = law.upper_quantile((i as f64 + 0.5) / VALUES as f64 * tail.above);
                assert!((value / exact - 1.0).abs() < 1e-6, "{i}: {value} against {exact}");
            }
            if let Law::Student(Student { df, scales, .. }) = &law {
                let chi = ChiSquared::new(df + 1.0).unwrap();
                for (i, scale) in scales.iter().enumerate().step_by(31) {
                    let exact = chi.inverse_cdf((i as f64 + 0.5) / VALUES as f64);
                    assert!(
                        (scale - exact).abs() < 1e-5 * (1.0 + exact),
                        "{i}: {scale} against {exact}"
                    );
                }
            }
        }
    }

    #[test]
    fn two_equal_statistics_are_beyond_together_and_independent_ones_by_chance() {
        for law in laws() {
            for q in [1.0, 2.5, 6.0] {
                let tail = law.tail(q);
                let pairs = tail.pairs();
                assert!((pairs.share(1.0) - 1.0).abs() < 1e-9);
                assert!((pairs.share(-0.4) - pairs.share(0.4)).abs() < 1e-15);
                if matches!(law, Law::Normal) {
                    let chance = 2.0 * tail.above;
                    assert!((pairs.share(0.0) / chance - 1.0).abs() < 1e-6, "{q}");
                }
            }
        }
    }

    /// `P(|T_k| > q given |T_j| > q)` by the values of the tail and of the divisor.
    fn by_summation(tail: &Tail<'_>, rho: f64) -> f64 {
        let middles = || (0..VALUES).map(|i| (i as f64 + 0.5) / VALUES as f64);
        let spread = (1.0 - rho * rho).sqrt();
        let of_place = |place: f64| -> f64 {
            let of_divisor = |divisor: f64| {
                let (z, bound) = tail.value([place, divisor]);
                upper_tail((bound - rho * z) / spread) + upper_tail((bound + rho * z) / spread)
            };
            middles().map(of_divisor).sum()
        };
        middles().map(of_place).sum::<f64>() / (VALUES * VALUES) as f64
    }

    #[test]
    fn pairs_match_a_summation_over_one_of_the_two() {
        for law in laws() {
            let tail = law.tail(2.2);
            let pairs = tail.pairs();
            for rho in [0.35, 0.95] {
                let (got, sum) = (pairs.share(rho), by_summation(&tail, rho));
                assert!((got - sum).abs() < 1e-3 * sum, "{rho}: {got} against {sum}");
            }
        }
    }
}
