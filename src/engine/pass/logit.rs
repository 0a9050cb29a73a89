//! One Newton pass of every open propensity model at once, over all rows or a part of every tile.

use serde::{Deserialize, Serialize};

use super::Weight;
use super::stat::{Stat, merge};
use crate::base::error::Result;

/// One stratum's part in a logit model at given coefficients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LogitJob {
    /// The stratum.
    pub stratum: usize,
    /// Covariate version.
    pub x: usize,
    /// Sampling weight.
    pub w: Weight,
    /// Whether the stratum is treated.
    pub treated: bool,
    /// Coefficients of the model, `[k]`.
    pub gamma: Vec<f64>,
}

impl LogitJob {
    /// The part of a stratum, treated or not, in the model with coefficients `gamma`, with a covariate version and a sampling weight.
    #[must_use]
    pub fn new(stratum: usize, x: usize, w: Weight, treated: bool, gamma: Vec<f64>) -> Self {
        Self { stratum, x, w, treated, gamma }
    }
}

/// Derivatives of a logit log-likelihood.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LogitStat {
    /// `Σ w (D - p) z`, `[k]`.
    pub score: Vec<f64>,
    /// `Σ w p (1 - p) z z'`, `[k, k]`.
    pub hessian: Vec<f64>,
    /// Largest `p` over the rows with positive weight.
    pub max_p: f64,
}

impl LogitStat {
    /// No rows.
    #[must_use]
    pub fn zero(k: usize) -> Self {
        Self { score: vec![0.0; k], hessian: vec![0.0; k * k], max_p: 0.0 }
    }
}

impl Stat for LogitStat {
    fn merge(&mut self, other: &Self) -> Result<()> {
        merge(&mut self.score, &other.score, "scores")?;
        merge(&mut self.hessian, &other.hessian, "information matrices")?;
        self.max_p = self.max_p.max(other.max_p);
        Ok(())
    }
}

/// Scores and Hessians of several models, by their parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LogitPass {
    /// Design columns.
    pub k: usize,
    /// Parts of all open models, ordered by stratum.
    pub jobs: Vec<LogitJob>,
    /// Only the first of so many equal parts of every tile is read: 1 reads all rows.
    pub thinning: usize,
}
