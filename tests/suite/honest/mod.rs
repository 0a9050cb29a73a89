//! Sensitivity analyses.

mod golden;
mod linear;
mod shortest;
