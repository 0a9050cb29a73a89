//! Parquet files as frames of whole units, in ascending order of the units' labels.

mod file;
mod group;
mod schema;

use std::path::PathBuf;

use polars::prelude::*;

use super::codes::LabelColumn;
use super::labels::Label;
use super::roles::Roles;
use crate::error::{DidError, Result};
use crate::progress::Progress;
use file::Source;

/// Rows of a frame unless the memory budget asks for fewer.
const FRAME_ROWS: usize = 1 << 20;

/// Rows of a file that are read together: whole row groups.
#[derive(Clone, Debug)]
struct Part {
    source: Source,
    start: usize,
    rows: usize,
}

/// Parquet files whose rows can be read again and again.
pub(crate) struct ParquetFiles {
    parts: Vec<Part>,
    /// The parts of the files as they were found, if `parts` are those of a grouped copy.
    as_written: Option<Vec<Part>>,
    /// The columns needed, with their types.
    schema: Schema,
    unit: String,
    /// Whether each part has all rows of its units; else units are contiguous and may cross parts.
    whole_units: bool,
    rows: u64,
    progress: Option<Progress>,
}

impl ParquetFiles {
    /// Bytes of a frame with all rows and this many columns.
    pub fn frame_bytes(paths: &[PathBuf], columns: usize) -> Result<u64> {
        let rows = |source: Source| Ok(source.schema()?.1 as u64);
        let rows: u64 = sources(paths).map(rows).sum::<Result<u64>>()?;
        Ok(8 * rows * columns as u64)
    }

    /// All rows of the files.
    pub fn read_whole(paths: &[PathBuf], roles: &Roles) -> Result<DataFrame> {
        let sources: Vec<Source> = sources(paths).collect();
        let schema = schema::common(&sources, roles)?;
        let mut all = DataFrame::empty_with_schema(&schema);
        for source in sources {
            let rows = source.schema()?.1;
            if rows > 0 {
                all.vstack_mut(&Part { source, start: 0, rows }.read(&schema)?)?;
            }
        }
        Ok(all)
    }

    /// Opens files. If their rows are not in ascending order of the units, they are written once more, grouped, to temporary
    /// files.
    pub fn open(
        paths: &[PathBuf],
        roles: &Roles,
        memory_budget: Option<u64>,
        progress: Option<Progress>,
    ) -> Result<Self> {
        let unit = roles.unit.clone().ok_or_else(|| DidError::Config {
            option: "unit",
            expected: "a column, for files that are read piece by piece",
            got: "none".into(),
        })?;
        let sources: Vec<Source> = sources(paths).collect();
        let schema = schema::common(&sources, roles)?;
        let row_bytes = 64 * schema.len() as u64;
        let affordable = memory_budget.map_or(usize::MAX, |b| (b / row_bytes) as usize);
        let frame_rows = FRAME_ROWS.min(affordable).max(1);
        let mut parts = Vec::new();
        for source in sources {
            add_parts(source, frame_rows, &mut parts)?;
        }
        let rows = parts.iter().map(|p| p.rows as u64).sum();
        let (as_written, whole_units) = (None, false);
        let mut files = Self { parts, as_written, schema, unit, whole_units, rows, progress };
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
            let mut df = part.read(&self.schema)?;
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

    /// Calls `visit` with the rows of the files as they were found, which need not be whole units.
    pub fn each_as_written(&self, visit: &mut dyn FnMut(&DataFrame) -> Result<()>) -> Result<()> {
        let parts = self.as_written.as_ref().unwrap_or(&self.parts);
        parts.iter().try_for_each(|part| visit(&part.read(&self.schema)?))
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

fn sources(paths: &[PathBuf]) -> impl Iterator<Item = Source> {
    paths.iter().map(|path| Source::Path(Arc::new(path.clone())))
}

/// Splits a file into parts of whole row groups.
fn add_parts(source: Source, frame_rows: usize, parts: &mut Vec<Part>) -> Result<()> {
    let groups = source.row_groups()?;
    let mut part = Part { source, start: 0, rows: 0 };
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

impl Part {
    /// The columns of a schema, in its types.
    fn read(&self, schema: &Schema) -> Result<DataFrame> {
        let columns = schema.iter_names().map(ToString::to_string).collect();
        let df = self.source.rows((self.start, self.rows), columns)?;
        let mut df = schema::cast(&self.source, df, schema)?;
        df.rechunk_mut();
        Ok(df)
    }
}
