//! Changes since a base period.

use polars::prelude::*;

use super::change::PanelChange;
use super::frame::{PanelFrame, StepColumns, index};
use super::keys::PanelKeys;
use super::lag::changes;
use super::step::{Plan, Step, new_column};
use super::survey::Survey;
use crate::base::calendar::shown;
use crate::base::error::{DidError, Result};

/// The period since which a long difference is the change.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Base {
    /// The last period of the data before a unit is first treated. Units that are never treated have none.
    BeforeTreatment,
    /// This one: a number, or what [`Frequency::period`](crate::options::Frequency::period) says of a date.
    Period(f64),
}

/// Changes of columns since the base.
#[derive(Clone, Debug)]
pub(super) struct LongDifferenceStep {
    pub columns: Vec<String>,
    pub base: Base,
}

fn new_name(column: &str) -> String {
    format!("{column}_long_diff")
}

impl Step for LongDifferenceStep {
    fn name(&self) -> &'static str {
        "long_difference"
    }

    fn columns(&self) -> StepColumns {
        StepColumns { values: self.columns.clone(), ..StepColumns::default() }
    }

    fn look(&self, frame: &PanelFrame<'_>, survey: &mut Survey) -> Result<()> {
        if self.columns.is_empty() {
            return Err(DidError::config("columns", "at least one column", "none"));
        }
        if self.base == Base::BeforeTreatment && frame.keys.group.is_none() {
            let expected = "the column of first treated periods, for differences from the period before treatment";
            return Err(DidError::config("group", expected, "none"));
        }
        for column in &self.columns {
            new_column(&frame.df, &new_name(column))?;
        }
        survey.add_periods(frame)
    }

    fn decide<'a>(
        &'a self,
        survey: &'a Survey,
        keys: &PanelKeys,
        change: &mut PanelChange,
    ) -> Result<Box<dyn Plan + 'a>> {
        change.units_out = survey.units;
        change.add("Units without a row in the base period", 0);
        if let Base::Period(period) = self.base {
            if survey.rank(period).is_none() {
                let got = shown(period, keys.frequency);
                return Err(DidError::config("base", "a period of the data", got));
            }
        } else {
            change.add("Units without a base period: never treated", 0);
            change.add("Units without a base period: treated from the first period on", 0);
        }
        Ok(Box::new(Since(self)))
    }
}

/// The base is known.
struct Since<'a>(&'a LongDifferenceStep);

impl Plan for Since<'_> {
    fn change(
        &self,
        frame: &PanelFrame<'_>,
        survey: &Survey,
        change: &mut PanelChange,
    ) -> Result<DataFrame> {
        let rank = survey.ranks(frame);
        let mut sources: Vec<Option<IdxSize>> = vec![None; frame.df.height()];
        let (mut never, mut always, mut absent, mut unknown) = (0, 0, 0, 0);
        for (position, unit) in frame.units.iter().enumerate() {
            let base = match (self.0.base, &frame.cohorts) {
                (Base::Period(period), _) => survey.rank(period),
                (Base::BeforeTreatment, cohorts) => {
                    let cohort =
                        cohorts.as_ref().map_or(f64::INFINITY, |cohorts| cohorts[position]);
                    if cohort == f64::INFINITY {
                        never += 1;
                        continue;
                    }
                    if cohort.is_nan() {
                        unknown += 1;
                        continue;
                    }
                    let before =
                        survey.periods.partition_point(|period| *period < cohort).checked_sub(1);
                    always += u64::from(before.is_none());
                    before
                }
            };
            let Some(base) = base else { continue };
            match unit.rows().find(|row| rank(*row) == base) {
                Some(source) => sources[unit.rows()].fill(Some(index(source))),
                None => absent += 1,
            }
        }
        change.add("Units without a row in the base period", absent);
        if self.0.base == Base::BeforeTreatment {
            change.add("Units without a base period: never treated", never);
            change.add("Units without a base period: treated from the first period on", always);
            if unknown > 0 {
                change.add("Units without a base period: the group is NaN", unknown);
            }
        }
        let mut df = frame.df.clone();
        for (values, column) in frame.values.iter().zip(&self.0.columns) {
            df.with_column(
                changes(values, &sources).with_name(new_name(column).into()).into_column(),
            )?;
        }
        Ok(df)
    }
}
