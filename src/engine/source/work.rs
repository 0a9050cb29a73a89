//! What inference will ask of a source, and the memory that it takes on one machine.

use serde::{Deserialize, Serialize};

use crate::base::error::Result;
use crate::base::memory;
use crate::base::options::{Bootstrap, Multiplier, Precision, SharesOf};
use crate::engine::pass::TILE;
use crate::read::panel::{MOST_WHOLE, Sample, doubles_in_parts};

/// Doubles that a draw's random bits take on each thread, for the law with six points.
const BITS: u128 = 5;

/// Bytes of a kept unit's label.
const LABEL: u128 = 64;

/// What the workers of a cluster did for a fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClusterWork {
    /// Tasks that were worked on at the same time.
    pub workers: u64,
    /// Tasks that were answered.
    pub tasks: u64,
    /// Tasks that were given out again, as an answer was missing or could not be believed.
    pub tasks_again: u64,
    /// Bytes of the arranged sample.
    pub bytes_arranged: u64,
    /// Bytes of it that workers read from storage; what they still had in memory is not counted.
    pub bytes_read: u64,
    /// Kinds of arithmetic among the workers. If there is more than one, as `Cluster::mixed` allows, another
    /// fit may differ in its last digits.
    #[serde(default)]
    pub arithmetics: u64,
}

/// What is formed of influence values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work<'a> {
    /// Columns of influence values: estimates and group shares.
    pub columns: usize,
    /// Whose shares these are; without eligibility all units are eligible.
    pub shares_of: SharesOf,
    /// A bootstrap that multiplies them.
    pub bootstrap: Option<&'a Bootstrap>,
    /// Whether they are kept by unit.
    pub keep_influence: bool,
    /// Whether the covariance of very many columns may be formed [in parts](Self::is_in_parts).
    pub parts: bool,
}

impl Work<'_> {
    /// Whether the covariance is formed in parts: of so many effects that one matrix would be large, which without covariates are combinations
    /// of few changes of the outcome in each stratum.
    pub fn is_in_parts(&self, sample: &Sample, precision: Precision) -> bool {
        let without_rows = sample.n_clusters.is_none() && !self.keep_influence;
        let of_changes = sample.design.is_constant() && precision == Precision::F64;
        self.parts && without_rows && of_changes && self.columns > MOST_WHOLE
    }

    /// An error if the covariance, the draws or the values kept do not fit in this machine's free memory, with so many
    /// devices at work.
    ///
    /// # Errors
    /// [`DidError::Memory`](crate::DidError::Memory).
    pub fn check_memory(
        &self,
        sample: &Sample,
        precision: Precision,
        devices: usize,
    ) -> Result<()> {
        let (m, n) = (self.columns as u128, sample.n as u128);
        let clusters = sample.n_clusters.map(|c| c as u128);
        let summed = m * m + m * clusters.unwrap_or(0);
        // Without covariates the values are sums of as many columns as there are periods, whose moments a tile forms.
        let by_period = sample.design.is_constant() && clusters.is_none() && !self.keep_influence;
        let columns_of_tile = if by_period { m.min(1 + sample.periods.len() as u128) } else { m };
        let covariance = match self.is_in_parts(sample, precision) {
            true => doubles_in_parts(sample.n_strata() as u128, columns_of_tile, m),
            false => 5 * m * m + sums(n, summed, columns_of_tile.pow(2), devices),
        };
        let remedy = "put groups and periods on a coarser grid, or name a coarser cluster column";
        memory::check("the covariance of the effects", 8 * covariance, remedy)?;
        let draws = self.draws(n, clusters, devices);
        memory::check(
            "the bootstrap (`draws`, `--biters`)",
            8 * (covariance + draws),
            "ask for fewer draws",
        )?;
        let influence_values = if self.keep_influence { 2 * m * n + LABEL / 8 * n } else { 0 };
        memory::check(
            "the influence values that are kept (`keep_influence`)",
            8 * (covariance + draws + influence_values),
            "do not keep influence values",
        )
    }

    /// Doubles of the draws: as they are formed, then as they are and combined.
    fn draws(&self, rows: u128, clusters: Option<u128>, devices: usize) -> u128 {
        let Some(bootstrap) = self.bootstrap else { return 0 };
        let (m, r) = (self.columns as u128, bootstrap.draws as u128);
        let threads = rayon::current_num_threads() as u128 * (m + BITS) * r;
        let formed = match (bootstrap.multiplier, clusters) {
            (Multiplier::Gaussian, _) => 2 * m * m + r,
            (_, Some(clusters)) => sums(clusters, 0, m * r, devices) + threads,
            (_, None) => sums(rows, m * r, m * r, devices) + threads,
        };
        formed + (2 * m + 1) * r
    }
}

/// Doubles of sums over `rows` while they are formed: of segments and of tiles in flight.
fn sums(rows: u128, sums: u128, tile: u128, devices: usize) -> u128 {
    let tiles = rows.div_ceil(TILE as u128).min(8 * rayon::current_num_threads() as u128);
    sums * (1 + 2 * devices.max(1) as u128) + tiles * tile
}
