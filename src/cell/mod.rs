//! Cells: which strata they compare, and the two-by-two estimators as functions of a few sums.

mod algebra;
mod calibrate;
mod centre;
mod estimate;
mod influence;
mod logit;
mod method;
mod panel;
mod plan;
mod repeated;
mod triple;
mod twfe;

pub(crate) use estimate::{Estimated, Results, estimate};
pub(crate) use influence::influence_pass;
pub(crate) use method::{Method, Recipe};
pub(crate) use plan::{CovariatePeriod, Outcome, PlanOptions, PlannedCell, Side, plan_cells};
pub(crate) use triple::{Combined, LostComparison, TripleEstimate, TriplePlan};

/// Comparison rows with a propensity score of at least this are trimmed, unless another level is asked for.
pub(crate) const TRIM: f64 = 0.995;

/// A propensity score of at least this violates the overlap condition.
pub(crate) const OVERLAP: f64 = 0.999;
