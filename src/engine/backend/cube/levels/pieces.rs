//! How the sums by level of a design are cut into pieces, and what a device needs for them.

use super::super::kernels::PIECE;
use super::super::runtime::{Gpu, GpuRuntime, index};
use crate::base::error::Result;
use crate::engine::backend::{LEVEL_COLUMNS, LevelDesign};

/// Bounds of the pieces of consecutive segments, stage by stage, until each segment is one piece.
pub(crate) fn stages(starts: &[u32]) -> Vec<Vec<u32>> {
    let mut stages = Vec::new();
    let mut starts = starts.to_vec();
    loop {
        let (mut bounds, mut next) = (vec![0], vec![0]);
        for segment in starts.windows(2) {
            let mut at = segment[0];
            loop {
                at = segment[1].min(at + index(PIECE));
                bounds.push(at);
                if at == segment[1] {
                    break;
                }
            }
            next.push(index(bounds.len() - 1));
        }
        let done = next.len() == bounds.len();
        stages.push(bounds);
        if done {
            return stages;
        }
        starts = next;
    }
}

/// The cells of each level of the other factors.
#[derive(Debug, PartialEq)]
pub(crate) struct CellsByLevel {
    /// First of each level's cells, and one past the last.
    pub starts: Vec<u32>,
    pub cells: Vec<u32>,
}

/// The design by level.
pub(crate) fn transposed(design: &LevelDesign<'_>) -> CellsByLevel {
    let mut starts = vec![0; design.levels + 1];
    for code in design.codes {
        starts[*code as usize + 1] += 1;
    }
    for level in 0..design.levels {
        starts[level + 1] += starts[level];
    }
    let mut next = starts.clone();
    let mut cells = vec![0; design.codes.len()];
    for (cell, codes) in (0u32..).zip(design.codes.chunks_exact(design.others)) {
        for code in codes {
            let next_free = &mut next[*code as usize];
            cells[*next_free as usize] = cell;
            *next_free += 1;
        }
    }
    CellsByLevel { starts, cells }
}

/// How many columns the device has room for at once.
pub(crate) fn fitting<R: GpuRuntime>(
    gpu: &Gpu<R>,
    design: &LevelDesign<'_>,
    stages: &[Vec<Vec<u32>>; 2],
    free: Option<u64>,
) -> Result<usize> {
    let room = free.map_or(usize::MAX, |free| usize::try_from(free / 5 * 4).unwrap_or(usize::MAX));
    let (width, largest) = (gpu.width(), gpu.largest());
    let pieces = stages.iter().flatten().map(Vec::len).sum();
    let fits = |columns: &usize| {
        let needed = Needed::of(design, pieces, width, *columns);
        needed.bytes <= room && needed.longest <= largest
    };
    [LEVEL_COLUMNS, 4, 2, 1].into_iter().find(fits).ok_or_else(|| {
        let (cells, levels) = (design.cells(), design.levels);
        let Needed { bytes, .. } = Needed::of(design, pieces, width, 1);
        let parts = largest * width;
        let room = if room == usize::MAX { String::new() } else { format!("{room} bytes ") };
        gpu.failed(&format!(
            "the fixed effects' {cells} cells and {levels} levels need {bytes} bytes, and it offers {room}in parts of \
             {parts}; use the CPU backend"
        ))
    })
}

/// What a design needs of a device.
struct Needed {
    bytes: usize,
    /// Entries of the longest buffer, in numbers.
    longest: usize,
}

impl Needed {
    /// With so many columns at once, in numbers of `width` bytes.
    fn of(design: &LevelDesign<'_>, pieces: usize, width: usize, columns: usize) -> Self {
        let (cells, levels, codes) = (design.cells(), design.levels, design.codes.len());
        let words = 2 * codes + cells + pieces;
        let numbers = cells + design.segments() + 2 * levels;
        let of_column = cells + 3 * levels + pieces;
        let bytes = 4 * words + width * (numbers + columns * of_column);
        let longest = (cells.max(levels).max(pieces) * columns).max(2 * levels);
        Self { bytes, longest: longest.max(codes.div_ceil(width / 4)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_segments_in_order() {
        let starts = [0, 3, 3 + 64, 67 + 65, 132 + 64 * 64 + 1];
        let stages = stages(&starts);
        assert_eq!(stages.len(), 3);
        assert_eq!(&stages[0][..6], &[0, 3, 67, 131, 132, 196]);
        for (stage, next) in stages.iter().zip(&stages[1..]) {
            assert_eq!(stage.len() - 1, next[next.len() - 1] as usize, "one entry for each piece");
        }
        for stage in &stages {
            assert!(stage.windows(2).all(|p| p[0] < p[1] && p[1] - p[0] <= index(PIECE)));
        }
        assert_eq!(stages[2], [0, 1, 2, 3, 5], "a piece for each segment");
    }

    #[test]
    fn cells_are_found_by_level() {
        let codes = [0, 2, 1, 3, 0, 3];
        let design = LevelDesign { starts: &[0, 2, 3], codes: &codes, others: 2, levels: 4 };
        let expected = CellsByLevel { starts: vec![0, 2, 3, 4, 6], cells: vec![0, 2, 1, 0, 1, 2] };
        assert_eq!(transposed(&design), expected);
        assert_eq!(design.segment_of_cells(), [0, 0, 1]);
    }

    #[test]
    fn less_memory_takes_fewer_columns() {
        let codes = vec![0; 2_000];
        let starts: Vec<u32> = (0..=100).map(|s| 10 * s).collect();
        let design = LevelDesign { starts: &starts, codes: &codes, others: 2, levels: 50 };
        let of = |columns| Needed::of(&design, 120, 8, columns);
        assert!(of(8).bytes < 2 * of(4).bytes && of(8).bytes > of(4).bytes);
        // A column of cells, one of pieces and three of levels.
        assert_eq!(of(2).bytes - of(1).bytes, 8 * (1_000 + 120 + 150));
        assert_eq!([of(8).longest, of(1).longest], [8_000, 1_000]);
    }
}
