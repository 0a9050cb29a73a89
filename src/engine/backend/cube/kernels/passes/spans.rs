//! Which rows a cube works on.
//!
//! A launch covers all strata. Its cubes are numbered one after another: strata in order, within them tiles, within a tile
//! what is to be formed of it (jobs, blocks of products, columns). A table of spans, one a stratum, says where each begins.

use cubecl::prelude::*;

use super::layout::span;
use crate::engine::pass::TILE;

/// The spans of a launch.
#[derive(CubeType, CubeLaunch)]
pub(crate) struct Spans {
    /// The spans' entries, in the order of [`span`].
    pub table: Array<u32>,
    /// Number of spans.
    pub count: u32,
    /// Cubes that have work.
    pub cubes: u32,
}

/// Where a cube is.
#[derive(CubeType)]
pub(crate) struct CubePlace {
    /// Offset of the span in its table.
    pub span: usize,
    /// Number of the tile in the span.
    pub tile: usize,
    /// Number of the cube in the tile.
    pub part: usize,
    /// First row of the tile, or its first entry.
    pub first: usize,
    /// Rows of the tile.
    pub rows: usize,
}

/// The place of a cube, in the last span that begins at or before it.
#[cube]
pub(crate) fn place(spans: &Spans, cube: usize) -> CubePlace {
    let mut low = 0u32;
    let mut high = spans.count;
    while high - low > 1 {
        let middle = (low + high) / 2;
        if spans.table[middle as usize * span::LEN + span::CUBE] as usize <= cube {
            low = middle;
        } else {
            high = middle;
        }
    }
    let at = low as usize * span::LEN;
    let local = cube - spans.table[at + span::CUBE] as usize;
    let parts = spans.table[at + span::PARTS] as usize;
    let tile = local / parts;
    let before = tile * spans.table[at + span::STEP] as usize;
    CubePlace {
        span: at,
        tile,
        part: local % parts,
        first: spans.table[at + span::FIRST] as usize + before,
        rows: usize::min(spans.table[at + span::ROWS] as usize - tile * TILE, TILE),
    }
}

/// An entry of a span that a kernel has a use of its own for.
#[cube]
pub(crate) fn entry(spans: &Spans, place: &CubePlace, #[comptime] entry: usize) -> usize {
    spans.table[place.span + entry] as usize
}
