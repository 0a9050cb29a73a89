//! Quantiles of folded and truncated normals that hold in the tails.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::base::normal::log_survival;

/// The `x` with `ln P(Z > x) = log`, by Newton steps on the logarithm, which is concave.
fn inverse_log_survival(log: f64) -> f64 {
    if log == f64::NEG_INFINITY {
        return f64::INFINITY;
    }
    if log >= 0.0 {
        return f64::NEG_INFINITY;
    }
    let mut x =
        if log > -700.0 { -Normal::standard().inverse_cdf(log.exp()) } else { (-2.0 * log).sqrt() };
    for _ in 0..50 {
        let survival = log_survival(x);
        let hazard = (-0.5 * x * x - 0.5 * (2.0 * std::f64::consts::PI).ln() - survival).exp();
        let step = (survival - log) / hazard;
        x += step;
        if step.abs() <= 1e-14 * x.abs().max(1.0) {
            break;
        }
    }
    x
}

/// What a standard normal between `low` and `high` exceeds with probability `tail`.
pub(crate) fn truncated_upper_quantile(tail: f64, low: f64, high: f64) -> f64 {
    if low > 0.0 {
        // P(Z > q) = P(Z > high) + tail · P(low < Z < high), relative to P(Z > low).
        let from = log_survival(low);
        let ratio = if high == f64::INFINITY { 0.0 } else { (log_survival(high) - from).exp() };
        return inverse_log_survival(from + (ratio + tail * (1.0 - ratio)).ln()).clamp(low, high);
    }
    if high < 0.0 {
        return -truncated_upper_quantile(1.0 - tail, -high, -low);
    }
    // The cut points lie on both sides of zero, so that both probabilities hold their digits.
    let below = if low == f64::NEG_INFINITY { 0.0 } else { log_survival(-low).exp() };
    let above = if high == f64::INFINITY { 0.0 } else { log_survival(high).exp() };
    let between = 1.0 - below - above;
    let exceeded = above + tail * between;
    let quantile = if exceeded < 0.5 {
        inverse_log_survival(exceeded.ln())
    } else {
        -inverse_log_survival((below + (1.0 - tail) * between).ln())
    };
    quantile.clamp(low, high)
}

/// The `1 - alpha` quantile of `|N(bias, 1)|` as a function of the bias, by its tangent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoldedQuantile {
    /// Where the tangent meets a bias of 0.
    pub intercept: f64,
    /// Derivative with respect to the bias.
    pub slope: f64,
}

impl FoldedQuantile {
    /// The quantile at a bias of at least 0.
    pub fn new(alpha: f64, bias: f64) -> Self {
        // How far the quantile is beyond the bias, so that no digits are lost to the bias.
        let beyond = beyond_bias(alpha, bias);
        // The ratio of the densities at the two ends is exp(2 · quantile · bias).
        let product = (beyond + bias) * bias;
        let lost = 2.0 / ((2.0 * product).exp() + 1.0);
        let intercept = if lost > 0.0 { beyond + bias * lost } else { beyond };
        Self { intercept, slope: product.tanh() }
    }

    /// The half-length of an interval around an estimate with this deviation and worst bias, whose ratio the quantile is taken at.
    pub fn half_length(self, deviation: f64, bias: f64) -> f64 {
        deviation * self.intercept + bias * self.slope
    }
}

/// The `x` with `P(Z > x) + P(Z > x + 2 bias) = alpha`.
fn beyond_bias(alpha: f64, bias: f64) -> f64 {
    let exceeded = |x: f64| log_survival(x).exp() + log_survival(x + 2.0 * bias).exp();
    // One tail has at most all of the level, and at least half of it.
    let mut low = inverse_log_survival(alpha.ln()).max(-bias);
    let mut high = inverse_log_survival((0.5 * alpha).ln());
    let density = |x: f64| (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let mut x = high;
    for _ in 0..100 {
        let excess = exceeded(x) - alpha;
        if excess > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let newton = x + excess / (density(x) + density(x + 2.0 * bias));
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        let done = (next - x).abs() <= 1e-15 * x.abs().max(1.0);
        x = next;
        if done {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_quantiles_solve_their_equation() {
        // scipy: foldnorm(b).ppf(0.95).
        for (bias, expected) in [
            (0.0, 1.959_963_984_540_054),
            (0.5, 2.181_477_442_328_154),
            (1.0, 2.646_145_548_215_311),
            (5.0, 6.644_853_626_951_472),
        ] {
            let quantile = FoldedQuantile::new(0.05, bias);
            let found = quantile.half_length(1.0, bias);
            let beyond = log_survival(found - bias).exp() + log_survival(found + bias).exp();
            assert!((beyond - 0.05).abs() < 1e-12, "{bias}: {beyond}");
            assert!((found - expected).abs() < 1e-9, "{bias}: {found}");
            let at = |bias: f64| FoldedQuantile::new(0.05, bias).half_length(1.0, bias);
            let derivative = (at(bias + 1e-5) - at((bias - 1e-5).abs())) / 2e-5;
            assert!((quantile.slope - derivative).abs() < 1e-8, "{bias}: {derivative}");
        }
    }

    #[test]
    fn survival_is_inverted() {
        for x in [-5.0, -0.5, 0.0, 1.0, 8.0, 30.0, 100.0] {
            let back = inverse_log_survival(log_survival(x));
            assert!((back - x).abs() < 1e-9 * x.abs().max(1.0), "{x}: {back}");
        }
    }

    #[test]
    fn truncated_quantiles_split_the_probability_between_the_cut_points() {
        for (low, high) in
            [(-1.0, 2.0), (0.5, 0.7), (3.0, f64::INFINITY), (f64::NEG_INFINITY, -2.0), (9.0, 11.0)]
        {
            for tail in [0.05, 0.5, 0.95] {
                let q = truncated_upper_quantile(tail, low, high);
                let mass = |a: f64, b: f64| {
                    // By the tail on whose side both lie.
                    if a > 0.0 {
                        log_survival(a).exp() - log_survival(b).exp()
                    } else {
                        log_survival(-b).exp() - log_survival(-a).exp()
                    }
                };
                let share = mass(q, high) / mass(low, high);
                assert!((share - tail).abs() < 1e-9, "{low} {high} {tail}: {q} {share}");
            }
        }
    }

    #[test]
    fn far_tails_keep_their_digits() {
        // Beyond x a normal is nearly exponential with rate x: the quantile is low - ln(tail) / low.
        for low in [40.0, 400.0, 10_000.0] {
            let q = truncated_upper_quantile(0.05, low, f64::INFINITY);
            let excess = (q - low) * low;
            assert!((excess + 0.05f64.ln()).abs() < 10.0 / (low * low) + 1e-6, "{low}: {excess}");
            let mirrored = truncated_upper_quantile(0.95, f64::NEG_INFINITY, -low);
            assert!((mirrored + q).abs() < 1e-9 * q, "{low}");
        }
        let all = truncated_upper_quantile(0.05, f64::NEG_INFINITY, f64::INFINITY);
        assert!((all - 1.644_853_626_951_472_7).abs() < 1e-9, "{all}");
    }
}
