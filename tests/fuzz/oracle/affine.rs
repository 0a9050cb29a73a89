//! The shortest fixed-length interval over `Δ^SD(M)`, by all sign patterns of the bias.
//!
//! A difference in trends with second differences of at most `M` is a line and kinks of sizes up to `M`. An affine estimator whose
//! bias is bounded takes no account of lines, and its worst bias is `M Σ |its value at a kink of size 1|`. With given signs of
//! these values the bias is linear, so the estimators that are the best for some price of the bias are a line in the price.

use statrs::distribution::{ContinuousCDF, Normal};

use super::linear::{dot, gauss};

/// An interval, by its centre and its half-length, with the weights of the coefficients that the centre has.
#[derive(Clone, Debug)]
pub struct Shortest {
    pub half_length: f64,
    pub weights: Vec<f64>,
}

/// Estimators along a line: `from + price · slope`, for prices between two.
struct Segment {
    prices: [f64; 2],
    from: Vec<f64>,
    slope: Vec<f64>,
}

/// The best estimators of `l'τ_post`.
pub struct Estimators {
    covariance: Vec<Vec<f64>>,
    pre: usize,
    segments: Vec<Segment>,
    /// The smallest reciprocal condition of what was solved.
    pub rcond: f64,
}

/// A difference in trends with a kink of size 1 in one period, zero on the side of it where the reference period is.
fn kink(at: i64, pre: usize, post: usize) -> Vec<f64> {
    let before = (1..=pre as i64).rev().map(|t| (t + at).max(0) as f64);
    let after = (1..=post as i64).map(|t| (t - at).max(0) as f64);
    if at < 0 {
        before.chain((0..post).map(|_| 0.0)).collect()
    } else {
        (0..pre).map(|_| 0.0).chain(after).collect()
    }
}

impl Estimators {
    pub fn new(covariance: &[Vec<f64>], pre: usize, l: &[f64]) -> Self {
        let post = l.len();
        // Weights before treatment as a function of the values at kinks, and of the slope that they take off.
        let line: Vec<f64> = (1..=pre).rev().map(|t| -(t as f64)).collect();
        let kinks: Vec<Vec<f64>> = (1..pre as i64).map(|p| kink(-p, pre, post)).collect();
        let mut system: Vec<Vec<f64>> = kinks.iter().map(|k| k[..pre].to_vec()).collect();
        system.push(line);
        let slope: f64 = l.iter().zip(1..).map(|(l, t)| l * f64::from(t)).sum();
        let unit = |j: usize, size: f64| -> Vec<f64> {
            (0..pre).map(|i| if i == j { size } else { 0.0 }).collect()
        };
        let base = [gauss(&system, &unit(pre - 1, -slope)).0, l.to_vec()].concat();
        let free = pre - 1;
        let directions: Vec<Vec<f64>> = (0..free)
            .map(|j| [gauss(&system, &unit(j, 1.0)).0, vec![0.0; post]].concat())
            .collect();
        let image = |w: &[f64]| -> Vec<f64> { covariance.iter().map(|row| dot(row, w)).collect() };
        let q: Vec<Vec<f64>> = directions
            .iter()
            .map(|a| directions.iter().map(|b| dot(a, &image(b))).collect())
            .collect();
        let r: Vec<f64> = directions.iter().map(|a| dot(a, &image(&base))).collect();
        let largest = r.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
        let mut found =
            Self { covariance: covariance.to_vec(), pre, segments: Vec::new(), rcond: 1.0 };
        for pattern in 0..3usize.pow(u32::try_from(free).unwrap()) {
            let signs: Vec<f64> =
                (0..free).map(|j| ((pattern / 3usize.pow(j as u32)) % 3) as f64 - 1.0).collect();
            let Some((prices, u, v)) = found.pattern(&q, &r, &signs, largest) else { continue };
            let place = |x: &[f64]| -> Vec<f64> {
                let sum = |i: usize| directions.iter().zip(x).map(|(d, x)| d[i] * x).sum::<f64>();
                (0..pre + post).map(sum).collect()
            };
            let from = place(&u).iter().zip(&base).map(|(a, b)| a + b).collect();
            found.segments.push(Segment { prices, from, slope: place(&v) });
        }
        found
    }

