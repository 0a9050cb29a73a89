//! Which period's covariates are compared.

use serde::{Deserialize, Serialize};

/// Which period gives the covariates of a comparison of two periods, where they change over time within units; a panel's weights that
/// change come from the same period unless they are [fixed](crate::options::FixWeights).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CovariatePeriod {
    /// The earlier of the two periods.
    #[default]
    Earlier,
    /// The base period, which is the later one in comparisons of earlier periods with a universal base.
    Base,
    /// The cell's own period.
    Cell,
    /// No single one: every row has its own.
    Row,
}
