//! Clusters as users have them.

use std::any::Any;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::engine::{Engine, TaskRunner};
use super::parts::PrepareOptions;
use super::session::Session;
use super::stored::Stored;
use super::threads::ThreadWorkers;
use super::worker::Worker;
use crate::base::error::Result;
use crate::base::options::Precision;
use crate::base::progress::Progress;
use crate::base::storage;
use crate::engine::backend::DidBackend;

/// Workers that read, arrange and sum a sample together, wherever they are. The numbers are those of a fit on one machine, to the
/// last bit, whatever the number of workers.
///
/// An estimator's `fit_cluster` takes parquet files that all workers see under the same path, in a directory or in an object store. The arranged sample is written to a
/// [directory](Self::with_directory) that they all see, too, and deleted after the fit; [`ClusterSample`] is one for several fits.
///
/// ```
/// # use burn_did::{AttGt, Cluster, backend::Cpu, data};
/// # use polars::prelude::ParquetWriter;
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("panel.parquet");
/// # ParquetWriter::new(std::fs::File::create(&path)?).finish(&mut data::mpdta())?;
/// let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
/// let config = config.group("first.treat").covariates("~ lpop").build();
/// // Two workers in this process; each may keep 64 MiB of the sample.
/// let cluster = Cluster::threads::<Cpu>(&[Default::default(); 2], 64 << 20);
/// let fit = config.fit_cluster(&cluster, &path)?;
/// assert_eq!(fit.cells, config.fit(&data::mpdta())?.cells);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Cluster {
    engine: Arc<dyn Engine>,
    directory: PathBuf,
    influence: Option<PathBuf>,
    mixed: bool,
    /// Processes that end with the last copy.
    kept: Option<Arc<dyn Any + Send + Sync>>,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let local = self.kept.is_some();
        let mut shown = f.debug_struct("Cluster");
        shown.field("directory", &self.directory).field("local", &local).finish_non_exhaustive()
    }
}

impl Cluster {
    /// Workers in this process, one per device; each may keep so many bytes of a sample. They exchange nothing but bytes
    /// with what drives them, as workers on other machines would: a way to try a program without any.
    pub fn threads<B: DidBackend>(devices: &[B::Device], memory: u64) -> Self {
        let worker = |(number, device): (usize, &B::Device)| -> Arc<dyn TaskRunner> {
            Arc::new(Worker::<B>::new(format!("worker {number}"), device.clone(), memory))
        };
        Self::of(Arc::new(ThreadWorkers(devices.iter().enumerate().map(worker).collect())))
    }

    /// The workers of an [engine](Engine).
    #[must_use]
    pub fn of(engine: Arc<dyn Engine>) -> Self {
        Self { engine, directory: std::env::temp_dir(), influence: None, mixed: false, kept: None }
    }

    /// With what must last as long as it.
    #[cfg(feature = "ballista")]
    pub(super) fn with(self, kept: impl Any + Send + Sync) -> Self {
        Self { kept: Some(Arc::new(kept)), ..self }
    }

    /// Whether executors may differ in their backends. Then the numbers are no longer those of one machine to the last bit, and
    /// two fits may differ in the last digits that the weaker arithmetic has;
    /// [`ClusterWork::arithmetics`](crate::audit::ClusterWork::arithmetics) in the timings says how many kinds there were.
    #[must_use]
    pub fn mixed(self, mixed: bool) -> Self {
        Self { mixed, ..self }
    }

    /// With a directory for arranged samples, which this process and all workers see under this name, or a prefix in an object
    /// store, as `s3://bucket/scratch`; else it is that of temporary files, which will do on one machine.
    #[must_use]
    pub fn with_directory(self, directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), ..self }
    }

    /// With a directory or a prefix in an object store for the influence values by unit of a fit that keeps them (`keep_influence`):
    /// executors write them there as parquet files, to which the result [refers](crate::audit::InfluenceFiles), and no program holds
    /// them all. All must see it under this name, and it must be empty; it is made if it is not there.
    ///
    /// ```
    /// # use burn_did::{AttGt, Cluster, backend::Cpu, data};
    /// # use polars::prelude::ParquetWriter;
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("panel.parquet");
    /// # ParquetWriter::new(std::fs::File::create(&path)?).finish(&mut data::mpdta())?;
    /// # let cluster = Cluster::threads::<Cpu>(&[Default::default(); 2], 64 << 20);
    /// let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    /// let config = config.group("first.treat").keep_influence(true).build();
    /// let cluster = cluster.with_influence(directory.path().join("influence"));
    /// let files = config.fit_cluster(&cluster, &path)?.influence_files.unwrap();
    /// let here = config.fit(&data::mpdta())?.influence.unwrap();
    /// assert_eq!(files.column("att(2006,2007)")?, here.columns[7]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_influence(self, directory: impl Into<PathBuf>) -> Self {
        Self { influence: Some(directory.into()), ..self }
    }

    /// Opens a sample that was [kept](ClusterSample::keep).
    ///
    /// # Errors
    /// [`DidError::Io`](crate::DidError::Io) or [`DidError::File`](crate::DidError::File) if there is none.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<ClusterSample> {
        Ok(ClusterSample { cluster: self.clone(), stored: Stored::open(path.as_ref())? })
    }

    pub(crate) fn session(&self, progress: Option<Progress>) -> Session {
        Session::new(Arc::clone(&self.engine)).mixed(self.mixed).heard_by(progress)
    }

    pub(crate) fn options(&self, precision: Precision) -> PrepareOptions {
        let directory = storage::whole(&self.directory);
        let influence = self.influence.as_deref().map(storage::whole);
        PrepareOptions { directory, influence, precision, part_rows: None, segment_rows: None }
    }
}

/// A sample that was read and arranged once, for several fits that differ in method, comparison, bootstrap, which of its covariates
/// they have, or whatever else leaves the sample as it is. Its files are deleted with its last copy, unless they are [kept](Self::keep).
///
/// ```
/// # use burn_did::{AttGt, Cluster, backend::Cpu, data, options::EstimationMethod};
/// # use polars::prelude::ParquetWriter;
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("panel.parquet");
/// # ParquetWriter::new(std::fs::File::create(&path)?).finish(&mut data::mpdta())?;
/// # let cluster = Cluster::threads::<Cpu>(&[Default::default(); 2], 64 << 20);
/// let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
/// let config = config.group("first.treat").covariates("~ lpop").build();
/// let sample = config.prepare(&cluster, &path)?;
/// let doubly_robust = config.fit_sample(&sample)?;
/// let mut weighting = config.clone();
/// weighting.method = EstimationMethod::Ipw;
/// let weighted = weighting.fit_sample(&sample)?;
/// assert_ne!(doubly_robust.cells, weighted.cells);
/// // Some of its covariates will do; other columns are another sample.
/// let mut other = config;
/// other.covariates = "~ 1".into();
/// assert_eq!(other.fit_sample(&sample)?.cells, other.fit(&path)?.cells);
/// other.covariates = "~ lpop + year".into();
/// assert!(other.fit_sample(&sample).unwrap_err().to_string().contains("has no column `year`"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ClusterSample {
    pub(crate) cluster: Cluster,
    pub(crate) stored: Stored,
}

impl ClusterSample {
    /// Leaves the files where they are when this is dropped; returns the path by which [`Cluster::open`] finds them.
    ///
    /// # Errors
    /// [`DidError::Io`](crate::DidError::Io).
    pub fn keep(&self) -> Result<PathBuf> {
        self.stored.keep()
    }
}
