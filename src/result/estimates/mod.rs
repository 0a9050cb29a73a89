//! What an estimator hands to aggregation and reports: plain f64 and serde, no backend.

pub(crate) mod check;
mod group_time;
mod overlap;
mod saved;
mod status;

pub(crate) use group_time::{Cell, GroupTimeEffects};
pub(crate) use overlap::ControlSizes;
pub use overlap::Overlap;
pub use status::{CellStatus, RegressionUnits};
