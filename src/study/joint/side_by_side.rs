//! Fits of one sample beside each other.

use std::sync::atomic::{AtomicU64, Ordering};

use super::sample::StudySample;
use super::{JointStudy, Specification, StudyEstimator};
use crate::base::drivers::drive;
use crate::base::error::Result;
use crate::base::memory;
use crate::engine::backend::{Cpu, DidBackend};
use crate::read::formula::Formula;

/// Rows that are fitted sooner than a thread is started.
const ROWS_OF_ONE_DRIVER: usize = 4_096;

/// What a fit holds at once for a row, besides the columns: without covariates, and with a regressor of covariates for each cohort and period.
const BYTES_OF_ROW: [u64; 2] = [256, 4_096];

/// The most that influence values of all fits may take, checked as they come.
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
    /// `fit` of each specification, in their order; some at once, as far as cores and memory go. Estimators that use a device that is not the
    /// processor do so one after another.
    pub(in crate::study) fn side_by_side<T: Send>(
        &self,
        sample: &StudySample,
        specifications: &[Specification],
        fit: impl Fn(&Specification) -> T + Sync,
    ) -> Vec<T> {
        let takes_turns =
            |index: &usize| B::NAME != Cpu::NAME && specifications[*index].estimator.uses_device();
        let (turns, others): (Vec<_>, Vec<_>) = (0..specifications.len()).partition(takes_turns);
        let others = others.into_iter().map(|index| vec![index]);
        let mut pieces: Vec<Vec<usize>> = std::iter::once(turns).chain(others).collect();
        pieces.retain(|piece| !piece.is_empty());
        let fits = |piece: usize| {
            let fitted = |index: &usize| (*index, fit(&specifications[*index]));
            pieces[piece].iter().map(fitted).collect::<Vec<_>>()
        };
        let with_covariates = |specification: &Specification| {
            Formula::parse(&specification.covariates).is_ok_and(|of| !of.variables().is_empty())
        };
        let bytes = BYTES_OF_ROW[usize::from(specifications.iter().any(with_covariates))];
        let at_once = drivers(sample.rows.frame.height(), bytes);
        let fitted = drive(pieces.len(), at_once, fits).into_iter().flatten();
        let mut fitted: Vec<_> = fitted.collect();
        fitted.sort_by_key(|(index, _)| *index);
        fitted.into_iter().map(|(_, fitted)| fitted).collect()
    }
}

/// How many fits of so many rows, with so many bytes for each, may go on at once.
fn drivers(rows: usize, bytes: u64) -> usize {
    if rows <= ROWS_OF_ONE_DRIVER {
        return 1;
    }
    let fit = memory::free().map(|free| free / (bytes * rows as u64));
    let fit = fit.and_then(|fit| usize::try_from(fit).ok()).unwrap_or(usize::MAX);
    fit.clamp(1, rayon::current_num_threads())
}

impl StudyEstimator {
    /// Whether the backend matters.
    fn uses_device(self) -> bool {
        matches!(self, Self::CallawaySantAnna | Self::SunAbraham | Self::Etwfe)
    }
}
