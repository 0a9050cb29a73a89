//! Sums and influence values of local projections, whose regressions have a row for each unit and horizon.

mod plan;
mod scores;
mod sums;

pub(crate) use plan::{ProjectionPlan, ProjectionRules, Target, pooled_name};
pub(crate) use scores::{
    AdjustedBase, AdjustedScores, ProjectionScores, Scores, SquaresBase, SquaresScores,
};
pub(crate) use sums::ProjectionSums;
