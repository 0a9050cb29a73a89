//! Rows of whole units in the order of units and periods.

use std::ops::Range;

use polars::prelude::*;
use rayon::slice::ParallelSliceMut;

use super::keys::PanelKeys;
use crate::base::calendar::shown;
use crate::base::error::{DidError, Result};
use crate::read::columns::{Kind, LabelColumn, MISSING, PeriodCodes, ReadAsMissing, Table, Wanted};

/// Columns that a tool reads besides those of unit and period.
#[derive(Clone, Debug, Default)]
pub(super) struct StepColumns {
    /// As numbers.
    pub values: Vec<String>,
    /// As zeros and ones.
    pub treatment: Option<String>,
    /// As they are.
    pub carried: Vec<String>,
}

impl StepColumns {
    /// All columns that are read, with their roles.
    pub fn wanted(&self, keys: &PanelKeys) -> Wanted {
        keys.wanted()
            .and("column", Kind::Value, &self.values)
            .and("treatment", Kind::Value, &self.treatment)
            .and("column", Kind::Carried, &self.carried)
    }
}

/// Rows of whole units in the order of units and periods. Rows without a unit are the first, and rows of a unit without a period are the
/// first of the unit.
pub(super) struct PanelFrame<'a> {
    pub keys: &'a PanelKeys,
    pub df: DataFrame,
    /// Units that have a row with a period.
    pub units: Vec<UnitRows>,
    /// Rows without a unit or a period.
    pub without_key: usize,
    pub time: PeriodCodes,
    /// First treated period of each of the units, infinite if never, where the column is named.
    pub cohorts: Option<Vec<f64>>,
    /// Columns of numbers, NaN if missing.
    pub values: Vec<Vec<f64>>,
    pub treatment: Option<PeriodCodes>,
    pub read_as_missing: Vec<ReadAsMissing>,
}

/// The rows of a unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitRows {
    /// First of all, which may be without a period.
    pub start: usize,
    /// First with a period.
    pub first: usize,
    pub end: usize,
}

impl UnitRows {
    /// The rows with a period.
    pub fn rows(self) -> Range<usize> {
        self.first..self.end
    }
}

impl<'a> PanelFrame<'a> {
    /// Orders rows whose first has the number `first_row` among all rows.
    ///
    /// # Errors
    /// What is wrong with a column.
    pub fn new(
        df: DataFrame,
        keys: &'a PanelKeys,
        columns: &StepColumns,
        first_row: usize,
    ) -> Result<Self> {
        let table = Table::read(&df, &columns.wanted(keys), &keys.missing(), first_row)?;
        for column in &columns.carried {
            table.series(column, "column")?;
        }
        let units = table.labels(&keys.unit, "unit")?.codes().codes;
        let time = table.periods(&keys.time, keys.frequency)?;
        let group = keys.group.as_deref().map(|g| table.first_periods(g, keys.frequency));
        let group = group.transpose()?;
        let treatment = columns.treatment.as_deref().map(|d| table.binary(d, "treatment"));
        let treatment = treatment.transpose()?;
        let values = columns.values.iter().map(|v| Ok(table.numbers(v, "column")?.to_vec()));
        let values: Vec<Vec<f64>> = values.collect::<Result<_>>()?;
        let read_as_missing = table.read_as_missing.clone();
        drop(table);
        let order = order(&units, &time.codes);
        let coded = |codes: PeriodCodes| codes.with_codes(sorted(&codes.codes, order.as_deref()));
        let df = match &order {
            Some(order) => df.take(&IdxCa::from_slice(PlSmallStr::EMPTY, order))?,
            None => df,
        };
        let codes = sorted(&units, order.as_deref());
        let time = coded(time);
        let (units, keyed) = units_of(&codes, &time);
        let mut frame = Self {
            keys,
            without_key: df.height() - keyed,
            df,
            units,
            time,
            cohorts: None,
            values: values.iter().map(|v| sorted(v, order.as_deref())).collect(),
            treatment: treatment.map(coded),
            read_as_missing,
        };
        if let Some(group) = group {
            frame.cohorts = Some(frame.cohorts_of(&coded(group))?);
        }
        Ok(frame)
    }

