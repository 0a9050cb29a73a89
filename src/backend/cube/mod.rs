//! `CubeCL` backends: the passes as kernels with two-pass reductions in a fixed order.
//!
//! A kernel returns the sums of each tile, and the host adds them in order in double precision, so neither the size of
//! chunks nor the schedule of the device changes a bit of the result.

mod buffers;
mod kernels;
#[cfg(feature = "wgpu")]
mod known;
mod products;
mod tables;

#[cfg(feature = "cuda")]
mod cuda;
#[cfg(feature = "wgpu")]
mod wgpu;

#[cfg(test)]
mod tests;

use burn::tensor::{Tensor, TensorPrimitive};
use burn_cubecl::tensor::CubeTensor;
use burn_cubecl::{BoolElement, CubeBackend, CubeRuntime, FloatElement, IntElement};
use cubecl::prelude::{CubeCount, CubeDim};

use self::buffers::{Gpu, Matrices, address, guarded};
use self::kernels::{Form, GROUP, Law};
use self::products::{Products, for_tiles};
use self::tables::{PlanTables, index, odds_settings};
use super::{Availability, DidBackend};
use crate::error::Result;
use crate::options::{Multiplier, Precision};
use crate::pass::{
    Chunk, Consumers, Gram, GramJob, InfluenceStat, KeptRows, LogitJob, LogitStat, Multipliers,
    StratumPlan, TILE, add,
};
use crate::random::{MAMMEN_LOWER, halves, law_levels};

/// Bytes of influence values and their results held at once.
const BATCH_BYTES: usize = 1 << 27;

/// Units of a cube in the kernels without a reduction.
const UNITS: usize = 128;

/// A `CubeCL` runtime that the passes run on.
pub trait GpuRuntime: CubeRuntime {
    /// Name in reports.
    const NAME: &'static str;

    /// Name of the backend whose numbers are doubles.
    const NAME_IN_DOUBLES: &'static str = Self::NAME;

    /// Whether the device exists and can do this precision, and how much memory it offers.
    ///
    /// # Errors
    /// [`DidError::Precision`](crate::DidError::Precision) or [`DidError::Device`](crate::DidError::Device).
    fn probe(device: &Self::Device, precision: Precision) -> Result<Availability>;
}

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

    fn gram(chunk: &Chunk<Self>, jobs: &[GramJob], trim: f64, out: &mut [Gram]) -> Result<()> {
        guarded::<R, _>(&chunk.y.device(), || {
            let (gpu, matrices) = Matrices::of(chunk);
            let (k, periods) = (chunk.k, chunk.y.dims()[0]);
            let launch = |job: &GramJob| {
                let mut numbers = odds_settings(gpu.dtype, trim);
                numbers.extend(job.odds.iter().flatten());
                let products = Products {
                    form: if job.odds.is_some() { Form::Odds } else { Form::Weighted },
                    height: k,
                    columns: k + periods,
                    k,
                    version: job.x,
                    weight: job.w,
                    treated: false,
                    thinning: 1,
                };
                (products, gpu.floats(numbers))
            };
            let launches: Vec<_> = jobs.iter().map(launch).collect();
            for_tiles(&gpu, &matrices, &launches, chunk.rows, |job, tile| {
                let out = &mut out[job];
                tile.for_each(|i, j, sum| {
                    if j >= k {
                        out.zy[i * periods + j - k] += sum;
                    } else {
                        add_symmetric(&mut out.zz, k, i, j, sum);
                    }
                });
            })
        })
    }

    fn logit(
        chunk: &Chunk<Self>,
        thinning: usize,
        jobs: &[LogitJob],
        out: &mut [LogitStat],
    ) -> Result<()> {
        guarded::<R, _>(&chunk.y.device(), || {
            let (gpu, matrices) = Matrices::of(chunk);
            let k = chunk.k;
            let launch = |job: &LogitJob| {
                let mut numbers = odds_settings(gpu.dtype, 1.0);
                numbers.extend(&job.gamma);
                let products = Products {
                    form: Form::Logit,
                    height: k,
                    columns: k + 1,
                    k,
                    version: job.x,
                    weight: job.w,
                    treated: job.treated,
                    thinning,
                };
                (products, gpu.floats(numbers))
            };
            let launches: Vec<_> = jobs.iter().map(launch).collect();
            for_tiles(&gpu, &matrices, &launches, chunk.rows, |job, tile| {
                let out = &mut out[job];
                tile.for_each(|i, j, sum| {
                    if j == k {
                        out.score[i] += sum;
                    } else {
                        add_symmetric(&mut out.hessian, k, i, j, sum);
                    }
                });
                let odds = tile.largest_odds();
                out.max_p = out.max_p.max(odds / (1.0 + odds));
            })
        })
    }

    fn influence(
        chunk: &Chunk<Self>,
        plan: &StratumPlan,
        trim: f64,
        consumers: &Consumers,
        out: &mut InfluenceStat,
    ) -> Result<Option<KeptRows>> {
        guarded::<R, _>(&chunk.y.device(), || influence(chunk, plan, trim, consumers, out))
    }

    fn influence_rows(
        chunk: &Chunk<Self>,
        plan: &StratumPlan,
        trim: f64,
        start: usize,
    ) -> Tensor<Self, 2> {
        let (gpu, matrices) = Matrices::of(chunk);
        let tables = PlanTables::new(&gpu, plan, chunk.k, trim);
        let rows = TILE.min(chunk.rows - start);
        let values = influence_values(&gpu, &matrices, &tables, chunk.k, start, rows);
        Tensor::from_primitive(TensorPrimitive::Float(values))
    }

    fn cross_moments(tile: Tensor<Self, 2>) -> Result<Vec<f64>> {
        guarded::<R, _>(&tile.device(), || {
            let [m, rows] = tile.dims();
            let y = tile.clone().into_primitive().tensor();
            let gpu = Gpu::of(&y);
            let matrices = Matrices::only(&gpu, y);
            let mut cross = vec![0.0; m * m];
            let jobs = [(Products::plain(m), gpu.floats(vec![0.0]))];
            for_tiles(&gpu, &matrices, &jobs, rows, |_, tile| {
                tile.for_each(|i, j, sum| add_symmetric(&mut cross, m, i, j, sum));
            })?;
            Ok(cross)
        })
    }

    fn multiplier_sums(
        tile: Tensor<Self, 2>,
        rank: &[u64],
        spec: &Multipliers,
    ) -> Result<Vec<f64>> {
        guarded::<R, _>(&tile.device(), || {
            let m = tile.dims()[0];
            let u = tile.clone().into_primitive().tensor();
            let gpu = Gpu::of(&u);
            let mut sums = vec![0.0; m * spec.draws];
            for result in gpu.read(vec![multiplied(&gpu, &u, rank, spec)])? {
                result.chunks_exact(sums.len()).for_each(|part| add(&mut sums, part));
            }
            Ok(sums)
        })
    }
}

