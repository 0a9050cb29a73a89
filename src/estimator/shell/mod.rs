//! What all estimators are around their cells: options that they share, and the ways to fit.
//!
//! An estimator states its own options inside [`estimator!`], and in [`SampleEstimator`] how its sample is formed and what it does
//! with one. Its builder, its `fit`, `fit_on` and `fit_on_devices`, and the options that are the same for all come from here.

pub(crate) mod design;
pub(crate) mod kept;
pub(crate) mod moments;
mod options;
#[cfg(feature = "cluster")]
pub(crate) mod remote;
pub(crate) mod setup;
#[cfg(feature = "cluster")]
#[cfg(test)]
pub(crate) mod through;

use self::design::{SampleDesign, Shared};
use self::setup::{Opened, SampleSetup};
use crate::base::error::Result;
use crate::base::memory;
use crate::base::options::{Band, Inference};
use crate::base::parallel;
use crate::engine::backend::DidBackend;
use crate::read::input::Data;
use crate::read::panel::Sample;
use crate::result::settings::{EstimatorSettings, Settings};

/// Draws of whatever law take a double each; this many copies are kept, sorted and shown at least.
const DRAW_COPIES: u128 = 3;

/// Frames of so few rows are read and estimated by one thread: handing work over takes longer than doing it.
const ROWS_OF_ONE_THREAD: usize = 4_096;

/// An estimator's access to the options that all have; [`estimator!`] implements it.
pub(crate) trait Options {
    fn shared(&self) -> Shared<'_>;
}

/// What an estimator adds.
pub(crate) trait SampleEstimator: Options {
    /// Its name in the log.
    const NAME: &'static str;

    /// What a fit gives.
    type Result;

    /// Checks its own options.
    ///
    /// # Errors
    /// [`DidError::Config`].
    fn check(&self) -> Result<()>;

    /// How standard errors and intervals are formed.
    fn inference(&self) -> Inference;

    /// How its sample is formed.
    fn design(&self) -> SampleDesign<'_>;

    /// Estimates from a sample, wherever its rows are held.
    ///
    /// # Errors
    /// If the source reports an error.
    fn estimate(&self, opened: Opened) -> Result<Self::Result>;
}

/// Checks all options.
pub(crate) fn validate<E: SampleEstimator>(estimator: &E) -> Result<()> {
    let shared = estimator.shared();
    let draws = shared.bootstrap.map_or(0, |b| b.draws as u128);
    memory::check(
        "the bootstrap (`draws`, `--biters`)",
        8 * DRAW_COPIES * draws,
        "ask for fewer draws",
    )?;
    estimator.inference().validate()?;
    shared.check()?;
    estimator.check()
}

/// A fit to the data, on these devices.
pub(crate) fn fit<B: DidBackend, E: SampleEstimator>(
    estimator: &E,
    data: Data<'_>,
    devices: &[B::Device],
) -> Result<E::Result> {
    validate(estimator)?;
    let _span = tracing::info_span!("fit", estimator = E::NAME, backend = B::NAME).entered();
    let Inference { bootstrap, band, .. } = estimator.inference();
    // Draws and uniform bands take much longer than the rows let expect.
    let small = bootstrap.is_none()
        && band == Band::Pointwise
        && matches!(&data, Data::Frame(frame) if frame.height() <= ROWS_OF_ONE_THREAD);
    parallel::on_its_own_thread(small, || {
        estimator.estimate(setup(estimator)?.open::<B>(data, devices)?)
    })
}

/// The estimator's setup.
///
/// # Errors
/// [`DidError::Formula`](crate::DidError::Formula).
pub(crate) fn setup<E: SampleEstimator>(estimator: &E) -> Result<SampleSetup> {
    SampleSetup::new(&estimator.shared(), &estimator.design())
}

