//! Reading the rows of a study once, as a whole or in pieces.

use polars::prelude::DataFrame;

use crate::base::error::Result;
use crate::base::progress::Progress;
use crate::read::columns::{Kind, MissingValues, Table, Wanted};
use crate::read::files::{FileFormat, Files, FilesRead, ParquetFiles};
use crate::read::input::{Data, Read, read_files};
use crate::read::panel::overview::{Overview, PanelColumns};

/// Rows of which one column is read at once.
const ROWS: usize = 1 << 22;

/// How rows are read.
pub(super) struct Reading<'a> {
    pub columns: &'a PanelColumns,
    pub missing: MissingValues,
    pub memory_budget: Option<u64>,
    pub progress: Option<Progress>,
}

impl Reading<'_> {
    /// What all rows show, and the files that they are from. Parquet files that are large beside the memory are read piece by piece.
    pub fn look(&self, data: Data<'_>) -> Result<(Overview, FilesRead)> {
        data.reading(|data| match data {
            Data::Path(path) => {
                let files = Files::find(&path)?;
                let columns = self.columns.wanted().names().len();
                let large = files.format == FileFormat::Parquet
                    && ParquetFiles::are_too_large(&files.paths, columns, self.memory_budget)?;
                self.files(&files, large)
            }
            Data::Pieces(path) => {
                let files = Files::find(&path)?;
                let in_pieces = files.format == FileFormat::Parquet;
                self.files(&files, in_pieces)
            }
            data => self.whole(data.read(&self.columns.wanted(), &self.missing)?),
        })
    }

    fn files(&self, files: &Files, in_pieces: bool) -> Result<(Overview, FilesRead)> {
        if in_pieces && self.columns.unit.is_some() {
            self.pieces(files)
        } else {
            self.whole(read_files(files, &self.columns.wanted(), &self.missing)?)
        }
    }

    fn whole(&self, Read { frame, files, read_as_missing }: Read) -> Result<(Overview, FilesRead)> {
        let mut overview = Overview::reading(read_as_missing);
        overview.add(&frame, self.columns, &self.missing)?;
        overview.finish();
        Ok((overview, files))
    }

    fn pieces(&self, files: &Files) -> Result<(Overview, FilesRead)> {
        let mut overview = Overview::of_periods(self.periods(files)?);
        let wanted = self.columns.wanted();
        let unit = self.columns.unit.as_deref();
        let progress = self.progress.clone();
        let opened = ParquetFiles::open(&files.paths, &wanted, unit, self.memory_budget, progress)?;
        let looked =
            opened.each("reading", &mut |df| overview.add(df, self.columns, &self.missing));
        looked.map_err(|error| {
            let again =
                |df: &DataFrame, first_row| self.columns.check(df, &self.missing, first_row);
            opened.located(error, &again)
        })?;
        overview.finish();
        Ok((overview, files.read()))
    }

    /// All periods of some files.
    fn periods(&self, files: &Files) -> Result<Vec<f64>> {
        let PanelColumns { time, frequency, .. } = self.columns;
        let wanted = Wanted::default().and("time", Kind::Value, [time]);
        let (schema, parts) = ParquetFiles::parts(&files.paths, &wanted, |_| ROWS)?;
        let (mut periods, mut first_row) = (Vec::new(), 0);
        for part in parts {
            let df = part.read(&schema)?;
            let table = Table::read(&df, &wanted, &self.missing, first_row)?;
            let codes = table.periods(time, *frequency)?;
            periods.extend(codes.finite(codes.codes.iter()));
            periods.sort_by(f64::total_cmp);
            periods.dedup();
            first_row += df.height();
        }
        Ok(periods)
    }
}
