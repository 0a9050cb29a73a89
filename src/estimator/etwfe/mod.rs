//! Extended two-way fixed effects (Wooldridge 2021, 2023): a regression with an effect of each cohort in each of its treated periods, and
//! averages of these effects.
//!
//! | what | file |
//! |---|---|
//! | options | `options.rs` |
//! | rows, cohorts and periods, and what is compared with what | `sample.rs` |
//! | what effects may differ by, and its levels | `moderator.rs`, `levels.rs` |
//! | regressors | `design.rs` |
//! | effects of cells and their derivatives in the coefficients | `margins.rs` |
//! | averages of cells with their covariance | `averages.rs` |
//! | which averages there are | `wanted.rs` |
//! | whether averages are determined where slopes were left out | `apart.rs` |
//! | effects that were lost with separated rows | `separated.rs` |
//! | the estimator step by step | `fit.rs`, `finish.rs` |
//! | result | `result.rs`, `check.rs`, `report/` |
//!
//! The regression is one of `fixed_effects`.

mod apart;
mod averages;
mod check;
mod design;
mod finish;
mod fit;
mod levels;
mod margins;
mod moderator;
mod options;
mod report;
mod result;
mod sample;
mod separated;
mod wanted;

pub use options::{Etwfe, EtwfeAbsorb, EtwfeScale};
pub use result::{EtwfeEffect, EtwfeLevel, EtwfeResult, EtwfeSettings, SeparatedRows};
