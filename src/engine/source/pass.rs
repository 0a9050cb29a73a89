//! The passes over conditioned rows.

use std::ops::Range;

use burn::tensor::Tensor;

use crate::base::error::Result;
use crate::engine::backend::host::{self, HostChunk};
use crate::engine::backend::{AtOnce, DidBackend, Matrix, Segments};
use crate::engine::pass::{
    Chunk, Gram, GramPass, InfluencePass, InfluenceStat, KEPT, KeptRows, LogitPass, LogitStat,
    Stat, StratumPlan, WeightingPass, WeightingStat, of_stratum,
};

/// A map from the chunks of a sample to an additive statistic.
pub(crate) trait Pass {
    /// Name in progress reports and traces.
    const NAME: &'static str;

    /// The statistic.
    type Stat;

    /// The statistic of no rows of any stratum.
    fn none(&self) -> Self::Stat;

    /// Whether the pass reads anything of this stratum.
    fn reads(&self, stratum: usize) -> bool;

    /// The stratum's part of the statistic, of no rows.
    fn none_of(&self, stratum: usize) -> Self::Stat;

    /// Adds the chunk's rows to its stratum's part, tile by tile; returns the rows that are kept.
    ///
    /// # Errors
    /// If the backend reports an error.
    fn accumulate<B: DidBackend>(
        &self,
        chunk: &Chunk<B>,
        part: &mut Self::Stat,
    ) -> Result<Option<KeptRows>>;

    /// The statistics of segments that one device holds, in one call: of all together and those `before`, or of each its stratum's
    /// part. `None` if that cannot be had.
    ///
    /// # Errors
    /// If the backend reports an error.
    fn at_once<B: DidBackend>(
        &self,
        device: &dyn AtOnce<B>,
        segments: &Segments<'_, B>,
        before: Option<&Self::Stat>,
    ) -> Result<Option<Vec<Self::Stat>>>;

    /// Adds a stratum's part to the statistic of all.
    ///
    /// # Errors
    /// [`DidError::Engine`] if the part has another size.
    fn merge(&self, total: &mut Self::Stat, stratum: usize, part: &Self::Stat) -> Result<()>;
}

impl Pass for GramPass {
    const NAME: &'static str = "cross-products";

    type Stat = Vec<Gram>;

    fn none(&self) -> Vec<Gram> {
        vec![Gram::zero(self.k, self.periods); self.jobs.len()]
    }

    fn reads(&self, stratum: usize) -> bool {
        !self.jobs_of(stratum).is_empty()
    }

    fn none_of(&self, stratum: usize) -> Vec<Gram> {
        let jobs = self.jobs_of(stratum);
        vec![Gram::zero(self.k, self.periods); jobs.len()]
    }

    fn accumulate<B: DidBackend>(
        &self,
        chunk: &Chunk<B>,
        part: &mut Vec<Gram>,
    ) -> Result<Option<KeptRows>> {
        let jobs = self.jobs_of(chunk.stratum);
        B::gram(chunk, &self.jobs[jobs], self.trim, part)?;
        Ok(None)
    }

    fn at_once<B: DidBackend>(
        &self,
        device: &dyn AtOnce<B>,
        segments: &Segments<'_, B>,
        before: Option<&Vec<Gram>>,
    ) -> Result<Option<Vec<Vec<Gram>>>> {
        let mut kinds = self.jobs.windows(2).map(|w| w[0].odds.is_some() == w[1].odds.is_some());
        if !kinds.all(|same| same) {
            return Ok(None);
        }
        device.gram(segments, &self.jobs, self.trim, before)
    }

    fn merge(&self, total: &mut Vec<Gram>, stratum: usize, part: &Vec<Gram>) -> Result<()> {
        total[self.jobs_of(stratum)].merge(part)
    }
}

impl Pass for LogitPass {
    const NAME: &'static str = "propensity scores";

    type Stat = Vec<LogitStat>;

    fn none(&self) -> Vec<LogitStat> {
        vec![LogitStat::zero(self.k); self.jobs.len()]
    }

    fn reads(&self, stratum: usize) -> bool {
        !self.jobs_of(stratum).is_empty()
    }

    fn none_of(&self, stratum: usize) -> Vec<LogitStat> {
        let jobs = self.jobs_of(stratum);
        vec![LogitStat::zero(self.k); jobs.len()]
    }

    fn accumulate<B: DidBackend>(
        &self,
        chunk: &Chunk<B>,
        part: &mut Vec<LogitStat>,
    ) -> Result<Option<KeptRows>> {
        let jobs = self.jobs_of(chunk.stratum);
        B::logit(chunk, self.thinning, &self.jobs[jobs], part)?;
        Ok(None)
    }

    fn at_once<B: DidBackend>(
        &self,
        device: &dyn AtOnce<B>,
        segments: &Segments<'_, B>,
        before: Option<&Vec<LogitStat>>,
    ) -> Result<Option<Vec<Vec<LogitStat>>>> {
        device.logit(segments, self.thinning, &self.jobs, before)
    }

    fn merge(
        &self,
        total: &mut Vec<LogitStat>,
        stratum: usize,
        part: &Vec<LogitStat>,
    ) -> Result<()> {
        total[self.jobs_of(stratum)].merge(part)
    }
}

