//! The non-central chi-squared law.

use statrs::function::gamma::ln_gamma;

/// Products of a non-centrality and a quantile beyond which the law is not summed.
const MOST: f64 = 4e16;

/// Terms below this part of the sum are rounding.
const NEGLIGIBLE: f64 = 1e-18;

/// How likely a non-central chi-squared statistic is small.
#[derive(Clone, Copy, Debug)]
pub(super) struct Small {
    /// Logarithm of the probability that it is at most the quantile.
    pub log_probability: f64,
    /// The probability with two more degrees of freedom, relative to this one.
    pub with_two_more: f64,
}

/// The law of a chi-squared statistic with `df` degrees of freedom and this non-centrality up to the quantile `q`: a mixture of central laws
/// with Poisson weights, summed from its largest term in both directions, so that no term underflows. `None` for non-centralities at which
/// the probability is less than `exp(-1e15)`.
pub(super) fn small(q: f64, df: usize, noncentrality: f64) -> Option<Small> {
    let is_in_range = noncentrality * q < MOST;
    if !is_in_range {
        return None;
    }
    let (x, half, half_df) = (0.5 * q, 0.5 * noncentrality, 0.5 * df as f64);
    let shape = |j: f64| half_df + j;
    // By how much central probabilities fall from `j` to the next, and terms with them.
    let fall = |j: f64| {
        let tail = tail(shape(j), x);
        tail / (1.0 + tail)
    };
    // Where the ratio of neighbours is about 1: (j + 1) (df / 2 + j + 1) is the product of the halves.
    let largest = (0.5 * ((half_df * half_df + noncentrality * q).sqrt() - half_df)).floor();
    let weight = if largest == 0.0 { 0.0 } else { largest * half.ln() - ln_gamma(largest + 1.0) };
    let a = shape(largest);
    let central = a * x.ln() - x - ln_gamma(a + 1.0) + tail(a, x).ln_1p();
    let (mut sum, mut next) = (0.0, 0.0);
    let mut add = |term: f64, fall: f64| {
        sum += term;
        next += term * fall;
        term > NEGLIGIBLE * sum
    };
    let (mut j, mut term) = (largest, 1.0);
    loop {
        let fall = fall(j);
        let goes_on = add(term, fall);
        term *= half / (j + 1.0) * fall;
        j += 1.0;
        if !goes_on {
            break;
        }
    }
    (j, term) = (largest, 1.0);
    while j > 0.0 {
        j -= 1.0;
        let fall = fall(j);
        term /= half / (j + 1.0) * fall;
        if !add(term, fall) {
            break;
        }
    }
    Some(Small { log_probability: weight - half + central + sum.ln(), with_two_more: next / sum })
}

/// `Γ(a + 1) eˣ x⁻ᵃ P(a, x) - 1` of the regularised incomplete gamma function `P`: `x / (a + 1) + x² / ((a + 1) (a + 2)) + …`.
fn tail(a: f64, x: f64) -> f64 {
    let (mut sum, mut term, mut k) = (0.0, 1.0, 1.0);
    loop {
        term *= x / (a + k);
        sum += term;
        k += 1.0;
        if term <= NEGLIGIBLE * sum {
            return sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use statrs::function::gamma::checked_gamma_lr;

    use super::*;

    fn probability(q: f64, df: usize, noncentrality: f64) -> f64 {
        small(q, df, noncentrality).expect("a probability").log_probability.exp()
    }

    #[test]
    fn one_degree_of_freedom_is_a_squared_normal() {
        let cdf = |x: f64| 0.5 * statrs::function::erf::erfc(-x / std::f64::consts::SQRT_2);
        for mean in [0.0, 0.3, 1.0, 2.5, 6.0] {
            for root in [0.5, 1.96, 3.0_f64] {
                let exact = cdf(root - mean) - cdf(-root - mean);
                let found = probability(root * root, 1, mean * mean);
                assert!((found / exact - 1.0).abs() < 1e-9, "{mean} {root}: {found} {exact}");
            }
        }
    }

    #[test]
    fn probabilities_are_mixtures_of_central_ones() {
        let found = probability(7.814_728, 3, 4.0);
        let central = |df: f64| checked_gamma_lr(0.5 * df, 0.5 * 7.814_728).expect("a probability");
        let (mut by_hand, mut more) = (0.0, 0.0);
        let mut weight = (-2.0_f64).exp();
        for j in 0..60 {
            by_hand += weight * central(3.0 + 2.0 * f64::from(j));
            more += weight * central(5.0 + 2.0 * f64::from(j));
            weight *= 2.0 / f64::from(j + 1);
        }
        assert!((found - by_hand).abs() < 1e-12, "{found} {by_hand}");
        let ratio = small(7.814_728, 3, 4.0).expect("a probability").with_two_more;
        assert!((ratio - more / by_hand).abs() < 1e-12, "{ratio}");
    }

    /// Within a ball that a normal is far from, it is where the ball is nearest: the ratio is the radius over the distance.
    #[test]
    fn far_means_have_the_ratio_of_the_nearest_point() {
        let q = 5.991_465_f64;
        assert!(small(q, 2, 4_000.0).is_some_and(|of| of.log_probability < -1_500.0));
        for distance in [2e2, 2e4, 1e6, 5e7] {
            let found = small(q, 2, distance * distance).expect("a ratio").with_two_more;
            let limit = q.sqrt() / distance;
            assert!((found / limit - 1.0).abs() < 3.0 / distance, "{distance}: {found} {limit}");
        }
        assert!(small(q, 2, 1e17).is_none() && small(q, 2, f64::INFINITY).is_none());
    }
}
