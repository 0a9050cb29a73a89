//! Weighted cross-products: every regression of every cell from one read of the data.

use serde::{Deserialize, Serialize};

use super::{Chunk, Pass, Stat, Weight, add, of_stratum};
use crate::backend::DidBackend;
use crate::error::Result;

/// Cross-products of one stratum under one weighting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GramJob {
    /// The stratum.
    pub stratum: usize,
    /// Covariate version.
    pub x: usize,
    /// Sampling weight.
    pub w: Weight,
    /// Coefficients `[k]` of a propensity score: the weight is then multiplied by its odds `p / (1 - p)`, and rows with
    /// `p >= trim` get weight 0.
    pub odds: Option<Vec<f64>>,
    /// Outcome columns that are read of `Σ ω z y'`; the others may stay zero.
    pub outcomes: Vec<usize>,
}

/// Instead of a propensity score from which rows are trimmed: no row is, and odds have no bound.
pub const UNTRIMMED: f64 = 2.0;

/// `Σ ω z z'` and `Σ ω z y'` with `z = (1, x)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gram {
    /// `[k, k]`, row-major, symmetric.
    pub zz: Vec<f64>,
    /// `[k, P]`, row-major.
    pub zy: Vec<f64>,
}

impl Gram {
    /// All sums zero.
    #[must_use]
    pub fn zero(k: usize, periods: usize) -> Self {
        Self { zz: vec![0.0; k * k], zy: vec![0.0; k * periods] }
    }

    /// Adds other rows' sums.
    pub fn add(&mut self, other: &Self) {
        add(&mut self.zz, &other.zz);
        add(&mut self.zy, &other.zy);
    }
}

/// All cross-products of a plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GramPass {
    /// Design columns.
    pub k: usize,
    /// Outcome columns `P`.
    pub periods: usize,
    /// Propensity score from which comparison rows are trimmed, or [`UNTRIMMED`].
    pub trim: f64,
    /// The jobs, ordered by stratum.
    pub jobs: Vec<GramJob>,
}

impl Stat for Vec<Gram> {
    fn merge(&mut self, other: Self) {
        for (a, b) in self.iter_mut().zip(&other) {
            a.add(b);
        }
    }
}

impl Pass for GramPass {
    const NAME: &'static str = "cross-products";

    type Stat = Vec<Gram>;

    fn identity(&self) -> Self::Stat {
        vec![Gram::zero(self.k, self.periods); self.jobs.len()]
    }

    fn reads(&self, stratum: usize) -> bool {
        !of_stratum(&self.jobs, stratum, |j| j.stratum).is_empty()
    }

    fn accumulate<B: DidBackend>(&self, chunk: &Chunk<B>, stat: &mut Self::Stat) -> Result<()> {
        let jobs = of_stratum(&self.jobs, chunk.stratum, |j| j.stratum);
        B::gram(chunk, &self.jobs[jobs.clone()], self.trim, &mut stat[jobs])
    }
}
