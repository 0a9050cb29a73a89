//! From rows on the host to a chunk on a device.

use crate::backend::{DidBackend, Matrix};
use crate::options::Precision;
use crate::panel::StratumData;
use crate::pass::Chunk;

/// Moves rows of a stratum to a device; `k` counts the design columns, the constant included.
pub(super) fn upload<B: DidBackend>(
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

/// Rows `start..end` of a stratum.
pub(super) fn cut(data: &StratumData, start: usize, end: usize) -> StratumData {
    let columns = |v: &[f64]| -> Vec<f64> {
        v.chunks_exact(data.rows).flat_map(|c| &c[start..end]).copied().collect()
    };
    StratumData {
        rows: end - start,
        y: columns(&data.y),
        x: columns(&data.x),
        w: columns(&data.w),
        rank: data.rank[start..end].to_vec(),
        cluster: data.cluster.get(start..end).map(<[u32]>::to_vec).unwrap_or_default(),
    }
}
