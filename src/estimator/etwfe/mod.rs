//! Extended two-way fixed effects (Wooldridge 2021, 2023): a regression with an effect of each cohort in each of its treated periods, and
//! averages of these effects.
//!
//! | what | file |
//! |---|---|
//! | options | `options.rs` |
//! | rows, cohorts and periods, and what is compared with what | `sample.rs` |
//! | regressors | `design.rs` |
//! | effects of cells and their derivatives in the coefficients | `margins.rs` |
//! | averages of cells with their covariance | `averages.rs` |
//! | the estimator step by step | `fit.rs` |
//! | result | `result.rs`, `check.rs`, `report/` |
//!
//! The regression is one of `fixed_effects`.

mod averages;
mod check;
mod design;
mod fit;
mod margins;
mod options;
mod report;
mod result;
mod sample;

pub use options::{Etwfe, EtwfeAbsorb};
pub use result::{EtwfeEffect, EtwfeResult, EtwfeSettings};
