//! The non-central chi-squared law.

use statrs::function::gamma::{checked_gamma_lr, ln_gamma};

/// Logarithm of the probability that a chi-squared statistic with `df` degrees of freedom and this non-centrality is at most `q`: a
/// mixture of central laws with Poisson weights.
pub(super) fn log_probability(q: f64, df: usize, noncentrality: f64) -> f64 {
    let half = 0.5 * noncentrality;
    let term = |j: usize| {
        let j = j as f64;
        let central = checked_gamma_lr(0.5 * df as f64 + j, 0.5 * q).unwrap_or(0.0);
        let weight = if j == 0.0 { 0.0 } else { j * half.ln() - ln_gamma(j + 1.0) };
        weight - half + central.ln()
    };
    if half == 0.0 {
        return term(0);
    }
    // Terms are largest near this, and fall faster than geometrically beyond.
    let largest = 0.5 * (noncentrality * q).sqrt();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "small and positive"
    )]
    let last = (4.0 * largest).min(1e6) as usize + 60;
    let terms: Vec<f64> = (0..last).map(term).collect();
    let top = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if top == f64::NEG_INFINITY {
        return top;
    }
    top + terms.iter().map(|term| (term - top).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_degree_of_freedom_is_a_squared_normal() {
        let cdf = |x: f64| 0.5 * statrs::function::erf::erfc(-x / std::f64::consts::SQRT_2);
        for mean in [0.0, 0.3, 1.0, 2.5, 6.0] {
            for root in [0.5, 1.96, 3.0_f64] {
                let exact = cdf(root - mean) - cdf(-root - mean);
                let found = log_probability(root * root, 1, mean * mean).exp();
                assert!((found / exact - 1.0).abs() < 1e-9, "{mean} {root}: {found} {exact}");
            }
        }
    }

    #[test]
    fn probabilities_are_mixtures_of_central_ones() {
        let found = log_probability(7.814_728, 3, 4.0).exp();
        let central = |df: f64| checked_gamma_lr(0.5 * df, 0.5 * 7.814_728).expect("a probability");
        let mut by_hand = 0.0;
        let mut weight = (-2.0_f64).exp();
        for j in 0..60 {
            by_hand += weight * central(3.0 + 2.0 * f64::from(j));
            weight *= 2.0 / f64::from(j + 1);
        }
        assert!((found - by_hand).abs() < 1e-12, "{found} {by_hand}");
        // Far beyond the range of the probability itself.
        assert!(log_probability(6.0, 2, 4_000.0) < -1_500.0);
    }
}
