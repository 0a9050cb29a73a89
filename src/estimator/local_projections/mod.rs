//! Local projections (Dube, Girardi, Jordà and Taylor 2025): the change of the outcome over each horizon, of units whose treatment starts
//! and of units that stay without, within the period in which it starts.
//!
//! | what | file |
//! |---|---|
//! | options | `options.rs` |
//! | what is to be estimated | `plan.rs` |
//! | coefficients, and what makes influence values | `regression.rs`, `adjustment.rs` |
//! | the estimator step by step | `fit.rs` |
//! | result | `result.rs`, `check.rs`, `report/` |
//!
//! A look at all rows, one reading for the sums of all horizons, and one for influence values: no long difference is held. Which rows of a
//! unit are in which regression is in `engine/by_unit/projections`.

mod adjustment;
mod check;
mod fit;
mod options;
mod plan;
mod regression;
mod report;
mod result;

pub use options::{LocalProjections, ProjectionMethod};
pub use result::{LocalProjectionsResult, ProjectionSettings};
