//! Sensitivity analyses.

mod golden;
mod shortest;
