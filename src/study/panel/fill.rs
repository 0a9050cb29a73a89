//! Rows for periods that units lack.

use std::collections::BTreeSet;

use polars::prelude::*;

use super::change::PanelChange;
use super::constant::{add_varying, first_values};
use super::frame::{PanelFrame, gathered, index};
use super::keys::PanelKeys;
use super::step::{Plan, Step};
use super::survey::Survey;
use crate::base::error::Result;

/// Which rows are added, and what they hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bon::Builder)]
#[non_exhaustive]
pub struct FillGaps {
    /// Adds rows for all periods of the data, and not only for those between a unit's first and last.
    #[builder(default)]
    pub all_periods: bool,
    /// Carries the values of columns that change within no unit into the rows added; all others are null.
    #[builder(default)]
    pub carry_constant: bool,
}

/// Fills gaps under the name of a tool.
#[derive(Clone, Copy, Debug)]
pub(super) struct FillStep {
    pub name: &'static str,
    pub options: FillGaps,
}

impl Step for FillStep {
    fn name(&self) -> &'static str {
        self.name
    }

    fn compares(&self) -> bool {
        self.options.carry_constant
    }

    fn look(&self, frame: &PanelFrame<'_>, survey: &mut Survey) -> Result<()> {
        survey.add_periods(frame)?;
        if self.options.carry_constant {
            add_varying(frame, survey)?;
        }
        Ok(())
    }

    fn decide<'a>(
        &'a self,
        survey: &'a Survey,
        _: &PanelKeys,
        change: &mut PanelChange,
    ) -> Result<Box<dyn Plan + 'a>> {
        change.units_out = survey.units;
        change.add("Rows added", 0);
        change.add("Units with rows added", 0);
        let carry = self.options.carry_constant.then_some(&survey.varying);
        Ok(Box::new(Filling { all_periods: self.options.all_periods, varying: carry }))
    }
}

/// What is filled in.
struct Filling<'a> {
    all_periods: bool,
    /// Columns that change, where the others are carried.
    varying: Option<&'a BTreeSet<String>>,
}

/// A row of the result.
#[derive(Clone, Copy)]
struct Filled {
    unit: usize,
    rank: usize,
    row: Option<IdxSize>,
}

impl Plan for Filling<'_> {
    fn change(
        &self,
        frame: &PanelFrame<'_>,
        survey: &Survey,
        change: &mut PanelChange,
    ) -> Result<DataFrame> {
        let rank = survey.ranks(frame);
        let mut rows: Vec<Filled> = Vec::with_capacity(frame.df.height());
        let (mut added, mut filled) = (0, 0);
        for (position, unit) in frame.units.iter().enumerate() {
            let wanted = match self.all_periods {
                true => 0..survey.periods.len(),
                false => rank(unit.first)..rank(unit.end - 1) + 1,
            };
            let gaps = wanted.len() - unit.rows().len();
            (added, filled) = (added + gaps as u64, filled + u64::from(gaps > 0));
            let mut next = unit.first;
            for wanted in wanted {
                let is_there = next < unit.end && rank(next) == wanted;
                let row = is_there.then(|| index(next));
                next += usize::from(is_there);
                rows.push(Filled { unit: position, rank: wanted, row });
            }
        }
        change.add("Rows added", added);
        change.add("Units with rows added", filled);
        let columns =
            frame.df.columns().iter().map(|column| self.column(column, &rows, frame, survey));
        Ok(DataFrame::new(rows.len(), columns.collect::<Result<_>>()?)?)
    }
}

impl Filling<'_> {
    /// A column of the rows.
    fn column(
        &self,
        column: &Column,
        rows: &[Filled],
        frame: &PanelFrame<'_>,
        survey: &Survey,
    ) -> Result<Column> {
        let name = column.name().as_str();
        let source_rows = |or: &dyn Fn(&Filled) -> Option<IdxSize>| -> Vec<Option<IdxSize>> {
            rows.iter().map(|filled| filled.row.or_else(|| or(filled))).collect()
        };
        if name == frame.keys.unit {
            let first = |filled: &Filled| Some(index(frame.units[filled.unit].first));
            return Ok(gathered(column, &source_rows(&first))?);
        }
        if let (true, Some(times)) = (name == frame.keys.time, survey.times()) {
            let mut all = column.as_materialized_series().clone();
            all.append(times)?;
            let of_period = |filled: &Filled| Some(index(column.len() + filled.rank));
            return Ok(gathered(&all.into_column(), &source_rows(&of_period))?);
        }
        if self.varying.is_some_and(|varying| !varying.contains(name)) {
            let first = first_values(frame, column);
            return Ok(gathered(column, &source_rows(&|filled| first[filled.unit]))?);
        }
        Ok(gathered(column, &source_rows(&|_| None))?)
    }
}
