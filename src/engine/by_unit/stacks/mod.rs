//! Sums and influence values of stacks, in whose regression a unit has a copy for each sub-experiment.

mod plan;
mod scores;
mod sums;

pub(crate) use plan::StackPlan;
pub(crate) use scores::{StackCell, StackFit, StackScores, StackWeighting};
pub(crate) use sums::StackSums;
