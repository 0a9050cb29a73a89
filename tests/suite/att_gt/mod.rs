//! Group-time effects.

mod averages;
mod callback;
mod crowded;
mod errors;
mod extremes;
mod golden;
pub mod many_cells;
mod many_fits;
mod oracle;
mod overlap;
mod properties;
mod reasons;
