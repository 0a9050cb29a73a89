//! Tools, applied to data in memory or to files that are written to another.

use std::path::Path;

use polars::prelude::*;

use super::change::PanelChange;
use super::frame::PanelFrame;
use super::keys::PanelKeys;
use super::long::{Folding, ToLong};
use super::step::Step;
use super::survey::Survey;
use crate::base::error::{DidError, Result};
use crate::base::memory;
use crate::base::progress::Progress;
use crate::read::columns::{MissingValues, Wanted};
use crate::read::files::output::{self, Sink};
use crate::read::files::{FileFormat, Files, ParquetFiles, PieceFiles, overwritten};
use crate::read::input::Data;

/// Rows of a file that are written together.
const ROWS: usize = 1 << 19;

/// Memory of a tool, in multiples of the data: they, ordered, and changed.
const COPIES: u64 = 3;

/// Memory of a table with a column for each period, in multiples of the data.
const WIDE: u128 = 4;

/// Something that is done to a panel: what a function of this module returns.
#[derive(Clone, Debug)]
#[must_use = "a tool does nothing until it is applied or writes"]
pub struct PanelTool(Kind);

#[derive(Clone, Debug)]
enum Kind {
    /// Of whole units.
    Units(PanelKeys, Arc<dyn Step>),
    /// Of single rows.
    Rows(ToLong),
}

impl PanelTool {
    pub(super) fn units(keys: &PanelKeys, step: impl Step + 'static) -> Self {
        Self(Kind::Units(keys.clone(), Arc::new(step)))
    }

    pub(super) fn rows(options: ToLong) -> Self {
        Self(Kind::Rows(options))
    }

