//! Fits by the workers of a cluster.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::setup::{Opened, SampleSetup};
use super::{SampleEstimator, setup, validate};
use crate::base::error::{DidError, Result};
use crate::base::storage;
use crate::cluster::{
    Cluster, KEPT_NOWHERE, PrepareOptions, Prepared, Session, Stored, make_room, prepare,
};
use crate::read::files::{FileFormat, Files, FilesRead, problem};
use crate::read::panel::{Sample, SampleAudit, Storage};

/// A fit to the parquet files of a path.
pub(crate) fn fit<E: SampleEstimator>(
    estimator: &E,
    cluster: &Cluster,
    path: &Path,
) -> Result<E::Result> {
    let (setup, start) = (checked(estimator)?, Instant::now());
    let _span = tracing::info_span!("fit", estimator = E::NAME, backend = "cluster").entered();
    let options = options(estimator, cluster, &setup)?;
    let session = cluster.session(setup.progress.clone());
    estimator.estimate(setup.open_remote(path, session, &options, start)?)
}

/// The sample of an estimator, for this and other fits.
pub(crate) fn sample<E: SampleEstimator>(
    estimator: &E,
    cluster: &Cluster,
    path: &Path,
) -> Result<Stored> {
    let setup = checked(estimator)?;
    let options = PrepareOptions { influence: None, ..cluster.options(setup.precision) };
    Ok(setup.prepared(path, &cluster.session(setup.progress.clone()), &options)?.1)
}

/// A fit to a sample that was prepared.
pub(crate) fn fit_sample<E: SampleEstimator>(
    estimator: &E,
    cluster: &Cluster,
    stored: &Stored,
) -> Result<E::Result> {
    let (setup, start) = (checked(estimator)?, Instant::now());
    let options = options(estimator, cluster, &setup)?;
    let (sample, choice) = stored.describe(&setup.request(Storage::Resident))?;
    let session = cluster.session(setup.progress.clone());
    let prepared = Prepared::new(session, stored.clone(), &options)?.with(choice);
    estimator.estimate(setup.held(sample, Box::new(prepared), 0.0, start)?)
}

/// The setup of an estimator whose options are well.
fn checked<E: SampleEstimator>(estimator: &E) -> Result<SampleSetup> {
    validate(estimator)?;
    setup(estimator)
}

/// How a cluster is to fit, with a place for influence values that are to be kept.
fn options<E: SampleEstimator>(
    estimator: &E,
    cluster: &Cluster,
    setup: &SampleSetup,
) -> Result<PrepareOptions> {
    let options = cluster.options(setup.precision);
    if !estimator.shared().keep_influence {
        return Ok(PrepareOptions { influence: None, ..options });
    }
    match &options.influence {
        Some(directory) => make_room(directory)?,
        None => {
            return Err(DidError::config("keep_influence", KEPT_NOWHERE, true));
        }
    }
    Ok(options)
}

/// The parquet files that a path stands for, and their paths as workers in other directories see them.
///
/// # Errors
/// Errors about a file, as of other formats.
pub(in crate::estimator) fn parquet_files(path: &Path) -> Result<(FilesRead, Vec<PathBuf>)> {
    let files = Files::find(path)?;
    if files.format != FileFormat::Parquet {
        let called = files.format.called();
        let remedy = format!("{called} cannot be read on a cluster; write them to parquet");
        return Err(problem(path, remedy));
    }
    Ok((files.read(), files.paths.iter().map(|path| storage::whole(path)).collect()))
}

impl SampleSetup {
    /// Has the sample of some parquet files prepared, and holds it for passes.
    pub fn open_remote(
        self,
        path: &Path,
        session: Session,
        options: &PrepareOptions,
        start: Instant,
    ) -> Result<Opened> {
        let (sample, stored) = self.prepared(path, &session, options)?;
        let read = start.elapsed().as_secs_f64();
        let prepared = Prepared::new(session, stored, options)?;
        self.held(sample, Box::new(prepared), read, start)
    }

    fn prepared(
        &self,
        path: &Path,
        session: &Session,
        options: &PrepareOptions,
    ) -> Result<(Sample, Stored)> {
        let (files, paths) = parquet_files(path)?;
        let audit = SampleAudit { files, ..SampleAudit::default() };
        prepare(session, &paths, audit, &self.request(Storage::Resident), options)
    }
}
