//! Rows of many strata in one allocation, so that one launch reaches all of them.

use std::sync::atomic::{AtomicU64, Ordering};

use burn::tensor::{DType, Tensor, TensorPrimitive};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;
use burn_cubecl::{BoolElement, CubeBackend, FloatElement, IntElement};
use cubecl::prelude::Float;

use super::super::kernels::ColumnsLaunch;
use super::GpuRuntime;
use super::buffers::{Buffer, Gpu, guarded, index};
use super::launches::Launches;
use super::upload::{copy, upload};
use crate::base::error::Result;
use crate::engine::backend::HostRows;
use crate::engine::pass::{Chunk, Slab};

/// Rows that columns are padded to, so that each may be bound by itself.
const PADDED: usize = 128;

type Chunks<R, F, I, BT> = Vec<Chunk<CubeBackend<R, F, I, BT>>>;

/// The number of the next slab of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Columns of a sample: outcomes, covariates, weights.
pub(crate) struct SampleColumns {
    pub data: Buffer,
    /// Entries from a column to the next.
    pub stride: usize,
    /// First column of covariates.
    pub x: usize,
    /// First column of weights.
    pub w: usize,
}

impl SampleColumns {
    /// The columns that hold the rows of a chunk.
    pub(crate) fn of<R: GpuRuntime, F: FloatElement, I: IntElement, BT: BoolElement>(
        chunk: &Chunk<CubeBackend<R, F, I, BT>>,
    ) -> Result<(Gpu<R>, Self)> {
        let primitive =
            |t: &Tensor<CubeBackend<R, F, I, BT>, 2>| t.clone().into_primitive().tensor();
        let y = primitive(&chunk.y);
        let gpu = Gpu::of(&y);
        let x = chunk.y.dims()[0];
        let w = x + chunk.x.as_ref().map_or(0, |x| x.dims()[0]);
        let (data, stride) = if let Some(slab) = &chunk.slab {
            (Gpu::buffer(&primitive(&slab.columns)), slab.columns.dims()[1])
        } else {
            let covariates_and_weights = [&chunk.x, &chunk.w].into_iter().flatten().map(primitive);
            let parts: Vec<_> =
                std::iter::once(y).chain(covariates_and_weights).map(into_contiguous).collect();
            (gathered(&gpu, &parts)?, chunk.y.dims()[1])
        };
        if data.len() > gpu.largest() {
            let problem = format!("a chunk of {} numbers is too large: cut it", data.len());
            return Err(gpu.failed(&problem));
        }
        Ok((gpu, Self { data, stride, x, w }))
    }

    /// As the argument of a kernel.
    pub(crate) fn arg<F: Float, R: GpuRuntime>(&self) -> ColumnsLaunch<F, R> {
        columns_arg(&self.data, self.stride)
    }

    /// A matrix alone.
    pub(crate) fn alone<R: GpuRuntime>(matrix: CubeTensor<R>) -> Self {
        let matrix = into_contiguous(matrix);
        let stride = matrix.meta.shape()[1];
        Self { data: Gpu::buffer(&matrix), stride, x: 0, w: 0 }
    }
}

/// Columns that are `stride` entries apart, as the argument of a kernel.
pub(crate) fn columns_arg<F: Float, R: GpuRuntime>(
    data: &Buffer,
    stride: usize,
) -> ColumnsLaunch<F, R> {
    ColumnsLaunch::new(data.arg(), index(stride))
}

/// Contiguous matrices one after another.
fn gathered<R: GpuRuntime>(gpu: &Gpu<R>, parts: &[CubeTensor<R>]) -> Result<Buffer> {
    if let [part] = parts {
        return Ok(Gpu::buffer(part));
    }
    let buffers: Vec<Buffer> = parts.iter().map(Gpu::buffer).collect();
    let all = gpu.empty(buffers.iter().map(Buffer::len).sum());
    let work = Launches::new(gpu, buffers.len());
    let mut at = 0;
    for buffer in &buffers {
        copy(&work, buffer, &all, at, 1);
        at += buffer.len();
    }
    work.read(&[])?;
    Ok(all)
}

/// Rows of strata as chunks, in as few slabs as the device's largest allocation asks for.
pub(crate) fn hold<R: GpuRuntime, F: FloatElement, I: IntElement, BT: BoolElement>(
    rows: &[HostRows<'_>],
    k: usize,
    dtype: DType,
    device: &R::Device,
) -> Result<Chunks<R, F, I, BT>> {
    guarded::<R, _>(device, || {
        let gpu = Gpu::<R>::new(device, dtype);
        let mut chunks = Vec::with_capacity(rows.len());
        for rows in slabs(rows, gpu.largest()) {
            chunks.extend(slab(&gpu, rows, k)?);
        }
        Ok(chunks)
    })
}

/// Rows in groups whose columns have at most so many entries, as far as that is possible.
fn slabs<'a, 'b>(rows: &'a [HostRows<'b>], largest: usize) -> Vec<&'a [HostRows<'b>]> {
    let columns = rows.first().map_or(1, |r| r.columns().count());
    let fitting = (largest / columns).saturating_sub(PADDED);
    let mut groups = Vec::new();
    let (mut start, mut total) = (0, 0);
    for (i, part) in rows.iter().enumerate() {
        if i > start && total + part.range.len() > fitting {
            groups.push(&rows[start..i]);
            (start, total) = (i, 0);
        }
        total += part.range.len();
    }
    groups.push(&rows[start..]);
    groups
}

fn slab<R: GpuRuntime, F: FloatElement, I: IntElement, BT: BoolElement>(
    gpu: &Gpu<R>,
    rows: &[HostRows<'_>],
    k: usize,
) -> Result<Chunks<R, F, I, BT>> {
    let Some(part) = rows.first() else { return Ok(Vec::new()) };
    let total: usize = rows.iter().map(|r| r.range.len()).sum();
    let stride = total.next_multiple_of(PADDED);
    let counts = [part.y, part.x, part.w].map(|c| c.len() / part.rank.len());
    let columns: usize = counts.iter().sum();
    let data = upload(gpu, rows, columns, stride)?;
    let tensor = |first: usize, count: usize| {
        let matrix = gpu.matrix(&data, first * stride, [count, stride]);
        Tensor::from_primitive(TensorPrimitive::Float(matrix))
    };
    let [periods, covariates, weights] = counts;
    let slab = Slab { number: NEXT.fetch_add(1, Ordering::Relaxed), columns: tensor(0, columns) };
    let y = tensor(0, periods);
    let x = (covariates > 0).then(|| tensor(periods, covariates));
    let w = (weights > 0).then(|| tensor(periods + covariates, weights));
    let mut first = 0;
    let chunks = rows.iter().map(|part| {
        let range = part.range.clone();
        first += range.len();
        Chunk {
            stratum: part.stratum,
            rows: range.len(),
            first: first - range.len(),
            y: y.clone(),
            x: x.clone(),
            w: w.clone(),
            slab: Some(slab.clone()),
            rank: part.rank[range.clone()].to_vec(),
            cluster: part.cluster.get(range).map(<[u32]>::to_vec).unwrap_or_default(),
            k,
        }
    });
    Ok(chunks.collect())
}
