//! Elementary functions that vectorise.

/// `e^x` to within 2 units in the last place, for any finite `x` (saturating at the ends of the range).
///
/// Cody–Waite reduction to `|r| <= ln 2 / 2` and the Taylor polynomial of degree 13, whose remainder is below 5e-18.
#[inline(always)]
pub(super) fn exp(x: f64) -> f64 {
    const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    // Adding 1.5 · 2^52 leaves the nearest integer in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let x = x.clamp(-708.0, 709.0);
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * LN2_HIGH) - n * LN2_LOW;
    let mut p = 1.0 / 6_227_020_800.0;
    for c in [
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        p = p * r + c;
    }
    let scale = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    p * scale
}

/// Logistic function of the log-odds, at most [`MAX_PROPENSITY`](super::MAX_PROPENSITY).
#[inline(always)]
pub(super) fn propensity(log_odds: f64) -> f64 {
    (1.0 / (1.0 + exp(-log_odds))).min(super::MAX_PROPENSITY)
}

#[cfg(test)]
mod tests {
    use super::exp;

    #[test]
    fn exp_is_accurate_over_the_whole_range() {
        for i in -70_000..70_000 {
            let x = f64::from(i) * 0.010_001;
            let expected = x.exp();
            assert!((exp(x) - expected).abs() <= 4e-16 * expected, "exp({x})");
        }
    }

    #[test]
    fn exp_saturates() {
        assert!(exp(f64::MAX).is_finite() && exp(f64::MIN) > 0.0 && exp(f64::MIN) < 1e-300);
    }
}
