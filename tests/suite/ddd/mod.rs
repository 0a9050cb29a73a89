//! Triple differences.

mod golden;
mod properties;
mod shares;
mod sizes;
