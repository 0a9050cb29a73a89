//! Passes over everything that a slab holds.

use burn::tensor::DType;
use burn_cubecl::{BoolElement, CubeBackend, FloatElement, IntElement};

use super::super::runtime::{GpuRuntime, SampleColumns, guarded, hold, meter};
use super::influence::InfluencePlans;
use super::influence_sums::{
    ClusterQuestion, InfluenceQuestion, InfluenceSums, MultiplierQuestion, mirror,
};
use super::jobs::{AskedJobs, Jobs};
use super::spans::{Cut, Span};
use crate::base::error::Result;
use crate::engine::backend::{AtOnce, DeviceWork, HostRows, Segments};
use crate::engine::pass::{
    Chunk, Consumers, Gram, GramJob, InfluenceStat, LogitJob, LogitStat, StratumPlan, of_stratum,
};

/// Passes over everything that a slab holds, on any `CubeCL` backend.
pub(crate) struct Whole;

impl<R: GpuRuntime, F: FloatElement, I: IntElement, BT: BoolElement>
    AtOnce<CubeBackend<R, F, I, BT>> for Whole
{
    fn hold(
        &self,
        rows: &[HostRows<'_>],
        k: usize,
        dtype: DType,
        device: &R::Device,
    ) -> Result<Vec<Chunk<CubeBackend<R, F, I, BT>>>> {
        hold(rows, k, dtype, device)
    }

    fn gram(
        &self,
        segments: &Segments<'_, CubeBackend<R, F, I, BT>>,
        jobs: &[GramJob],
        trim: f64,
        before: Option<&Vec<Gram>>,
    ) -> Result<Option<Vec<Vec<Gram>>>> {
        let Some(chunk) = segments.chunks.first() else { return Ok(None) };
        guarded::<R, _>(&chunk.y.device(), || {
            let (gpu, columns) = SampleColumns::of(chunk)?;
            let form = Jobs::gram(&gpu, &columns, chunk.k, chunk.y.dims()[0], jobs, trim);
            let asked = asked(segments, jobs, |job| job.stratum);
            let before = before.map(|before| form.of_grams(before));
            let sums = form.sums(&gpu, &columns, &asked, Cut::Segments, before)?;
            Ok(sums.map(|sums| split(&asked, segments.together, form.grams(&sums))))
        })
    }

    fn logit(
        &self,
        segments: &Segments<'_, CubeBackend<R, F, I, BT>>,
        thinning: usize,
        jobs: &[LogitJob],
        before: Option<&Vec<LogitStat>>,
    ) -> Result<Option<Vec<Vec<LogitStat>>>> {
        let Some(chunk) = segments.chunks.first() else { return Ok(None) };
        guarded::<R, _>(&chunk.y.device(), || {
            let (gpu, columns) = SampleColumns::of(chunk)?;
            let form = Jobs::logit(&gpu, &columns, chunk.k, jobs, thinning);
            let asked = asked(segments, jobs, |job| job.stratum);
            let sums_before = before.map(|before| form.of_logits(before));
            let sums = form.sums(&gpu, &columns, &asked, Cut::Segments, sums_before)?;
            let Some(sums) = sums else { return Ok(None) };
            let mut stats = form.logits(&sums);
            for (stat, before) in stats.iter_mut().zip(before.into_iter().flatten()) {
                stat.max_p = stat.max_p.max(before.max_p);
            }
            Ok(Some(split(&asked, segments.together, stats)))
        })
    }

    fn influence(
        &self,
        segments: &Segments<'_, CubeBackend<R, F, I, BT>>,
        plans: &[StratumPlan],
        trim: f64,
        columns: usize,
        consumers: &Consumers,
        before: Option<&InfluenceStat>,
    ) -> Result<Option<Vec<InfluenceStat>>> {
        let Some(chunk) = segments.chunks.first() else { return Ok(None) };
        let Consumers { clusters, multipliers, keep_rows } = *consumers;
        if keep_rows || clusters.is_some() && !segments.together {
            return Ok(None);
        }
        guarded::<R, _>(&chunk.y.device(), || {
            let (gpu, data) = SampleColumns::of(chunk)?;
            let spans = spans(segments);
            let influence = InfluencePlans::new(&gpu, &data, chunk.k, plans, trim);
            let ranks: Vec<&[u64]> = segments.chunks.iter().map(|c| c.rank.as_slice()).collect();
            let rows = if segments.together { 1 } else { spans.len() };
            let cluster: Vec<u32> = match clusters {
                None => Vec::new(),
                Some(_) => segments.chunks.iter().flat_map(|c| &c.cluster).copied().collect(),
            };
            let question = InfluenceQuestion {
                columns,
                rows,
                sums: clusters.is_none(),
                multipliers: multipliers.map(|spec| MultiplierQuestion { spec, ranks: &ranks }),
                clusters: clusters.map(|count| ClusterQuestion { count, of_rows: &cluster }),
                values: false,
            };
            let before = before.map(InfluenceSums::of);
            let sums = influence.sums(&spans, &question, Cut::Segments, before)?;
            let Some(InfluenceSums { cross, draws, clusters, .. }) = sums else { return Ok(None) };
            if question.clusters.is_some() {
                let none = InfluenceStat::zero(columns, consumers);
                return Ok(Some(vec![InfluenceStat { clusters, ..none }]));
            }
            let draws_of_row = draws.len() / rows;
            let stat = |row: usize| {
                let mut cross = cross[row * columns * columns..][..columns * columns].to_vec();
                mirror(&mut cross);
                let draws = draws[row * draws_of_row..][..draws_of_row].to_vec();
                InfluenceStat { cross, clusters: Vec::new(), draws }
            };
            Ok(Some((0..rows).map(stat).collect()))
        })
    }

    fn work(&self) -> DeviceWork {
        meter::take()
    }
}

/// The rows of segments: of each its own, or of each stratum all, with the stratum as what is formed of them. Rows of a
/// stratum follow one another in a slab.
fn spans<R: GpuRuntime, F: FloatElement, I: IntElement, BT: BoolElement>(
    segments: &Segments<'_, CubeBackend<R, F, I, BT>>,
) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for (number, chunk) in segments.chunks.iter().enumerate() {
        let Chunk { stratum, first, rows, .. } = **chunk;
        let row = if segments.together { 0 } else { number };
        match spans.last_mut() {
            Some(last)
                if segments.together && last.of == stratum && last.first + last.rows == first =>
            {
                last.rows += rows;
            }
            _ => spans.push(Span { of: stratum, row, first, rows }),
        }
    }
    spans
}

/// Jobs, which are ordered by stratum, of segments.
fn asked<R: GpuRuntime, F: FloatElement, I: IntElement, BT: BoolElement, J>(
    segments: &Segments<'_, CubeBackend<R, F, I, BT>>,
    jobs: &[J],
    stratum: impl Fn(&J) -> usize,
) -> AskedJobs {
    let mut asked = AskedJobs { spans: spans(segments), jobs: Vec::new(), rows: 0 };
    for (position, span) in asked.spans.iter_mut().enumerate() {
        let jobs_of_span = of_stratum(jobs, span.of, &stratum);
        span.row = if segments.together { jobs_of_span.start } else { asked.rows };
        span.of = position;
        asked.rows += jobs_of_span.len();
        asked.jobs.push(jobs_of_span);
    }
    if segments.together {
        asked.rows = jobs.len();
    }
    asked
}

/// Statistics of all rows of outputs: of all segments together, or those of each.
fn split<S>(asked: &AskedJobs, together: bool, stats: Vec<S>) -> Vec<Vec<S>> {
    if together {
        return vec![stats];
    }
    let mut stats = stats.into_iter();
    asked.jobs.iter().map(|own| stats.by_ref().take(own.len()).collect()).collect()
}
