//! Data to try the estimators on: the county teen-employment panel of Callaway and Sant'Anna (2021), and simulated
//! panels whose effects are known.

mod mpdta;
mod simulate;

pub use mpdta::mpdta;
pub use simulate::Simulation;
