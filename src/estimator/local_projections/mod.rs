//! Local projections (Dube, Girardi, Jordà and Taylor 2025): the change of the outcome over each horizon, of units whose treatment starts
//! and of units that stay without, within the period in which it starts.
//!
//! | what | file |
//! |---|---|
//! | options | `options.rs`, `base.rs` |
//! | which rows of a unit are in which regression | `plan.rs` |
//! | sums by regression, base period and arm | `sums.rs` |
//! | coefficients, and what makes influence values | `regression.rs`, `adjustment.rs`, `scores.rs` |
//! | the estimator step by step | `fit.rs` |
//! | result | `result.rs`, `check.rs`, `report/` |
//!
//! A look at all rows, one reading for the sums of all horizons, and one for influence values: no long difference is held.

mod adjustment;
mod base;
mod check;
mod fit;
mod options;
mod plan;
mod regression;
mod report;
mod result;
mod scores;
mod sums;

pub use base::ProjectionBase;
pub use options::{LocalProjections, ProjectionMethod};
pub use result::{LocalProjectionsResult, ProjectionSettings};
