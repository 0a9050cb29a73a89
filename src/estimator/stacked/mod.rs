//! Stacked difference-in-differences with corrective sample weights (Wing, Freedman and Hollingsworth 2024): one window around the treatment
//! of each cohort, with controls that are not treated in it, in one regression.
//!
//! | what | file |
//! |---|---|
//! | options | `options.rs` |
//! | what is to be estimated | `plan.rs` |
//! | the weights of controls | `weighting.rs` |
//! | the regression, and what makes influence values | `regression.rs` |
//! | the estimator step by step | `fit.rs` |
//! | result | `result.rs`, `check.rs`, `report/` |
//!
//! The stack is never built: one reading forms sums, and one influence values. Which rows of a unit are in which sub-experiment is in
//! `engine/by_unit/stacks`.

mod check;
mod fit;
mod options;
mod plan;
mod regression;
mod report;
mod result;
mod weighting;

pub use options::{StackEffects, StackWeights, Stacked};
pub use result::{StackSettings, StackedResult, SubExperiment};