    /// Prices at which a sign pattern is that of the best estimators, and their values at kinks, `u + price · v`.
    fn pattern(
        &mut self,
        q: &[Vec<f64>],
        r: &[f64],
        signs: &[f64],
        largest: f64,
    ) -> Option<([f64; 2], Vec<f64>, Vec<f64>)> {
        let active: Vec<usize> = (0..r.len()).filter(|j| signs[*j] != 0.0).collect();
        let block: Vec<Vec<f64>> =
            active.iter().map(|i| active.iter().map(|j| q[*i][*j]).collect()).collect();
        let solve = |right: Vec<f64>| {
            let (x, rcond) =
                if active.is_empty() { (Vec::new(), 1.0) } else { gauss(&block, &right) };
            let mut all = vec![0.0; r.len()];
            active.iter().zip(x).for_each(|(j, x)| all[*j] = x);
            (all, rcond)
        };
        let (u, rcond) = solve(active.iter().map(|j| -r[*j]).collect());
        let (v, _) = solve(active.iter().map(|j| -signs[*j]).collect());
        self.rcond = self.rcond.min(rcond);
        let [mut low, mut high] = [0.0_f64, largest];
        // value + price · slope >= 0.
        let mut at_least = |value: f64, slope: f64| {
            if slope > 0.0 {
                low = low.max(-value / slope);
            } else if slope < 0.0 {
                high = high.min(-value / slope);
            } else if value < 0.0 {
                high = f64::NEG_INFINITY;
            }
        };
        for j in 0..r.len() {
            if signs[j] == 0.0 {
                let (a, b) = (r[j] + dot(&q[j], &u), dot(&q[j], &v));
                at_least(a, b + 1.0);
                at_least(-a, 1.0 - b);
            } else {
                at_least(signs[j] * u[j], signs[j] * v[j]);
            }
        }
        // Patterns that are best at one price alone are the ends of others, so a bit of rounding does not matter.
        (low <= high + 1e-9 * largest).then(|| ([low, high.max(low)], u, v))
    }

    /// Worst bias over `Δ^SD(1)`, and standard deviation.
    pub fn bias_and_deviation(&self, weights: &[f64]) -> (f64, f64) {
        let (pre, post) = (self.pre, weights.len() - self.pre);
        let kinks = 1 - pre as i64..post as i64;
        let bias = kinks.map(|at| dot(&kink(at, pre, post), weights).abs()).sum();
        let variance: f64 =
            self.covariance.iter().zip(weights).map(|(row, w)| w * dot(row, weights)).sum();
        (bias, variance.max(0.0).sqrt())
    }

    pub fn half_length(&self, weights: &[f64], m: f64, alpha: f64) -> f64 {
        let (bias, deviation) = self.bias_and_deviation(weights);
        deviation * folded(alpha, m * bias / deviation)
    }

    pub fn shortest(&self, m: f64, alpha: f64) -> Shortest {
        let mut best = Shortest { half_length: f64::INFINITY, weights: Vec::new() };
        for segment in &self.segments {
            let at = |price: f64| -> Vec<f64> {
                segment.from.iter().zip(&segment.slope).map(|(a, b)| a + price * b).collect()
            };
            let length = |price: f64| self.half_length(&at(price), m, alpha);
            let [mut a, mut b] = segment.prices;
            for _ in 0..60 {
                let thirds = [a + (b - a) / 3.0, b - (b - a) / 3.0];
                if length(thirds[0]) <= length(thirds[1]) {
                    b = thirds[1];
                } else {
                    a = thirds[0];
                }
            }
            for price in [segment.prices[0], segment.prices[1], 0.5 * (a + b)] {
                if length(price) < best.half_length {
                    best = Shortest { half_length: length(price), weights: at(price) };
                }
            }
        }
        best
    }
}

/// The `1 - alpha` quantile of `|N(bias, 1)|`, by bisection.
pub fn folded(alpha: f64, bias: f64) -> f64 {
    let law = Normal::standard();
    let (mut low, mut high) = (0.0, bias + 10.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if law.sf(middle - bias) + law.sf(middle + bias) > alpha {
            low = middle;
        } else {
            high = middle;
        }
        if high - low <= 1e-15 * high {
            break;
        }
    }
    0.5 * (low + high)
}
