//! The small tables of the solvers, `[rows, columns]`: which number a row has of each column.

/// What conjugate gradients keep from a step to the next.
pub(crate) mod scalar {
    /// `g'M g`.
    pub(crate) const PRECONDITIONED: usize = 0;
    /// The step `α` along the direction.
    pub(crate) const STEP: usize = 1;
    /// How much of the direction is kept, `β`.
    pub(crate) const TURN: usize = 2;
    /// 1 if the column goes on, else 0.
    pub(crate) const LIVE: usize = 3;
    /// Rows.
    pub(crate) const ROWS: usize = 4;
}

/// What the host reads of a step of conjugate gradients.
pub(crate) mod found {
    /// `p'S p`.
    pub(crate) const CURVATURE: usize = 0;
    /// `g'M g`.
    pub(crate) const PRECONDITIONED: usize = 1;
    /// `Σ g² / w`.
    pub(crate) const NORMAL: usize = 2;
    /// Rows of a step.
    pub(crate) const ROWS: usize = 3;
}

/// The norms of LSMR's bidiagonalisation, of a step.
pub(crate) mod norm {
    /// `β`.
    pub(crate) const BETA: usize = 0;
    /// `α`.
    pub(crate) const ALPHA: usize = 1;
    /// Rows of a step.
    pub(crate) const ROWS: usize = 2;
}

/// The coefficients of an update of LSMR's vectors.
pub(crate) mod update {
    /// 1 if the column goes on, else 0.
    pub(crate) const LIVE: usize = 0;
    /// Of `h̄` in its own update.
    pub(crate) const HBAR: usize = 1;
    /// Of `h̄` in the update of `x`.
    pub(crate) const X: usize = 2;
    /// Of `h` in its own update.
    pub(crate) const H: usize = 3;
    /// Rows of an update.
    pub(crate) const ROWS: usize = 4;
}
