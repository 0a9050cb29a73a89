//! A sample with bootstrap weights: every pass sees further weight columns of independent standard exponential numbers, one
//! a draw, that multiply the sampling weights (the Bayesian bootstrap of Rubin 1981).

use serde::{Deserialize, Serialize};

use crate::backend::{DidBackend, Matrix};
use crate::cell::PlannedCell;
use crate::error::Result;
use crate::kernel::{DRAWS_PER_BLOCK, exponentials};
use crate::options::Precision;
use crate::panel::Sample;
use crate::pass::{Chunk, Pass, Weight};
use crate::source::{Source, Work};

/// Draws made at a time.
const BATCH: usize = 4 * DRAWS_PER_BLOCK;

/// Which draws.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Draws {
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

/// A source whose chunks have further weight columns.
pub(super) struct Reweighted<'a, S> {
    pub source: &'a S,
    pub draws: Draws,
}

impl<S: Source> Reweighted<'_, S> {
    /// The cell once for each draw.
    pub fn cells(&self, cell: &PlannedCell) -> Vec<PlannedCell> {
        let first = self.source.sample().weight_columns;
        let draw = |r: usize| {
            let mut cell = cell.clone();
            let parts =
                cell.sides.iter_mut().flat_map(|s| s.treated.iter_mut().chain(&mut s.control));
            for part in parts {
                part.w = match part.w {
                    Weight::Ones => Weight::Column(first + r),
                    // Products belong to unbalanced panels, which two periods do not have.
                    Weight::Column(j) | Weight::Product(j, _) => Weight::Product(j, first + r),
                };
            }
            cell
        };
        (0..self.draws.count).map(draw).collect()
    }
}

impl<S: Source> Source for Reweighted<'_, S> {
    fn sample(&self) -> &Sample {
        self.source.sample()
    }

    fn backend(&self) -> &'static str {
        self.source.backend()
    }

    fn precision(&self) -> Precision {
        self.source.precision()
    }

    fn outcome_columns(&self) -> usize {
        self.source.outcome_columns()
    }

    fn check(&self, work: &Work<'_>) -> Result<()> {
        self.source.check(work)
    }

    fn run<P: Pass>(&self, pass: &P) -> Result<P::Stat> {
        self.source.run(&ReweightedPass { pass: pass.clone(), draws: self.draws })
    }
}

/// A pass over chunks with further weight columns.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "")]
struct ReweightedPass<P: Pass> {
    pass: P,
    draws: Draws,
}

impl<P: Pass> Pass for ReweightedPass<P> {
    const NAME: &'static str = P::NAME;

    type Stat = P::Stat;

    fn identity(&self) -> Self::Stat {
        self.pass.identity()
    }

    fn reads(&self, stratum: usize) -> bool {
        self.pass.reads(stratum)
    }

    fn accumulate<B: DidBackend>(&self, chunk: &Chunk<B>, stat: &mut Self::Stat) -> Result<()> {
        let Draws { seed, block, count, by_cluster } = self.draws;
        let rank = if by_cluster { &chunk.cluster } else { &chunk.rank };
        let drawn = exponentials(seed, block, count, rank);
        let drawn = Matrix::from(&chunk.y).upload_like(drawn, [count, chunk.rows]);
        let w = match &chunk.w {
            Some(w) => Matrix::stack(vec![w.into(), drawn]),
            None => drawn,
        };
        self.pass.accumulate(&Chunk { w: Some(w.into()), ..chunk.clone() }, stat)
    }
}
