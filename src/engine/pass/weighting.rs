//! The weights that an estimate gives the outcomes of its rows, and sums under them.
//!
//! Every estimate is a weighted sum of outcomes once its propensity score and the covariates are given. A row with weight `w`, covariates
//! `z = (1, x)` and trimmed odds `q` counts with
//!
//! ```text
//! s = w (c + z'b - h q + q̂ z't)
//! ```
//!
//! where `q̂` are the odds without trimming; the coefficients are those of the row's [influence](super::influence). For outcome
//! regression these are the implied weights of Chattopadhyay and Zubizarreta (2023, <https://doi.org/10.1093/biomet/asac058>).

use serde::{Deserialize, Serialize};

use super::Weight;
use super::stat::{Stat, merge};
use crate::base::error::Result;

/// Equal parts of the unit interval that scores are counted in.
pub(crate) const SCORE_BINS: usize = 50;

/// Parts that a covariate is counted in: the first and the last have what lies beyond.
pub(crate) const COVARIATE_BINS: usize = 24;

/// What rows kept by the pass have for each job: the propensity score, the weight, and whether the row is trimmed.
pub(crate) const KEPT: usize = 3;

/// Rows of one stratum in an estimate, and the coefficients of their weights; vectors `[k]` that are `None` are zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WeightingJob {
    pub stratum: usize,
    /// Covariate version.
    pub x: usize,
    /// Sampling weight `w`.
    pub w: Weight,
    /// Whether rows are comparison rows, which are trimmed.
    pub control: bool,
    /// Factor that makes weights positive where they have the sign of their arm and period.
    pub sign: f64,
    /// Outcome column, and the one that is subtracted from it.
    pub post: usize,
    pub base: Option<usize>,
    /// Coefficients of the propensity score; `None` for estimates without one.
    pub gamma: Option<Vec<f64>>,
    pub c: f64,
    pub h: f64,
    pub b: Option<Vec<f64>>,
    pub t: Option<Vec<f64>>,
}

/// Where a covariate is counted: the lower end of the first part, and the width of a part.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Bins {
    pub lower: f64,
    pub width: f64,
}

/// All weights of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WeightingPass {
    /// Design columns.
    pub k: usize,
    /// Propensity score from which comparison rows are trimmed.
    pub trim: f64,
    /// From conditioned to raw design columns, `[k, k]`.
    pub transform: Vec<f64>,
    /// Where the covariates are counted, `[jobs][k - 1]`; empty if they are not.
    pub bins: Vec<Vec<Bins>>,
    /// Whether scores and weights are kept row by row.
    pub keep_rows: bool,
    /// The jobs, ordered by stratum.
    pub jobs: Vec<WeightingJob>,
}

/// Sums over the rows of a job that have sampling weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WeightingStat {
    pub rows: f64,
    /// `Σ w z z'` and `Σ s z z'`, `[2, k, k]`, upper triangles; `s` with the job's sign.
    pub zz: Vec<f64>,
    /// `Σ s d`, `Σ s²`, and of the rows with `s < 0` their number and `Σ s`.
    pub outcome: f64,
    pub squares: f64,
    pub negative_rows: f64,
    pub negative: f64,
    /// `Σ w` by propensity score, `[SCORE_BINS]`; empty without a score.
    pub scores: Vec<f64>,
    /// `Σ w` and `Σ s` by covariate, `[2, k - 1, COVARIATE_BINS]`; empty if they are not counted.
    pub covariates: Vec<f64>,
}

impl WeightingPass {
    /// All sums of a job zero.
    pub fn zero(&self, job: &WeightingJob) -> WeightingStat {
        let scores = if job.gamma.is_some() { SCORE_BINS } else { 0 };
        let covariates = if self.bins.is_empty() { 0 } else { 2 * (self.k - 1) * COVARIATE_BINS };
        WeightingStat {
            rows: 0.0,
            zz: vec![0.0; 2 * self.k * self.k],
            outcome: 0.0,
            squares: 0.0,
            negative_rows: 0.0,
            negative: 0.0,
            scores: vec![0.0; scores],
            covariates: vec![0.0; covariates],
        }
    }
}

impl Stat for WeightingStat {
    fn merge(&mut self, other: &Self) -> Result<()> {
        merge(&mut self.zz, &other.zz, "cross-products under weights")?;
        merge(&mut self.scores, &other.scores, "counts of scores")?;
        merge(&mut self.covariates, &other.covariates, "counts of covariates")?;
        self.rows += other.rows;
        self.outcome += other.outcome;
        self.squares += other.squares;
        self.negative_rows += other.negative_rows;
        self.negative += other.negative;
        Ok(())
    }
}
