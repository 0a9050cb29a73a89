//! A regression that is to be estimated, and the data that were read for it.

use std::time::Instant;

use super::reading::RegressionRows;
use super::result::RegressionAudit;
use super::sample::SampleRules;
use super::{FixedEffects, RegressionText};
use crate::engine::backend::DidBackend;

/// What was read, and what is regressed on what.
pub(super) struct RegressionReading {
    pub rows: RegressionRows,
    pub audit: RegressionAudit,
    /// Seconds of reading files.
    pub read: f64,
}

/// A regression of `config`, with the columns of a design or others in their place.
pub(super) struct RegressionTask<'a, B: DidBackend> {
    pub config: &'a FixedEffects<B>,
    pub device: &'a B::Device,
    pub source: RegressionText,
    pub estimator: &'static str,
    pub start: Instant,
}

impl<B: DidBackend> RegressionTask<'_, B> {
    /// How its samples are formed.
    pub fn rules(&self) -> SampleRules {
        SampleRules {
            keep_singletons: self.config.keep_singletons,
            range: self.config.family.range(),
        }
    }
}
