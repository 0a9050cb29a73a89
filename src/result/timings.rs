//! How long the stages of a fit took.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::engine::backend::DeviceWork;
use crate::engine::source::{ClusterWork, Source};

/// Seconds spent in each stage of a fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Timings {
    /// Reading files.
    pub read: f64,
    /// Validating and arranging the sample.
    pub ingest: f64,
    /// Nuisance models and point estimates.
    pub estimate: f64,
    /// Influence values, covariance, draws and bands.
    pub inference: f64,
    /// The whole fit.
    pub total: f64,
    /// What the devices were asked to do, where they count it: GPUs do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceWork>,
    /// What the workers of a cluster did, in a fit by one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterWork>,
}

impl Timings {
    /// With what was done for a source.
    pub(crate) fn of(self, source: &dyn Source) -> Self {
        Self { device: source.device_work(), cluster: source.cluster_work(), ..self }
    }

    /// Closes a fit that began at `start`: what no stage has taken yet was inference.
    pub(crate) fn finish(&mut self, start: Instant) {
        self.total = start.elapsed().as_secs_f64();
        self.inference = self.total - self.read - self.ingest - self.estimate;
    }
}
