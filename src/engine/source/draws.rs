//! Bootstrap weights: further weight columns of a sample, one a draw, that multiply the sampling weights. They are independent
//! standard exponential numbers (the Bayesian bootstrap of Rubin 1981), or how often units were drawn with replacement (the
//! empirical bootstrap of Efron 1979).

use std::sync::Arc;

use burn::tensor::backend::Backend;
use serde::{Deserialize, Serialize};

use crate::base::error::{DidError, Result};
use crate::base::memory;
use crate::base::parallel;
use crate::base::random::{DRAWS_PER_BLOCK, exponentials, times_drawn};
use crate::engine::backend::Matrix;
use crate::engine::pass::Chunk;
use crate::read::panel::Sample;

/// Draws made at a time.
const BATCH: usize = 4 * DRAWS_PER_BLOCK;

/// What the numbers of a draw are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum DrawNumbers {
    /// Exponential: functions of the seed, the draw and the row.
    Exponential,
    /// How often each unit, or cluster, was drawn with replacement, `[draw][unit]`: functions of the draw as a whole. They have no
    /// form in bytes, as a worker of a cluster has no place for them.
    #[serde(skip)]
    Times(Arc<Vec<Vec<u16>>>),
}

/// Which draws.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReweightedDraws {
    pub seed: u64,
    /// First draw in blocks of [`DRAWS_PER_BLOCK`].
    block: u32,
    pub count: usize,
    /// Whether all rows of a cluster share their numbers.
    pub by_cluster: bool,
    numbers: DrawNumbers,
}

impl ReweightedDraws {
    /// `draws` draws of exponential numbers in batches.
    pub fn batches(seed: u64, draws: usize, by_cluster: bool) -> impl Iterator<Item = Self> {
        (0u32..).zip((0..draws).step_by(BATCH)).map(move |(batch, first)| Self {
            seed,
            block: batch * (BATCH / DRAWS_PER_BLOCK) as u32,
            count: BATCH.min(draws - first),
            by_cluster,
            numbers: DrawNumbers::Exponential,
        })
    }

    /// `draws` draws of a sample's units, or clusters, with replacement, in batches.
    ///
    /// # Errors
    /// [`DidError::Memory`] if a batch has no room.
    pub fn redrawn(
        seed: u64,
        draws: usize,
        sample: &Sample,
    ) -> Result<impl Iterator<Item = Self> + use<>> {
        let by_cluster = sample.n_clusters.is_some();
        let units = sample.n_clusters.unwrap_or(sample.n);
        let room = (size_of::<u16>() * BATCH * units) as u128;
        memory::check("the draws of units", room, "use the multiplier bootstrap")?;
        Ok(Self::batches(seed, draws, by_cluster).map(move |batch| {
            let first = batch.block * DRAWS_PER_BLOCK as u32;
            let times = |r: usize| times_drawn(seed, first + r as u32, units);
            let of = Arc::new(parallel::map(batch.count, times));
            Self { numbers: DrawNumbers::Times(of), ..batch }
        }))
    }
}

impl ReweightedDraws {
    /// Whether they are no more than one batch.
    #[cfg(feature = "cluster")]
    pub fn is_a_batch(&self) -> bool {
        (1..=BATCH).contains(&self.count)
    }
}

impl ReweightedDraws {
    /// The chunk with a weight column for each draw behind its own.
    ///
    /// # Errors
    /// [`DidError::Engine`] for a row that nobody drew among.
    pub fn reweight<B: Backend>(&self, chunk: &Chunk<B>) -> Result<Chunk<B>> {
        let Self { seed, block, count, by_cluster, ref numbers } = *self;
        let clusters: Vec<u64>;
        let of = if by_cluster {
            clusters = chunk.cluster.iter().copied().map(u64::from).collect();
            &clusters
        } else {
            &chunk.rank
        };
        let values = match numbers {
            DrawNumbers::Exponential => exponentials(seed, block, count, of),
            DrawNumbers::Times(draws) => {
                let mut values = Vec::with_capacity(draws.len() * of.len());
                for times in &**draws {
                    for unit in of {
                        let drawn = usize::try_from(*unit).ok().and_then(|unit| times.get(unit));
                        let drawn = drawn.ok_or_else(|| not_among(*unit, times.len()))?;
                        values.push(f64::from(*drawn));
                    }
                }
                values
            }
        };
        let chunk = chunk.alone();
        let drawn = Matrix::from(&chunk.y).upload_like(values, [count, chunk.rows]);
        let w = match &chunk.w {
            Some(w) => Matrix::stack(vec![w.into(), drawn]),
            None => drawn,
        };
        Ok(Chunk { w: Some(w.into()), ..chunk })
    }
}

fn not_among(unit: u64, units: usize) -> DidError {
    let problem = format!("a row belongs to unit or cluster {unit}, and {units} were drawn among");
    DidError::Engine { problem }
}

#[cfg(feature = "cluster")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::options::Precision;
    use crate::engine::backend::Cpu;
    use crate::engine::source::put;
    use crate::read::panel::StratumData;

    /// Two draws among three units.
    fn drawn() -> ReweightedDraws {
        let numbers = DrawNumbers::Times(Arc::new(vec![vec![0, 2, 1], vec![3, 0, 0]]));
        ReweightedDraws { seed: 1, block: 0, count: 2, by_cluster: false, numbers }
    }

    fn chunk(rank: Vec<u64>) -> Chunk<Cpu> {
        let rows = rank.len();
        let (y, w) = (vec![1.0; rows], vec![0.5; rows]);
        let data = StratumData { rows, y, w, rank, ..StratumData::default() };
        put(0, data, 1, Precision::F64, &Default::default()).expect("a chunk")
    }

    #[test]
    fn units_weigh_as_often_as_they_were_drawn() {
        let w = drawn().reweight(&chunk(vec![2, 1])).expect("units of the table").w;
        let w = Matrix::from(&w.expect("weights")).download().expect("numbers");
        assert_eq!(w, [0.5, 0.5, 1.0, 2.0, 0.0, 0.0]);
    }

    #[test]
    fn a_unit_that_is_not_in_the_table_is_an_error_and_not_zero() {
        let error = drawn().reweight(&chunk(vec![2, 3])).expect_err("three units").to_string();
        assert!(error.contains("unit or cluster 3, and 3 were drawn among"), "{error}");
    }

    #[test]
    fn draws_of_whole_units_have_no_form_in_bytes() {
        assert!(postcard::to_allocvec(&drawn()).is_err());
        let exponential = ReweightedDraws::batches(1, 2, false).next().expect("a batch");
        assert!(postcard::to_allocvec(&exponential).is_ok());
    }
}
