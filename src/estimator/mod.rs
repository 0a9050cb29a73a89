//! Estimators: configuration, plan and result.

mod result;

pub use result::{AttGtCell, AttGtResult, Influence, Timings};
