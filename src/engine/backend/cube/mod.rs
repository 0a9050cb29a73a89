//! `CubeCL` backends: the passes as kernels with reductions in a fixed order.
//!
//! A launch covers every row and everything that is asked of it ([`kernels`]); a second one adds the sums of the tiles in the
//! order in which the host would, and the result is read once. So neither the size of chunks nor the schedule of the device
//! changes a bit of a result in double precision. In single precision tiles are added in two floats, which have more digits
//! than the tiles' sums.

mod kernels;
mod levels;
mod passes;
mod runtime;

#[cfg(test)]
mod tests;

use burn::tensor::{Tensor, TensorPrimitive};
use burn_cubecl::{BoolElement, CubeBackend, FloatElement, IntElement};

use self::levels::DeviceSolver;
use self::passes::{
    AskedJobs, Cut, InfluencePlans, InfluenceQuestion, InfluenceSums, Jobs, MultiplierQuestion,
    Span, TileSums, Whole, mirror, of_tile, scratch,
};
pub use self::runtime::GpuRuntime;
use self::runtime::{Gpu, SampleColumns, guarded};
use super::{AtOnce, Availability, DidBackend, LevelDesign, LevelSolver, LevelWeights};
use crate::base::error::Result;
use crate::base::options::Precision;
use crate::engine::pass::{
    Chunk, Consumers, Gram, GramJob, InfluenceStat, KeptRows, LogitJob, LogitStat, Multipliers,
    StratumPlan, TILE,
};

/// Not implemented for `Fusion<CubeBackend<..>>`: fused backends have no double precision, so a build with burn's `fusion`
/// feature does not compile.
impl<R: GpuRuntime, F: FloatElement, I: IntElement, BT: BoolElement> DidBackend
    for CubeBackend<R, F, I, BT>
{
    const NAME: &'static str =
        if size_of::<F>() == size_of::<f64>() { R::NAME_IN_DOUBLES } else { R::NAME };

    fn probe(device: &Self::Device, precision: Precision) -> Result<Availability> {
        R::probe(device, precision)
    }

    fn at_once() -> Option<&'static dyn AtOnce<Self>> {
        Some(&Whole)
    }

    fn gram(chunk: &Chunk<Self>, jobs: &[GramJob], trim: f64, out: &mut [Gram]) -> Result<()> {
        guarded::<R, _>(&chunk.y.device(), || {
            let (gpu, columns, span) = of_chunk(chunk)?;
            // With and without odds are kernels of their own.
            let mut start = 0;
            for own in jobs.chunk_by(|a, b| a.odds.is_some() == b.odds.is_some()) {
                let asked = AskedJobs::of_chunk(span, own.len());
                let out = &mut out[start..start + own.len()];
                start += own.len();
                let jobs = Jobs::gram(&gpu, &columns, chunk.k, chunk.y.dims()[0], own, trim);
                let before = Some(jobs.of_grams(out));
                let sums = jobs.sums(&gpu, &columns, &asked, Cut::Tiles, before)?;
                out.clone_from_slice(&jobs.grams(&fitting(&gpu, sums)?));
            }
            Ok(())
        })
    }

    fn logit(
        chunk: &Chunk<Self>,
        thinning: usize,
        jobs: &[LogitJob],
        out: &mut [LogitStat],
    ) -> Result<()> {
        guarded::<R, _>(&chunk.y.device(), || {
            let (gpu, columns, span) = of_chunk(chunk)?;
            let asked = AskedJobs::of_chunk(span, jobs.len());
            let jobs = Jobs::logit(&gpu, &columns, chunk.k, jobs, thinning);
            let before = Some(jobs.of_logits(out));
            let sums = jobs.sums(&gpu, &columns, &asked, Cut::Tiles, before)?;
            for (out, stat) in out.iter_mut().zip(jobs.logits(&fitting(&gpu, sums)?)) {
                *out = LogitStat { max_p: out.max_p.max(stat.max_p), ..stat };
            }
            Ok(())
        })
    }

    fn influence(
        chunk: &Chunk<Self>,
        plan: &StratumPlan,
        trim: f64,
        consumers: &Consumers,
        out: &mut InfluenceStat,
    ) -> Result<Option<KeptRows>> {
        guarded::<R, _>(&chunk.y.device(), || influence_of(chunk, plan, trim, consumers, out))
    }

    fn influence_rows(
        chunk: &Chunk<Self>,
        plan: &StratumPlan,
        trim: f64,
        start: usize,
    ) -> Result<Tensor<Self, 2>> {
        guarded::<R, _>(&chunk.y.device(), || {
            let (gpu, columns, span) = of_chunk(chunk)?;
            let influence = InfluencePlans::new(&gpu, &columns, chunk.k, [plan], trim);
            let rows = TILE.min(chunk.rows - start);
            let values = influence.tile(&Span { first: span.first + start, rows, ..span })?;
            let active = plan.active().len();
            let matrix = gpu.matrix(&values, 0, [active, TILE]);
            let values = Tensor::from_primitive(TensorPrimitive::Float(matrix));
            Ok(values.slice([0..active, 0..rows]))
        })
    }

    fn cross_moments(tile: Tensor<Self, 2>) -> Result<Vec<f64>> {
        let shape = tile.dims();
        guarded::<R, _>(&tile.device(), || {
            let tile = tile.into_primitive().tensor();
            let mut cross =
                of_tile(&Gpu::of(&tile), SampleColumns::alone(tile), shape, TileSums::Products)?;
            mirror(&mut cross);
            Ok(cross)
        })
    }

    fn multiplier_sums(
        tile: Tensor<Self, 2>,
        rank: &[u64],
        spec: &Multipliers,
    ) -> Result<Vec<f64>> {
        let shape = tile.dims();
        guarded::<R, _>(&tile.device(), || {
            let tile = tile.into_primitive().tensor();
            of_tile(
                &Gpu::of(&tile),
                SampleColumns::alone(tile),
                shape,
                TileSums::Draws { spec: *spec, rank },
            )
        })
    }

    fn levels(
        design: &LevelDesign<'_>,
        weights: &LevelWeights<'_>,
        device: &Self::Device,
        precision: Precision,
    ) -> Result<Option<Box<dyn LevelSolver>>> {
        let held = DeviceSolver::<R>::hold(design, weights, device, precision)?;
        Ok(Some(Box::new(held)))
    }
}

