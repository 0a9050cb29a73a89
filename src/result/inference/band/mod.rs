//! Critical value of a uniform band from a covariance: the quantile of the largest of correlated normal or t statistics.
//!
//! With `N` the number of statistics beyond `q`, `P(max_j |Z_j| > q) = Σ_j P(|Z_j| > q) E[1 / N | |Z_j| > q]`: every term is
//! observed in the tail itself, where `1 / N` varies little (Adler, Blanchet and Liu 2012). A draw `Z` is moved to
//! `Z + ρ_j (z - Z_j)`, which has `Z_j = z`, for several `j`, so that one draw serves many of them; and so is `-Z`. The expectation
//! of `N` is known from the law of two statistics: how far the draws' mean is from it corrects their mean of `1 / N`.

mod draws;
mod laws;

use draws::{Beyond, CorrelatedDraws};
use laws::{Law, Tail};

use crate::base::parallel;

/// Batches before the error is judged, and at most. Batches are independent, and their spread is the error that is stated.
const MIN_BATCHES: usize = 8;
const MAX_BATCHES: usize = 2048;

/// Multiplications after which no further batch is begun.
const WORK: f64 = 1e10;

/// Standard error, as a share of the value, at which it is known well enough.
const PRECISE: f64 = 1.25e-4;

/// A critical value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SupT {
    pub value: f64,
    /// Twice the standard error of its numerical integration.
    pub error: f64,
}

/// What `max_j |T_j|` exceeds with probability `tail`, where `T` has this correlation (`[m, m]`) and is normal, or multivariate t
/// with `df` degrees of freedom (Hothorn, Bretz and Westfall 2008, section 3; Montiel Olea and Plagborg-Møller 2019).
///
/// The same value in every run: pseudo-random numbers have fixed keys, and sums a fixed order.
pub(crate) fn sup_t(correlation: &[f64], m: usize, tail: f64, df: Option<f64>) -> SupT {
    let law = Law::new(df);
    let (low, high) = (law.beyond(tail), law.beyond(tail / m as f64));
    let exact = |value| SupT { value, error: 0.0 };
    if m == 1 {
        return exact(low);
    }
    let Some(draws) = CorrelatedDraws::new(correlation, m) else { return exact(high) };
    // The first batch says where the tail has to be known, how steep it is there, and by how much the expectation corrects.
    let pilot = draws.batch(0);
    let uncorrected = |q: f64| {
        let beyond = law.tail(q);
        let moved = draws.beyond(&pilot, &beyond, &vec![0.0; m]);
        (beyond.of_all(m, mean(&moved, |b| b.inverse)) / tail).ln()
    };
    let roughly = root(low, high, uncorrected);
    let step = 0.01 * roughly;
    let slope = (uncorrected(roughly + step) - uncorrected(roughly - step)) / (2.0 * step);
    let corrected = |q: f64| {
        let beyond = law.tail(q);
        let expected = expected(correlation, m, &beyond);
        let moved = draws.beyond(&pilot, &beyond, &expected);
        let correction = correction(&moved);
        let probability = beyond.of_all(m, mean(&moved, |b| b.less(correction)));
        (beyond, expected, correction, probability)
    };
    let (.., probability) = corrected(roughly);
    let at = (roughly - (probability / tail).ln() / slope).clamp(low, high);
    let (beyond, expected, correction, _) = corrected(at);
    let of_batch = |number: usize| {
        let moved = draws.beyond(&draws.batch(number), &beyond, &expected);
        beyond.of_all(m, mean(&moved, |b| b.less(correction)))
    };
    let mut tails: Vec<f64> = Vec::new();
    let affordable = WORK / draws.work();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let most = affordable.clamp(MIN_BATCHES as f64, MAX_BATCHES as f64) as usize;
    let mut next = MIN_BATCHES;
    loop {
        let first = tails.len();
        let further =
            parallel::map_telling("uniform band", next - first, |b| of_batch(first + b + 1));
        tails.extend(further);
        let n = tails.len() as f64;
        let mean = tails.iter().sum::<f64>() / n;
        let squares: f64 = tails.iter().map(|t| (t - mean).powi(2)).sum();
        let error = (squares / (n * (n - 1.0))).sqrt() / (mean * slope).abs();
        if error <= PRECISE * at || next == most {
            let value = (at - (mean / tail).ln() / slope).clamp(low, high);
            return SupT { value, error: 2.0 * error };
        }
        next = (2 * next).min(most);
    }
}

/// Expectation of the number of statistics that are beyond, given that one of them is: `[m]`.
fn expected(correlation: &[f64], m: usize, beyond: &Tail<'_>) -> Vec<f64> {
    let pairs = beyond.pairs();
    parallel::map(m, |j| correlation[j * m..(j + 1) * m].iter().map(|r| pairs.share(*r)).sum())
}

