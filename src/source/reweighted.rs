//! A sample with bootstrap weights: every pass sees further weight columns of independent standard exponential numbers, one
//! a draw, that multiply the sampling weights (the Bayesian bootstrap of Rubin 1981).

use burn::tensor::backend::Backend;
use serde::{Deserialize, Serialize};

use super::{AnyPass, AnyStat, ClusterWork, Keep, Source, Work};
use crate::backend::{DeviceWork, Matrix};
use crate::error::Result;
use crate::options::Precision;
use crate::panel::Sample;
use crate::pass::Chunk;
use crate::random::{DRAWS_PER_BLOCK, exponentials};

/// Draws made at a time.
const BATCH: usize = 4 * DRAWS_PER_BLOCK;

/// Which draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Draws {
    pub seed: u64,
    /// First draw in blocks of [`DRAWS_PER_BLOCK`].
    block: u32,
    pub count: usize,
    /// Whether all rows of a cluster share their numbers.
    pub by_cluster: bool,
}

impl Draws {
    /// `draws` draws in batches.
    pub fn batches(seed: u64, draws: usize, by_cluster: bool) -> impl Iterator<Item = Self> {
        (0u32..).zip((0..draws).step_by(BATCH)).map(move |(batch, first)| Self {
            seed,
            block: batch * (BATCH / DRAWS_PER_BLOCK) as u32,
            count: BATCH.min(draws - first),
            by_cluster,
        })
    }
}

impl Draws {
    /// Whether they are no more than one batch.
    #[cfg(any(feature = "cluster", test))]
    pub fn is_a_batch(&self) -> bool {
        (1..=BATCH).contains(&self.count)
    }
}

/// A source whose chunks have further weight columns.
pub(crate) struct Reweighted<'a, S> {
    pub source: &'a S,
    pub draws: Draws,
}

impl<S: Source> Source for Reweighted<'_, S> {
    fn sample(&self) -> &Sample {
        self.source.sample()
    }

    fn backend(&self) -> &str {
        self.source.backend()
    }

    fn precision(&self) -> Precision {
        self.source.precision()
    }

    fn device_work(&self) -> Option<DeviceWork> {
        self.source.device_work()
    }

    fn cluster_work(&self) -> Option<ClusterWork> {
        self.source.cluster_work()
    }

    fn check(&self, work: &Work<'_>) -> Result<()> {
        self.source.check(work)
    }

    fn answer(&self, pass: &AnyPass, keep: &mut Keep<'_>) -> Result<AnyStat> {
        self.source.answer(&pass.clone().reweighted(self.draws), keep)
    }
}

impl Draws {
    /// The chunk with a weight column for each draw behind its own.
    pub fn reweight<B: Backend>(&self, chunk: &Chunk<B>) -> Chunk<B> {
        let Self { seed, block, count, by_cluster } = *self;
        let values = if by_cluster {
            let clusters: Vec<u64> = chunk.cluster.iter().copied().map(u64::from).collect();
            exponentials(seed, block, count, &clusters)
        } else {
            exponentials(seed, block, count, &chunk.rank)
        };
        let chunk = chunk.alone();
        let drawn = Matrix::from(&chunk.y).upload_like(values, [count, chunk.rows]);
        let w = match &chunk.w {
            Some(w) => Matrix::stack(vec![w.into(), drawn]),
            None => drawn,
        };
        Chunk { w: Some(w.into()), ..chunk }
    }
}
