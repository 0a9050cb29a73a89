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
        let of = |periods: Option<Vec<f64>>| -> Result<(Overview, bool)> {
            let overview = Overview::reading(read_as_missing.clone());
            let mut overview = match periods {
                Some(periods) => overview.of_periods(periods),
                None => overview,
            };
            overview.add(&frame, self.columns, &self.missing)?;
            let dropped = overview.finish();
            Ok((overview, dropped))
        };
        Ok((self.with_bases(&of, None)?, files))
    }

    /// What is found `of` all periods. If one of them turns out to be empty, another may be a base period: then a second time.
    fn with_bases(
        &self,
        of: &dyn Fn(Option<Vec<f64>>) -> Result<(Overview, bool)>,
        periods: Option<Vec<f64>>,
    ) -> Result<Overview> {
        let (overview, dropped) = of(periods)?;
        if dropped && self.columns.base.is_some() && !overview.periods().is_empty() {
            return Ok(of(Some(overview.periods().to_vec()))?.0);
        }
        Ok(overview)
    }

    fn pieces(&self, files: &Files) -> Result<(Overview, FilesRead)> {
        let wanted = self.columns.wanted();
        let unit = self.columns.unit.as_deref();
        let progress = self.progress.clone();
        let opened = ParquetFiles::open(&files.paths, &wanted, unit, self.memory_budget, progress)?;
        let of = |periods: Option<Vec<f64>>| -> Result<(Overview, bool)> {
            let mut overview = Overview::default().of_periods(periods.unwrap_or_default());
            let looked =
                opened.each("reading", &mut |df| overview.add(df, self.columns, &self.missing));
            looked.map_err(|error| {
                let again =
                    |df: &DataFrame, first_row| self.columns.check(df, &self.missing, first_row);
                opened.located(error, &again)
            })?;
            let dropped = overview.finish();
            Ok((overview, dropped))
        };
        let overview = self.with_bases(&of, Some(self.periods(files)?))?;
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