impl Pass for InfluencePass {
    const NAME: &'static str = "influence values";

    type Stat = InfluenceStat;

    fn none(&self) -> InfluenceStat {
        InfluenceStat::zero(self.columns, &self.consumers)
    }

    fn reads(&self, stratum: usize) -> bool {
        let plan = self.strata.get(stratum);
        plan.is_some_and(|plan| !plan.columns.is_empty() || plan.share.is_some())
    }

    /// Of the columns that the stratum contributes to alone: a cohort has few of all cells.
    fn none_of(&self, stratum: usize) -> InfluenceStat {
        InfluenceStat::zero(self.active(stratum).len(), &self.consumers)
    }

    fn accumulate<B: DidBackend>(
        &self,
        chunk: &Chunk<B>,
        part: &mut InfluenceStat,
    ) -> Result<Option<KeptRows>> {
        let plan = self.strata[chunk.stratum].alone();
        let kept = B::influence(chunk, &plan, self.trim, &self.consumers, part)?;
        let active = self.active(chunk.stratum);
        Ok(kept.map(|rows| {
            let columns = rows.columns.iter().map(|column| active[*column]).collect();
            KeptRows { columns, ..rows }
        }))
    }

    fn at_once<B: DidBackend>(
        &self,
        device: &dyn AtOnce<B>,
        segments: &Segments<'_, B>,
        before: Option<&InfluenceStat>,
    ) -> Result<Option<Vec<InfluenceStat>>> {
        let Self { columns, trim, strata, consumers } = self;
        let stats = device.influence(segments, strata, *trim, *columns, consumers, before)?;
        if segments.together {
            return Ok(stats);
        }
        let part = |(stat, chunk): (InfluenceStat, &&Chunk<B>)| {
            stat.of_columns(&self.active(chunk.stratum), *columns)
        };
        Ok(stats.map(|stats| stats.into_iter().zip(&segments.chunks).map(part).collect()))
    }

    fn merge(&self, total: &mut InfluenceStat, stratum: usize, part: &InfluenceStat) -> Result<()> {
        total.merge_columns(&self.active(stratum), self.columns, part)
    }
}

impl InfluencePass {
    /// The columns that a stratum contributes to.
    fn active(&self, stratum: usize) -> Vec<usize> {
        self.strata.get(stratum).map(StratumPlan::active).unwrap_or_default()
    }
}

impl GramPass {
    fn jobs_of(&self, stratum: usize) -> Range<usize> {
        of_stratum(&self.jobs, stratum, |job| job.stratum)
    }
}

impl LogitPass {
    fn jobs_of(&self, stratum: usize) -> Range<usize> {
        of_stratum(&self.jobs, stratum, |job| job.stratum)
    }
}

impl Pass for WeightingPass {
    const NAME: &'static str = "weights";

    type Stat = Vec<WeightingStat>;

    fn none(&self) -> Vec<WeightingStat> {
        self.jobs.iter().map(|job| self.zero(job)).collect()
    }

    fn reads(&self, stratum: usize) -> bool {
        !self.jobs_of(stratum).is_empty()
    }

    fn none_of(&self, stratum: usize) -> Vec<WeightingStat> {
        self.jobs[self.jobs_of(stratum)].iter().map(|job| self.zero(job)).collect()
    }

    /// On the host, in double precision, wherever the rows are.
    fn accumulate<B: DidBackend>(
        &self,
        chunk: &Chunk<B>,
        part: &mut Vec<WeightingStat>,
    ) -> Result<Option<KeptRows>> {
        let jobs = self.jobs_of(chunk.stratum);
        let chunk = chunk.alone();
        let numbers = |tensor: Option<&Tensor<B, 2>>| {
            tensor.map_or(Ok(Vec::new()), |tensor| Matrix::from(tensor).download())
        };
        let (y, x) = (numbers(Some(&chunk.y))?, numbers(chunk.x.as_ref())?);
        let w = numbers(chunk.w.as_ref())?;
        let host = HostChunk {
            rows: chunk.rows,
            y: &y,
            x: &x,
            w: &w,
            rank: &chunk.rank,
            cluster: &chunk.cluster,
            k: chunk.k,
        };
        let values = host::weighting(&host, self, &jobs, part)?;
        let columns = (KEPT * jobs.start..KEPT * jobs.end).collect();
        Ok(self.keep_rows.then(|| KeptRows {
            ranks: chunk.rank.clone(),
            clusters: Vec::new(),
            columns,
            values,
        }))
    }

    fn at_once<B: DidBackend>(
        &self,
        _: &dyn AtOnce<B>,
        _: &Segments<'_, B>,
        _: Option<&Vec<WeightingStat>>,
    ) -> Result<Option<Vec<Vec<WeightingStat>>>> {
        Ok(None)
    }

    fn merge(
        &self,
        total: &mut Vec<WeightingStat>,
        stratum: usize,
        part: &Vec<WeightingStat>,
    ) -> Result<()> {
        total[self.jobs_of(stratum)].merge(part)
    }
}

impl WeightingPass {
    fn jobs_of(&self, stratum: usize) -> Range<usize> {
        of_stratum(&self.jobs, stratum, |job| job.stratum)
    }
}
