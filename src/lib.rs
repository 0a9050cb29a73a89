//! Difference-in-differences estimators, written once over Burn's `Backend`.

mod aggregate;
pub mod backend;
mod cell;
mod error;
mod estimates;
mod estimator;
mod inference;
mod kernel;
mod options;
mod panel;
pub mod pass;
mod progress;
mod report;
mod solve;
mod source;

pub use aggregate::{Aggregated, AggregatedRow, Aggregation, AggregationKind};
pub use error::{DidError, DidWarning, Result};
pub use estimates::{CellStatus, Estimate, Wald};
pub use estimator::{
    AttGt, AttGtCell, AttGtResult, Data, Influence, PanelCell, RepeatedCell, Timings, TwoByTwo,
    TwoByTwoEstimate,
};
pub use options::{
    Band, BasePeriod, Bootstrap, ControlGroup, EstimationMethod, FixWeights, Inference, Multiplier,
    Precision,
};
pub use panel::SampleAudit;
pub use progress::{Progress, ProgressEvent};
pub use report::Settings;

pub mod data;
