//! Weighted cross-products: every regression of every cell from one read of the data.

use serde::{Deserialize, Serialize};

use super::Weight;
use super::stat::{Stat, merge};
use crate::base::error::Result;

/// Cross-products of one stratum under one weighting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
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

impl GramJob {
    /// The sums of a stratum for these outcome columns, with a covariate version, a sampling weight, and odds in the weight if given.
    #[must_use]
    pub fn new(
        stratum: usize,
        x: usize,
        w: Weight,
        odds: Option<Vec<f64>>,
        outcomes: Vec<usize>,
    ) -> Self {
        Self { stratum, x, w, odds, outcomes }
    }
}

/// `Σ ω z z'` and `Σ ω z y'` with `z = (1, x)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Gram {
    /// `[k, k]`, row-major, symmetric.
    pub zz: Vec<f64>,
    /// `[k, P]`, row-major.
    pub zy: Vec<f64>,
    /// How the weight is distributed over the rows.
    pub weights: WeightSums,
}

/// Sums of weights beside those that the cross-products with the constant have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WeightSums {
    /// `Σ ω²`.
    pub squares: f64,
    /// Rows with a positive sampling weight that odds give no weight, as they are trimmed.
    pub trimmed_rows: f64,
    /// `Σ w` of these rows.
    pub trimmed_weight: f64,
}

impl WeightSums {
    /// Adds the sums of other rows.
    pub(crate) fn add(&mut self, other: &Self) {
        self.squares += other.squares;
        self.trimmed_rows += other.trimmed_rows;
        self.trimmed_weight += other.trimmed_weight;
    }
}

impl Gram {
    /// All sums zero.
    #[must_use]
    pub fn zero(k: usize, periods: usize) -> Self {
        let weights = WeightSums::default();
        Self { zz: vec![0.0; k * k], zy: vec![0.0; k * periods], weights }
    }
}

impl Stat for Gram {
    fn merge(&mut self, other: &Self) -> Result<()> {
        merge(&mut self.zz, &other.zz, "cross-products of the design")?;
        merge(&mut self.zy, &other.zy, "cross-products with the outcomes")?;
        self.weights.add(&other.weights);
        Ok(())
    }
}

/// All cross-products of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct GramPass {
    /// Design columns.
    pub k: usize,
    /// Outcome columns `P`.
    pub periods: usize,
    /// Propensity score from which comparison rows are trimmed, or [`UNTRIMMED`](super::UNTRIMMED).
    pub trim: f64,
    /// The jobs, ordered by stratum.
    pub jobs: Vec<GramJob>,
}
