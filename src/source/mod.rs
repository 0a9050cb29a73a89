//! Who holds the chunks: the one seam between the estimators and an engine.

mod local;
mod work;

use crate::error::Result;
use crate::options::Precision;
use crate::panel::Sample;
use crate::pass::Pass;

pub(crate) use local::{Local, LocalOptions};
pub(crate) use work::Work;

/// Runs passes over all chunks of a sample.
pub(crate) trait Source {
    /// The sample, without its data.
    fn sample(&self) -> &Sample;

    /// Name of the backend that does the arithmetic, for reports.
    fn backend(&self) -> &'static str;

    /// Precision of the device's arithmetic.
    fn precision(&self) -> Precision;

    /// Outcome columns `P` of a chunk.
    fn outcome_columns(&self) -> usize;

    /// An error if what is asked for does not fit in the memory of where it is formed, before any of it is.
    ///
    /// # Errors
    /// [`DidError::Memory`](crate::DidError::Memory).
    fn check(&self, work: &Work<'_>) -> Result<()>;

    /// The statistic of all chunks, strata in order and rows in canonical order.
    ///
    /// # Errors
    /// What the device or engine reports.
    fn run<P: Pass>(&self, pass: &P) -> Result<P::Stat>;
}
