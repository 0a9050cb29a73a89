//! A chunk: some rows of one stratum on a device.

use burn::tensor::Tensor;
use burn::tensor::backend::Backend;
use serde::{Deserialize, Serialize};

/// Rows of one stratum on a device: wholly treated, wholly comparison or absent in every cell.
#[derive(Clone, Debug)]
pub struct Chunk<B: Backend> {
    /// The stratum.
    pub stratum: usize,
    /// Number of rows `n`.
    pub rows: usize,
    /// Outcomes `[P, n]`.
    pub y: Tensor<B, 2>,
    /// Covariates `[V (k-1), n]`, version-major; the constant is not stored. `None` if `k = 1`.
    pub x: Option<Tensor<B, 2>>,
    /// Weight columns `[W, n]`; `None` if there are none.
    pub w: Option<Tensor<B, 2>>,
    /// Canonical rank of each row's unit: the counter of its multipliers.
    pub rank: Vec<u64>,
    /// Cluster of each row; empty without clusters.
    pub cluster: Vec<u32>,
    /// Design columns `k`, the constant included.
    pub k: usize,
}

/// Where a row's weight comes from.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub enum Weight {
    /// One.
    #[default]
    Ones,
    /// A weight column.
    Column(usize),
    /// The product of two weight columns (a unit's weight in one period and its presence in another).
    Product(usize, usize),
}
