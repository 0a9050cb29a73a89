//! Difference-in-differences estimators, written once over Burn's `Backend`.

#[cfg(test)]
extern crate self as burn_did;

mod aggregate;
mod error;
mod estimates;
mod estimator;
mod options;
mod panel;
mod report;

pub use aggregate::{Aggregated, AggregatedRow, Aggregation, AggregationKind};
pub use error::{DidError, DidWarning, Result};
pub use estimates::{CellStatus, Estimate, Wald};
pub use estimator::{AttGtCell, AttGtResult, Influence, Timings};
pub use options::{
    Band, BasePeriod, Bootstrap, ControlGroup, EstimationMethod, FixWeights, Inference, Multiplier,
    Precision,
};
pub use panel::SampleAudit;
pub use report::Settings;

pub mod backend;
mod kernel;
pub mod pass;
