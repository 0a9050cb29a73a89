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
//! and `σ²` is quadratic in `c`, so the estimators that trade one for the other are the path of a lasso, which is piecewise linear
//! in its penalty (Osborne, Presnell and Turlach 2000). On it `χ` has one minimum, since it is convex in `σ`.

use super::dense::{DenseMatrix, dot, solve};
use super::normal::folded_quantile;
use super::study::EventStudy;

/// Steps of the search for the shortest interval; each leaves 0.618 of where it may be.
const STEPS: usize = 80;

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
    study: &'a EventStudy,
    l: Vec<f64>,
    /// `Σ_j j l_j`.
    total: f64,
    /// Bias that no weights before treatment take away.
    constant: f64,
    /// Values of the penalty, falling from where all is zero to 0, and the `c_1 .. c_{P-1}` there.
    knots: Vec<(f64, Vec<f64>)>,
}

impl<'a> Frontier<'a> {
    /// The path for the parameter `l'τ_post`; `None` if the covariance before treatment is singular.
    pub fn new(study: &'a EventStudy, l: &[f64]) -> Option<Self> {
        let post = l.len();
        let weighted = |s: usize| -> f64 {
            let last = &l[post - s..];
            last.iter().zip(1u32..).map(|(l, j)| f64::from(j) * l).sum()
        };
        let constant = (1..=post).map(|s| weighted(s).abs()).sum();
        let mut frontier =
            Self { study, l: l.to_vec(), total: weighted(post), constant, knots: Vec::new() };
        let (q, r) = frontier.variance();
        frontier.knots = lasso(&q, &r)?;
        Some(frontier)
    }

    /// Quadratic and linear part of half the variance as a function of `c_1 .. c_{P-1}`.
    fn variance(&self) -> (DenseMatrix, Vec<f64>) {
        let free = self.study.pre() - 1;
        let direction = |j: usize| {
            let mut c = vec![0.0; free + 1];
            c[j] = 1.0;
            // Of the estimator without its part after treatment.
            [second_differences(&c), vec![0.0; self.l.len()]].concat()
        };
        let directions: Vec<Vec<f64>> = (0..free).map(direction).collect();
        let covariance = self.study.covariance();
        let start = covariance.times(&self.weights(&vec![0.0; free]));
        let images: Vec<Vec<f64>> = directions.iter().map(|k| covariance.times(k)).collect();
        let q = DenseMatrix::from_fn(free, free, |i, j| dot(&directions[i], &images[j]));
        (q, directions.iter().map(|k| dot(k, &start)).collect())
    }

    /// Weights of all coefficients.
    fn weights(&self, c: &[f64]) -> Vec<f64> {
        let all = [c, &[self.total]].concat();
        [second_differences(&all), self.l.clone()].concat()
    }

    /// Worst bias for `M = 1`, and standard deviation.
    fn bias_and_deviation(&self, c: &[f64]) -> (f64, f64) {
        let weights = self.weights(c);
        let variance = dot(&weights, &self.study.covariance().times(&weights));
        (self.constant + c.iter().map(|c| c.abs()).sum::<f64>(), variance.max(0.0).sqrt())
    }

    /// `c` at a position along the path, of which knot `i` is at `i`.
    fn at(&self, position: f64) -> Vec<f64> {
        let last = self.knots.len() - 1;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a position")]
        let left = (position.floor() as usize).min(last);
        let right = (left + 1).min(last);
        let part = position - left as f64;
        let pairs = self.knots[left].1.iter().zip(&self.knots[right].1);
        pairs.map(|(a, b)| a + part * (b - a)).collect()
    }

    fn half_length(&self, position: f64, m: f64, alpha: f64) -> f64 {
        let (bias, deviation) = self.bias_and_deviation(&self.at(position));
        if deviation == 0.0 {
            return m * bias;
        }
        deviation * folded_quantile(alpha, m * bias / deviation)
    }

    /// The shortest interval at the level `1 - alpha` over `Δ^SD(m)`.
    pub fn shortest(&self, m: f64, alpha: f64) -> FixedLength {
        let last = self.knots.len() - 1;
        let at_knots: Vec<f64> = (0..=last).map(|i| self.half_length(i as f64, m, alpha)).collect();
        let best = (0..=last).min_by(|i, j| at_knots[*i].total_cmp(&at_knots[*j])).unwrap_or(0);
        let (from, to) = (best.saturating_sub(1) as f64, (best + 1).min(last) as f64);
        let position = golden_section(from, to, |x| self.half_length(x, m, alpha));
        let found = self.half_length(position, m, alpha);
        let position = if at_knots[best] <= found { best as f64 } else { position };
        let half_length = found.min(at_knots[best]);
        FixedLength { weights: self.weights(&self.at(position)), half_length }
    }
}

