//! Data to try the estimators on: the county teen-employment panel of Callaway and Sant'Anna (2021), and simulated
//! panels whose effects are known.

mod mpdta;
mod rows;
mod simulate;
mod streams;

pub use mpdta::mpdta;
pub use simulate::Simulation;
