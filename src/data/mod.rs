//! Data to try the estimators on: the field's teaching data, and simulations whose effects are known.
//!
//! - Lives here: `simulated/`, what simulations have in common as the command line has it, and one file a simulation; `teaching/`, data that
//!   ship.
//! - May import: everything below it: errors, files, columns.
//! - Must not import: `report`, `estimator` or anything above them. What an estimator makes of the data is nothing that they know.

mod curve;
mod dose;
mod kang_schafer;
mod mpdta;
mod rows;
mod sampled;
mod simulate;
mod simulated;
mod streams;
mod switching;
mod teaching;
mod triple;
mod two_period;
mod two_way;

pub use curve::CurveSimulation;
pub use dose::DoseSimulation;
pub use mpdta::mpdta;
pub use simulate::Simulation;
pub use simulated::{Parts, Simulate, Simulated, Truth};
pub use switching::SwitchingSimulation;
pub use teaching::{Teaching, TeachingColumn};
pub use triple::TripleSimulation;
pub use two_period::TwoPeriodSimulation;
pub use two_way::TwoWaySimulation;
