//! Fits of one sample beside each other.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::sample::StudySample;
use super::{JointStudy, Specification, StudyEstimator};
use crate::base::drivers::drive;
use crate::base::error::Result;
use crate::base::memory;
use crate::base::parallel::held;
use crate::engine::backend::{CPU_NAME, DidBackend};
use crate::read::formula::Formula;

/// Rows that are fitted sooner than a thread is started.
const ROWS_OF_ONE_DRIVER: usize = 4_096;

/// What a fit holds at once for a row, besides the columns.
const BYTES_OF_ROW: u64 = 256;

/// The same with covariates, of which there may be a regressor for each cohort and period.
const BYTES_WITH_COVARIATES: u64 = 4_096;

/// Counts the influence values that all fits keep, and refuses those that do not fit into memory.
pub(in crate::study) struct KeptColumns<'a> {
    sample: &'a StudySample,
    what: &'static str,
    remedy: &'static str,
    columns: AtomicU64,
}

impl<'a> KeptColumns<'a> {
    pub fn new(sample: &'a StudySample, what: &'static str, remedy: &'static str) -> Self {
        Self { sample, what, remedy, columns: AtomicU64::new(0) }
    }

    /// Keeps so many columns of a value for each cluster.
    ///
    /// # Errors
    /// [`DidError::Memory`](crate::DidError::Memory) if with those before they do not fit into memory.
    pub fn keep(&self, columns: usize) -> Result<()> {
        let columns = columns as u64;
        let all = self.columns.fetch_add(columns, Ordering::Relaxed) + columns;
        let bytes = 8 * u128::from(all) * self.sample.n_clusters as u128;
        memory::check(self.what, bytes, self.remedy)
    }
}

impl<B: DidBackend> JointStudy<B> {
    /// `fit` of each specification, in their order. Several are fitted at once, as far as cores and memory allow; on another backend than
    /// the CPU's, estimators that use it take turns.
    pub(in crate::study) fn side_by_side<T: Send>(
        &self,
        sample: &StudySample,
        specifications: &[Specification],
        fit: impl Fn(&Specification) -> T + Sync,
    ) -> Vec<T> {
        let with_covariates = |specification: &Specification| {
            Formula::parse(&specification.covariates).is_ok_and(|of| !of.variables().is_empty())
        };
        let bytes = match specifications.iter().any(with_covariates) {
            true => BYTES_WITH_COVARIATES,
            false => BYTES_OF_ROW,
        };
        let turn = Mutex::new(());
        drive(specifications.len(), drivers(sample.rows.frame.height(), bytes), |index| {
            let specification = &specifications[index];
            let takes_turns = B::NAME != CPU_NAME && specification.estimator.uses_device();
            let _turn = takes_turns.then(|| held(&turn));
            fit(specification)
        })
    }
}

/// How many fits of so many rows, with so many bytes for each, may go on at once.
fn drivers(rows: usize, bytes: u64) -> usize {
    if rows <= ROWS_OF_ONE_DRIVER {
        return 1;
    }
    let (threads, each) = (rayon::current_num_threads(), bytes * rows as u64);
    let free = memory::free_for(u128::from(each) * threads as u128);
    let fit = free.and_then(|free| usize::try_from(free / each).ok()).unwrap_or(usize::MAX);
    fit.clamp(1, threads)
}

impl StudyEstimator {
    /// Whether the backend matters.
    fn uses_device(self) -> bool {
        matches!(self, Self::CallawaySantAnna | Self::SunAbraham | Self::Etwfe)
    }
}
