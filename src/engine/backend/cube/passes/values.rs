//! Influence values, and sums of their tiles.

use super::super::kernels::layout::product_span;
use super::super::runtime::{Buffer, Gpu, GpuRuntime, Launches, SampleColumns};
use super::batch::{BatchSpans, Partial};
use super::draws::{Multiplied, MultipliedSpan, RowMultipliers};
use super::fold::{Fold, FoldShape};
use super::products::{self, Blocks, Factors};
use super::spans::{Cut, Span, SpanTable, TilePlaces};
use crate::base::error::Result;
use crate::engine::pass::Multipliers;

/// Values of parts, tile by tile, in columns that are `stride` apart.
pub(crate) struct TileValues<'p, 'a> {
    pub buffer: Buffer,
    pub stride: usize,
    pub parts: &'p BatchSpans<'a>,
}

impl TileValues<'_, '_> {
    /// Products of every pair of columns.
    pub(crate) fn products<R: GpuRuntime>(&self, work: &Launches<'_, R>) -> Partial {
        let (places, _) = self.parts.pairs();
        let mut table = SpanTable::default();
        for (part, TilePlaces { step: blocks, .. }) in self.parts.0.iter().zip(&places) {
            let fields =
                [(product_span::BLOCKS, *blocks), (product_span::COLUMNS, part.active.len())];
            table.add(&part.span, part.entries(), *blocks, fields);
        }
        let (jobs, numbers) = (work.gpu.indices(Vec::new()), work.gpu.floats(Vec::new()));
        let factors = Factors {
            data: &self.buffer,
            stride: self.stride,
            numbers: &numbers,
            jobs: &jobs,
            k: 0,
            thinning: 1,
        };
        let blocks = Blocks::plain(self.parts.width());
        Partial { buffer: products::launch(work, &blocks, &factors, &table), places }
    }

    /// Multiplied sums, of rows whose ranks begin at the `first_rank`-th.
    pub(crate) fn draws<R: GpuRuntime>(
        &self,
        work: &Launches<'_, R>,
        draws: &RowMultipliers,
        mut first_rank: usize,
    ) -> Partial {
        let mut columns = Multiplied::new(&self.buffer, self.stride, None, self.parts.width());
        for part in &self.parts.0 {
            let count = part.active.len();
            let span =
                MultipliedSpan { tiles: part.entries(), columns: count, first_rank, listed: count };
            columns.add(&part.span, &span, draws.spec.draws);
            first_rank += part.span.rows;
        }
        Partial { buffer: draws.sums(work, &columns), places: self.parts.columns() }
    }
}

/// What is formed of a tile of `m` columns.
#[derive(Clone, Copy)]
pub(crate) enum TileSums<'a> {
    /// `U U'`, `[m, m]`.
    Products,
    /// Multiplied sums, `[m, R]`.
    Draws {
        spec: Multipliers,
        /// Of each row.
        rank: &'a [u64],
    },
}

/// Sums of a tile `[m, rows]`.
pub(crate) fn of_tile<R: GpuRuntime>(
    gpu: &Gpu<R>,
    tile: SampleColumns,
    [m, rows]: [usize; 2],
    sums: TileSums<'_>,
) -> Result<Vec<f64>> {
    let active: Vec<usize> = (0..m).collect();
    let parts = BatchSpans::of(&[Span { of: 0, row: 0, first: 0, rows }], |_| &active);
    let values = TileValues { buffer: tile.data, stride: tile.stride, parts: &parts };
    let work = Launches::new(gpu, 2);
    let (shape, partial) = match sums {
        TileSums::Products => (FoldShape::pairs(1, m), values.products(&work)),
        TileSums::Draws { spec, rank } => {
            let multipliers = RowMultipliers::new(gpu, spec, &[rank]);
            (FoldShape::draws(1, m, spec.draws), values.draws(&work, &multipliers, 0))
        }
    };
    let mut fold = Fold::new(gpu, shape, Cut::Tiles, None);
    parts.add(&work, &partial, &mut fold);
    let read = work.read_one(fold.out())?;
    fold.finish(&read)
}
