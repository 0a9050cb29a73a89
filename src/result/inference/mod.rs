//! Standard errors, critical values and tests from the joint law of estimates: [`Joint`].

mod band;
mod bootstrap;
mod by_cluster;
mod covariance;
mod critical;
mod estimate;
mod joint;
mod missing;
mod wald;

use band::{SupT, sup_t};
pub(crate) use bootstrap::{gaussian_draws, multipliers, spread_around};
pub(crate) use by_cluster::{ClusterInfluence, products};
pub(crate) use covariance::{Covariance, CovariancePart, Terms};
pub(crate) use critical::{Critical, FEW_CLUSTERS, MOST_AT_ONCE};
pub use estimate::Estimate;
pub(crate) use joint::{Combination, Joint, check_some, check_weight, no_covariance};
pub(crate) use missing::{rounding_between, without_error, without_variance};
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

#[cfg(test)]
mod tests {
    use super::*;

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
