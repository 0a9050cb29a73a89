//! Strata that do not fit in memory, in a temporary file without a name: pieces of whole tiles, each contiguous.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom};
use std::sync::{Mutex, PoisonError};

use super::stratum::{StratumData, StratumShape};
use crate::base::error::Result;
use crate::base::segment::{SEGMENT, Seal, TILE};
use crate::base::temporary;

/// Place of a piece in the file.
#[derive(Clone, Copy, Debug)]
struct SpilledPiece {
    start: u64,
    rows: usize,
    seal: Seal,
}

/// Writes strata row by row from their start.
pub(super) struct SpillWriter {
    shape: StratumShape,
    file: BufWriter<File>,
    at: u64,
    open: Vec<StratumData>,
    /// Rows in the open pieces.
    filled: Vec<usize>,
    pieces: Vec<Vec<SpilledPiece>>,
}

impl SpillWriter {
    /// `bytes` may be used for open pieces.
    pub fn new(shape: StratumShape, strata: &[usize], bytes: u64) -> Result<Self> {
        let row_bytes = shape.row_bytes() * strata.len() as u64;
        let affordable = usize::try_from(bytes / row_bytes).unwrap_or(usize::MAX) / TILE;
        // The largest power of two within the limits.
        let tiles = 1 << affordable.clamp(1, SEGMENT / TILE).ilog2();
        let open = strata.iter().map(|_| shape.stratum(tiles * TILE));
        Ok(Self {
            shape,
            file: BufWriter::with_capacity(1 << 20, temporary::file()?),
            at: 0,
            open: open.collect(),
            filled: vec![0; strata.len()],
            pieces: vec![Vec::new(); strata.len()],
        })
    }

    /// Appends rows to a stratum.
    pub fn append(&mut self, stratum: usize, rows: &StratumData) -> Result<()> {
        let mut done = 0;
        while done < rows.rows {
            let (open, filled) = (&mut self.open[stratum], self.filled[stratum]);
            let n = (open.rows - filled).min(rows.rows - done);
            open.copy_rows(filled, rows, done, n);
            done += n;
            self.filled[stratum] += n;
            if self.filled[stratum] == self.open[stratum].rows {
                self.close(stratum)?;
            }
        }
        Ok(())
    }

    /// Writes the open piece.
    fn close(&mut self, stratum: usize) -> Result<()> {
        let rows = std::mem::take(&mut self.filled[stratum]);
        if rows == 0 {
            return Ok(());
        }
        let open = &self.open[stratum];
        open.write(rows, &mut self.file).map_err(temporary::failed)?;
        let seal = Seal::of(&open.rank[..rows]);
        self.pieces[stratum].push(SpilledPiece { start: self.at, rows, seal });
        self.at += self.shape.row_bytes() * rows as u64;
        Ok(())
    }

    /// Closes all pieces.
    pub fn finish(mut self) -> Result<Spill> {
        (0..self.open.len()).try_for_each(|stratum| self.close(stratum))?;
        let Self { shape, file, pieces, .. } = self;
        let file = file.into_inner().map_err(|e| temporary::failed(e.into_error()))?;
        Ok(Spill { shape, file: Mutex::new(file), pieces })
    }
}

/// Strata in a file.
#[derive(Debug)]
pub(crate) struct Spill {
    shape: StratumShape,
    file: Mutex<File>,
    pieces: Vec<Vec<SpilledPiece>>,
}

impl Spill {
    pub fn strata(&self) -> usize {
        self.pieces.len()
    }

    /// What each of a stratum's pieces was when it was written: all but the last have the same power of two of tiles, and a
    /// segment is a whole number of them.
    pub fn seals(&self, stratum: usize) -> impl Iterator<Item = Seal> {
        self.pieces[stratum].iter().map(|p| p.seal)
    }

    /// Reads a piece, as it was filled.
    pub fn read(&self, stratum: usize, piece: usize) -> Result<StratumData> {
        let SpilledPiece { start, rows, .. } = self.pieces[stratum][piece];
        let mut data = self.shape.stratum(rows);
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(start))
                .and_then(|_| data.read(&mut *file))
                .map_err(temporary::failed)?;
        }
        Ok(data)
    }
}
