//! Strata that do not fit in memory, in a temporary file: segments of whole tiles, each contiguous.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, PoisonError};

use super::condition::{Change, Pieces};
use super::fill::Shape;
use super::parquet::TemporaryDirectory;
use super::sample::StratumData;
use crate::error::{DidError, Result};
use crate::pass::TILE;

/// Place of a segment in the file.
#[derive(Clone, Copy, Debug)]
struct Segment {
    start: u64,
    rows: usize,
}

/// Writes strata row by row from their start.
pub(super) struct SpillWriter {
    shape: Shape,
    file: BufWriter<File>,
    directory: TemporaryDirectory,
    path: String,
    at: u64,
    open: Vec<StratumData>,
    /// Rows in the open segments.
    filled: Vec<usize>,
    segments: Vec<Vec<Segment>>,
}

impl SpillWriter {
    /// `bytes` may be used for open segments.
    pub fn new(shape: Shape, strata: &[usize], bytes: u64) -> Result<Self> {
        let row_bytes = (8 * shape.columns() * strata.len()) as u64;
        let rows = usize::try_from(bytes / row_bytes.max(1)).unwrap_or(usize::MAX) / TILE * TILE;
        let open = strata.iter().map(|n| {
            shape.stratum(rows.clamp(TILE, 64 * TILE).min(n.next_multiple_of(TILE)).max(TILE))
        });
        let directory = TemporaryDirectory::new()?;
        let path = directory.path().join("strata");
        let shown = path.display().to_string();
        let file = File::options().create_new(true).read(true).write(true).open(&path);
        let file = file.map_err(|source| DidError::Io { path: shown.clone(), source })?;
        Ok(Self {
            shape,
            file: BufWriter::with_capacity(1 << 20, file),
            directory,
            path: shown,
            at: 0,
            open: open.collect(),
            filled: vec![0; strata.len()],
            segments: vec![Vec::new(); strata.len()],
        })
    }

    /// Appends rows to a stratum.
    pub fn append(&mut self, stratum: usize, rows: &StratumData) -> Result<()> {
        let mut done = 0;
        while done < rows.rows {
            let (open, filled) = (&mut self.open[stratum], self.filled[stratum]);
            let n = (open.rows - filled).min(rows.rows - done);
            copy(&rows.y, rows.rows, done, &mut open.y, open.rows, filled, n);
            copy(&rows.x, rows.rows, done, &mut open.x, open.rows, filled, n);
            copy(&rows.w, rows.rows, done, &mut open.w, open.rows, filled, n);
            open.rank[filled..filled + n].copy_from_slice(&rows.rank[done..done + n]);
            if self.shape.clustered {
                open.cluster[filled..filled + n].copy_from_slice(&rows.cluster[done..done + n]);
            }
            done += n;
            self.filled[stratum] += n;
            if self.filled[stratum] == self.open[stratum].rows {
                self.close(stratum)?;
            }
        }
        Ok(())
    }

    /// Writes the open segment.
    fn close(&mut self, stratum: usize) -> Result<()> {
        let rows = std::mem::take(&mut self.filled[stratum]);
        if rows == 0 {
            return Ok(());
        }
        let open = &self.open[stratum];
        let columns = [&open.y, &open.x, &open.w];
        let doubles = columns.iter().flat_map(|c| c.chunks_exact(open.rows));
        let mut written = 0;
        let write = |bytes: &[u8]| {
            written += bytes.len() as u64;
            self.file.write_all(bytes)
        };
        doubles
            .map(|column| bytemuck::cast_slice(&column[..rows]))
            .chain([bytemuck::cast_slice(&open.rank[..rows])])
            .chain(self.shape.clustered.then(|| bytemuck::cast_slice(&open.cluster[..rows])))
            .try_for_each(write)
            .map_err(|source| DidError::Io { path: self.path.clone(), source })?;
        self.segments[stratum].push(Segment { start: self.at, rows });
        self.at += written;
        Ok(())
    }

    /// Closes all segments.
    pub fn finish(mut self) -> Result<Spill> {
        (0..self.open.len()).try_for_each(|stratum| self.close(stratum))?;
        let Self { shape, file, directory, path, segments, .. } = self;
        let failed = |source| DidError::Io { path: path.clone(), source };
        let file = file.into_inner().map_err(|e| failed(e.into_error()))?;
        Ok(Spill {
            shape,
            file: Mutex::new(file),
            path,
            segments,
            change: None,
            _directory: directory,
        })
    }
}

/// Copies `n` rows of every column.
fn copy(
    from: &[f64],
    from_rows: usize,
    from_at: usize,
    to: &mut [f64],
    to_rows: usize,
    to_at: usize,
    n: usize,
) {
    for (to, from) in to.chunks_exact_mut(to_rows).zip(from.chunks_exact(from_rows)) {
        to[to_at..to_at + n].copy_from_slice(&from[from_at..from_at + n]);
    }
}

/// Strata in a file.
#[derive(Debug)]
pub(crate) struct Spill {
    shape: Shape,
    file: Mutex<File>,
    path: String,
    segments: Vec<Vec<Segment>>,
    /// What is done to the rows when they are read.
    pub(super) change: Option<Change>,
    _directory: TemporaryDirectory,
}

impl Spill {
    pub fn strata(&self) -> usize {
        self.segments.len()
    }

    /// Number of a stratum's segments.
    pub fn segments(&self, stratum: usize) -> usize {
        self.segments[stratum].len()
    }

    /// Reads a segment.
    pub fn read(&self, stratum: usize, segment: usize) -> Result<StratumData> {
        let Segment { start, rows } = self.segments[stratum][segment];
        let mut data = self.shape.stratum(rows);
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            let columns = [&mut data.y, &mut data.x, &mut data.w];
            file.seek(SeekFrom::Start(start))
                .and_then(|_| {
                    for column in columns {
                        file.read_exact(bytemuck::cast_slice_mut(column))?;
                    }
                    file.read_exact(bytemuck::cast_slice_mut(&mut data.rank))?;
                    file.read_exact(bytemuck::cast_slice_mut(&mut data.cluster))
                })
                .map_err(|source| DidError::Io { path: self.path.clone(), source })?;
        }
        if let Some(change) = &self.change {
            change.apply(stratum, &mut data);
        }
        Ok(data)
    }
}

impl Pieces for Spill {
    fn each(&self, visit: &mut dyn FnMut(usize, &StratumData) -> Result<()>) -> Result<()> {
        for (stratum, segments) in self.segments.iter().enumerate() {
            for segment in 0..segments.len() {
                visit(stratum, &self.read(stratum, segment)?)?;
            }
        }
        Ok(())
    }
}
