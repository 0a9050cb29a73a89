//! One row for a unit and period.

use std::collections::BTreeMap;
use std::ops::Range;

use polars::prelude::*;

use super::change::PanelChange;
use super::frame::{PanelFrame, index};
use super::keys::PanelKeys;
use super::step::{Plan, Step};
use super::survey::Survey;
use crate::base::counted::counted;
use crate::base::error::{DidError, Result};
use crate::base::words::words;
use crate::read::columns::LabelColumn;

words! {
    /// Which row of a unit and period is kept where rows differ. Rows that are equal in all columns are one row in any case.
    #[derive(Default)]
    pub enum Keep: "keep" {
        /// None: rows that differ are an error.
        #[default]
        Equal = "equal",
        /// The first in the order of the data.
        First = "first",
        /// The last in the order of the data.
        Last = "last",
        /// The means of columns of numbers in which rows differ, over distinct rows without missing values; the first row's values elsewhere.
        Mean = "mean",
    }
}

/// Keeps one row.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeduplicateStep(pub Keep);

/// Rows of one unit and period: the first of each that differ.
struct Repeated {
    rows: Range<usize>,
    distinct: Vec<usize>,
}

/// Content of the rows that share unit and period with others: a code for each column.
struct Contents {
    /// Position of each row among these.
    of: BTreeMap<usize, usize>,
    columns: Vec<(String, Vec<u32>)>,
}

impl Contents {
    fn same(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.of[&a], self.of[&b]);
        self.columns.iter().all(|(_, codes)| codes[a] == codes[b])
    }
}

/// Equal codes for equal values of a column.
fn codes(column: &Column) -> Result<Vec<u32>> {
    if let Ok(labels) = LabelColumn::with_infinities(column, "column") {
        return Ok(labels.codes().codes);
    }
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let series = column.as_materialized_series();
    let code = |value: AnyValue<'_>| {
        let next = index(seen.len());
        *seen.entry(format!("{value:?}")).or_insert(next)
    };
    Ok(series.iter().map(code).collect())
}

/// The rows of units and periods that have several.
fn repeated(frame: &PanelFrame<'_>) -> Result<(Contents, Vec<Repeated>)> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for unit in &frame.units {
        let mut start = unit.first;
        for rows in frame.time.codes[unit.rows()].chunk_by(|a, b| a == b) {
            if rows.len() > 1 {
                groups.push(start..start + rows.len());
            }
            start += rows.len();
        }
    }
    let rows: Vec<usize> = groups.iter().cloned().flatten().collect();
    let taken: Vec<IdxSize> = rows.iter().map(|row| index(*row)).collect();
    let df = frame.df.take(&IdxCa::from_vec(PlSmallStr::EMPTY, taken))?;
    let others = df.columns().iter().filter(|c| c.name().as_str() != frame.keys.unit);
    let columns = others.map(|c| Ok((c.name().to_string(), codes(c)?))).collect::<Result<_>>()?;
    let of = rows.into_iter().enumerate().map(|(position, row)| (row, position)).collect();
    let contents = Contents { of, columns };
    let found = groups.into_iter().map(|rows| {
        let mut distinct: Vec<usize> = Vec::new();
        for row in rows.clone() {
            if !distinct.iter().any(|known| contents.same(*known, row)) {
                distinct.push(row);
            }
        }
        Repeated { rows, distinct }
    });
    let found = found.collect();
    Ok((contents, found))
}

impl Step for DeduplicateStep {
    fn name(&self) -> &'static str {
        "deduplicate"
    }

    fn compares(&self) -> bool {
        true
    }

    fn look(&self, frame: &PanelFrame<'_>, survey: &mut Survey) -> Result<()> {
        let (contents, found) = repeated(frame)?;
        let conflicts = &mut survey.conflicts;
        for Repeated { rows, distinct } in found {
            conflicts.repeated += (rows.len() - distinct.len()) as u64;
            let [first, others @ ..] = distinct.as_slice() else { continue };
            if others.is_empty() {
                continue;
            }
            conflicts.pairs += 1;
            let example = || (frame.unit_name(*first), frame.period_name(*first));
            conflicts.first.get_or_insert_with(example);
            for (name, codes) in &contents.columns {
                let code = |row: &usize| codes[contents.of[row]];
                if others.iter().any(|other| code(other) != code(first)) {
                    *conflicts.columns.entry(name.clone()).or_default() += 1;
                }
            }
        }
        Ok(())
    }

    fn decide<'a>(
        &'a self,
        survey: &'a Survey,
        _: &PanelKeys,
        change: &mut PanelChange,
    ) -> Result<Box<dyn Plan + 'a>> {
        let conflicts = &survey.conflicts;
        let columns = conflicts.columns.iter().map(|(name, pairs)| format!("`{name}` in {pairs}"));
        let columns = columns.collect::<Vec<_>>().join(", ");
        if let (Some((unit, period)), Keep::Equal) = (&conflicts.first, self.0) {
            let problem = format!(
                "{} rows that differ ({columns}), first unit {unit} in period {period}; say which row to keep (`keep`, `--keep`)",
                counted(
                    conflicts.pairs,
                    "pair of unit and period has",
                    "pairs of unit and period have"
                )
            );
            return Err(DidError::Panel { problem });
        }
        change.units_out = survey.units;
        change.add("Rows dropped that are equal to another", conflicts.repeated);
        change.add("Units and periods with rows that differ", conflicts.pairs);
        if !columns.is_empty() {
            change.notes.push(format!("Differing columns: {columns}"));
        }
        Ok(Box::new(OneRow { keep: self.0, survey }))
    }
}

/// Which columns differ is known.
struct OneRow<'a> {
    keep: Keep,
    survey: &'a Survey,
}

impl Plan for OneRow<'_> {
    fn change(&self, frame: &PanelFrame<'_>, _: &Survey, _: &mut PanelChange) -> Result<DataFrame> {
        let (_, found) = repeated(frame)?;
        let mut keep = vec![true; frame.df.height()];
        for Repeated { rows, distinct } in &found {
            keep[rows.clone()].fill(false);
            let row_to_keep = if self.keep == Keep::Last { rows.end - 1 } else { distinct[0] };
            keep[row_to_keep] = true;
        }
        let mut df = frame.df.clone();
        if self.keep == Keep::Mean {
            for name in self.survey.conflicts.columns.keys() {
                let column = df.column(name)?;
                let dtype = column.dtype();
                let is_number = dtype.is_primitive_numeric() || dtype.is_decimal();
                if is_number && *name != frame.keys.time {
                    let column = means(column, &found)?;
                    df.with_column(column)?;
                }
            }
        }
        Ok(df.filter(&BooleanChunked::from_slice(PlSmallStr::EMPTY, &keep))?)
    }
}

/// A column of numbers with means in the first of the rows that differ.
fn means(column: &Column, found: &[Repeated]) -> Result<Column> {
    let numbers = column.cast(&DataType::Float64)?;
    let mut values: Vec<Option<f64>> = numbers.f64()?.iter().collect();
    for Repeated { distinct, .. } in found.iter().filter(|repeated| repeated.distinct.len() > 1) {
        let known = distinct.iter().filter_map(|row| values[*row]).filter(|v| !v.is_nan());
        let known: Vec<f64> = known.collect();
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        values[distinct[0]] = (!known.is_empty()).then_some(mean);
    }
    Ok(Float64Chunked::from_slice_options(column.name().clone(), &values).into_column())
}
