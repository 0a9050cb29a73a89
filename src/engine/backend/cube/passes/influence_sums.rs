//! Sums over influence values: which are asked for, and how they are formed batch by batch.

use std::ops::Range;

use super::super::runtime::{Buffer, Gpu, GpuRuntime, Launches};
use super::basis::OfBatch;
use super::batch::BatchSpans;
use super::clusters::ClusterSums;
use super::draws::RowMultipliers;
use super::fold::{Fold, FoldShape};
use super::spans::Cut;
use super::values::TileValues;
use crate::base::error::Result;
use crate::engine::pass::{InfluenceStat, Multipliers};

/// Sums over influence values, of all columns of the sample.
#[derive(Clone)]
pub(crate) struct InfluenceSums {
    /// Upper triangles, `[rows, m, m]`.
    pub cross: Vec<f64>,
    /// `[rows, m, R]`.
    pub draws: Vec<f64>,
    /// Sums by cluster, `[m, C]`, if they are formed.
    pub clusters: Vec<f64>,
    /// The values, `[tiles, columns, TILE]`, if they are formed.
    pub values: Vec<f64>,
}

impl InfluenceSums {
    /// Those of earlier rows.
    pub(crate) fn of(stat: &InfluenceStat) -> Self {
        let InfluenceStat { cross, clusters, draws } = stat.clone();
        Self { cross, draws, clusters, values: Vec::new() }
    }

    /// Those of no rows.
    pub(crate) fn zero(question: &InfluenceQuestion<'_>) -> Self {
        let (m, rows) = (question.columns, question.rows);
        Self {
            cross: vec![0.0; rows * m * m],
            draws: vec![0.0; rows * m * question.draws()],
            clusters: vec![0.0; m * question.clusters.map_or(0, |clusters| clusters.count)],
            values: Vec::new(),
        }
    }

    /// Whether a product of one of the `m` columns with itself says that terms cancelled.
    pub(crate) fn is_marked(&self, m: usize) -> bool {
        let squares =
            self.cross.chunks_exact((m * m).max(1)).flat_map(|row| row.iter().step_by(m + 1));
        squares.copied().any(|square| square.is_nan() || square >= f64::MAX)
    }
}

/// Which sums are to be formed.
pub(crate) struct InfluenceQuestion<'a> {
    /// Influence columns `m`.
    pub columns: usize,
    /// Statistics: spans are added to that of their `row`.
    pub rows: usize,
    /// Whether products and draws are formed.
    pub sums: bool,
    pub multipliers: Option<MultiplierQuestion<'a>>,
    pub clusters: Option<ClusterQuestion<'a>>,
    /// Whether the values themselves are read, of a chunk.
    pub values: bool,
}

/// Draws for which multiplied sums are formed.
#[derive(Clone, Copy)]
pub(crate) struct MultiplierQuestion<'a> {
    pub spec: Multipliers,
    /// The rank of every row of the spans, in order.
    pub ranks: &'a [&'a [u64]],
}

/// Clusters to sum within.
#[derive(Clone, Copy)]
pub(crate) struct ClusterQuestion<'a> {
    /// Number of clusters `C`.
    pub count: usize,
    /// The cluster of every row of the spans, in order.
    pub of_rows: &'a [u32],
}

impl InfluenceQuestion<'_> {
    /// Number of draws.
    pub(crate) fn draws(&self) -> usize {
        self.multipliers.map_or(0, |multipliers| multipliers.spec.draws)
    }
}

/// What the sums of a batch are formed of: values, or a basis, or both where terms of the basis cancel.
pub(crate) struct Summed<'p, 'c, 'b> {
    pub parts: &'p BatchSpans<'c>,
    /// Which of all rows they are.
    pub rows: Range<usize>,
    pub values: Option<TileValues<'p, 'c>>,
    pub basis: Option<OfBatch<'b>>,
}

/// The sums of a question, to which batches are added.
pub(crate) struct Outputs<'a, R: GpuRuntime> {
    gpu: &'a Gpu<R>,
    cross: Output<'a, R>,
    draws: Output<'a, R>,
    multipliers: Option<RowMultipliers>,
    clusters: Option<(ClusterSums<'a, R>, &'a [u32])>,
    /// Whether values are kept, and those that are.
    keeps_values: bool,
    kept: Vec<Buffer>,
}

/// Sums that are formed, or those that there were before.
enum Output<'a, R: GpuRuntime> {
    Formed(Fold<'a, R>),
    Left(Vec<f64>),
}

