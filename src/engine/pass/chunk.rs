//! A chunk: some rows of one stratum on a device.

use burn::tensor::Tensor;
use burn::tensor::backend::Backend;

/// Rows of one stratum on a device: wholly treated, wholly comparison or absent in every cell.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Chunk<B: Backend> {
    /// The stratum.
    pub stratum: usize,
    /// Number of rows `n`.
    pub rows: usize,
    /// First row in the tensors, which may hold rows of other chunks, too.
    pub first: usize,
    /// Outcomes `[P, n]`.
    pub y: Tensor<B, 2>,
    /// Covariates `[V (k-1), n]`, version-major; the constant is not stored. `None` if `k = 1`.
    pub x: Option<Tensor<B, 2>>,
    /// Weight columns `[W, n]`; `None` if there are none.
    pub w: Option<Tensor<B, 2>>,
    /// What the tensors are parts of, on backends that hold many chunks together.
    pub slab: Option<Slab<B>>,
    /// Canonical rank of each row's unit: the counter of its multipliers.
    pub rank: Vec<u64>,
    /// Cluster of each row; empty without clusters.
    pub cluster: Vec<u32>,
    /// Design columns `k`, the constant included.
    pub k: usize,
}

impl<B: Backend> Chunk<B> {
    /// Rows of a stratum with their outcomes `[P, n]` and the ranks `[n]` of their units, without covariates, weights and clusters.
    #[must_use]
    pub fn new(stratum: usize, y: Tensor<B, 2>, rank: Vec<u64>) -> Self {
        Self {
            stratum,
            rows: rank.len(),
            first: 0,
            y,
            x: None,
            w: None,
            slab: None,
            rank,
            cluster: Vec::new(),
            k: 1,
        }
    }
}

/// The tensors of several chunks in one allocation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Slab<B: Backend> {
    /// Its number in this process.
    pub number: u64,
    /// Outcomes, covariates and weight columns one below another.
    pub columns: Tensor<B, 2>,
}
