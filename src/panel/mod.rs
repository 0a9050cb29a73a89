//! From a data frame to the validated estimation sample.

mod audit;

pub use audit::SampleAudit;
