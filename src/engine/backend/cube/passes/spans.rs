//! Tables that say which rows the cubes of a launch work on.

use std::ops::Range;

use super::super::kernels::SpansLaunch;
use super::super::kernels::layout::{output_row, segment, span};
use super::super::runtime::{Gpu, GpuRuntime, index};
use crate::engine::pass::{SEGMENT, TILE};

/// Tiles of a segment.
const SEGMENT_TILES: usize = SEGMENT / TILE;

/// Rows of a stratum, one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// What is formed of them, as the caller counts.
    pub of: usize,
    /// First row of the outputs that they are added to.
    pub row: usize,
    /// First row in the slab.
    pub first: usize,
    pub rows: usize,
}

impl Span {
    pub(crate) fn tiles(&self) -> usize {
        self.rows.div_ceil(TILE)
    }

    /// Where its tiles are in the slab.
    pub(crate) fn places(&self) -> TilePlaces {
        TilePlaces { first: self.first, step: TILE }
    }
}

/// Where the tiles of a span begin, in rows, entries or cubes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TilePlaces {
    pub first: usize,
    /// From a tile to the next.
    pub step: usize,
}

/// A table of spans and the cubes that it has.
#[derive(Default)]
pub(crate) struct SpanTable {
    pub entries: Vec<u32>,
    pub cubes: usize,
}

impl SpanTable {
    /// Adds a span with `parts` cubes a tile and the kernel's `own` entries, each with its place; returns the span's first cube.
    pub(crate) fn add<const N: usize>(
        &mut self,
        rows: &Span,
        tiles: TilePlaces,
        parts: usize,
        own: [(usize, usize); N],
    ) -> usize {
        let cube = self.cubes;
        let mut entries = [0; span::LEN];
        entries[span::CUBE] = cube;
        entries[span::FIRST] = tiles.first;
        entries[span::ROWS] = rows.rows;
        entries[span::STEP] = tiles.step;
        entries[span::PARTS] = parts;
        for (place, entry) in own {
            entries[place] = entry;
        }
        self.entries.extend(entries.map(index));
        self.cubes += rows.tiles() * parts;
        cube
    }

    /// As the argument of a kernel, in which so many cubes share what is one cube here.
    pub(crate) fn arg<R: GpuRuntime>(&self, gpu: &Gpu<R>, shares: usize) -> SpansLaunch<R> {
        let count = index(self.entries.len() / span::LEN);
        SpansLaunch::new(gpu.indices(self.entries.clone()).arg(), count, index(self.cubes * shares))
    }
}

/// A table of segments: where the parts of their tiles are.
#[derive(Default)]
pub(crate) struct SegmentTable {
    pub entries: Vec<u32>,
}

impl SegmentTable {
    pub(crate) fn len(&self) -> usize {
        self.entries.len() / segment::LEN
    }

    /// Adds the segments of the span with this number and so many influence columns, whose tiles begin at these cubes.
    pub(crate) fn add(&mut self, span: &Span, cubes: TilePlaces, number: usize, columns: usize) {
        for start in (0..span.tiles()).step_by(SEGMENT_TILES) {
            let mut entries = [0; segment::LEN];
            entries[segment::CUBE] = cubes.first + start * cubes.step;
            entries[segment::PARTS] = cubes.step;
            entries[segment::TILES] = SEGMENT_TILES.min(span.tiles() - start);
            entries[segment::SPAN] = number;
            entries[segment::COLUMNS] = columns;
            self.entries.extend(entries.map(index));
        }
    }
}

/// For each row of outputs its first segment, one past the last, and the first part of a tile that is added to it.
pub(crate) struct RowTable {
    pub entries: Vec<u32>,
}

impl RowTable {
    /// Rows of nothing.
    pub(crate) fn new(rows: usize) -> Self {
        Self { entries: vec![0; output_row::LEN * rows] }
    }

