//! Treatments that switch.

mod cells;
mod golden;
mod properties;
