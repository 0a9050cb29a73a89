//! Sums of tiles into the sums that are read.

use super::super::kernels::{self, FOLD_UNITS, OUTPUTS, Start, Summands};
use super::super::runtime::{Buffer, Gpu, GpuRuntime, Launches, grid, index, launch};
use super::products::Blocks;
use super::spans::{Cut, RowTable, SegmentTable};
use crate::base::error::Result;

/// Outputs that are formed batch by batch.
pub(crate) struct Fold<'a, R: GpuRuntime> {
    gpu: &'a Gpu<R>,
    shape: FoldShape,
    cut: Cut,
    out: Buffer,
    start: Start,
    /// Sums of earlier tiles that the outputs did not begin from.
    before: Option<Vec<f64>>,
}

/// What the outputs are sums of, and how many there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoldShape {
    pub parts: Summands,
    /// Jobs, or statistics of influence columns.
    pub rows: usize,
    /// Outputs of a row.
    pub entries: usize,
    /// Number of influence columns, if the outputs belong to influence columns.
    pub columns: usize,
    /// Numbers of a part of a tile.
    pub size: usize,
}

impl FoldShape {
    /// Products of every pair of `m` columns.
    pub(crate) fn pairs(rows: usize, m: usize) -> Self {
        let size = Blocks::plain(m).size();
        Self { parts: Summands::Pairs, rows, entries: m * m, columns: m, size }
    }

    /// Multiplied sums of `m` columns.
    pub(crate) fn draws(rows: usize, m: usize, draws: usize) -> Self {
        Self { parts: Summands::Draws, rows, entries: m * draws, columns: m, size: draws }
    }

    fn width(&self) -> usize {
        self.entries.next_multiple_of(OUTPUTS)
    }
}

/// A batch's parts of tiles, and where they are.
pub(crate) struct Tiles<'a> {
    pub partial: &'a Buffer,
    pub rows: &'a RowTable,
    pub segments: &'a SegmentTable,
    /// Position in each span of every influence column.
    pub local: &'a [u32],
}

impl<'a, R: GpuRuntime> Fold<'a, R> {
    /// Sums that start from `before`, or from nothing: from those of earlier segments or, where `cut` is between tiles, of
    /// earlier tiles of the same segment.
    pub(crate) fn new(
        gpu: &'a Gpu<R>,
        shape: FoldShape,
        cut: Cut,
        before: Option<Vec<f64>>,
    ) -> Self {
        let outputs = shape.rows * shape.width();
        let (out, start, before) = match before {
            Some(before) if gpu.doubles() || cut == Cut::Segments => {
                let mut padded = vec![0.0; outputs];
                for (row, before) in
                    padded.chunks_exact_mut(shape.width()).zip(before.chunks_exact(shape.entries))
                {
                    row[..shape.entries].copy_from_slice(before);
                }
                let start = if cut == Cut::Tiles { Start::Tiles } else { Start::Segments };
                (gpu.sums(&padded), start, None)
            }
            before => (gpu.empty(outputs * gpu.numbers_of_a_sum()), Start::Zero, before),
        };
        Self { gpu, shape, cut, out, start, before }
    }

    /// Adds a batch.
    #[expect(unsafe_code, reason = "launches are unchecked")]
    pub(crate) fn add(&mut self, work: &Launches<'_, R>, tiles: &Tiles<'_>) {
        let (gpu, shape) = (self.gpu, self.shape);
        let cubes = shape.rows * shape.width() / OUTPUTS;
        // SAFETY: rows name segments, and these cubes of `partial`; each output is written by one unit.
        unsafe {
            launch!(
                work,
                kernels::add_tiles,
                grid(cubes),
                FOLD_UNITS,
                tiles.partial.arg(),
                gpu.indices(tiles.rows.entries.clone()).arg(),
                gpu.indices(tiles.segments.entries.clone()).arg(),
                gpu.indices(tiles.local.to_vec()).arg(),
                self.out.arg(),
                index(cubes),
                index(shape.width()),
                index(shape.entries),
                index(shape.columns),
                index(shape.size),
                0,
                shape.parts,
                self.start
            );
        }
        self.start = match (self.cut, gpu.doubles()) {
            (Cut::Tiles, true) => Start::Tiles,
            _ => Start::Segments,
        };
    }

    pub(crate) fn shape(&self) -> FoldShape {
        self.shape
    }

    /// What is to be read.
    pub(crate) fn out(&self) -> &Buffer {
        &self.out
    }

    /// The outputs, `[rows, entries]`, from what was read of [`out`](Self::out).
    pub(crate) fn finish(self, read: &[f64]) -> Result<Vec<f64>> {
        let read = self.gpu.whole_sums(read);
        let FoldShape { rows, entries, .. } = self.shape;
        if read.len() != rows * self.shape.width() {
            let problem = format!("{} sums came of {}", read.len(), rows * self.shape.width());
            return Err(self.gpu.failed(&problem));
        }
        let sums = read.chunks_exact(self.shape.width()).flat_map(|row| &row[..entries]);
        Ok(match self.before {
            None => sums.copied().collect(),
            Some(before) => sums.zip(before).map(|(sum, before)| before + sum).collect(),
        })
    }
}
