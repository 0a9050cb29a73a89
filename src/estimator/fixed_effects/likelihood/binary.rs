//! Outcomes between 0 and 1 with a mean of `Λ(η) = 1 / (1 + exp(-η))`, or of `Φ(η)`.
//!
//! Both tails are computed from the linear predictor, so that a mean near to one has all the digits of its distance from it.

use statrs::distribution::{ContinuousCDF, Normal};

use super::model::{Model, unit_deviance};
use crate::base::error::DidError;
use crate::base::normal::{hazard, upper_tail};

/// A row with a smaller weight takes no part in the least squares of its step, and has this one.
const LEAST_WEIGHT: f64 = 1e-30;

/// The logarithm of the odds is linear.
pub(super) struct Logit;

/// The quantile of the standard normal law is linear.
pub(super) struct Probit;

/// How a mean between 0 and 1 depends on `η`.
trait Curve: Sync {
    /// How far separated rows still move when all else has converged.
    const TAIL_STEP: f64;

    fn quantile(mean: f64) -> f64;

    /// The mean, and one minus it.
    fn tails(eta: f64) -> (f64, f64);

    /// The derivative of the log-likelihood by `η`.
    fn slope(y: f64, eta: f64) -> f64;

    /// Minus its second derivative.
    fn curvature(y: f64, eta: f64) -> f64;

    fn expected_curvature() -> Option<fn(f64) -> f64>;
}

impl Curve for Logit {
    const TAIL_STEP: f64 = 0.1;

    fn quantile(mean: f64) -> f64 {
        mean.ln() - (-mean).ln_1p()
    }

    fn tails(eta: f64) -> (f64, f64) {
        let odds = (-eta.abs()).exp();
        let (far, near) = (odds / (1.0 + odds), 1.0 / (1.0 + odds));
        if eta >= 0.0 { (near, far) } else { (far, near) }
    }

    fn slope(y: f64, eta: f64) -> f64 {
        let (one, zero) = Self::tails(eta);
        y * zero - (1.0 - y) * one
    }

    fn curvature(_: f64, eta: f64) -> f64 {
        let (one, zero) = Self::tails(eta);
        one * zero
    }

    fn expected_curvature() -> Option<fn(f64) -> f64> {
        None
    }
}

impl Curve for Probit {
    // Newton's steps along the tail become shorter: one over the linear predictor, which is below 38.
    const TAIL_STEP: f64 = 0.02;

    fn quantile(mean: f64) -> f64 {
        Normal::standard().inverse_cdf(mean)
    }

    fn tails(eta: f64) -> (f64, f64) {
        (upper_tail(-eta), upper_tail(eta))
    }

    fn slope(y: f64, eta: f64) -> f64 {
        y * hazard(-eta) - (1.0 - y) * hazard(eta)
    }

    fn curvature(y: f64, eta: f64) -> f64 {
        let (one, zero) = (hazard(-eta), hazard(eta));
        y * one * (one + eta) + (1.0 - y) * zero * (zero - eta)
    }

    fn expected_curvature() -> Option<fn(f64) -> f64> {
        Some(|eta| (hazard(-eta) * hazard(eta)).max(LEAST_WEIGHT))
    }
}

impl<C: Curve> Model for C {
    const STARTS_AT_A_FIT: bool = true;
    const MOVE: f64 = C::TAIL_STEP;
    /// Means near to a bound are usual; what is separated moves.
    const SUSPECT: f64 = 0.0;

    fn link(&self, mean: f64) -> f64 {
        C::quantile(mean)
    }

    fn mean(&self, eta: f64) -> f64 {
        C::tails(eta).0
    }

    fn first(&self, _: f64, _: f64, null: f64) -> f64 {
        self.mean(null)
    }

    fn weight(&self, y: f64, _: f64, eta: f64) -> f64 {
        C::curvature(y, eta).max(LEAST_WEIGHT)
    }

    fn response(&self, y: f64, mu: f64, eta: f64) -> f64 {
        eta + C::slope(y, eta) / self.weight(y, mu, eta)
    }

    fn score(&self, y: f64, _: f64, eta: f64) -> f64 {
        C::slope(y, eta)
    }

    fn expected_weight(&self) -> Option<fn(f64) -> f64> {
        C::expected_curvature()
    }

    fn deviance(&self, y: f64, mu: f64, eta: f64) -> f64 {
        if y == 0.0 || y == 1.0 {
            return -self.log_likelihood(y, mu, eta);
        }
        // The differences of both terms add up to zero.
        let (one, zero) = C::tails(eta);
        unit_deviance(y, one) + unit_deviance(1.0 - y, zero)
    }

    fn log_likelihood(&self, y: f64, _: f64, eta: f64) -> f64 {
        let (one, zero) = C::tails(eta);
        let log = |part: f64, rest: f64| if part > 0.5 { (-rest).ln_1p() } else { part.ln() };
        let of_ones = if y > 0.0 { y * log(one, zero) } else { 0.0 };
        let of_zeros = if y < 1.0 { (1.0 - y) * log(zero, one) } else { 0.0 };
        of_ones + of_zeros
    }

    fn unit(&self, mean: f64) -> f64 {
        mean * (1.0 - mean)
    }

    fn side(&self, y: f64) -> f64 {
        if y == 0.0 {
            1.0
        } else if y == 1.0 {
            -1.0
        } else {
            0.0
        }
    }

    fn refused(&self, mean: f64) -> Option<DidError> {
        (mean <= 0.0 || mean >= 1.0).then_some(DidError::EmptySample {
            after: "with another outcome than that of all others".into(),
            remedy: "a logit or probit needs outcomes that are not all 0, and not all 1",
        })
    }

    fn reach(&self, y: f64, mu: f64, eta: f64) -> f64 {
        (self.response(y, mu, eta) - eta).abs()
    }
}
