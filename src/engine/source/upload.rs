//! From rows on the host to a chunk on a device.

use std::ops::Range;

use crate::base::error::{DidError, Result};
use crate::base::options::Precision;
use crate::engine::backend::{DidBackend, HostRows, Matrix};
use crate::engine::pass::Chunk;
use crate::read::panel::StratumData;

/// Moves rows of a stratum to a device; `k` counts the design columns, the constant included.
fn upload<B: DidBackend>(
    stratum: usize,
    data: StratumData,
    k: usize,
    precision: Precision,
    device: &B::Device,
) -> Chunk<B> {
    let StratumData { rows, y, x, w, rank, cluster } = data;
    let upload = |v: Vec<f64>| {
        let shape = [v.len() / rows, rows];
        Matrix::upload(v, shape, device, precision.dtype()).into()
    };
    Chunk {
        stratum,
        rows,
        first: 0,
        y: upload(y),
        x: (!x.is_empty()).then(|| upload(x)),
        w: (!w.is_empty()).then(|| upload(w)),
        slab: None,
        rank,
        cluster,
        k,
    }
}

/// As [`upload`], by the calls that a backend has for many rows if it has them.
pub(crate) fn put<B: DidBackend>(
    stratum: usize,
    data: StratumData,
    k: usize,
    precision: Precision,
    device: &B::Device,
) -> Result<Chunk<B>> {
    let Some(at_once) = B::at_once() else {
        return Ok(upload(stratum, data, k, precision, device));
    };
    let rows = host_rows(stratum, &data, 0..data.rows);
    let mut chunks = at_once.hold(&[rows], k, precision.dtype(), device)?;
    let none = || DidError::Engine { problem: "rows were uploaded as no chunk".into() };
    chunks.pop().ok_or_else(none)
}

/// Rows of a stratum as a backend is given them.
pub(super) fn host_rows(stratum: usize, data: &StratumData, range: Range<usize>) -> HostRows<'_> {
    HostRows {
        stratum,
        range,
        y: &data.y,
        x: &data.x,
        w: &data.w,
        rank: &data.rank,
        cluster: &data.cluster,
    }
}
