//! Opening files: one schema, the order of their rows, and what a frame of them is.

use std::path::PathBuf;

use polars::prelude::*;

use super::file::ParquetFile;
use super::files::{FilePart, ParquetFiles};
use super::opened::OpenFile;
use super::{group, schema};
use crate::base::error::{DidError, Result};
use crate::base::memory;
use crate::read::columns::{Label, Wanted};

use crate::base::progress::Progress;

/// Rows of a frame unless the memory budget asks for fewer.
pub(crate) const FRAME_ROWS: usize = 1 << 20;

/// Memory of an estimate from columns in memory, in multiples of them: they, and at least what is made of them.
const COPIES: u128 = 3;

const REMEDY: &str =
    "free memory; panels are streamed by `att-gt` and `ddd` (`Data::in_pieces`, `--memory-budget`)";

impl ParquetFiles {
    /// Bytes of a frame with all rows and this many columns.
    pub fn frame_bytes(paths: &[PathBuf], columns: usize) -> Result<u64> {
        let mut rows = 0_u64;
        for source in found(paths)? {
            rows = rows.saturating_add(source.schema()?.1 as u64);
        }
        Ok(rows.saturating_mul(8 * columns as u64))
    }

    /// Rows of a frame of so many columns within a memory budget.
    pub fn frame_rows(columns: usize, memory_budget: Option<u64>) -> usize {
        let row_bytes = 64 * columns as u64;
        let affordable = memory_budget.map_or(usize::MAX, |b| (b / row_bytes) as usize);
        FRAME_ROWS.min(affordable).max(1)
    }

    /// All rows of the files.
    pub fn read_whole(paths: &[PathBuf], wanted: &Wanted) -> Result<DataFrame> {
        let sources = found(paths)?;
        let schema = schema::common(&sources, wanted)?;
        let needed = COPIES * u128::from(Self::frame_bytes(paths, schema.len())?);
        if let Err(none) =
            memory::check("the columns read and what is made of them", needed, REMEDY)
        {
            // What is declared may not be so.
            for source in &sources {
                let opened = OpenFile::new(source)?;
                let types = opened.schema()?;
                let fields = schema.iter_names().filter_map(|name| types.get(name));
                opened.verify(&fields.collect::<Vec<_>>())?;
            }
            return Err(none);
        }
        let mut all = DataFrame::empty_with_schema(&schema);
        for source in sources {
            let rows = source.schema()?.1;
            if rows > 0 {
                all.vstack_mut(&FilePart { source, start: 0, rows }.read(&schema)?)?;
            }
        }
        Ok(all)
    }

    /// Opens files. If their rows are not in ascending order of the units, they are written once more, grouped, to temporary
    /// files.
    pub fn open(
        sources: &[ParquetFile],
        wanted: &Wanted,
        unit: Option<&str>,
        memory_budget: Option<u64>,
        progress: Option<Progress>,
    ) -> Result<Self> {
        let unit = unit.map(str::to_owned).ok_or_else(|| {
            DidError::config("unit", "a column, for files that are read piece by piece", "none")
        })?;
        let frame_rows = |columns| Self::frame_rows(columns, memory_budget);
        let (schema, parts) = Self::parts(sources, wanted, frame_rows)?;
        let frame_rows = frame_rows(schema.len());
        let rows = parts.iter().fold(0, |rows: u64, part| rows.saturating_add(part.rows as u64));
        let (as_written, whole_units) = (None, false);
        let mut files = Self { parts, as_written, schema, unit, whole_units, rows, progress };
        if let Some(sample) = files.disorder(frame_rows)? {
            files = group::group(files, sample, frame_rows)?;
        }
        Ok(files)
    }

    /// The columns' types and the files' parts, of as many rows as `frame_rows` says for so many columns, or of one row group.
    pub(crate) fn parts(
        sources: &[ParquetFile],
        wanted: &Wanted,
        frame_rows: impl Fn(usize) -> usize,
    ) -> Result<(Schema, Vec<FilePart>)> {
        let schema = schema::common(sources, wanted)?;
        let mut parts = Vec::new();
        for source in sources {
            add_parts(source.clone(), frame_rows(schema.len()), &mut parts)?;
        }
        Ok((schema, parts))
    }

    /// `None` if the labels ascend throughout; else a sample of them.
    fn disorder(&self, frame_rows: usize) -> Result<Option<Vec<Label>>> {
        let step = (frame_rows / 256).max(1);
        let unit = self.schema.iter_fields().filter(|f| f.name() == self.unit.as_str()).collect();
        let (mut sample, mut ordered, mut last, mut done) = (Vec::new(), true, None, 0);
        for part in &self.parts {
            let df = part.read(&unit)?;
            let labels = self.labels(&df)?;
            let first = labels.label(0);
            ordered &= first.is_some() && first >= last && labels.runs().is_some();
            last = labels.label(df.height().saturating_sub(1));
            sample.extend((0..df.height()).step_by(step).filter_map(|row| labels.label(row)));
            done += df.height() as u64;
            self.report("reading units", done);
        }
        Ok((!ordered).then_some(sample))
    }
}

/// The files that the paths name now.
pub(crate) fn found(paths: &[PathBuf]) -> Result<Vec<ParquetFile>> {
    paths.iter().map(|path| ParquetFile::found(path)).collect()
}

/// Splits a file into parts of whole row groups.
fn add_parts(source: ParquetFile, frame_rows: usize, parts: &mut Vec<FilePart>) -> Result<()> {
    let groups = source.row_groups()?;
    let mut part = FilePart { source, start: 0, rows: 0 };
    for rows in groups {
        if part.rows > 0 && part.rows.saturating_add(rows) > frame_rows {
            parts.push(part.clone());
            part = FilePart { start: part.start.saturating_add(part.rows), rows: 0, ..part };
        }
        part.rows = part.rows.saturating_add(rows);
    }
    if part.rows > 0 {
        parts.push(part);
    }
    Ok(())
}
