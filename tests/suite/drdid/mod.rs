//! Comparisons of two periods.

mod golden;
mod properties;
