//! How the projection of fixed effects ends.

use crate::base::words::words;

words! {
    /// Why the iteration for a column stopped.
    pub enum Stop: "stop" {
        /// The residual has a closed form.
        Exact = "exact",
        /// The column less its means over one factor, or the column itself, is orthogonal to all factors.
        AlreadyOrthogonal = "already_orthogonal",
        /// The tolerance was reached.
        Tolerance = "tolerance",
        /// All that is left is rounding.
        Rounding = "rounding",
        /// The condition of the factors is beyond the limit of LSMR.
        Condition = "condition",
    }
}

impl Stop {
    /// What people read: the noun that an iteration was stopped by.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Exact => "closed form",
            Self::AlreadyOrthogonal => "orthogonality of the column",
            Self::Tolerance => "tolerance",
            Self::Rounding => "rounding limit",
            Self::Condition => "condition limit",
        }
    }
}
