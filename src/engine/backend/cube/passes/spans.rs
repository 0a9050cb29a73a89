//! Tables that say which rows the cubes of a launch work on.

use super::super::kernels::{SEGMENT_ENTRIES, SPAN};
use super::super::runtime::index;
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
}

/// A table of spans and the cubes that it has.
#[derive(Default)]
pub(crate) struct SpanTable {
    pub entries: Vec<u32>,
    pub cubes: usize,
}

impl SpanTable {
    /// Adds a span of so many tiles, with `parts` cubes each, whose tiles begin at `first` and then every `step` rows or entries;
    /// returns its first cube.
    pub(crate) fn add(
        &mut self,
        span: &Span,
        [first, step]: [usize; 2],
        parts: usize,
        own: [usize; 3],
    ) -> usize {
        let cube = self.cubes;
        let entries = [cube, first, span.rows, step, parts, own[0], own[1], own[2]];
        self.entries.extend(entries.map(index));
        self.cubes += span.tiles() * parts;
        cube
    }

    pub(crate) fn len(&self) -> u32 {
        index(self.entries.len() / SPAN)
    }
}

/// A table of segments: where the parts of their tiles are.
#[derive(Default)]
pub(crate) struct SegmentTable {
    pub entries: Vec<u32>,
}

impl SegmentTable {
    pub(crate) fn len(&self) -> usize {
        self.entries.len() / SEGMENT_ENTRIES
    }

    /// Adds the segments of a span whose parts begin at cube `first`, `parts` a tile.
    pub(crate) fn add(
        &mut self,
        span: &Span,
        first: usize,
        parts: usize,
        number: usize,
        columns: usize,
    ) {
        for start in (0..span.tiles()).step_by(SEGMENT_TILES) {
            let tiles = SEGMENT_TILES.min(span.tiles() - start);
            let entries = [first + start * parts, parts, tiles, number, columns];
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
        Self { entries: vec![0; 3 * rows] }
    }

    /// Adds segments, which follow those that the row has.
    pub(crate) fn add(&mut self, row: usize, segments: [usize; 2], part: usize) {
        let entry = &mut self.entries[3 * row..3 * row + 3];
        if entry[0] == entry[1] {
            entry[0] = index(segments[0]);
        }
        entry[1] = index(segments[1]);
        entry[2] = index(part);
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
        assert_eq!(table.add(&span, [10, TILE], 5, [1, 2, 3]), 0);
        assert_eq!((table.cubes, table.len()), (66 * 5, 1));
        let mut segments = SegmentTable::default();
        segments.add(&span, 0, 5, 0, 9);
        assert_eq!(segments.entries, [0, 5, 64, 0, 9, 320, 5, 2, 0, 9]);
    }
}