/// `l_pre` from its double sums.
fn second_differences(c: &[f64]) -> Vec<f64> {
    let at = |j: usize, back: usize| if j >= back { c[j - back] } else { 0.0 };
    (0..c.len()).map(|j| c[j] - 2.0 * at(j, 1) + at(j, 2)).collect()
}

/// Where a function with one minimum between the ends is smallest.
fn golden_section(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    let (mut a, mut b) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut at_a, mut at_b) = (f(a), f(b));
    for _ in 0..STEPS {
        if at_a <= at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - ratio * (high - low);
            at_a = f(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + ratio * (high - low);
            at_b = f(b);
        }
    }
    0.5 * (low + high)
}

/// The path of `min ½ c'Qc + r'c + μ Σ|c_j|` from `μ = max|r_j|`, where all `c_j` are zero, to 0: its knots. `None` if `Q` is
/// singular.
fn lasso(q: &DenseMatrix, r: &[f64]) -> Option<Vec<(f64, Vec<f64>)>> {
    let n = r.len();
    let mut penalty = r.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
    let mut knots = vec![(penalty, vec![0.0; n])];
    // Which are not zero, with their signs. The first has the steepest slope.
    let mut active: Vec<(usize, f64)> = Vec::new();
    let steepest = (0..n).max_by(|i, j| r[*i].abs().total_cmp(&r[*j].abs()));
    let mut entering = steepest.map(|j| (j, -r[j].signum()));
    let mut left: Option<usize> = None;
    for _ in 0..20 * n {
        if let Some(entry) = entering.take() {
            active.push(entry);
            active.sort_unstable_by_key(|(j, _)| *j);
        }
        // c_A = u - μ v with u = -Q_AA⁻¹ r_A and v = Q_AA⁻¹ s_A.
        let block =
            DenseMatrix::from_fn(active.len(), active.len(), |i, j| q.at(active[i].0, active[j].0));
        let minus: Vec<f64> = active.iter().map(|(j, _)| -r[*j]).collect();
        let signs: Vec<f64> = active.iter().map(|(_, s)| *s).collect();
        let (u, v) = (solve(&block, &minus)?, solve(&block, &signs)?);
        let place = |values: &[f64]| {
            let mut all = vec![0.0; n];
            active.iter().zip(values).for_each(|((j, _), value)| all[*j] = *value);
            all
        };
        let (all_u, all_v) = (place(&u), place(&v));
        // Slopes of the others are a - μ b, and reach ±μ.
        let mut next = (0.0, None);
        for j in (0..n).filter(|j| active.iter().all(|(k, _)| k != j)) {
            let (a, b) = (r[j] + dot(q.row(j), &all_u), dot(q.row(j), &all_v));
            for (at, sign) in [(a / (1.0 + b), -1.0), (a / (b - 1.0), 1.0)] {
                let again = left == Some(j) && at > penalty * (1.0 - 1e-9);
                if at.is_finite() && at > next.0 && at <= penalty * (1.0 + 1e-12) && !again {
                    next = (at, Some((j, Some(sign))));
                }
            }
        }
        for ((j, _), (u, v)) in active.iter().zip(u.iter().zip(&v)) {
            let at = u / v;
            if at.is_finite() && at > next.0 && at < penalty * (1.0 - 1e-12) {
                next = (at, Some((*j, None)));
            }
        }
        penalty = next.0;
        let c: Vec<f64> = all_u.iter().zip(&all_v).map(|(u, v)| u - penalty * v).collect();
        knots.push((penalty, c));
        left = None;
        match next.1 {
            None => return Some(knots),
            Some((j, Some(sign))) => entering = Some((j, sign)),
            Some((j, None)) => {
                active.retain(|(k, _)| *k != j);
                left = Some(j);
            }
        }
    }
    (n == 0).then_some(knots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lasso_path_meets_its_conditions_at_every_knot() {
        let q =
            DenseMatrix::of(&[vec![2.0, 1.4, 0.3], vec![1.4, 2.0, -0.9], vec![0.3, -0.9, 1.5]], 3);
        let r = [-1.0, 0.4, 0.8];
        let knots = lasso(&q, &r).expect("regular");
        assert!(knots.len() > 3 && knots.last().map(|k| k.0) == Some(0.0));
        for (penalty, c) in &knots {
            let slopes: Vec<f64> = q.times(c).iter().zip(r).map(|(q, r)| q + r).collect();
            for (slope, c) in slopes.iter().zip(c) {
                assert!(slope.abs() <= penalty + 1e-12, "{slope} {penalty}");
                assert!(*c == 0.0 || (slope + penalty * c.signum()).abs() < 1e-9 || c.abs() < 1e-9);
            }
        }
    }

    #[test]
    fn golden_sections_close_in_on_the_minimum() {
        let at = golden_section(0.0, 3.0, |x| (x - 1.25).abs());
        assert!((at - 1.25).abs() < 1e-12, "{at}");
    }
}
