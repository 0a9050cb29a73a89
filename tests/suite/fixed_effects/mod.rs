//! Regressions with fixed effects, and the event studies of Sun and Abraham.

mod binary;
mod cohorts;
pub mod devices;
mod golden;
mod patterns;
mod properties;
mod results;
mod separated;
mod thresholds;
mod variances;
