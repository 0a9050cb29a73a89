//! The rows of one stratum, as columns.

use std::io::{Read, Result, Write};

use serde::{Deserialize, Serialize};

use super::sample::WeightLayout;

/// Data of one stratum, rows in canonical order. Shapes as in [`Chunk`](crate::engine::pass::Chunk).
#[derive(Clone, Debug, Default)]
pub(crate) struct StratumData {
    pub rows: usize,
    pub y: Vec<f64>,
    pub x: Vec<f64>,
    pub w: Vec<f64>,
    pub rank: Vec<u64>,
    pub cluster: Vec<u32>,
}

impl StratumData {
    /// Rows `start..end`.
    pub fn cut(&self, start: usize, end: usize) -> Self {
        let columns = |v: &[f64]| {
            let columns = v.chunks_exact(self.rows.max(1));
            let mut cut = Vec::with_capacity(columns.len() * (end - start));
            columns.for_each(|column| cut.extend_from_slice(&column[start..end]));
            cut
        };
        Self {
            rows: end - start,
            y: columns(&self.y),
            x: columns(&self.x),
            w: columns(&self.w),
            rank: self.rank[start..end].to_vec(),
            cluster: self.cluster.get(start..end).map(<[u32]>::to_vec).unwrap_or_default(),
        }
    }

    /// Copies `n` rows of another piece of the stratum, from its row `from_at` on, to the rows from `at` on.
    pub fn copy_rows(&mut self, at: usize, from: &Self, from_at: usize, n: usize) {
        let (to_rows, from_rows) = (self.rows.max(1), from.rows.max(1));
        for (to, from) in [(&mut self.y, &from.y), (&mut self.x, &from.x), (&mut self.w, &from.w)] {
            for (to, from) in to.chunks_exact_mut(to_rows).zip(from.chunks_exact(from_rows)) {
                to[at..at + n].copy_from_slice(&from[from_at..from_at + n]);
            }
        }
        self.rank[at..at + n].copy_from_slice(&from.rank[from_at..from_at + n]);
        if !from.cluster.is_empty() {
            self.cluster[at..at + n].copy_from_slice(&from.cluster[from_at..from_at + n]);
        }
    }

    /// Writes the first `rows` rows, column by column.
    pub fn write(&self, rows: usize, out: &mut impl Write) -> Result<()> {
        let columns = [&self.y, &self.x, &self.w].into_iter();
        for column in columns.flat_map(|c| c.chunks_exact(self.rows.max(1))) {
            out.write_all(bytemuck::cast_slice(&column[..rows]))?;
        }
        out.write_all(bytemuck::cast_slice(&self.rank[..rows]))?;
        let clusters = rows.min(self.cluster.len());
        out.write_all(bytemuck::cast_slice(&self.cluster[..clusters]))
    }

    /// Reads all rows, as they were written.
    pub fn read(&mut self, from: &mut impl Read) -> Result<()> {
        for column in [&mut self.y, &mut self.x, &mut self.w] {
            from.read_exact(bytemuck::cast_slice_mut(column))?;
        }
        from.read_exact(bytemuck::cast_slice_mut(&mut self.rank))?;
        from.read_exact(bytemuck::cast_slice_mut(&mut self.cluster))
    }
}

/// Columns of a stratum, the same for all strata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StratumShape {
    /// Outcome columns.
    pub periods: usize,
    /// Covariate versions.
    pub versions: usize,
    /// Covariates without the constant.
    pub covariates: usize,
    pub weights: WeightLayout,
    /// Whether units can be missing in some periods.
    pub presence: bool,
    /// Whether one of a unit's outcomes is subtracted from all.
    pub changes: bool,
    pub clustered: bool,
}

impl StratumShape {
    /// Weight columns: weights, and for unbalanced panels presence and the units' mean weights.
    pub fn weight_columns(&self) -> usize {
        match (self.presence, self.weights) {
            (true, WeightLayout::Constant) => self.periods,
            (true, _) => 2 * self.periods + 1,
            (false, _) => self.sampling_columns(),
        }
    }

    /// Columns of sampling weights by period.
    pub fn sampling_columns(&self) -> usize {
        match (self.presence, self.weights) {
            (_, WeightLayout::Constant) => 0,
            (false, WeightLayout::Invariant) => 1,
            _ => self.periods,
        }
    }

    /// Columns of doubles.
    pub fn columns(&self) -> usize {
        self.periods + self.versions * self.covariates + self.weight_columns()
    }

    /// Bytes of a row.
    pub fn row_bytes(&self) -> u64 {
        8 * self.columns() as u64 + 8 + 4 * u64::from(self.clustered)
    }

    /// An empty stratum of `rows` rows.
    pub fn stratum(&self, rows: usize) -> StratumData {
        StratumData {
            rows,
            y: vec![0.0; self.periods * rows],
            x: vec![0.0; self.versions * self.covariates * rows],
            w: vec![0.0; self.weight_columns() * rows],
            rank: vec![0; rows],
            cluster: if self.clustered { vec![0; rows] } else { Vec::new() },
        }
    }
}
