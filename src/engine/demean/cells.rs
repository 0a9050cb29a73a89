//! Rows of the same levels are one *cell*, and cells stand by levels of the leading factor.
//!
//! The projection on factors is the same in every row of a cell, so all but the first and the last step of a solver work on
//! cells: of a network of workers and firms there are as many as matches, however long these last. The *leading* factor is
//! the one that the rows are sorted by. Its levels are intervals of cells (*segments*), so its sums need no table.

use std::ops::Range;

use super::Factor;
use crate::base::parallel;

/// Fewest cells of a block.
const BLOCK: usize = 1 << 14;

/// Most blocks: how many threads can work at once.
const BLOCKS: usize = 64;

/// Fewest blocks that a large design is cut into, however much room their sums take.
const LEAST: usize = 4;

/// The design: which cell has which levels.
#[derive(Debug)]
pub(super) struct LevelCells {
    pub rows: usize,
    /// Which factor leads.
    pub lead: usize,
    /// First cell of each level of the leading factor, and the number of cells.
    pub starts: Vec<u32>,
    /// First row of each cell, and the number of rows; `None` if every row is a cell.
    pub bounds: Option<Vec<u32>>,
    /// Levels of the other factors `[cells, others]`, counted on from factor to factor.
    pub codes: Vec<u32>,
    /// First level of each of the other factors, and their number.
    pub offsets: Vec<usize>,
    pub blocks: Vec<SegmentBlock>,
}

/// Segments that one task works on, and the levels of other factors that occur there. Which these are does not depend on the
/// number of threads.
#[derive(Debug)]
pub(super) struct SegmentBlock {
    pub segments: Range<usize>,
    /// Levels of each of the other factors that occur, from the first to the last.
    pub ranges: Vec<Range<usize>>,
    /// What to subtract (wrapping) from a level to find its place in the block's sums.
    pub shifts: Vec<u32>,
    /// Length of the block's sums.
    pub width: usize,
}

/// Why rows are no design.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unordered;

impl LevelCells {
    /// The design of rows that are sorted by one of the factors; of several, the one with most levels leads.
    pub fn new(factors: &[Factor], rows: usize) -> Result<Self, Unordered> {
        let sorted = |f: &&usize| {
            let codes = &factors[**f].codes;
            parallel::all(rows.div_ceil(BLOCK), &|p| {
                let part = parallel::part(p, BLOCK, rows);
                codes[part.start..rows.min(part.end + 1)].is_sorted()
            })
        };
        let mut order: Vec<usize> = (0..factors.len()).collect();
        order.sort_by_key(|f| std::cmp::Reverse(factors[*f].levels));
        let lead = *order.iter().find(sorted).ok_or(Unordered)?;
        let others: Vec<&Factor> =
            factors.iter().enumerate().filter(|(f, _)| *f != lead).map(|(_, f)| f).collect();
        let mut offsets = vec![0];
        for factor in &others {
            offsets.push(offsets[offsets.len() - 1] + factor.levels);
        }
        let bounds = bounds(factors, rows);
        let starts = starts(&factors[lead], bounds.as_deref());
        let cells = bounds.as_ref().map_or(rows, |b| b.len() - 1);
        let mut codes = vec![0; cells * others.len()];
        if !others.is_empty() {
            parallel::chunks(&mut codes, BLOCK * others.len(), |part, codes| {
                for (c, cell) in codes.chunks_exact_mut(others.len()).enumerate() {
                    let row =
                        bounds.as_ref().map_or(part * BLOCK + c, |b| b[part * BLOCK + c] as usize);
                    for ((code, factor), offset) in cell.iter_mut().zip(&others).zip(&offsets) {
                        *code = factor.codes[row] + *offset as u32;
                    }
                }
            });
        }
        let blocks = blocks(&starts, &codes, &offsets);
        Ok(Self { rows, lead, starts, bounds, codes, offsets, blocks })
    }

    pub fn cells(&self) -> usize {
        self.bounds.as_ref().map_or(self.rows, |b| b.len() - 1)
    }

