//! Fits through an engine other than this machine's.

use std::fmt::Debug;
use std::path::Path;
use std::time::Instant;

use polars::prelude::DataFrame;

use super::{SampleEstimator, setup};
use crate::base::error::Result;
use crate::cluster::{PrepareOptions, Session};
use crate::engine::source::RawSource;
use crate::estimator::{ContDidResult, DrdidResult, GroupTimeResult};
use crate::read::files::FilesRead;
use crate::read::panel::{Panel, Strata};
use crate::result::timings::Timings;

/// An estimator that does not care who holds the rows.
pub(crate) trait Subject: SampleEstimator<Result: Timeless> {}

impl<E: SampleEstimator<Result: Timeless>> Subject for E {}

/// The fit, with the strata where `hold` puts them.
pub(crate) fn through<E: Subject>(
    estimator: &E,
    data: &DataFrame,
    hold: impl FnOnce(Strata) -> Box<dyn RawSource>,
) -> Result<E::Result> {
    let (setup, start) = (setup(estimator)?, Instant::now());
    let (Panel { sample, strata }, read) = setup.panel(data.into(), start)?;
    let opened = setup.held(sample, hold(strata), read, start)?;
    Ok(estimator.estimate(opened)?.timeless())
}

/// The fit to the parquet files of a path, by the workers of a cluster.
pub(crate) fn remotely<E: Subject>(
    estimator: &E,
    path: &Path,
    session: Session,
    options: &PrepareOptions,
) -> Result<E::Result> {
    let opened = setup(estimator)?.open_remote(path, session, options, Instant::now())?;
    Ok(estimator.estimate(opened)?.timeless())
}

/// A result without what differs from fit to fit.
pub(crate) trait Timeless: Debug {
    fn timeless(self) -> Self;
}

impl Timeless for GroupTimeResult {
    fn timeless(self) -> Self {
        Self { timings: Timings::default(), ..self }
    }
}

impl Timeless for DrdidResult {
    fn timeless(self) -> Self {
        Self { timings: Timings::default(), ..self }
    }
}

impl Timeless for ContDidResult {
    fn timeless(mut self) -> Self {
        self.slope.audit.files = FilesRead::default();
        Self { level: self.level.timeless(), slope: self.slope.timeless(), ..self }
    }
}
