//! The logistic function and its odds, in forms that vectorise.

use crate::engine::pass::OddsLimits;

/// Two numbers, each at least `1`, whose ratio is `e^η`, to within 2 units in the last place for `|η| <= 700`; beyond, `η` is
/// set to that bound.
///
/// Cody–Waite reduction of `-η` to `|r| <= ln 2 / 2`, and the Padé form `e^r = (q + r p) / (q - r p)` of Moshier's Cephes,
/// with polynomials in `r²`. A propensity score and its odds then take one division each.
#[inline(always)]
fn ratio(log_odds: f64) -> (f64, f64) {
    const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    // Adding 1.5 · 2^52 leaves the nearest integer in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const P: [f64; 3] = [1.261_771_930_748_105_9e-4, 3.029_944_077_074_419_6e-2, 1.0];
    const Q: [f64; 4] =
        [3.001_985_051_386_644_6e-6, 2.524_483_403_496_841e-3, 2.272_655_482_081_550_3e-1, 2.0];
    let x = -log_odds.clamp(-700.0, 700.0);
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * LN2_HIGH) - n * LN2_LOW;
    let r2 = r * r;
    let p = r * ((P[0] * r2 + P[1]) * r2 + P[2]);
    let q = ((Q[0] * r2 + Q[1]) * r2 + Q[2]) * r2 + Q[3];
    let scale = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    (q - p, (q + p) * scale)
}

/// Logistic function of the log-odds, and what it lacks to 1 without cancellation.
#[inline(always)]
pub(super) fn propensity(log_odds: f64) -> (f64, f64) {
    let (a, b) = ratio(log_odds);
    let total = 1.0 / (a + b);
    (a * total, b * total)
}

/// Odds `e^η` within the limits; 0 where they are trimmed.
#[inline(always)]
pub(super) fn trimmed_odds(log_odds: f64, limits: OddsLimits) -> f64 {
    let (a, b) = ratio(log_odds);
    let odds = a / b;
    if odds < limits.below { odds.min(limits.largest) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::{propensity, trimmed_odds};
    use crate::engine::pass::{OddsLimits, UNTRIMMED};

    #[test]
    fn odds_are_accurate_over_the_whole_range() {
        for i in -69_000..69_000 {
            let x = f64::from(i) * 0.010_001;
            let expected = x.exp();
            let error = (trimmed_odds(x, OddsLimits::new(UNTRIMMED)) - expected).abs() / expected;
            assert!(error <= 6e-16, "odds({x}): {error:e}");
            let expected = [1.0 / (1.0 + (-x).exp()), 1.0 / (1.0 + x.exp())];
            let (p, rest) = propensity(x);
            for (got, expected) in [p, rest].into_iter().zip(expected) {
                assert!((got - expected).abs() <= 9e-16 * expected, "propensity({x})");
            }
        }
    }

    #[test]
    fn extreme_log_odds_stay_finite() {
        let odds = |x| trimmed_odds(x, OddsLimits::new(UNTRIMMED));
        assert!(odds(f64::MAX).is_finite() && odds(f64::MIN) > 0.0 && odds(f64::MIN) < 1e-300);
        assert!(propensity(f64::MIN).0 < 1e-300 && propensity(f64::MAX).1 > 0.0);
    }

    #[test]
    fn odds_are_trimmed_or_capped() {
        let odds = |x, trim| trimmed_odds(x, OddsLimits::new(trim));
        assert!(odds(5.2, 0.995) > 0.0 && odds(5.3, 0.995) == 0.0);
        assert!((odds(30.0, 0.999_999_9) / 999_999.0 - 1.0).abs() < 1e-9);
        assert!(odds(30.0, UNTRIMMED) > 1e13);
    }
}
