//! Sums of influence values by cluster.

use super::super::kernels::{self, CLUSTER_UNITS};
use super::super::runtime::{Buffer, Gpu, GpuRuntime, Launches, grid, index, launch};
use super::scratch;
use super::values::TileValues;
use crate::base::error::Result;
use crate::base::parallel;
use crate::engine::pass::{SEGMENT, TILE};

/// Sums `[columns, clusters]` that are formed batch by batch.
pub(crate) struct ClusterSums<'a, R: GpuRuntime> {
    gpu: &'a Gpu<R>,
    columns: usize,
    clusters: usize,
    out: Buffer,
    begun: bool,
}

impl<'a, R: GpuRuntime> ClusterSums<'a, R> {
    /// Sums that start from `before`, or from nothing; `None` if they need more working space than there is.
    pub(crate) fn new(
        gpu: &'a Gpu<R>,
        columns: usize,
        clusters: usize,
        before: Option<&[f64]>,
    ) -> Option<Self> {
        let numbers = columns.checked_mul(clusters)?.checked_mul(gpu.numbers_of_a_sum())?;
        let fits = numbers.checked_mul(gpu.width())? <= scratch(gpu);
        fits.then(|| {
            let out = before.map_or_else(|| gpu.empty(numbers), |before| gpu.sums(before));
            Self { gpu, columns, clusters, out, begun: before.is_some() }
        })
    }

    /// Adds a batch of values, whose rows have these clusters.
    #[expect(unsafe_code, reason = "launches are unchecked")]
    pub(crate) fn add(
        &mut self,
        work: &Launches<'_, R>,
        values: &TileValues<'_, '_>,
        cluster: &[u32],
    ) {
        let gpu = self.gpu;
        let pieces = ClusterPieces::of(values, cluster, self.clusters);
        let counts = values.parts.0.iter().map(|part| index(part.active.len())).collect();
        let width = values.parts.width();
        let count = pieces.spans.len();
        let units = count * width;
        let partial = gpu.empty(units * gpu.numbers_of_a_sum());
        let spans = gpu.indices(pieces.spans);
        // SAFETY: rows are entries of the values; a unit writes the sum of its piece and column.
        unsafe {
            launch!(
                work,
                kernels::add_rows,
                grid(units.div_ceil(CLUSTER_UNITS)),
                CLUSTER_UNITS,
                values.buffer.arg(),
                gpu.indices(pieces.rows).arg(),
                gpu.indices(pieces.starts).arg(),
                spans.arg(),
                gpu.indices(counts).arg(),
                partial.arg(),
                index(count),
                index(width),
                index(values.stride),
                0
            );
        }
        // SAFETY: members are pieces; a unit writes the sum of its cluster and column.
        unsafe {
            launch!(
                work,
                kernels::add_clusters,
                grid((self.columns * self.clusters).div_ceil(CLUSTER_UNITS)),
                CLUSTER_UNITS,
                partial.arg(),
                gpu.indices(pieces.members).arg(),
                gpu.indices(pieces.firsts).arg(),
                spans.arg(),
                gpu.indices(values.parts.local(self.columns)).arg(),
                self.out.arg(),
                index(self.columns),
                index(self.clusters),
                index(width),
                u32::from(self.begun),
                0
            );
        }
        self.begun = true;
    }

    /// What is to be read.
    pub(crate) fn out(&self) -> &Buffer {
        &self.out
    }

    /// The sums from what was read of [`out`](Self::out).
    pub(crate) fn finish(self, read: &[f64]) -> Result<Vec<f64>> {
        let sums = self.gpu.whole_sums(read);
        if sums.len() != self.columns * self.clusters {
            let problem =
                format!("{} cluster sums came of {}", sums.len(), self.columns * self.clusters);
            return Err(self.gpu.failed(&problem));
        }
        Ok(sums)
    }
}

/// The rows of each cluster in each segment of a batch.
#[derive(Debug, Default, PartialEq)]
struct ClusterPieces {
    /// Entry of each row's value in its part's first column, by piece.
    rows: Vec<u32>,
    /// First row of each piece, and one past the last.
    starts: Vec<u32>,
    /// Part of each piece.
    spans: Vec<u32>,
    /// The pieces of each cluster, in order.
    members: Vec<u32>,
    /// First of each cluster's pieces, and one past the last.
    firsts: Vec<u32>,
}

impl ClusterPieces {
    fn of(values: &TileValues<'_, '_>, cluster: &[u32], clusters: usize) -> Self {
        let mut segments = Vec::new();
        let mut first = 0;
        for (number, part) in values.parts.0.iter().enumerate() {
            let starts = (0..part.span.rows).step_by(SEGMENT);
            segments.extend(starts.map(|start| {
                let end = part.span.rows.min(start + SEGMENT);
                (number, start, &cluster[first + start..first + end])
            }));
            first += part.span.rows;
        }
        let sorted = parallel::map(segments.len(), |i| {
            let (_, start, cluster) = segments[i];
            let mut rows: Vec<(u32, u32)> = cluster.iter().copied().zip(index(start)..).collect();
            rows.sort_unstable();
            rows
        });
        let mut pieces = Self { firsts: vec![0; clusters + 1], ..Self::default() };
        let mut of_cluster = Vec::new();
        for ((number, ..), rows) in segments.iter().zip(&sorted) {
            let tiles = values.parts.0[*number].entries();
            for piece in rows.chunk_by(|a, b| a.0 == b.0) {
                pieces.starts.push(index(pieces.rows.len()));
                pieces.spans.push(index(*number));
                pieces.firsts[piece[0].0 as usize + 1] += 1;
                of_cluster.push(piece[0].0 as usize);
                let entry = |row: usize| index(tiles.first + row / TILE * tiles.step + row % TILE);
                pieces.rows.extend(piece.iter().map(|(_, row)| entry(*row as usize)));
            }
        }
        pieces.starts.push(index(pieces.rows.len()));
        for c in 0..clusters {
            pieces.firsts[c + 1] += pieces.firsts[c];
        }
        let mut next = pieces.firsts.clone();
        pieces.members = vec![0; of_cluster.len()];
        for (piece, cluster) in (0u32..).zip(of_cluster) {
            pieces.members[next[cluster] as usize] = piece;
            next[cluster] += 1;
        }
        pieces
    }
}
