//! What the multipliers of a bootstrap are.

use serde::{Deserialize, Serialize};

use crate::base::options::Multiplier;

/// Multipliers of the bootstrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Multipliers {
    /// Law; not [`Multiplier::Gaussian`], which needs no pass.
    pub law: Multiplier,
    /// Seed.
    pub seed: u64,
    /// Number of draws `R`.
    pub draws: usize,
}

impl Multipliers {
    /// `draws` draws from a law with a seed.
    #[must_use]
    pub fn new(law: Multiplier, seed: u64, draws: usize) -> Self {
        Self { law, seed, draws }
    }
}