    /// Number of factors beside the leading one.
    pub fn others(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of levels of the other factors.
    pub fn width(&self) -> usize {
        self.offsets[self.others()]
    }

    /// Number of levels of the leading factor.
    pub fn segments(&self) -> usize {
        self.starts.len() - 1
    }

    /// Cells of a segment.
    #[inline(always)]
    pub fn segment(&self, segment: usize) -> Range<usize> {
        self.starts[segment] as usize..self.starts[segment + 1] as usize
    }

    /// Rows of cells.
    #[inline(always)]
    pub fn rows_of(&self, cells: Range<usize>) -> Range<usize> {
        match &self.bounds {
            None => cells,
            Some(b) => b[cells.start] as usize..b[cells.end] as usize,
        }
    }
}

/// First rows of cells, if there are clearly fewer cells than rows.
fn bounds(factors: &[Factor], rows: usize) -> Option<Vec<u32>> {
    let begins = |row: usize| row == 0 || factors.iter().any(|f| f.codes[row] != f.codes[row - 1]);
    let parts = rows.div_ceil(BLOCK);
    let counts =
        parallel::map(parts, |p| parallel::part(p, BLOCK, rows).filter(|r| begins(*r)).count());
    let cells: usize = counts.iter().sum();
    if cells * 10 > rows * 9 {
        return None;
    }
    let firsts = parallel::map(parts, |p| {
        let part = parallel::part(p, BLOCK, rows).filter(|r| begins(*r));
        part.map(|r| r as u32).collect::<Vec<u32>>()
    });
    let mut bounds = Vec::with_capacity(cells + 1);
    for part in firsts {
        bounds.extend(part);
    }
    bounds.push(rows as u32);
    Some(bounds)
}

/// First cells of the leading factor's levels.
fn starts(lead: &Factor, bounds: Option<&[u32]>) -> Vec<u32> {
    let cells = bounds.map_or(lead.codes.len(), |b| b.len() - 1);
    let code = |cell: usize| lead.codes[bounds.map_or(cell, |b| b[cell] as usize)];
    let mut starts = Vec::with_capacity(lead.levels + 1);
    for cell in 0..cells {
        if cell == 0 || code(cell) != code(cell - 1) {
            starts.push(cell as u32);
        }
    }
    starts.push(cells as u32);
    starts
}

/// Cuts the segments: into as many blocks as the room for their sums allows.
fn blocks(starts: &[u32], codes: &[u32], offsets: &[usize]) -> Vec<SegmentBlock> {
    let cells = starts[starts.len() - 1] as usize;
    let mut count = (cells / BLOCK).clamp(1, BLOCKS);
    loop {
        let blocks = cut(starts, codes, offsets, cells.div_ceil(count));
        let room: usize = blocks.iter().map(|b| b.width).sum();
        if count <= LEAST || room <= cells / 4 {
            return blocks;
        }
        count /= 2;
    }
}

/// Blocks of at least `size` cells, save the last.
fn cut(starts: &[u32], codes: &[u32], offsets: &[usize], size: usize) -> Vec<SegmentBlock> {
    let segments = starts.len() - 1;
    let mut edges = vec![0];
    while edges[edges.len() - 1] < segments {
        let from = edges[edges.len() - 1];
        let end = starts[from] as usize + size;
        edges.push((starts.partition_point(|s| (*s as usize) < end)).clamp(from + 1, segments));
    }
    let others = offsets.len() - 1;
    parallel::map(edges.len() - 1, |b| {
        let segments = edges[b]..edges[b + 1];
        let cells = starts[segments.start] as usize..starts[segments.end] as usize;
        let mut low = vec![u32::MAX; others];
        let mut high = vec![0; others];
        if others > 0 {
            for cell in codes[cells.start * others..cells.end * others].chunks_exact(others) {
                for ((low, high), code) in low.iter_mut().zip(&mut high).zip(cell) {
                    (*low, *high) = ((*low).min(*code), (*high).max(*code + 1));
                }
            }
        }
        let mut width = 0;
        let mut shifts = Vec::with_capacity(others);
        let mut ranges = Vec::with_capacity(others);
        for (low, high) in low.into_iter().zip(high) {
            shifts.push(low.wrapping_sub(width as u32));
            width += (high - low) as usize;
            ranges.push(low as usize..high as usize);
        }
        SegmentBlock { segments, ranges, shifts, width }
    })
}