/// How a fit was made, with the estimator's own settings.
pub(crate) fn settings<E: SampleEstimator>(
    estimator: &E,
    setup: &SampleSetup,
    backend: &str,
    sample: &Sample,
    own: EstimatorSettings,
) -> Settings {
    let shared = estimator.shared();
    Settings {
        estimator: own,
        backend: backend.into(),
        precision: setup.precision,
        outcome: setup.roles.outcome.clone(),
        covariates: shared.covariates().into(),
        weights: setup.roles.weights.clone(),
        cluster: setup.roles.cluster.clone(),
        frequency: setup.roles.frequency,
        layout: sample.layout,
        n_units: sample.n,
        n_rows: sample.audit.rows,
        n_clusters: sample.n_clusters,
        inference: estimator.inference(),
    }
}

/// Defines an estimator: a struct of its own options and of those that all have, with a builder, and the ways to fit it.
///
/// Among its own options or in the list `listed` of [`options!`] there must be `unit`, `time`, `frequency`, `weights`, `cluster` and
/// `bootstrap`, which every estimator has but not all in the same words, and `covariates` where the list `with` has them. [`SampleEstimator`] is implemented beside it.
macro_rules! estimator {
    (
        $(#[$about:meta])*
        $visibility:vis struct $name:ident -> $result:ident $(with [$covariates:ident, $rows:ident, $weighting:ident])? listed [$($listed:ident),+]
        { $($own:tt)* }
    ) => {
        $crate::estimator::shell::options! {
            $(#[$about])*
            $visibility struct $name<B: $crate::engine::backend::DidBackend>
            with [outcome, $($listed,)+ $($rows, $weighting,)? missing_values, alpha, precision, backend] {
                $($own)*
                /// Keeps the influence values by unit: `8 n` bytes a cell.
                #[doc(alias = "inffunc")]
                #[builder(default)]
                pub keep_influence: bool,
                /// Rows that are on the device at once within a stratum, rounded up to whole tiles; results do not depend on it,
                /// but for the fourteenth digit in single precision on a GPU.
                pub chunk_rows: Option<usize>,
                /// Bytes of unit data that may be on the device at once, and in memory where files are read
                /// [in pieces](crate::Data::in_pieces); results depend on it as on [`chunk_rows`](Self::chunk_rows).
                pub memory_budget: Option<u64>,
                /// Hears how far the fit has come.
                pub progress: Option<$crate::base::progress::Progress>,
            }
        }

        impl<B: $crate::engine::backend::DidBackend> $crate::estimator::shell::Options for $name<B> {
            fn shared(&self) -> $crate::estimator::shell::design::Shared<'_> {
                $crate::estimator::shell::design::Shared {
                    outcome: &self.outcome,
                    unit: self.unit.as_deref(),
                    time: &self.time,
                    frequency: self.frequency,
                    covariates: None$(.or(Some(self.$covariates.as_str())))?,
                    weights: self.weights.as_deref(),
                    cluster: self.cluster.as_deref(),
                    repeated_cross_sections: None$(.or(Some(self.$rows)))?,
                    missing_values: self.missing_values.as_deref(),
                    alpha: self.alpha,
                    bootstrap: self.bootstrap.as_ref(),
                    precision: self.precision,
                    keep_influence: self.keep_influence,
                    weighting: $crate::estimator::weighting::form::Asked::default()
                        $(.with(self.$weighting, self.keep_scores))?,
                    chunk_rows: self.chunk_rows,
                    memory_budget: self.memory_budget,
                    progress: self.progress.as_ref(),
                }
            }
        }

        impl<B: $crate::engine::backend::DidBackend> $name<B> {
            /// Checks the options; the first thing [`fit`](Self::fit) does.
            ///
            /// # Errors
            /// [`DidError::Config`](crate::DidError::Config), [`DidError::Formula`](crate::DidError::Formula), or
            /// [`DidError::Memory`](crate::DidError::Memory) for more draws than there is room for.
            pub fn validate(&self) -> $crate::base::error::Result<()> {
                $crate::estimator::shell::validate(self)
            }

            /// Estimates from a data frame, a lazy frame, or the path of CSV, parquet or Stata [files](crate::Data), on the backend's
            /// default device. Parquet files that would take more than [`memory_budget`](Self::memory_budget), or a fifth of
            /// the free memory, are read [in pieces](crate::Data::in_pieces).
            ///
            /// # Errors
            /// [`DidError`](crate::DidError) naming the option, column, unit or device at fault. What cannot be estimated from
            /// the sample (no overlap, collinear covariates) is not an error: a [`CellStatus`](crate::group_time::CellStatus) says why.
            pub fn fit<'a>(
                &self,
                data: impl Into<$crate::Data<'a>>,
            ) -> $crate::base::error::Result<$result> {
                self.fit_on(data, &Default::default())
            }

            /// As [`fit`](Self::fit), on this device.
            ///
            /// # Errors
            /// As [`fit`](Self::fit).
            pub fn fit_on<'a>(
                &self,
                data: impl Into<$crate::Data<'a>>,
                device: &B::Device,
            ) -> $crate::base::error::Result<$result> {
                self.fit_on_devices(data, std::slice::from_ref(device))
            }

            /// As [`fit`](Self::fit), on several devices at once, each driven by a thread of its own. The result is the same to
            /// the last bit for any number of devices of one kind.
            ///
            /// # Errors
            /// As [`fit`](Self::fit); [`DidError::Config`](crate::DidError::Config) without a device.
            pub fn fit_on_devices<'a>(
                &self,
                data: impl Into<$crate::Data<'a>>,
                devices: &[B::Device],
            ) -> $crate::base::error::Result<$result> {
                $crate::estimator::shell::fit::<B, _>(self, data.into(), devices)
            }

            /// As [`fit`](Self::fit), by the workers of a cluster, whose backend does the arithmetic whatever `B` is. The path
            /// stands for parquet files that this process and all workers see under the same names.
            ///
            /// # Errors
            /// As [`fit`](Self::fit); [`DidError::Worker`](crate::DidError::Worker) for what a worker finds
            /// wrong, [`DidError::Engine`](crate::DidError::Engine) if workers do not answer, and
            /// [`DidError::Config`](crate::DidError::Config) for `keep_influence` without a
            /// [directory](crate::Cluster::with_influence) for the values.
            #[cfg(feature = "cluster")]
            pub fn fit_cluster(
                &self,
                cluster: &$crate::Cluster,
                path: impl AsRef<std::path::Path>,
            ) -> $crate::base::error::Result<$result> {
                $crate::estimator::shell::remote::fit(self, cluster, path.as_ref())
            }

            /// Has the workers of a cluster read and arrange the sample once, for several fits.
            ///
            /// # Errors
            /// As [`fit_cluster`](Self::fit_cluster).
            #[cfg(feature = "cluster")]
            pub fn prepare(
                &self,
                cluster: &$crate::Cluster,
                path: impl AsRef<std::path::Path>,
            ) -> $crate::base::error::Result<$crate::ClusterSample> {
                let stored = $crate::estimator::shell::remote::sample(self, cluster, path.as_ref())?;
                Ok($crate::ClusterSample { cluster: cluster.clone(), stored })
            }

            /// As [`fit_cluster`](Self::fit_cluster), of a sample that was prepared.
            ///
            /// # Errors
            /// As [`fit_cluster`](Self::fit_cluster), and [`DidError::Config`](crate::DidError::Config) if these options
            /// describe another sample.
            #[cfg(feature = "cluster")]
            pub fn fit_sample(
                &self,
                sample: &$crate::ClusterSample,
            ) -> $crate::base::error::Result<$result> {
                $crate::estimator::shell::remote::fit_sample(self, &sample.cluster, &sample.stored)
            }
        }

        $crate::estimator::fitting::fits!(<B> $name<B>, device: B::Device, output: $result);
    };
}

pub(super) use estimator;
pub(crate) use options::options;
