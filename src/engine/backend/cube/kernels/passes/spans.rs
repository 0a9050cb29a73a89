//! Which rows a cube works on.
//!
//! A launch covers all strata. Its cubes are numbered one after another: strata in order, within them tiles, within a tile
//! what is to be formed of it (jobs, blocks of products, columns). A table of spans, one a stratum, says where each begins.

use cubecl::prelude::*;

use crate::engine::pass::TILE;

/// Entries of a span: first cube, first row (or entry), rows, from a tile to the next, cubes of a tile, and three that each
/// kernel has a use of its own for.
pub(crate) const SPAN: usize = 8;

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
pub(crate) fn place(spans: &Array<u32>, count: u32, cube: usize) -> CubePlace {
    let mut low = 0u32;
    let mut high = count;
    while high - low > 1 {
        let middle = (low + high) / 2;
        if spans[middle as usize * SPAN] as usize <= cube {
            low = middle;
        } else {
            high = middle;
        }
    }
    let span = low as usize * SPAN;
    let local = cube - spans[span] as usize;
    let parts = spans[span + 4] as usize;
    let tile = local / parts;
    CubePlace {
        span,
        tile,
        part: local % parts,
        first: spans[span + 1] as usize + tile * spans[span + 3] as usize,
        rows: usize::min(spans[span + 2] as usize - tile * TILE, TILE),
    }
}
