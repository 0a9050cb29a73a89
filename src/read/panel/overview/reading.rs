//! Reading the rows of a study, as a whole or in pieces, as often as they are asked for.

use std::sync::OnceLock;

use polars::prelude::DataFrame;

use super::{Overview, PanelColumns, TimesFound, UnitRows};
use crate::base::error::Result;
use crate::base::progress::Progress;
use crate::read::columns::{MissingValues, ReadAsMissing};
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
    /// The rows are arranged once, when they are first asked for.
    Whole {
        frame: DataFrame,
        read_as_missing: Vec<ReadAsMissing>,
        rows: Box<OnceLock<UnitRows>>,
    },
    Pieces {
        opened: ParquetFiles,
        times: Times,
        read_as_missing: Vec<ReadAsMissing>,
    },
}

/// All periods of some files, and groups that rounding alone tells from one or from another group, with what they are taken as.
struct Times {
    periods: Vec<f64>,
    moved: Vec<(f64, f64)>,
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
                let times = self.times(&sources)?;
                let opened = ParquetFiles::open(&sources, &wanted, unit, budget, progress)?;
                let held = Held::Pieces { opened, times, read_as_missing };
                Ok(OpenedRows { reading: self, files: read, held })
            }
        }
    }

    fn whole(&self, Read { frame, files, read_as_missing }: Read) -> OpenedRows<'_> {
        let held = Held::Whole { frame, read_as_missing, rows: Box::default() };
        OpenedRows { reading: self, files, held }
    }

    fn times(&self, sources: &[ParquetFile]) -> Result<Times> {
        let (schema, parts) = ParquetFiles::parts(sources, &self.columns.wanted_times(), |_| ROWS)?;
        let (mut found, mut first_row) = (TimesFound::default(), 0);
        for part in parts {
            let df = part.read(&schema)?;
            found.add(TimesFound::of(&df, self.columns, &self.missing, first_row)?);
            first_row += df.height();
        }
        Ok(Times { moved: found.moved(), periods: found.periods })
    }
}

impl OpenedRows<'_> {
    /// What all rows show.
    ///
    /// # Errors
    /// Errors about a column, and [`DidError::EmptySample`](crate::DidError::EmptySample) if no row has all values.
    pub fn overview(&self) -> Result<Overview> {
        let (empty, known) = match &self.held {
            Held::Whole { read_as_missing, .. } => {
                (Overview::reading(read_as_missing.clone()), None)
            }
            Held::Pieces { times, read_as_missing, .. } => {
                (Overview::reading(read_as_missing.clone()), Some(times.periods.clone()))
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
        overview.check_rows()?;
        Ok(overview)
    }

    /// Adds all rows, and says whether a period of theirs was empty.
    fn look(&self, mut overview: Overview) -> Result<(Overview, bool)> {
        self.each("reading", &mut |rows| overview.add(rows, self.reading.columns))?;
        let dropped = overview.finish();
        Ok((overview, dropped))
    }

    /// Calls `visit` with all rows, which come in parts of whole units.
    ///
    /// # Errors
    /// Errors about a file, and those of `visit`.
    pub fn each(
        &self,
        stage: &'static str,
        visit: &mut dyn FnMut(&UnitRows) -> Result<()>,
    ) -> Result<()> {
        let Reading { columns, missing, .. } = self.reading;
        let moved = match &self.held {
            Held::Whole { .. } => None,
            Held::Pieces { times, .. } => Some(times.moved.as_slice()),
        };
        let arranged = |df: &DataFrame| UnitRows::new(df, columns, missing, moved);
        match &self.held {
            Held::Whole { frame, rows, .. } => match rows.get() {
                Some(rows) => visit(rows),
                None => {
                    let first = arranged(frame)?;
                    visit(rows.get_or_init(|| first))
                }
            },
            Held::Pieces { opened, .. } => {
                opened.each(stage, &mut |df| visit(&arranged(df)?)).map_err(|error| {
                    let again = |df: &DataFrame, first_row| columns.check(df, missing, first_row);
                    opened.located(error, &again)
                })
            }
        }
    }
}