    /// The first treated period of each unit; an error if it changes.
    fn cohorts_of(&self, group: &PeriodCodes) -> Result<Vec<f64>> {
        let of = |unit: &UnitRows| {
            let cohort = group.codes[unit.first];
            match unit.rows().find(|row| group.codes[*row] != cohort) {
                None => Ok(group.value(cohort)),
                Some(row) => Err(DidError::TimeVarying {
                    column: self.keys.group.clone().unwrap_or_default(),
                    role: "group",
                    unit: self.unit_name(row),
                    remedy: "give the period in which the unit is first treated in all its rows",
                }),
            }
        };
        self.units.iter().map(of).collect()
    }

    /// The label of a row's unit, for messages.
    pub fn unit_name(&self, row: usize) -> String {
        let labels = self.df.column(&self.keys.unit).map_err(DidError::from);
        labels
            .and_then(|c| LabelColumn::new(c, "unit"))
            .map_or_else(|_| String::new(), |l| l.text(row))
    }

    /// The period of a row, for messages.
    pub fn period_name(&self, row: usize) -> String {
        shown(self.time.value(self.time.codes[row]), self.keys.frequency)
    }

    /// An error if a unit has two rows for a period.
    pub fn refuse_duplicates(&self) -> Result<()> {
        let codes = &self.time.codes;
        let again =
            |unit: &UnitRows| (unit.first + 1..unit.end).find(|row| codes[*row] == codes[row - 1]);
        match self.units.iter().find_map(again) {
            None => Ok(()),
            Some(row) => Err(DidError::DuplicateRow {
                column: self.keys.unit.clone(),
                unit: self.unit_name(row),
                period: self.period_name(row),
                remedy: ", as `panel::deduplicate` (`burn-did panel deduplicate`) does",
            }),
        }
    }

    /// The rows that have a unit and a period.
    pub fn keyed(&self) -> impl Iterator<Item = usize> {
        self.units.iter().flat_map(|unit| unit.rows())
    }

    /// `of` the value of every period that occurs, by its code.
    pub fn by_code<T: Copy + Default>(&self, of: impl Fn(f64) -> T) -> Vec<T> {
        let mut known: Vec<Option<T>> = vec![None; usize::from(u16::MAX) + 1];
        for row in self.keyed() {
            let code = self.time.codes[row];
            known[usize::from(code)].get_or_insert_with(|| of(self.time.value(code)));
        }
        known.into_iter().map(Option::unwrap_or_default).collect()
    }
}

/// The order of rows by unit and period; those without either first. `None` if they are in it.
fn order(units: &[u32], periods: &[u16]) -> Option<Vec<u32>> {
    let key = |(unit, period): (&u32, &u16)| match (*unit, *period) {
        (MISSING, _) => 0,
        (unit, PeriodCodes::MISSING) => (u64::from(unit) + 1) << 16,
        (unit, period) => (u64::from(unit) + 1) << 16 | (u64::from(period) + 1),
    };
    let keys = || units.iter().zip(periods).map(key);
    if keys().is_sorted() {
        return None;
    }
    let mut rows: Vec<(u64, u32)> = keys().zip(0..).collect();
    rows.par_sort_unstable();
    Some(rows.into_iter().map(|(_, row)| row).collect())
}

/// Values in this order.
fn sorted<T: Copy>(values: &[T], order: Option<&[u32]>) -> Vec<T> {
    match order {
        None => values.to_vec(),
        Some(order) => order.iter().map(|row| values[*row as usize]).collect(),
    }
}

/// The units of ordered rows that have a row with a period, and how many such rows there are.
fn units_of(codes: &[u32], time: &PeriodCodes) -> (Vec<UnitRows>, usize) {
    let (mut units, mut keyed, mut start) = (Vec::new(), 0, 0);
    for rows in codes.chunk_by(|a, b| a == b) {
        let end = start + rows.len();
        let first = (start..end).find(|row| !time.is_missing(*row)).unwrap_or(end);
        if rows[0] != MISSING && first < end {
            units.push(UnitRows { start, first, end });
            keyed += end - first;
        }
        start = end;
    }
    (units, keyed)
}

/// Rows of a column, null for none.
pub(super) fn gathered(column: &Column, rows: &[Option<IdxSize>]) -> PolarsResult<Column> {
    column.take(&IdxCa::from_slice_options(PlSmallStr::EMPTY, rows))
}

/// A row number as polars has it.
pub(super) fn index(row: usize) -> IdxSize {
    IdxSize::try_from(row).unwrap_or(IdxSize::MAX)
}
