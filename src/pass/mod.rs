//! Passes: maps from a chunk of units to a small additive statistic.
//!
//! Everything that touches unit data is one of three passes. Notation for shapes: `n` rows of a chunk, `P` outcome
//! columns, `k` design columns *including* a leading constant that is never stored, `V` covariate versions, `m` influence
//! columns, `R` bootstrap draws, `C` clusters.

mod chunk;
mod gram;
mod influence;
mod logit;

use std::ops::Range;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::backend::DidBackend;
use crate::error::Result;

pub use chunk::{Chunk, Weight};
pub use gram::{Gram, GramJob, GramPass, UNTRIMMED};
pub use influence::{
    Consumers, Dot, InfluencePass, InfluenceStat, Leg, Multipliers, PlanColumn, Share, StratumPlan,
};
pub use logit::{LogitJob, LogitPass, LogitStat};

/// Rows of a reduction tile. Every backend sums within tiles aligned to the start of a stratum and adds the tiles in
/// order, so results depend neither on chunk sizes (multiples of it) nor on the number of threads.
pub const TILE: usize = 4096;

/// A map from chunks to an additive statistic.
pub trait Pass: Clone + Serialize + DeserializeOwned + Sync {
    /// Name in progress reports and traces.
    const NAME: &'static str;

    /// The statistic.
    type Stat: Stat;

    /// The statistic of no rows.
    fn identity(&self) -> Self::Stat;

    /// Whether the pass reads anything of this stratum.
    fn reads(&self, stratum: usize) -> bool;

    /// Adds the chunk's rows to `stat`, tile by tile.
    ///
    /// # Errors
    /// What the backend reports.
    fn accumulate<B: DidBackend>(&self, chunk: &Chunk<B>, stat: &mut Self::Stat) -> Result<()>;
}

/// An additive statistic: f64 on the host.
pub trait Stat: Serialize + DeserializeOwned + Send {
    /// Adds the statistic of other rows.
    fn merge(&mut self, other: Self);
}

/// Positions of a stratum's jobs, which are ordered by stratum.
fn of_stratum<J>(jobs: &[J], stratum: usize, key: impl Fn(&J) -> usize) -> Range<usize> {
    let before = |s: usize| jobs.partition_point(|j| key(j) < s);
    before(stratum)..before(stratum + 1)
}

/// `a += b`, entry by entry.
pub(crate) fn add(a: &mut [f64], b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += b;
    }
}
