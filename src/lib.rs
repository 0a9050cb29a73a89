//! Difference-in-differences estimators, written once over Burn's `Backend`.

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
pub use report::{Align, Comparable, PlotRow, Section, Settings, Table, Term, compare};
#[cfg(feature = "plot")]
pub use report::{Colour, PlotOptions};
