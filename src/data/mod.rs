//! Data to try the estimators on: the county teen-employment panel of Callaway and Sant'Anna (2021), and simulated
//! panels whose effects are known.

mod dose;
mod kang_schafer;
mod mpdta;
mod rows;
mod simulate;
mod streams;
mod switching;
mod triple;
mod two_period;

pub use dose::DoseSimulation;
pub use mpdta::mpdta;
pub use simulate::Simulation;
pub use switching::SwitchingSimulation;
pub use triple::TripleSimulation;
pub use two_period::TwoPeriodSimulation;
