//! A sample with bootstrap weights, which every pass sees.

use super::{AnyPass, AnyStat, ClusterWork, Keep, ReweightedDraws, Source, Work};
use crate::base::error::Result;
use crate::base::options::Precision;
use crate::engine::backend::DeviceWork;
use crate::read::panel::Sample;

/// A source whose chunks have further weight columns.
pub(crate) struct Reweighted<'a> {
    pub source: &'a dyn Source,
    pub draws: ReweightedDraws,
}

impl Source for Reweighted<'_> {
    fn sample(&self) -> &Sample {
        self.source.sample()
    }

    fn backend(&self) -> &str {
        self.source.backend()
    }

    fn precision(&self) -> Precision {
        self.source.precision()
    }

    fn device_work(&self) -> Option<DeviceWork> {
        self.source.device_work()
    }

    fn cluster_work(&self) -> Option<ClusterWork> {
        self.source.cluster_work()
    }

    fn is_here(&self) -> bool {
        self.source.is_here()
    }

    fn check(&self, work: &Work<'_>) -> Result<()> {
        self.source.check(work)
    }

    fn answer(&self, pass: &AnyPass, keep: &mut Keep<'_>) -> Result<AnyStat> {
        self.source.answer(&pass.clone().reweighted(self.draws.clone()), keep)
    }
}
