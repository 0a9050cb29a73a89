//! How the projection of fixed effects ends.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why the iteration for a column stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stop {
    /// The residual has a closed form.
    Exact,
    /// The column less its means over one factor, or the column itself, is orthogonal to all factors.
    AlreadyOrthogonal,
    /// The tolerance was reached.
    Tolerance,
    /// All that is left is rounding.
    Rounding,
    /// The condition of the factors is beyond the limit of LSMR.
    Condition,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::AlreadyOrthogonal => "already orthogonal",
            Self::Tolerance => "tolerance reached",
            Self::Rounding => "rounding limit",
            Self::Condition => "condition limit",
        })
    }
}