impl<'a, R: GpuRuntime> Output<'a, R> {
    fn new(gpu: &'a Gpu<R>, shape: Option<FoldShape>, cut: Cut, before: Option<Vec<f64>>) -> Self {
        match shape {
            Some(shape) => Self::Formed(Fold::new(gpu, shape, cut, before)),
            None => Self::Left(before.unwrap_or_default()),
        }
    }

    fn buffer(&self) -> Option<&Buffer> {
        match self {
            Self::Formed(fold) => Some(fold.out()),
            Self::Left(_) => None,
        }
    }

    /// The sums, where `read` gives what was read of the buffer.
    fn finish(self, read: impl FnOnce() -> Result<Vec<f64>>) -> Result<Vec<f64>> {
        match self {
            Self::Formed(fold) => fold.finish(&read()?),
            Self::Left(before) => Ok(before),
        }
    }
}

impl<'a, R: GpuRuntime> Outputs<'a, R> {
    /// Sums that start from those `before`; `None` if those by cluster need more working space than there is.
    pub(crate) fn new(
        gpu: &'a Gpu<R>,
        question: &InfluenceQuestion<'a>,
        cut: Cut,
        before: Option<InfluenceSums>,
    ) -> Option<Self> {
        let (m, rows) = (question.columns, question.rows);
        let [cross, draws, by_cluster] = match before {
            None => [None, None, None],
            Some(InfluenceSums { cross, draws, clusters, .. }) => {
                [cross, draws, clusters].map(Some)
            }
        };
        let of_draws =
            question.multipliers.map(|asked| FoldShape::draws(rows, m, asked.spec.draws));
        let clusters = match question.clusters {
            None => None,
            Some(ClusterQuestion { count, of_rows }) => {
                Some((ClusterSums::new(gpu, m, count, by_cluster.as_deref())?, of_rows))
            }
        };
        Some(Self {
            gpu,
            cross: Output::new(gpu, question.sums.then(|| FoldShape::pairs(rows, m)), cut, cross),
            draws: Output::new(gpu, of_draws, cut, draws),
            multipliers: question
                .multipliers
                .map(|asked| RowMultipliers::new(gpu, asked.spec, asked.ranks)),
            clusters,
            keeps_values: question.values,
            kept: Vec::new(),
        })
    }

    /// Adds a batch.
    pub(crate) fn add(&mut self, work: &Launches<'_, R>, batch: Summed<'_, '_, '_>) {
        let Summed { parts, rows, values, basis } = batch;
        if let Output::Formed(fold) = &mut self.cross {
            let direct = values.as_ref().map(|values| values.products(work));
            let partial = match &basis {
                Some(basis) => Some(basis.map_products(work, parts, direct)),
                None => direct,
            };
            if let Some(partial) = &partial {
                parts.add(work, partial, fold);
            }
        }
        if let (Output::Formed(fold), Some(draws)) = (&mut self.draws, &self.multipliers) {
            let direct = values.as_ref().map(|values| values.draws(work, draws, rows.start));
            let partial = match &basis {
                Some(basis) => Some(basis.draws(work, parts, draws, rows.start, direct)),
                None => direct,
            };
            if let Some(partial) = &partial {
                parts.add(work, partial, fold);
            }
        }
        if let (Some((sums, of_rows)), Some(values)) = (&mut self.clusters, &values) {
            sums.add(work, values, &of_rows[rows]);
        }
        if self.keeps_values {
            self.kept.extend(values.map(|values| values.buffer));
        }
    }

    /// Reads the sums.
    pub(crate) fn read(self, work: Launches<'_, R>) -> Result<InfluenceSums> {
        let Self { gpu, cross, draws, clusters, kept, .. } = self;
        let folds = cross.buffer().into_iter().chain(draws.buffer());
        let by_cluster = clusters.iter().map(|(sums, _)| sums.out());
        let outputs: Vec<&Buffer> = folds.chain(by_cluster).chain(&kept).collect();
        let mut read = work.read(&outputs)?.into_iter();
        let mut next =
            || read.next().ok_or_else(|| gpu.failed("fewer results than were asked for"));
        let cross = cross.finish(&mut next)?;
        let draws = draws.finish(&mut next)?;
        let clusters = match clusters {
            None => Vec::new(),
            Some((sums, _)) => sums.finish(&next()?)?,
        };
        Ok(InfluenceSums { cross, draws, clusters, values: read.flatten().collect() })
    }
}

/// The lower triangle from the upper one, of a matrix `[m, m]`.
pub(crate) fn mirror(cross: &mut [f64]) {
    let m = cross.len().isqrt();
    for i in 0..m {
        for j in 0..i {
            cross[i * m + j] = cross[j * m + i];
        }
    }
}