fn mean(moved: &[Beyond], of: impl Fn(&Beyond) -> f64) -> f64 {
    moved.iter().map(of).sum::<f64>() / moved.len() as f64
}

/// By how much `1 / N` changes with `N`, by a regression over draws.
fn correction(moved: &[Beyond]) -> f64 {
    let (inverse, excess) = (mean(moved, |b| b.inverse), mean(moved, |b| b.excess));
    let together = mean(moved, |b| (b.inverse - inverse) * (b.excess - excess));
    let spread = mean(moved, |b| (b.excess - excess).powi(2));
    if spread > 0.0 { together / spread } else { 0.0 }
}

/// Where a falling function is nearly zero, by the regula falsi; an end if it has one sign.
fn root(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
    const NEAR: f64 = 0.01;
    const STEPS: usize = 20;
    let (mut left, mut right) = ((low, f(low)), (high, f(high)));
    if left.1 <= NEAR {
        return low;
    }
    if right.1 >= -NEAR {
        return high;
    }
    let mut at = low;
    for _ in 0..STEPS {
        at = (left.0 * right.1 - right.0 * left.1) / (right.1 - left.1);
        let value = f(at);
        if value.abs() <= NEAR {
            break;
        }
        // The end that stays counts half, so that both come nearer (Illinois).
        if value > 0.0 {
            left = (at, value);
            right.1 *= 0.5;
        } else {
            right = (at, value);
            left.1 *= 0.5;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use statrs::function::erf::erfc;

    use super::*;
    use crate::result::inference::normal_quantile;

    fn correlation(m: usize, rho: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        (0..m * m).map(|e| if e / m == e % m { 1.0 } else { rho(e / m, e % m) }).collect()
    }

    fn identity(m: usize) -> Vec<f64> {
        correlation(m, |_, _| 0.0)
    }

    fn close(got: SupT, exact: f64) {
        let SupT { value, error } = got;
        assert!(error <= 1e-3, "stated error {error}");
        assert!((value - exact).abs() <= 1.5 * error + 1e-5, "{value} ± {error} against {exact}");
    }

    #[test]
    fn independent_statistics_give_the_sidak_value() {
        for m in [2, 5, 20, 100] {
            for level in [0.8, 0.95, 0.999] {
                let tail = -(f64::ln(level) / m as f64).exp_m1();
                close(sup_t(&identity(m), m, 1.0 - level, None), -normal_quantile(tail / 2.0));
            }
        }
    }

    #[test]
    fn equal_statistics_give_the_pointwise_value() {
        close(sup_t(&[1.0; 9], 3, 0.05, None), 1.959_964);
        // Student's t with 10 degrees of freedom.
        close(sup_t(&[1.0; 9], 3, 0.05, Some(10.0)), 2.228_139);
    }

    #[test]
    fn two_t_statistics_match_the_published_table() {
        // Studentised maximum modulus for two comparisons, 10 degrees of freedom: 2.609 (Stoline and Ury 1979).
        let SupT { value, .. } = sup_t(&identity(2), 2, 0.05, Some(10.0));
        assert!((value - 2.609).abs() < 5e-4, "{value}");
    }

    /// `Z_j = √ρ c + √(1 - ρ) e_j`: given `c`, the statistics are independent, and one integral is left.
    fn equicorrelated(m: usize, rho: f64, level: f64) -> f64 {
        let cdf = |x: f64| 0.5 * erfc(-x / std::f64::consts::SQRT_2);
        let covered = |q: f64| {
            let nodes = 4_000;
            let width = 16.0 / f64::from(nodes);
            let density = |c: f64| (-c * c / 2.0).exp() / std::f64::consts::TAU.sqrt();
            (0..nodes)
                .map(|i| {
                    let c = -8.0 + (f64::from(i) + 0.5) * width;
                    let (mean, sd) = (rho.sqrt() * c, (1.0 - rho).sqrt());
                    let one = cdf((q - mean) / sd) - cdf((-q - mean) / sd);
                    density(c) * one.powi(m as i32) * width
                })
                .sum::<f64>()
        };
        let (mut low, mut high) = (0.0, 10.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if covered(middle) < level { low = middle } else { high = middle }
        }
        low
    }

    #[test]
    fn correlated_statistics_match_the_integral_over_their_common_part() {
        for (m, rho, level) in [(3, 0.5, 0.8), (30, 0.9, 0.95), (30, 0.2, 0.9), (100, 0.6, 0.99)] {
            let got = sup_t(&correlation(m, |_, _| rho), m, 1.0 - level, None);
            close(got, equicorrelated(m, rho, level));
        }
    }

    #[test]
    fn the_value_is_the_same_in_every_run() {
        let c = correlation(12, |i, j| 0.8f64.powi(i.abs_diff(j) as i32));
        let value = || sup_t(&c, 12, 0.05, Some(20.0)).value;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        assert_eq!(value().to_bits(), pool.install(value).to_bits());
    }
}
