//! Reading the rows of a study, as a whole or in pieces, as often as they are asked for.

use polars::prelude::DataFrame;

use super::{Overview, PanelColumns};
use crate::base::error::{DidError, Result};
use crate::base::progress::Progress;
use crate::read::columns::{Kind, MissingValues, ReadAsMissing, Table, Wanted};
use crate::read::files::parquet::ParquetFile;
use crate::read::files::{Files, FilesRead, ParquetFiles, PieceFiles};
use crate::read::input::{Data, Read, read_files};

/// Rows of which one column is read at once.
const ROWS: usize = 1 << 22;

/// How rows are read.
pub(crate) struct Reading<'a> {
    pub columns: &'a PanelColumns,
    pub missing: MissingValues,
    pub memory_budget: Option<u64>,
    pub progress: Option<Progress>,
}

/// Rows that can be read again.
pub(crate) struct OpenedRows<'a> {
    reading: &'a Reading<'a>,
    /// Files read; none if the data were in memory.
    pub files: FilesRead,
    held: Held,
}

enum Held {
    Whole { frame: DataFrame, read_as_missing: Vec<ReadAsMissing> },
    Pieces { opened: ParquetFiles, periods: Vec<f64>, read_as_missing: Vec<ReadAsMissing> },
}

impl Reading<'_> {
    /// What all rows show, and the files that they are from.
    ///
    /// # Errors
    /// As [`with`](Self::with), and errors about a column.
    pub fn look(&self, data: Data<'_>) -> Result<(Overview, FilesRead)> {
        self.with(data, |rows| Ok((rows.overview()?, rows.files.clone())))
    }

    /// Opens the data for some work. Parquet and CSV files that are large beside the memory are read piece by piece.
    ///
    /// # Errors
    /// Errors about a file, and those of the work.
    pub fn with<T>(
        &self,
        data: Data<'_>,
        work: impl FnOnce(&OpenedRows<'_>) -> Result<T>,
    ) -> Result<T> {
        data.reading(&self.missing, |data| work(&self.open(data)?))
    }

    fn open(&self, data: Data<'_>) -> Result<OpenedRows<'_>> {
        match data {
            Data::Files(files) => {
                let found = files.find()?;
                let columns = self.columns.wanted().names().len();
                let in_pieces = found.have_pieces()
                    && (files.are_wanted_in_pieces()
                        || found.are_too_large(columns, self.memory_budget)?);
                self.files(&found, in_pieces)
            }
            data => {
                let (wanted, progress) = (self.columns.wanted(), self.progress.as_ref());
                Ok(self.whole(data.read(&wanted, &self.missing, progress)?))
            }
        }
    }

    fn files(&self, files: &Files, in_pieces: bool) -> Result<OpenedRows<'_>> {
        let wanted = self.columns.wanted();
        match self.columns.unit.as_deref().filter(|_| in_pieces) {
            None => {
                let progress = self.progress.as_ref();
                Ok(self.whole(read_files(files, &wanted, &self.missing, progress)?))
            }
            unit => {
                let (budget, progress) = (self.memory_budget, self.progress.clone());
                let PieceFiles { sources, read, read_as_missing } =
                    files.in_pieces(&wanted, &self.missing, budget, progress.as_ref())?;
                let periods = self.periods(&sources)?;
                let opened = ParquetFiles::open(&sources, &wanted, unit, budget, progress)?;
                let held = Held::Pieces { opened, periods, read_as_missing };
                Ok(OpenedRows { reading: self, files: read, held })
            }
        }
    }

    fn whole(&self, Read { frame, files, read_as_missing }: Read) -> OpenedRows<'_> {
        OpenedRows { reading: self, files, held: Held::Whole { frame, read_as_missing } }
    }

    /// All periods of some files.
    fn periods(&self, sources: &[ParquetFile]) -> Result<Vec<f64>> {
        let PanelColumns { time, frequency, .. } = self.columns;
        let wanted = Wanted::default().and("time", Kind::Value, [time]);
        let (schema, parts) = ParquetFiles::parts(sources, &wanted, |_| ROWS)?;
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

impl OpenedRows<'_> {
    /// What all rows show.
    ///
    /// # Errors
    /// Errors about a column, and [`DidError::EmptySample`] if no row has all values.
    pub fn overview(&self) -> Result<Overview> {
        let (empty, known) = match &self.held {
            Held::Whole { read_as_missing, .. } => {
                (Overview::reading(read_as_missing.clone()), None)
            }
            Held::Pieces { periods, read_as_missing, .. } => {
                (Overview::reading(read_as_missing.clone()), Some(periods.clone()))
            }
        };
        let of = |periods: Option<Vec<f64>>| match periods {
            Some(periods) => self.look(empty.clone().of_periods(periods)),
            None => self.look(empty.clone()),
        };
        let (mut overview, dropped) = of(known)?;
        // If a period turns out to be empty, another may be a base period.
        if dropped && self.reading.columns.base.is_some() && !overview.periods().is_empty() {
            overview = of(Some(overview.periods().to_vec()))?.0;
        }
        if overview.rows == overview.incomplete {
            return Err(DidError::EmptySample {
                after: "after dropping rows with missing or non-finite values",
                remedy: "check the columns for nulls and infinities",
            });
        }
        Ok(overview)
    }

    /// Adds all rows, and says whether a period of theirs was empty.
    fn look(&self, mut overview: Overview) -> Result<(Overview, bool)> {
        let Reading { columns, missing, .. } = self.reading;
        self.each("reading", &mut |df| overview.add(df, columns, missing))?;
        let dropped = overview.finish();
        Ok((overview, dropped))
    }

    /// Calls `visit` with all rows, which come in frames of whole units.
    ///
    /// # Errors
    /// Errors about a file, and those of `visit`.
    pub fn each(
        &self,
        stage: &'static str,
        visit: &mut dyn FnMut(&DataFrame) -> Result<()>,
    ) -> Result<()> {
        match &self.held {
            Held::Whole { frame, .. } => visit(frame),
            Held::Pieces { opened, .. } => opened.each(stage, visit).map_err(|error| {
                let Reading { columns, missing, .. } = self.reading;
                let again = |df: &DataFrame, first_row| columns.check(df, missing, first_row);
                opened.located(error, &again)
            }),
        }
    }
}
