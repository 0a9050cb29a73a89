//! Spans of rows with the influence columns that they have, and sums of their tiles.

use super::super::kernels::layout::ABSENT;
use super::super::runtime::{Buffer, GpuRuntime, Launches, index};
use super::fold::{Fold, FoldShape, Tiles};
use super::products::Blocks;
use super::spans::{RowTable, SegmentTable, Span, TilePlaces};
use crate::engine::pass::TILE;

/// A span and its columns.
pub(crate) struct SpanColumns<'a> {
    pub span: Span,
    /// First item, which is a tile's column.
    pub item: usize,
    /// Which influence columns there are.
    pub active: &'a [usize],
}

impl SpanColumns<'_> {
    /// Where the tiles of its values begin.
    pub(crate) fn entries(&self) -> TilePlaces {
        TilePlaces { first: self.item * TILE, step: self.active.len() * TILE }
    }
}

/// The spans of a batch.
pub(crate) struct BatchSpans<'a>(pub Vec<SpanColumns<'a>>);

/// Sums of tiles.
pub(crate) struct Partial {
    pub buffer: Buffer,
    /// Of each part of the batch the cubes of its tiles.
    pub places: Vec<TilePlaces>,
}

impl<'a> BatchSpans<'a> {
    pub(crate) fn of(spans: &[Span], active: impl Fn(&Span) -> &'a [usize]) -> Self {
        let mut item = 0;
        let part = |span: &Span| {
            let part = SpanColumns { span: *span, item, active: active(span) };
            item += span.tiles() * part.active.len();
            part
        };
        Self(spans.iter().map(part).collect())
    }

    /// Number of items.
    pub(crate) fn items(&self) -> usize {
        self.0.iter().map(|part| part.span.tiles() * part.active.len()).sum()
    }

    /// Where the products of every pair of columns are, and how many cubes they have.
    pub(crate) fn pairs(&self) -> (Vec<TilePlaces>, usize) {
        let mut cubes = 0;
        let place = |part: &SpanColumns<'_>| {
            let place = TilePlaces { first: cubes, step: Blocks::plain(part.active.len()).count() };
            cubes += part.span.tiles() * place.step;
            place
        };
        (self.0.iter().map(place).collect(), cubes)
    }

    /// Where the multiplied sums of every column are.
    pub(crate) fn columns(&self) -> Vec<TilePlaces> {
        self.0.iter().map(|part| TilePlaces { first: part.item, step: part.active.len() }).collect()
    }

    /// Most columns of a part.
    pub(crate) fn width(&self) -> usize {
        self.0.iter().map(|part| part.active.len()).max().unwrap_or(0)
    }

    /// Position in each part of each of `m` influence columns.
    pub(crate) fn local(&self, m: usize) -> Vec<u32> {
        let mut local = vec![ABSENT; self.0.len() * m];
        for (number, part) in self.0.iter().enumerate() {
            for (j, column) in part.active.iter().enumerate() {
                local[number * m + column] = index(j);
            }
        }
        local
    }

    /// Adds sums of tiles.
    pub(crate) fn add<R: GpuRuntime>(
        &self,
        work: &Launches<'_, R>,
        partial: &Partial,
        fold: &mut Fold<'_, R>,
    ) {
        let FoldShape { rows, columns: m, .. } = fold.shape();
        let mut rows = RowTable::new(rows);
        let mut segments = SegmentTable::default();
        for (number, (part, cubes)) in self.0.iter().zip(&partial.places).enumerate() {
            let start = segments.len();
            segments.add(&part.span, *cubes, number, part.active.len());
            rows.add(part.span.row, start..segments.len(), 0);
        }
        let tiles = Tiles {
            partial: &partial.buffer,
            rows: &rows,
            segments: &segments,
            local: &self.local(m),
        };
        fold.add(work, &tiles);
    }
}
