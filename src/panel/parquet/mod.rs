//! Parquet files as frames of whole units, in ascending order of the units' labels.

mod group;
mod temporary;

use std::fs::File;
use std::path::{Path, PathBuf};

use polars::prelude::*;

use super::codes::{Label, LabelColumn};
use super::columns::{Roles, Rows};
use crate::error::{DidError, Result};
use crate::progress::Progress;
pub(super) use temporary::TemporaryDirectory;

/// Rows of a frame unless the memory budget asks for fewer.
const FRAME_ROWS: usize = 1 << 20;

/// Rows of a file that are read together: whole row groups.
#[derive(Clone, Debug)]
struct Part {
    path: PathBuf,
    start: usize,
    rows: usize,
}

/// Parquet files whose rows can be read again and again.
pub(crate) struct ParquetFiles {
    parts: Vec<Part>,
    columns: Vec<String>,
    unit: String,
    /// Whether each part has all rows of its units; else units are contiguous and may cross parts.
    whole_units: bool,
    rows: u64,
    progress: Option<Progress>,
    /// Keeps the grouped copy.
    _directory: Option<TemporaryDirectory>,
}

impl ParquetFiles {
    /// Whether a path is that of parquet files: by its extension, or a directory.
    pub fn is_parquet(path: &Path) -> bool {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        path.is_dir() || matches!(extension.as_deref(), Some("parquet" | "pq"))
    }

    /// Bytes of a frame with all rows and this many columns.
    pub fn frame_bytes(path: &Path, columns: usize) -> Result<u64> {
        let rows = |path: &PathBuf| Ok(open(path)?.num_rows()? as u64);
        let rows: u64 = expand(path)?.iter().map(rows).sum::<Result<u64>>()?;
        Ok(8 * rows * columns as u64)
    }

    /// Opens the files of a path, a pattern or a directory. If their rows are not in ascending order of the units, they are
    /// written once more, grouped, to the directory for temporary files.
    pub fn open(
        path: &Path,
        roles: &Roles,
        memory_budget: Option<u64>,
        progress: Option<Progress>,
    ) -> Result<Self> {
        let unit = roles.unit.clone().ok_or_else(|| DidError::Config {
            option: "unit",
            expected: "a column, for files that are read piece by piece",
            got: "none".into(),
        })?;
        let columns = roles.names();
        let row_bytes = 64 * columns.len() as u64;
        let affordable = memory_budget.map_or(usize::MAX, |b| (b / row_bytes) as usize);
        let frame_rows = FRAME_ROWS.min(affordable).max(1);
        let mut parts = Vec::new();
        for path in expand(path)? {
            add_parts(&path, roles, &columns, frame_rows, &mut parts)?;
        }
        let rows = parts.iter().map(|p| p.rows as u64).sum();
        let directory = None;
        let mut files = Self {
            parts,
            columns,
            unit,
            whole_units: false,
            rows,
            progress,
            _directory: directory,
        };
        if let Some(sample) = files.disorder(frame_rows)? {
            files = group::group(files, sample, frame_rows)?;
        }
        Ok(files)
    }

    /// Calls `visit` with every frame.
    pub fn each(
        &self,
        stage: &'static str,
        visit: &mut dyn FnMut(&DataFrame) -> Result<()>,
    ) -> Result<()> {
        let mut open: Option<DataFrame> = None;
        let mut done = 0;
        for part in &self.parts {
            let mut df = read(part, &self.columns)?;
            done += df.height() as u64;
            if let Some(mut before) = open.take() {
                before.vstack_mut(&df)?;
                df = before;
            }
            let cut = if self.whole_units { df.height() } else { self.last_unit(&df)? };
            if cut < df.height() {
                open = Some(df.slice(cut as i64, df.height() - cut));
                df = df.slice(0, cut);
            }
            if df.height() > 0 {
                visit(&df)?;
            }
            self.report(stage, done);
        }
        open.map_or(Ok(()), |df| visit(&df))
    }

    fn report(&self, stage: &'static str, rows: u64) {
        if let Some(progress) = &self.progress {
            progress.report(stage, rows, self.rows);
        }
    }

    fn labels(&self, df: &DataFrame) -> Result<LabelColumn> {
        LabelColumn::new(df.column(&self.unit)?, "unit")
    }

    /// First row of the last unit.
    fn last_unit(&self, df: &DataFrame) -> Result<usize> {
        let labels = self.labels(df)?;
        let last = labels.label(df.height().saturating_sub(1));
        Ok((0..df.height()).rev().take_while(|row| labels.label(*row) == last).last().unwrap_or(0))
    }

    /// `None` if the labels ascend throughout; else a sample of them.
    fn disorder(&self, frame_rows: usize) -> Result<Option<Vec<Label>>> {
        let step = (frame_rows / 256).max(1);
        let (mut sample, mut ordered, mut last, mut done) = (Vec::new(), true, None, 0);
        for part in &self.parts {
            let df = read(part, std::slice::from_ref(&self.unit))?;
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

/// Files of a path, of a pattern with `*`, or of a directory, by name.
fn expand(path: &Path) -> Result<Vec<PathBuf>> {
    let shown = path.display().to_string();
    let pattern = if path.is_dir() { format!("{shown}/**/*.parquet") } else { shown.clone() };
    let missing = |message: String| DidError::Io {
        path: shown.clone(),
        source: std::io::Error::new(std::io::ErrorKind::NotFound, message),
    };
    let found = glob::glob(&pattern).map_err(|e| missing(e.to_string()))?;
    let files: Vec<PathBuf> = found.filter_map(std::result::Result::ok).collect();
    if files.is_empty() { Err(missing("no such file".into())) } else { Ok(files) }
}

fn open(path: &Path) -> Result<ParquetReader<File>> {
    let file = File::open(path)
        .map_err(|source| DidError::Io { path: path.display().to_string(), source })?;
    Ok(ParquetReader::new(file))
}

/// Splits a file into parts of whole row groups.
fn add_parts(
    path: &Path,
    roles: &Roles,
    columns: &[String],
    frame_rows: usize,
    parts: &mut Vec<Part>,
) -> Result<()> {
    let mut reader = open(path)?;
    let schema = reader.schema()?;
    if columns.iter().any(|c| !schema.contains(c)) {
        // Reading no rows of all columns gives the error that names the column and its role.
        Rows::read(&open(path)?.with_slice(Some((0, 0))).finish()?, roles)?;
    }
    let groups: Vec<usize> =
        reader.get_metadata()?.row_groups.iter().map(|g| g.num_rows()).collect();
    let mut part = Part { path: path.to_owned(), start: 0, rows: 0 };
    for rows in groups {
        if part.rows > 0 && part.rows + rows > frame_rows {
            parts.push(part.clone());
            part = Part { start: part.start + part.rows, rows: 0, ..part };
        }
        part.rows += rows;
    }
    if part.rows > 0 {
        parts.push(part);
    }
    Ok(())
}

fn read(part: &Part, columns: &[String]) -> Result<DataFrame> {
    let reader = open(&part.path)?
        .with_columns(Some(columns.to_vec()))
        .with_slice(Some((part.start, part.rows)));
    let mut df = reader.finish()?;
    df.rechunk_mut();
    Ok(df)
}
