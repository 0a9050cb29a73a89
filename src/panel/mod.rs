//! From a data frame to the validated estimation sample.

mod audit;
pub(crate) mod formula;

pub use audit::SampleAudit;
