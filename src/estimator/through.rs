//! Fits through another engine than that of this machine.

use std::fmt::Debug;
use std::path::Path;
use std::time::Instant;

use polars::prelude::DataFrame;

use super::shell::{Estimator, setup};
use super::{AttGt, ContDid, ContDidResult, Ddd, Drdid, DrdidResult, GroupTimeResult, Timings};
use crate::base::error::Result;
use crate::cluster::{PrepareOptions, Session};
use crate::engine::backend::DidBackend;
use crate::engine::condition::Raw;
use crate::engine::source::Source;
use crate::read::files::FilesRead;
use crate::read::panel::{Panel, Strata};

/// An estimator that does not care who holds the rows.
pub(crate) trait Through {
    /// What a fit gives.
    type Result: Debug;

    /// The fit, with the strata where `hold` puts them.
    fn through<R: Raw<Conditioned: Source>>(
        &self,
        data: &DataFrame,
        hold: impl FnOnce(Strata) -> R,
    ) -> Result<Self::Result>;

    /// The fit to the parquet files of a path, by the workers of a cluster.
    fn remotely(
        &self,
        path: &Path,
        session: Session,
        options: &PrepareOptions,
    ) -> Result<Self::Result>;
}

/// A result without what differs from fit to fit.
trait Timeless {
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

macro_rules! through {
    ($($estimator:ident -> $result:ident),*) => {$(
        impl<B: DidBackend> Through for $estimator<B> {
            type Result = $result;

            fn through<R: Raw<Conditioned: Source>>(
                &self,
                data: &DataFrame,
                hold: impl FnOnce(Strata) -> R,
            ) -> Result<$result> {
                let (setup, start) = (setup(self)?, Instant::now());
                let (Panel { sample, strata }, read) = setup.panel(data.into(), start)?;
                let held = setup.held(sample, hold(strata), read, start)?;
                Ok(self.estimate(held)?.timeless())
            }

            fn remotely(
                &self,
                path: &Path,
                session: Session,
                options: &PrepareOptions,
            ) -> Result<$result> {
                let opened = setup(self)?.open_remote(path, session, options, Instant::now())?;
                Ok(self.estimate(opened)?.timeless())
            }
        }
    )*};
}

through!(
    AttGt -> GroupTimeResult,
    ContDid -> ContDidResult,
    Ddd -> GroupTimeResult,
    Drdid -> DrdidResult
);
