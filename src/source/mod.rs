//! Who holds the chunks: the one seam between the estimators and an engine.

mod local;

use crate::error::Result;
use crate::options::Precision;
use crate::panel::Sample;
use crate::pass::Pass;

pub(crate) use local::{Local, LocalOptions};

/// Runs passes over all chunks of a sample.
pub(crate) trait Source {
    /// The sample, without its data.
    fn sample(&self) -> &Sample;

    /// Precision of the device's arithmetic.
    fn precision(&self) -> Precision;

    /// Outcome columns `P` of a chunk.
    fn outcome_columns(&self) -> usize;

    /// The statistic of all chunks, strata in order and rows in canonical order.
    ///
    /// # Errors
    /// What the device or engine reports.
    fn run<P: Pass>(&self, pass: &P) -> Result<P::Stat>;
}
