//! Tails of the standard normal law.

use std::f64::consts::{PI, SQRT_2};

use statrs::function::erf::erfc;

/// From here on the survival function is taken from its asymptotic series.
const FAR: f64 = 25.0;

/// `P(Z > x)` of a standard normal.
pub(crate) fn upper_tail(x: f64) -> f64 {
    0.5 * erfc(x / SQRT_2)
}

/// `ln P(Z > x)` of a standard normal, without underflow.
pub(crate) fn log_survival(x: f64) -> f64 {
    if x < FAR {
        return (0.5 * erfc(x / SQRT_2)).ln();
    }
    // Mills' ratio: 1 - 1/x² + 3/x⁴ - 15/x⁶ + 105/x⁸.
    let t = 1.0 / (x * x);
    let series = -t * (1.0 - t * (3.0 - t * (15.0 - 105.0 * t)));
    -0.5 * x * x - (x * (2.0 * PI).sqrt()).ln() + series.ln_1p()
}

/// Density over `P(Z > x)` of a standard normal.
pub(crate) fn hazard(x: f64) -> f64 {
    (-0.5 * x * x - 0.5 * (2.0 * PI).ln() - log_survival(x)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survival_is_continuous_where_its_series_begins() {
        let (left, right) = (log_survival(FAR - 1e-9), log_survival(FAR + 1e-9));
        assert!((left - right).abs() < 1e-6, "{left} {right}");
        // R: pnorm(40, lower.tail = FALSE, log.p = TRUE).
        assert!((log_survival(40.0) + 804.608_442_013_754_3).abs() < 1e-8);
    }

    #[test]
    fn hazards_are_those_of_the_law_and_of_its_expansion() {
        // R: dnorm(x) / pnorm(x, lower.tail = FALSE).
        for (x, expected) in [
            (-8.0, 5.052_271_083_536_896e-15),
            (0.0, 0.797_884_560_802_865_4),
            (2.0, 2.373_215_532_822_841),
            (8.0, 8.121_368_112_236_112),
        ] {
            // The error function is right to ten digits.
            assert!((hazard(x) / expected - 1.0).abs() < 1e-9, "{x}: {}", hazard(x));
        }
        for x in [24.9, 25.1, 100.0_f64] {
            let expansion = x + 1.0 / x - 2.0 / x.powi(3) + 10.0 / x.powi(5);
            assert!((hazard(x) / expansion - 1.0).abs() < 1e-8, "{x}: {}", hazard(x));
        }
        assert!((upper_tail(8.0) / 6.220_960_574_271_785e-16 - 1.0).abs() < 1e-9);
    }
}