    /// Adds segments, which follow those that the row has.
    pub(crate) fn add(&mut self, row: usize, segments: Range<usize>, part: usize) {
        let entry = &mut self.entries[row * output_row::LEN..][..output_row::LEN];
        if entry[output_row::FIRST] == entry[output_row::END] {
            entry[output_row::FIRST] = index(segments.start);
        }
        entry[output_row::END] = index(segments.end);
        entry[output_row::PART] = index(part);
    }
}

/// How far a launch's spans may be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Between tiles, of a chunk that is one segment or less.
    Tiles,
    /// Between segments.
    Segments,
}

/// Spans in batches whose results have at most `limit` bytes; `None` if those of a tile or segment alone have more.
pub(crate) fn batches(
    spans: &[Span],
    tile_bytes: impl Fn(&Span) -> usize,
    limit: usize,
    cut: Cut,
) -> Option<Vec<Vec<Span>>> {
    let unit = match cut {
        Cut::Tiles => 1,
        Cut::Segments => SEGMENT_TILES,
    };
    let alone = |span: &Span| tile_bytes(span).checked_mul(unit.min(span.tiles()));
    if !spans.iter().all(|span| alone(span).is_some_and(|bytes| bytes <= limit)) {
        return None;
    }
    let mut batches = vec![Vec::new()];
    let mut left = limit;
    for span in spans {
        let bytes = tile_bytes(span).max(1);
        let mut start = 0;
        while start < span.rows {
            let tiles = span.tiles() - start / TILE;
            let fitting = left / bytes;
            let taken = if tiles <= fitting { tiles } else { fitting / unit * unit };
            if taken == 0 {
                batches.push(Vec::new());
                left = limit;
                continue;
            }
            let rows = (taken * TILE).min(span.rows - start);
            if let Some(batch) = batches.last_mut() {
                batch.push(Span { first: span.first + start, rows, ..*span });
            }
            left -= taken * bytes;
            start += rows;
        }
    }
    Some(batches)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_the_spans_in_order() {
        let spans = [(0, 3 * SEGMENT + 5), (1, 17), (2, SEGMENT)];
        let mut first = 0;
        let spans = spans.map(|(of, rows)| {
            first += rows;
            Span { of, row: 0, first: first - rows, rows }
        });
        for cut in [Cut::Tiles, Cut::Segments] {
            for limit in [1, 100, 6_400, 12_900, 1_000_000] {
                let Some(batches) = batches(&spans, |_| 100, limit, cut) else {
                    assert!(limit < if cut == Cut::Tiles { 100 } else { 6_400 });
                    continue;
                };
                let mut next = 0;
                for span in batches.iter().flatten() {
                    assert_eq!(span.first, next);
                    next += span.rows;
                    let start = span.first - spans[span.of].first;
                    let unit = if cut == Cut::Tiles { TILE } else { SEGMENT };
                    assert_eq!(start % unit, 0);
                }
                assert_eq!(next, first);
                let bytes = |b: &Vec<Span>| b.iter().map(|s| 100 * s.tiles()).sum::<usize>();
                assert!(batches.iter().all(|b| bytes(b) <= limit), "{limit}");
            }
        }
    }

    #[test]
    fn tables_count_cubes_and_segments() {
        let span = Span { of: 3, row: 0, first: 10, rows: SEGMENT + TILE + 1 };
        let mut table = SpanTable::default();
        assert_eq!(table.add(&span, span.places(), 5, [(7, 3), (5, 1)]), 0);
        assert_eq!(table.cubes, 66 * 5);
        assert_eq!(table.entries, [0, 10, index(span.rows), index(TILE), 5, 1, 0, 3]);
        let mut segments = SegmentTable::default();
        segments.add(&span, TilePlaces { first: 0, step: 5 }, 0, 9);
        assert_eq!(segments.entries, [0, 5, 64, 0, 9, 320, 5, 2, 0, 9]);
    }
}