    /// The changed data, and what was changed. All data are in memory.
    ///
    /// # Errors
    /// [`DidError`] naming the option, column, unit or period at fault.
    pub fn apply<'a>(&self, data: impl Into<Data<'a>>) -> Result<(DataFrame, PanelChange)> {
        data.into().reading(&self.missing(), |data| self.whole(data, false))
    }

    /// Writes the changed data to a `.parquet` or `.csv` file, which takes the place of what was there when it is complete. From parquet
    /// and CSV files that need not fit in memory ([`Data::in_pieces`](crate::Data::in_pieces), or files that are larger than the memory budget) it is
    /// written piece by piece; `to_wide` needs all data in memory. From CSV to CSV files, columns that a tool neither calculates with nor compares
    /// (`deduplicate`, `to_wide`, `to_long` and `carry_constant` compare) keep their numbers as they are written.
    ///
    /// # Errors
    /// As [`apply`](Self::apply), and [`DidError::Io`] for a file that cannot be written; [`DidError::Config`] if it is one of the data or
    /// has another ending.
    pub fn write<'a>(
        &self,
        data: impl Into<Data<'a>>,
        path: impl AsRef<Path>,
    ) -> Result<PanelChange> {
        let (data, path) = (data.into(), path.as_ref());
        let format = FileFormat::to_write("path", path)?;
        if let Data::Files(input) = &data
            && overwritten(input.path(), path).is_some()
        {
            let expected = "another file than those that are read";
            return Err(DidError::config("path", expected, path.display()));
        }
        data.reading(&self.missing(), |data| match self.pieces(&data)? {
            Some(files) => output::write(path, format, |sink| {
                self.stream(&files, self.is_verbatim(format), sink)
            }),
            None => {
                let (df, change) = self.whole(data, self.is_verbatim(format))?;
                output::write(path, format, |sink| {
                    let starts = (0..df.height().max(1)).step_by(ROWS);
                    starts
                        .into_iter()
                        .try_for_each(|start| sink(Some(&df.slice(start as i64, ROWS))))?;
                    sink(None)
                })?;
                Ok(change)
            }
        })
    }

    /// Whether what is only carried stays as it is written in CSV files: in a CSV file again, unless numbers are to be compared.
    fn is_verbatim(&self, format: FileFormat) -> bool {
        let compares = match &self.0 {
            Kind::Units(_, step) => step.compares(),
            Kind::Rows(_) => true,
        };
        format == FileFormat::Csv && !compares
    }

    /// Columns that have a role.
    fn wanted(&self) -> Wanted {
        match &self.0 {
            Kind::Units(keys, step) => step.columns().wanted(keys),
            Kind::Rows(_) => Wanted::default(),
        }
    }

    fn missing(&self) -> MissingValues {
        match &self.0 {
            Kind::Units(keys, _) => keys.missing(),
            Kind::Rows(options) => MissingValues::new(options.missing_values.as_deref()),
        }
    }

    fn progress(&self) -> Option<&Progress> {
        match &self.0 {
            Kind::Units(keys, _) => keys.progress.as_ref(),
            Kind::Rows(_) => None,
        }
    }

    fn budget(&self) -> Option<u64> {
        match &self.0 {
            Kind::Units(keys, _) => keys.memory_budget,
            Kind::Rows(options) => options.memory_budget,
        }
    }

    /// Files that are read piece by piece.
    fn pieces(&self, data: &Data<'_>) -> Result<Option<Files>> {
        let Data::Files(given) = data else { return Ok(None) };
        let files = given.find()?;
        if !files.have_pieces() {
            return Ok(None);
        }
        let columns = files.names()?.len();
        let bytes = files.frame_bytes(columns)?;
        if matches!(&self.0, Kind::Units(_, step) if !step.streams()) {
            let remedy = "`to_wide` needs all data in memory: free some, or leave out columns and periods first";
            memory::check(
                "the panel and the wide table made of it",
                WIDE * u128::from(bytes),
                remedy,
            )?;
            return Ok(None);
        }
        let large = given.are_wanted_in_pieces() || memory::exceeds(bytes, self.budget(), COPIES);
        Ok((large && bytes > 0).then_some(files))
    }

    fn whole(&self, data: Data<'_>, verbatim: bool) -> Result<(DataFrame, PanelChange)> {
        let read = data.read_all(&self.wanted(), verbatim, &self.missing(), self.progress())?;
        let mut change = PanelChange {
            files: read.files,
            read_as_missing: read.read_as_missing,
            ..PanelChange::default()
        };
        let df = match &self.0 {
            Kind::Units(keys, step) => {
                let frame = PanelFrame::new(read.frame, keys, &step.columns(), 0)?;
                let mut survey = Survey::default();
                survey.add(&frame);
                step.look(&frame, &mut survey)?;
                survey.finish()?;
                begin(&mut change, step.name(), &survey);
                step.decide(&survey, keys, &mut change)?.change(&frame, &survey, &mut change)
            }
            Kind::Rows(options) => {
                let frame = &read.frame;
                let is_empty = |name: &str| Ok(!has_values(frame.column(name)?));
                let folding = Folding::new(options, frame.schema(), &is_empty)?;
                change.tool = "to_long";
                folding.describe(&mut change);
                add_rows(&mut change, &read.frame);
                folding.change(&read.frame, &mut change)
            }
        }?;
        change.rows_out = df.height() as u64;
        Ok((df, change))
    }

    fn stream(&self, files: &Files, verbatim: bool, sink: &mut Sink<'_>) -> Result<PanelChange> {
        let (wanted, names) = files.all_columns(&self.wanted(), verbatim)?;
        let (missing, budget) = (self.missing(), self.budget());
        let PieceFiles { sources, read, read_as_missing } =
            files.in_pieces(&wanted, &missing, budget, self.progress())?;
        let mut change = PanelChange { files: read, read_as_missing, ..PanelChange::default() };
        match &self.0 {
            Kind::Units(keys, step) => {
                let unit = Some(keys.unit.as_str());
                let parts = ParquetFiles::open(
                    &sources,
                    &wanted,
                    unit,
                    keys.memory_budget,
                    keys.progress.clone(),
                )?;
                let columns = step.columns();
                let ordered = |df: &DataFrame| -> Result<PanelFrame<'_>> {
                    PanelFrame::new(df.select(names.iter().map(String::as_str))?, keys, &columns, 0)
                };
                let mut survey = Survey::default();
                let mut look = |df: &DataFrame| {
                    let frame = ordered(df)?;
                    survey.add(&frame);
                    step.look(&frame, &mut survey)
                };
                // The columns are written even if there are no rows.
                let without_rows = parts.without_rows();
                let looked = parts.each("reading", &mut look);
                let looked = looked.and_then(|()| without_rows.iter().try_for_each(&mut look));
                looked.map_err(|error| {
                    let again = |df: &DataFrame, first_row| {
                        PanelFrame::new(df.clone(), keys, &columns, first_row).map(drop)
                    };
                    parts.located(error, &again)
                })?;
                survey.finish()?;
                begin(&mut change, step.name(), &survey);
                let plan = step.decide(&survey, keys, &mut change)?;
                let mut write = |df: &DataFrame| {
                    let df = plan.change(&ordered(df)?, &survey, &mut change)?;
                    change.rows_out += df.height() as u64;
                    sink(Some(&df))
                };
                parts.each("writing", &mut write)?;
                without_rows.iter().try_for_each(&mut write)?;
            }
            Kind::Rows(options) => {
                let rows = |columns: usize| {
                    let affordable =
                        options.memory_budget.map(|bytes| bytes as usize / (64 * columns));
                    affordable.unwrap_or(ROWS).clamp(1, ROWS)
                };
                let (schema, parts) = ParquetFiles::parts(&sources, &wanted, rows)?;
                let in_order: Schema = names.iter().filter_map(|n| schema.get_field(n)).collect();
                let is_empty = |name: &str| -> Result<bool> {
                    let only: Schema = in_order.get_field(name).into_iter().collect();
                    for part in &parts {
                        if has_values(part.read(&only)?.column(name)?) {
                            return Ok(false);
                        }
                    }
                    Ok(true)
                };
                let folding = Folding::new(options, &in_order, &is_empty)?;
                change.tool = "to_long";
                folding.describe(&mut change);
                let mut write = |df: &DataFrame| {
                    add_rows(&mut change, df);
                    let df = folding.change(df, &mut change)?;
                    change.rows_out += df.height() as u64;
                    sink(Some(&df))
                };
                for part in &parts {
                    write(&part.read(&in_order)?)?;
                }
                if parts.is_empty() {
                    write(&DataFrame::empty_with_schema(&in_order))?;
                }
            }
        }
        sink(None)?;
        Ok(change)
    }
}

fn has_values(column: &Column) -> bool {
    column.null_count() < column.len()
}

/// What all tools of units count.
fn begin(change: &mut PanelChange, tool: &'static str, survey: &Survey) {
    change.tool = tool;
    (change.rows_in, change.units_in) = (survey.rows, survey.units);
    change.rows_without_key = survey.without_key;
    change.read_as_missing.extend(survey.read_as_missing.iter().cloned());
}

/// Counts rows of which each is a unit.
fn add_rows(change: &mut PanelChange, df: &DataFrame) {
    let rows = df.height() as u64;
    change.rows_in += rows;
    change.units_in += rows;
    change.units_out += rows;
}
