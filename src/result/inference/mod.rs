//! Standard errors, critical values and tests from the joint law of estimates: [`Joint`].

mod band;
mod bootstrap;
mod critical;
mod estimate;
mod joint;
mod wald;

use band::{SupT, sup_t};
pub(crate) use bootstrap::{gaussian_draws, multipliers, spread_around};
pub(crate) use critical::Critical;
pub use estimate::Estimate;
pub(crate) use joint::{Combination, Joint, no_covariance};
pub use wald::Wald;

use statrs::distribution::{ContinuousCDF, Normal};

/// Standard errors up to this are no standard errors: the influence values are zero but for rounding (R `did`).
pub(crate) const DEGENERATE: f64 = 1.490_116_119_384_765_6e-7;

/// Standard normal quantile.
pub(crate) fn normal_quantile(p: f64) -> f64 {
    Normal::standard().inverse_cdf(p)
}

/// Levels below this are looked up in the lower tail: one minus half of them has lost too many digits.
const TINY_ALPHA: f64 = 1e-6;

/// Critical value of a pointwise interval at one minus the level `alpha`.
pub(crate) fn pointwise(alpha: f64) -> f64 {
    if alpha < TINY_ALPHA {
        -normal_quantile(alpha / 2.0)
    } else {
        normal_quantile(1.0 - alpha / 2.0)
    }
}

/// Quantile of sorted values, interpolated linearly (R's type 7); NaN of none.
pub(crate) fn interpolated_quantile(sorted: &[f64], p: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let position = last as f64 * p;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a position")]
    let below = position.floor() as usize;
    let above = (below + 1).min(last);
    sorted[below] + (position - below as f64) * (sorted[above] - sorted[below])
}

/// Quantile of sorted values by the inverse of their empirical distribution function (R's type 1).
fn quantile(sorted: &[f64], p: f64) -> f64 {
    let position = sorted.len() as f64 * p;
    let whole = (position + 4.0 * f64::EPSILON).floor();
    let rank = if position > whole { whole + 1.0 } else { whole };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped rank")]
    let index = rank.clamp(1.0, sorted.len() as f64) as usize - 1;
    sorted[index]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_between_values_are_interpolated() {
        // R: quantile(c(1, 2, 4), 0.75).
        assert_eq!(interpolated_quantile(&[1.0, 2.0, 4.0], 0.75), 3.0);
        assert!(interpolated_quantile(&[], 0.5).is_nan());
    }

    #[test]
    fn critical_values_of_extreme_levels_are_right() {
        // R: qnorm(alpha / 2, lower.tail = FALSE).
        for (alpha, expected) in [
            (0.05, 1.959_963_984_540_054),
            (1e-4, 3.890_591_886_413_094),
            (1e-8, 5.730_728_868_236_289),
            (1e-10, 6.466_951_087_240_515),
        ] {
            assert!((pointwise(alpha) - expected).abs() < 1e-9, "{alpha}: {}", pointwise(alpha));
        }
        assert_eq!(pointwise(0.05).to_bits(), normal_quantile(0.975).to_bits());
    }
}
