//! Cells: which strata they compare, and the two-by-two estimators as functions of a few sums.

mod algebra;
mod estimate;
mod influence;
mod logit;
mod panel;
mod plan;
mod repeated;

pub(crate) use estimate::estimate;
pub(crate) use influence::influence_pass;
pub(crate) use plan::{Outcome, PlanOptions, PlannedCell, Side, plan_cells};

/// Comparison rows with a propensity score of at least this are trimmed.
pub(crate) const TRIM: f64 = 0.995;

/// A propensity score of at least this violates the overlap condition.
pub(crate) const OVERLAP: f64 = 0.999;
