//! Counts with a mean of `exp(η)` (Correia, Guimarães and Zylkin 2020).

use statrs::function::gamma::ln_gamma;

use super::model::{Model, unit_deviance};
use crate::base::error::DidError;

/// Poisson pseudo maximum likelihood.
pub(super) struct Poisson;

impl Model for Poisson {
    const STARTS_AT_A_FIT: bool = false;
    const MOVE: f64 = 0.1;
    const SUSPECT: f64 = 1e-4;

    fn link(&self, mean: f64) -> f64 {
        mean.ln()
    }

    fn mean(&self, eta: f64) -> f64 {
        eta.exp()
    }

    fn first(&self, y: f64, mean: f64, _: f64) -> f64 {
        0.5 * (y + mean)
    }

    fn weight(&self, _: f64, mu: f64, _: f64) -> f64 {
        mu
    }

    fn response(&self, y: f64, mu: f64, eta: f64) -> f64 {
        eta + y / mu - 1.0
    }

    fn score(&self, y: f64, mu: f64, _: f64) -> f64 {
        y - mu
    }

    fn expected_weight(&self) -> Option<fn(f64) -> f64> {
        None
    }

    fn deviance(&self, y: f64, mu: f64, _: f64) -> f64 {
        unit_deviance(y, mu)
    }

    fn likelihood_constant(&self, y: f64) -> f64 {
        ln_gamma(y + 1.0)
    }

    fn log_likelihood(&self, y: f64, mu: f64, _: f64) -> f64 {
        let log = if y > 0.0 { y * mu.ln() } else { 0.0 };
        log - mu
    }

    fn unit(&self, mean: f64) -> f64 {
        mean
    }

    fn side(&self, y: f64) -> f64 {
        if y > 0.0 { 0.0 } else { 1.0 }
    }

    fn refused(&self, mean: f64) -> Option<DidError> {
        (mean <= 0.0).then_some(DidError::EmptySample {
            after: "with a positive outcome".into(),
            remedy: "a Poisson regression needs outcomes that are not all zero",
        })
    }

    fn reach(&self, _: f64, _: f64, _: f64) -> f64 {
        0.0
    }
}