fn add_symmetric(out: &mut [f64], k: usize, i: usize, j: usize, sum: f64) {
    out[i * k + j] += sum;
    if i != j {
        out[j * k + i] += sum;
    }
}

/// Forms batches of tiles, whose results are read in one synchronisation, and adds their tiles in order.
fn influence<R: GpuRuntime, F: FloatElement, I: IntElement, BT: BoolElement>(
    chunk: &Chunk<CubeBackend<R, F, I, BT>>,
    plan: &StratumPlan,
    trim: f64,
    consumers: &Consumers,
    out: &mut InfluenceStat,
) -> Result<Option<KeptRows>> {
    let active = plan.active();
    let m = active.len();
    let (gpu, matrices) = Matrices::of(chunk);
    let tables = PlanTables::new(&gpu, plan, chunk.k, trim);
    let clustered = consumers.clusters.is_some();
    let cross = Products::plain(m);
    let multipliers = consumers.multipliers.filter(|_| !clustered);
    let mut kept = vec![0.0; if consumers.keep_rows { m * chunk.rows } else { 0 }];
    let draws = multipliers.map_or(0, |s| s.draws);
    let tile_bytes = ((m + tables.dots) * TILE + m * draws) * gpu.dtype.size();
    let batch = (BATCH_BYTES / tile_bytes).max(1) * TILE;

    for start in (0..chunk.rows).step_by(batch) {
        let rows = batch.min(chunk.rows - start);
        let range = start..start + rows;
        let values = influence_values(&gpu, &matrices, &tables, chunk.k, start, rows);
        let mut results = Vec::new();
        if !clustered {
            let numbers = gpu.floats(vec![0.0]);
            let values = Matrices::only(&gpu, values.clone());
            results.push(cross.launch(&gpu, &values, &numbers, 0, rows));
        }
        if let Some(spec) = &multipliers {
            results.push(multiplied(&gpu, &values, &chunk.rank[range.clone()], spec));
        }
        if clustered || consumers.keep_rows {
            results.push(values);
        }
        let mut results = gpu.read(results)?.into_iter();
        let mut next =
            || results.next().ok_or_else(|| gpu.failed("fewer results than were asked for"));
        if !clustered {
            let columns = out.cross.len().isqrt();
            let sums = next()?;
            for tile in cross.tiles(&sums) {
                tile.for_each(|i, j, sum| {
                    add_symmetric(&mut out.cross, columns, active[i], active[j], sum);
                });
            }
        }
        if multipliers.is_some() {
            for tile in next()?.chunks_exact(m * draws) {
                out.add_draws(&active, draws, tile);
            }
        }
        let block = if clustered || consumers.keep_rows { next()? } else { Vec::new() };
        if let Some(clusters) = consumers.clusters {
            let cluster = &chunk.cluster[range.clone()];
            out.add_clusters(&active, clusters, cluster, &block);
        }
        if consumers.keep_rows {
            for (j, column) in block.chunks_exact(rows).enumerate() {
                let at = j * chunk.rows;
                kept[at + range.start..at + range.end].copy_from_slice(column);
            }
        }
    }
    let ranks = &chunk.rank;
    Ok(consumers.keep_rows.then(|| KeptRows {
        ranks: ranks.clone(),
        columns: active,
        values: kept,
    }))
}

