//! Fixed effects on a device: the normal equations of their levels, and steps of conjugate gradients on these.

use std::fmt;

use crate::base::error::Result;

/// Most columns that a device works on at once.
pub const LEVEL_COLUMNS: usize = 8;

/// Which levels occur together. Rows of the same levels are one cell, and cells stand by levels of the leading factor.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LevelDesign<'a> {
    /// First cell of each level of the leading factor, and the number of cells.
    pub starts: &'a [u32],
    /// Levels of the other factors `[cells, others]`, counted on from factor to factor.
    pub codes: &'a [u32],
    /// How many other factors there are.
    pub others: usize,
    /// Levels of the other factors, in all.
    pub levels: usize,
}

impl LevelDesign<'_> {
    /// How many cells there are.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.codes.len() / self.others.max(1)
    }

    /// How many levels the leading factor has.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Level of the leading factor of each cell.
    pub(crate) fn segment_of_cells(&self) -> Vec<u32> {
        let mut segments = vec![0; self.cells()];
        for (s, range) in (0u32..).zip(self.starts.windows(2)) {
            segments[range[0] as usize..range[1] as usize].fill(s);
        }
        segments
    }
}

/// Sums of weights, all positive.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LevelWeights<'a> {
    /// Of cells; `None` if all are 1.
    pub cells: Option<&'a [f64]>,
    /// Of levels of the leading factor.
    pub lead: &'a [f64],
    /// Of levels of the other factors.
    pub rest: &'a [f64],
    /// Diagonal of `S`; 0 where nothing tells a level's effect from the leading factor's.
    pub diagonal: &'a [f64],
}

/// Scalars of one step, by column.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LevelStep {
    /// `p'S p` of the direction.
    pub curvature: Vec<f64>,
    /// `g'M g` of what is left, with `M` the inverse of the diagonal.
    pub preconditioned: Vec<f64>,
    /// `Σ g² / w` over the levels, `‖A'r‖²`.
    pub normal: Vec<f64>,
}

/// LSMR's problem: `min ‖b - A z‖` with `A = diag(s) D M` over the levels of all factors, the leading one's first.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct BidiagonalProblem<'a> {
    /// `b`, `[cells, columns]`.
    pub b: &'a [f64],
    /// `s` of cells; `None` if all are 1.
    pub roots: Option<&'a [f64]>,
    /// `M`, of all levels.
    pub scales: &'a [f64],
    /// How many columns.
    pub columns: usize,
}

/// Norms of one step of the bidiagonalisation, by column.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct BidiagonalStep {
    /// `β`, the norm of `A v - α u`.
    pub beta: Vec<f64>,
    /// `α`, the norm of `A'u - β v`.
    pub alpha: Vec<f64>,
}

/// What a step of LSMR does with the vectors: `h̄ = live h - hbar h̄`, `x += x h̄`, `h = live v - h h`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct BidiagonalUpdate {
    /// 1, or 0 for a column that has ended.
    pub live: f64,
    /// How much of `h̄` is taken away.
    pub hbar: f64,
    /// How much of `h̄` is added to `x`.
    pub x: f64,
    /// How much of `h` is taken away.
    pub h: f64,
}

/// Steps of the bidiagonalisation that a device takes before what they found is combined, at most.
pub const BIDIAGONAL_STEPS: usize = 6;

/// Conjugate gradients on `S θ = g` with `S = D'W(I - P)D`: the levels of all factors but the leading one, which `P` projects
/// on. Cells, weights and all vectors stay on the device.
///
/// A product with `S` is a gather-add of levels by cell, a segmented sum by level of the leading factor, and one by level of the
/// others over the transposed index. Sums are taken in an order that does not depend on threads or the schedule of the device.
pub trait LevelSolver: Send + fmt::Debug {
    /// How many columns there is room for at once, at most [`LEVEL_COLUMNS`].
    fn columns(&self) -> usize {
        LEVEL_COLUMNS
    }

    /// Puts other weights in the place of those before.
    ///
    /// # Errors
    /// If the device reports an error.
    fn weigh(&mut self, weights: &LevelWeights<'_>) -> Result<()>;

    /// Begins with no effects and these sums `g`, `[levels, columns]`.
    ///
    /// # Errors
    /// If the device reports an error.
    fn begin(&mut self, sums: &[f64], columns: usize) -> Result<()>;

    /// Takes so many steps in one synchronisation, and says what they found. Columns that are not `live`, or whose direction has no
    /// curvature, stay as they are.
    ///
    /// # Errors
    /// If the device reports an error.
    fn steps(&mut self, live: &[bool], count: usize) -> Result<Vec<LevelStep>>;

    /// Begins LSMR with no effects.
    ///
    /// # Errors
    /// If the device reports an error.
    fn begin_bidiagonal(&mut self, problem: &BidiagonalProblem<'_>) -> Result<()>;

    /// Takes so many steps, at most [`BIDIAGONAL_STEPS`], in one synchronisation; the first of all is that of `b` itself.
    ///
    /// # Errors
    /// If the device reports an error.
    fn bidiagonalise(&mut self, count: usize) -> Result<Vec<BidiagonalStep>>;

    /// Applies the updates of the steps just taken, `[steps, columns]`, and returns `‖x‖` by column.
    ///
    /// # Errors
    /// If the device reports an error.
    fn combine(&mut self, updates: &[BidiagonalUpdate]) -> Result<Vec<f64>>;

    /// The effects, `[levels, columns]`; of LSMR, `x` of the levels beside the leading factor's.
    ///
    /// # Errors
    /// If the device reports an error.
    fn effects(&mut self) -> Result<Vec<f64>>;
}
