//! Who holds the rows: the one seam between the estimators and an engine.
//!
//! An engine first answers looks at the raw columns ([`Raw`](crate::engine::condition::Raw)), is told how they change, and then
//! answers passes ([`Source`]). The unit of its answers is a segment, and what it is asked and answers are closed types that
//! have a form in bytes (all but draws of whole units), so that segments may be anywhere. Answers of segments are believed only
//! if each has answered exactly once; a single device that sums all that it holds in one call answers for all of them.

mod answer;
mod any;
mod draws;
mod host;
pub(crate) mod influence;
mod kept;
mod local;
mod pass;
mod reweighted;
#[cfg(test)]
mod tests;
mod upload;
mod work;

use crate::base::error::{DidError, Result};
use crate::base::options::Precision;
use crate::engine::backend::DeviceWork;
use crate::engine::condition::{Change, Raw};
use crate::engine::pass::{InfluencePass, KeptRows};
use crate::read::panel::Sample;

#[cfg(feature = "cluster")]
pub(crate) use answer::{Answer, Ask, LOCAL, Ledger, Merge};
use any::KnownPass;
pub(crate) use any::{AnyPass, AnyStat, KnownStat};
pub(crate) use draws::ReweightedDraws;
pub(crate) use host::HostStrata;
pub use influence::{Influence, InfluenceFiles};
#[cfg(feature = "cluster")]
pub(crate) use kept::Scale;
pub(crate) use kept::{InfluenceApart, KeptApart, KeptColumn};
pub(crate) use local::{LocalOptions, LocalStrata};
pub(crate) use reweighted::Reweighted;
#[cfg(feature = "cluster")]
pub(crate) use upload::put;
pub use work::ClusterWork;
pub(crate) use work::Work;

/// Takes rows of influence values as they come, in order.
pub(crate) type Keep<'a> = dyn FnMut(KeptRows) -> Result<()> + 'a;

/// Raw columns that become a [`Source`] once it is known how they change.
pub(crate) trait RawSource: Raw {
    /// Changes the columns, now or whenever they are read.
    fn condition(self: Box<Self>, sample: Sample, change: Change) -> Result<Box<dyn Source>>;
}

/// Answers passes over all rows of a conditioned sample.
pub(crate) trait Source {
    /// The sample, without its data.
    fn sample(&self) -> &Sample;

    /// Name of the backend that does the arithmetic, for reports.
    fn backend(&self) -> &str;

    /// Precision of the device's arithmetic.
    fn precision(&self) -> Precision;

    /// What devices were asked to do so far, where they count it.
    fn device_work(&self) -> Option<DeviceWork> {
        None
    }

    /// What the workers of a cluster did so far, if it is one.
    fn cluster_work(&self) -> Option<ClusterWork> {
        None
    }

    /// Whether the rows are on this machine, where alone they are handed out and looked up in tables of all units.
    fn is_here(&self) -> bool {
        true
    }

    /// An error if what is asked for does not fit in the memory of where it is formed, before any of it is.
    fn check(&self, work: &Work<'_>) -> Result<()>;

    /// The statistic of all rows: segments in order, rows in canonical order. Rows that the pass keeps go to `keep`.
    fn answer(&self, pass: &AnyPass, keep: &mut Keep<'_>) -> Result<AnyStat>;

    /// As `run_keeping`, where what is kept stays where the rows are; `None` where it is handed out.
    fn keep_apart(&self, _: &InfluencePass) -> Result<Option<InfluenceApart>> {
        Ok(None)
    }
}

impl dyn Source + '_ {
    /// The statistic of all rows, of a pass that keeps none.
    pub fn run<P: KnownPass>(&self, pass: &P) -> Result<P::Stat> {
        self.run_keeping(pass, &mut |_| {
            Err(DidError::Engine { problem: "rows were kept that nobody takes".into() })
        })
    }

    /// The statistic of all rows; those that the pass keeps go to `keep`.
    pub fn run_keeping<P: KnownPass>(&self, pass: &P, keep: &mut Keep<'_>) -> Result<P::Stat> {
        P::Stat::from_any(self.answer(&pass.clone().into(), keep)?)
    }
}
