//! Values of earlier periods, and changes since them.

use polars::prelude::*;

use super::change::PanelChange;
use super::frame::{PanelFrame, StepColumns, gathered, index};
use super::keys::PanelKeys;
use super::step::{Plan, Step, new_column};
use super::steps::Steps;
use super::survey::Survey;
use crate::base::calendar::label;
use crate::base::error::{DidError, Result};

/// Values of so many periods before (after, if negative), or changes since then.
#[derive(Clone, Debug)]
pub(super) struct LagStep {
    pub columns: Vec<String>,
    pub periods: i32,
    pub difference: bool,
}

impl LagStep {
    fn new_name(&self, column: &str) -> String {
        let what = match (self.difference, self.periods < 0) {
            (true, _) => "diff",
            (false, false) => "lag",
            (false, true) => "lead",
        };
        format!("{column}_{what}{}", self.periods.unsigned_abs())
    }
}

impl Step for LagStep {
    fn name(&self) -> &'static str {
        if self.difference { "difference" } else { "lag" }
    }

    fn columns(&self) -> StepColumns {
        match self.difference {
            true => StepColumns { values: self.columns.clone(), ..StepColumns::default() },
            false => StepColumns { carried: self.columns.clone(), ..StepColumns::default() },
        }
    }

    fn look(&self, frame: &PanelFrame<'_>, survey: &mut Survey) -> Result<()> {
        if self.columns.is_empty() {
            return Err(DidError::config("columns", "at least one column", "none"));
        }
        if self.periods == 0 || self.difference && self.periods < 0 {
            let expected = "a number of periods from 1 on (for `lag` also a negative one)";
            return Err(DidError::config("periods", expected, self.periods));
        }
        for column in &self.columns {
            new_column(&frame.df, &self.new_name(column))?;
        }
        survey.add_periods(frame)
    }

    fn decide<'a>(
        &'a self,
        survey: &'a Survey,
        keys: &PanelKeys,
        change: &mut PanelChange,
    ) -> Result<Box<dyn Plan + 'a>> {
        let steps = Steps::new(&survey.periods, keys.frequency)?;
        change.units_out = survey.units;
        change.add("Rows without a value", 0);
        change.add("Of these, rows after a gap", 0);
        let period = match keys.frequency {
            Some(frequency) => format!("One period is a {frequency}"),
            None => format!("One period is {} of `{}`", label(steps.length), keys.time),
        };
        change.notes.push(period);
        Ok(Box::new(Lagged { step: self, steps }))
    }
}

/// The steps of the periods.
struct Lagged<'a> {
    step: &'a LagStep,
    steps: Steps,
}

impl Plan for Lagged<'_> {
    fn change(
        &self,
        frame: &PanelFrame<'_>,
        survey: &Survey,
        change: &mut PanelChange,
    ) -> Result<DataFrame> {
        let rank = survey.ranks(frame);
        let step = |row: usize| self.steps.numbers[rank(row)];
        let mut sources: Vec<Option<IdxSize>> = vec![None; frame.df.height()];
        let (mut without, mut gaps) = (frame.without_key as u64, 0);
        for unit in &frame.units {
            let (first, last) = (step(unit.first), step(unit.end - 1));
            let mut source = unit.first;
            for row in unit.rows() {
                let wanted = step(row) - i64::from(self.step.periods);
                while source < unit.end && step(source) < wanted {
                    source += 1;
                }
                if source < unit.end && step(source) == wanted {
                    sources[row] = Some(index(source));
                } else {
                    without += 1;
                    gaps += u64::from((first..last).contains(&wanted));
                }
            }
        }
        change.add("Rows without a value", without);
        change.add("Of these, rows after a gap", gaps);
        let mut df = frame.df.clone();
        for (position, column) in self.step.columns.iter().enumerate() {
            let name = self.step.new_name(column).into();
            let added = match self.step.difference {
                false => gathered(frame.df.column(column)?, &sources)?.with_name(name),
                true => changes(&frame.values[position], &sources).with_name(name).into_column(),
            };
            df.with_column(added)?;
        }
        Ok(df)
    }
}

/// Values less those of other rows; null where either is missing.
pub(super) fn changes(values: &[f64], sources: &[Option<IdxSize>]) -> Float64Chunked {
    let change = |(value, source): (&f64, &Option<IdxSize>)| {
        let change = *value - values[(*source)? as usize];
        (!change.is_nan()).then_some(change)
    };
    values.iter().zip(sources).map(change).collect()
}