/// The sums of a chunk, or an error where the working space did not suffice for them.
fn fitting<R: GpuRuntime, T>(gpu: &Gpu<R>, sums: Option<T>) -> Result<T> {
    let bytes = scratch(gpu);
    sums.ok_or_else(|| {
        gpu.failed(&format!(
            "what is formed of {TILE} rows needs more than {bytes} bytes; put groups and periods on a coarser grid, or \
             use the CPU backend"
        ))
    })
}

/// A chunk's columns and rows.
fn of_chunk<R: GpuRuntime, F: FloatElement, I: IntElement, BT: BoolElement>(
    chunk: &Chunk<CubeBackend<R, F, I, BT>>,
) -> Result<(Gpu<R>, SampleColumns, Span)> {
    let (gpu, columns) = SampleColumns::of(chunk)?;
    Ok((gpu, columns, Span { of: 0, row: 0, first: chunk.first, rows: chunk.rows }))
}

fn influence_of<R: GpuRuntime, F: FloatElement, I: IntElement, BT: BoolElement>(
    chunk: &Chunk<CubeBackend<R, F, I, BT>>,
    plan: &StratumPlan,
    trim: f64,
    consumers: &Consumers,
    out: &mut InfluenceStat,
) -> Result<Option<KeptRows>> {
    let (gpu, columns, span) = of_chunk(chunk)?;
    let influence = InfluencePlans::new(&gpu, &columns, chunk.k, [plan], trim);
    let clustered = consumers.clusters.is_some();
    let ranks = [chunk.rank.as_slice()];
    let multipliers = consumers.multipliers.filter(|_| !clustered);
    let question = InfluenceQuestion {
        columns: out.cross.len().isqrt(),
        rows: 1,
        sums: !clustered,
        multipliers: multipliers.map(|spec| MultiplierQuestion { spec, ranks: &ranks }),
        clusters: None,
        values: clustered || consumers.keep_rows,
    };
    let before = InfluenceSums {
        cross: std::mem::take(&mut out.cross),
        draws: std::mem::take(&mut out.draws),
        clusters: Vec::new(),
        values: Vec::new(),
    };
    let sums = influence.sums(&[span], &question, Cut::Tiles, Some(before))?;
    let InfluenceSums { cross, draws, values, .. } = fitting(&gpu, sums)?;
    (out.cross, out.draws) = (cross, draws);
    mirror(&mut out.cross);
    let active = plan.active();
    let mut kept_values =
        vec![0.0; if consumers.keep_rows { active.len() * chunk.rows } else { 0 }];
    for (tile, values) in values.chunks_exact((active.len() * TILE).max(1)).enumerate() {
        let start = tile * TILE;
        let end = chunk.rows.min(start + TILE);
        let columns = values.chunks_exact(TILE).map(|column| &column[..end - start]);
        if let Some(clusters) = consumers.clusters {
            let block: Vec<f64> = columns.clone().flatten().copied().collect();
            out.add_clusters(&active, clusters, &chunk.cluster[start..end], &block);
        }
        if consumers.keep_rows {
            for (j, column) in columns.enumerate() {
                kept_values[j * chunk.rows + start..j * chunk.rows + end].copy_from_slice(column);
            }
        }
    }
    Ok(consumers.keep_rows.then(|| KeptRows {
        ranks: chunk.rank.clone(),
        clusters: chunk.cluster.clone(),
        columns: active,
        values: kept_values,
    }))
}
