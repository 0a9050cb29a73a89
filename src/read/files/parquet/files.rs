//! Files as frames, which are read again whenever they are asked for.

use polars::prelude::*;

use super::file::ParquetFile;
use super::schema;
use crate::base::error::{DidError, Result};
use crate::base::progress::Progress;
use crate::read::columns::LabelColumn;

/// Rows of a file that are read together: whole row groups.
#[derive(Clone, Debug)]
pub(crate) struct FilePart {
    pub source: ParquetFile,
    pub start: usize,
    pub rows: usize,
}

/// Parquet files whose rows can be read again and again.
pub(crate) struct ParquetFiles {
    pub(super) parts: Vec<FilePart>,
    /// The parts of the files as they were found, if `parts` are those of a grouped copy.
    pub(super) as_written: Option<Vec<FilePart>>,
    /// The columns needed, with their types.
    pub(super) schema: Schema,
    pub(super) unit: String,
    /// Whether each part has all rows of its units; else units are contiguous and may cross parts.
    pub(super) whole_units: bool,
    pub(super) rows: u64,
    pub(super) progress: Option<Progress>,
}

impl ParquetFiles {
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

    /// A frame of their columns without rows, if they have none.
    pub fn without_rows(&self) -> Option<DataFrame> {
        (self.rows == 0).then(|| DataFrame::empty_with_schema(&self.schema))
    }

    /// An error about a row of a piece, with the row's number in the files: `read` reads rows whose first has the number that it is given.
    pub fn located(
        &self,
        error: DidError,
        read: &dyn Fn(&DataFrame, usize) -> Result<()>,
    ) -> DidError {
        if !error.names_a_row() {
            return error;
        }
        let mut first_row = 0;
        let again = self.each_as_written(&mut |df| {
            read(df, first_row)?;
            first_row += df.height();
            Ok(())
        });
        again.err().unwrap_or(error)
    }

    /// Calls `visit` with the rows of the files as they were found, which need not be whole units.
    fn each_as_written(&self, visit: &mut dyn FnMut(&DataFrame) -> Result<()>) -> Result<()> {
        let parts = self.as_written.as_ref().unwrap_or(&self.parts);
        parts.iter().try_for_each(|part| visit(&part.read(&self.schema)?))
    }

    pub(super) fn report(&self, stage: &'static str, rows: u64) {
        if let Some(progress) = &self.progress {
            progress.report(stage, rows, self.rows);
        }
    }

    pub(super) fn labels(&self, df: &DataFrame) -> Result<LabelColumn> {
        LabelColumn::new(df.column(&self.unit)?, "unit")
    }

    /// First row of the last unit.
    fn last_unit(&self, df: &DataFrame) -> Result<usize> {
        let labels = self.labels(df)?;
        let last = labels.label(df.height().saturating_sub(1));
        Ok((0..df.height()).rev().take_while(|row| labels.label(*row) == last).last().unwrap_or(0))
    }
}

impl FilePart {
    /// The columns of a schema, in its types.
    pub fn read(&self, schema: &Schema) -> Result<DataFrame> {
        let df = self.source.rows_of((self.start, self.rows), schema)?;
        let mut df = schema::cast(&self.source, df, schema)?;
        df.rechunk_mut();
        Ok(df)
    }
}
