//! The rows of one stratum, as columns.

use serde::{Deserialize, Serialize};

use super::sample::WeightLayout;

/// Data of one stratum, rows in canonical order. Shapes as in [`Chunk`](crate::pass::Chunk).
#[derive(Clone, Debug, Default)]
pub(crate) struct StratumData {
    pub rows: usize,
    pub y: Vec<f64>,
    pub x: Vec<f64>,
    pub w: Vec<f64>,
    pub rank: Vec<u64>,
    pub cluster: Vec<u32>,
}

/// Columns of a stratum, the same for all strata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Shape {
    /// Outcome columns.
    pub periods: usize,
    /// Covariate versions.
    pub versions: usize,
    /// Covariates without the constant.
    pub covariates: usize,
    pub weights: WeightLayout,
    /// Whether units can be missing in some periods.
    pub presence: bool,
    /// Whether one of a unit's outcomes is subtracted from all.
    pub changes: bool,
    pub clustered: bool,
}

impl Shape {
    /// Weight columns: weights, and for unbalanced panels presence and the units' mean weights.
    pub fn weight_columns(&self) -> usize {
        match (self.presence, self.weights) {
            (true, WeightLayout::Constant) => self.periods,
            (true, _) => 2 * self.periods + 1,
            (false, _) => self.sampling_columns(),
        }
    }

    /// Columns of sampling weights by period.
    pub fn sampling_columns(&self) -> usize {
        match (self.presence, self.weights) {
            (_, WeightLayout::Constant) => 0,
            (false, WeightLayout::Invariant) => 1,
            _ => self.periods,
        }
    }

    /// Columns of doubles.
    pub fn columns(&self) -> usize {
        self.periods + self.versions * self.covariates + self.weight_columns()
    }

    /// Bytes of a row.
    pub fn row_bytes(&self) -> u64 {
        8 * self.columns() as u64 + 8 + 4 * u64::from(self.clustered)
    }

    /// An empty stratum of `rows` rows.
    pub fn stratum(&self, rows: usize) -> StratumData {
        StratumData {
            rows,
            y: vec![0.0; self.periods * rows],
            x: vec![0.0; self.versions * self.covariates * rows],
            w: vec![0.0; self.weight_columns() * rows],
            rank: vec![0; rows],
            cluster: if self.clustered { vec![0; rows] } else { Vec::new() },
        }
    }
}
