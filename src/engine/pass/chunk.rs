//! A chunk: some rows of one stratum on a device.

use burn::tensor::Tensor;
use burn::tensor::backend::Backend;

/// Rows of one stratum on a device: wholly treated, wholly comparison or absent in every cell.
#[derive(Clone, Debug)]
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

/// The tensors of several chunks in one allocation.
#[derive(Clone, Debug)]
pub struct Slab<B: Backend> {
    /// Which one it is of this process.
    pub number: u64,
    /// Outcomes, covariates and weight columns one below another.
    pub columns: Tensor<B, 2>,
}
