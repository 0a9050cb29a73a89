//! Sums over units in an order of their own: one unit after the other in tiles, and tiles in order. A tile that some frame ends in goes on
//! with the next.

use std::ops::Range;

use super::pass::{UnitPass, Units};
use crate::base::parallel;

/// Units of a tile.
pub(crate) const TILE: usize = 4_096;

/// Tiles that are summed before they are handed on.
pub(super) const HELD: usize = 64;

/// Sums of tiles as frames come in.
pub(super) struct Tiles<'p, P: UnitPass> {
    pass: &'p P,
    /// Of the tile that is not full.
    open: P::Sums,
    filled: usize,
    scratch: P::Scratch,
}

impl<'p, P: UnitPass> Tiles<'p, P> {
    /// With a tile that has so many units already.
    pub fn from(pass: &'p P, open: P::Sums, filled: usize) -> Self {
        Self { pass, open, filled, scratch: pass.scratch() }
    }

    /// Adds some units of a frame, and hands over the tiles that are full.
    pub fn add(&mut self, units: &Units<'_>, wanted: Range<usize>, full: &mut dyn FnMut(P::Sums)) {
        let (mut next, end) = (wanted.start, wanted.end);
        while next < end {
            if self.filled == 0 && end - next >= TILE {
                let tiles = ((end - next) / TILE).min(HELD);
                self.whole(units, next, tiles).into_iter().for_each(&mut *full);
                next += tiles * TILE;
                continue;
            }
            let stop = end.min(next + TILE - self.filled);
            for unit in next..stop {
                self.pass.add(units, unit, &mut self.scratch, &mut self.open);
            }
            self.filled += stop - next;
            next = stop;
            if self.filled == TILE {
                full(std::mem::replace(&mut self.open, self.pass.none()));
                self.filled = 0;
            }
        }
    }

    /// The sums of so many tiles from a unit on, side by side.
    fn whole(&self, units: &Units<'_>, first: usize, tiles: usize) -> Vec<P::Sums> {
        parallel::map(tiles, |tile| {
            let (mut sums, mut scratch) = (self.pass.none(), self.pass.scratch());
            let from = first + tile * TILE;
            for unit in from..from + TILE {
                self.pass.add(units, unit, &mut scratch, &mut sums);
            }
            sums
        })
    }

    /// The tile that is not full, and its units.
    pub fn rest(self) -> (P::Sums, usize) {
        (self.open, self.filled)
    }
}