/// Influence values `[active, rows]` of the rows from `start` on.
fn influence_values<R: GpuRuntime>(
    gpu: &Gpu<R>,
    matrices: &Matrices<R>,
    tables: &PlanTables<R>,
    k: usize,
    start: usize,
    rows: usize,
) -> CubeTensor<R> {
    let Matrices { y, x, w } = matrices;
    let groups = index(rows.div_ceil(UNITS));
    let dots = gpu.empty([tables.dots.max(1), rows]);
    if tables.dots > 0 {
        kernels::linear_predictors::launch::<R>(
            &gpu.client,
            CubeCount::Static(groups, index(tables.dots), 1),
            CubeDim::new_1d(index(UNITS)),
            address(&[x, &dots]),
            x.clone().into_tensor_arg(),
            tables.coefficients.clone().into_array_arg(),
            tables.versions.clone().into_array_arg(),
            dots.clone().into_array_arg(),
            index(start),
            index(rows),
            index(k),
            gpu.dtype.into(),
        );
    }
    let values = gpu.empty([tables.columns, rows]);
    kernels::influence_values::launch::<R>(
        &gpu.client,
        CubeCount::Static(groups, index(tables.columns), 1),
        CubeDim::new_1d(index(UNITS)),
        address(&[y, w, &dots, &values]),
        y.clone().into_tensor_arg(),
        w.clone().into_tensor_arg(),
        dots.into_array_arg(),
        tables.numbers.clone().into_array_arg(),
        tables.legs.clone().into_array_arg(),
        values.clone().into_array_arg(),
        index(start),
        index(rows),
        gpu.dtype.into(),
    );
    values
}

/// Multiplied sums of each tile of `u [m, rows]`, `[tiles, m, R]`.
fn multiplied<R: GpuRuntime>(
    gpu: &Gpu<R>,
    u: &CubeTensor<R>,
    rank: &[u64],
    spec: &Multipliers,
) -> CubeTensor<R> {
    let (m, rows) = (u.meta.shape()[0], u.meta.shape()[1]);
    let tiles = rows.div_ceil(TILE);
    let (last, levels) = law_levels(spec.law);
    let values = std::iter::once(last).chain(levels.into_iter().map(|l| last + l)).collect();
    let law = match spec.law {
        Multiplier::Mammen => Law::Mammen,
        Multiplier::Rademacher | Multiplier::Gaussian => Law::Rademacher,
        Multiplier::Webb => Law::Webb,
    };
    let [seed_low, seed_high] = halves(spec.seed);
    let [fraction_low, fraction_high] = halves(MAMMEN_LOWER);
    let out = gpu.empty([tiles * m * spec.draws]);
    let draw_blocks = spec.draws.div_ceil(UNITS);
    kernels::multiplied_sums::launch::<R>(
        &gpu.client,
        CubeCount::Static(index(draw_blocks), index(tiles), index(m.div_ceil(GROUP))),
        CubeDim::new_1d(index(UNITS)),
        address(&[u, &out]),
        u.clone().into_tensor_arg(),
        gpu.indices(rank.iter().flat_map(|rank| halves(*rank)).collect()).into_array_arg(),
        gpu.floats(values).into_array_arg(),
        out.clone().into_array_arg(),
        index(rows),
        index(m),
        index(spec.draws),
        seed_low,
        seed_high,
        fraction_low,
        fraction_high,
        law,
        gpu.dtype.into(),
    );
    out
}
