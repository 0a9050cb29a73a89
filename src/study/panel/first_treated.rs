//! The first treated period, from a treatment of zeros and ones.

use polars::prelude::*;

use super::change::PanelChange;
use super::frame::{PanelFrame, StepColumns, UnitRows, gathered, index};
use super::keys::PanelKeys;
use super::step::{Plan, Step, new_column};
use super::survey::{FirstChange, Survey, TreatmentLook};
use crate::base::counted::counted;
use crate::base::error::{DidError, Result};

/// How the first treated period is found and written.
#[derive(Clone, Debug, PartialEq, Eq, bon::Builder)]
#[non_exhaustive]
#[builder(on(String, into))]
pub struct FirstTreated {
    /// Name of the column that is added.
    #[builder(default = "first_treated")]
    pub name: String,
    /// Writes 0 for units that are never treated, in place of null.
    #[builder(default)]
    pub never_as_zero: bool,
    /// Keeps the first treated period of units whose treatment ends, in place of an error.
    #[builder(default)]
    pub keep_first: bool,
    /// Takes missing treatments, and those of absent rows, as unknown, in place of an error: they are passed over where what comes before
    /// and after tells them, and units whose first treated period they hide are dropped.
    #[builder(default)]
    pub missing_as_unknown: bool,
    /// Takes the first treated row of a unit for the period of its first treatment even if periods of the panel before it are absent, in
    /// which it may have been treated, in place of an error.
    #[builder(default)]
    pub first_observed: bool,
}

impl Default for FirstTreated {
    fn default() -> Self {
        Self::builder().build()
    }
}

/// Adds the first treated period.
#[derive(Clone, Debug)]
pub(super) struct FirstTreatedStep {
    pub treatment: String,
    pub options: FirstTreated,
}

/// What a unit's rows say of its treatment.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Treated {
    Never,
    /// First in this row.
    From(usize),
    Unknown,
}

/// A unit's treatment, the first row in which it has ended, and rows without one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Path {
    treated: Treated,
    /// The last row before the treatment.
    before: Option<usize>,
    end: Option<usize>,
    missing: Option<(usize, usize)>,
}

impl Path {
    fn of(frame: &PanelFrame<'_>, unit: UnitRows) -> Self {
        let mut path = Self { treated: Treated::Never, before: None, end: None, missing: None };
        let mut hidden = false;
        for row in unit.rows() {
            let value = frame.treatment.as_ref().map_or(f64::NAN, |d| d.value(d.codes[row]));
            match path.treated {
                _ if value.is_nan() => {
                    let (first, rows) = path.missing.unwrap_or((row, 0));
                    path.missing = Some((first, rows + 1));
                    hidden = true;
                }
                Treated::Never if value == 1.0 => {
                    path.treated = if hidden { Treated::Unknown } else { Treated::From(row) };
                }
                Treated::Never => {
                    hidden = false;
                    path.before = Some(row);
                }
                _ if value == 0.0 => path.end = path.end.or(Some(row)),
                _ => {}
            }
        }
        if path.treated == Treated::Never && hidden {
            path.treated = Treated::Unknown;
        }
        path
    }

    /// The periods of the last untreated row, if there is one, and of the first treated row; `None` if it is not treated.
    fn change(&self, frame: &PanelFrame<'_>) -> Option<FirstChange> {
        let Treated::From(row) = self.treated else { return None };
        let period = |row: usize| frame.time.value(frame.time.codes[row]) + 0.0;
        Some(FirstChange::new(self.before.map(period), period(row)))
    }
}

impl Step for FirstTreatedStep {
    fn name(&self) -> &'static str {
        "first_treated"
    }

    fn columns(&self) -> StepColumns {
        StepColumns { treatment: Some(self.treatment.clone()), ..StepColumns::default() }
    }

    fn look(&self, frame: &PanelFrame<'_>, survey: &mut Survey) -> Result<()> {
        new_column(&frame.df, &self.options.name)?;
        survey.add_periods(frame)?;
        let times = frame.df.column(&frame.keys.time)?.dtype();
        let has_zero = times.is_primitive_numeric() || times.is_decimal();
        if self.options.never_as_zero && !has_zero {
            let expected = "left out where periods are no numbers, of which 0 could be one";
            return Err(DidError::config("never_as_zero", expected, "set"));
        }
        let example = |row: usize| (frame.unit_name(row), frame.period_name(row));
        let look = &mut survey.treatment;
        for unit in &frame.units {
            let path = Path::of(frame, *unit);
            match path.treated {
                Treated::Never => look.never += 1,
                Treated::From(row) => {
                    look.treated += 1;
                    look.from_the_start += u64::from(row == unit.first);
                }
                Treated::Unknown => look.unknown += 1,
            }
            if let (Some(change), Treated::From(row)) = (path.change(frame), path.treated) {
                let known = look.changes.entry(change);
                known.or_insert_with(|| (0, example(row))).0 += 1;
            }
            if let Some(row) = path.end {
                look.ends += 1;
                look.first_end.get_or_insert_with(|| example(row));
            }
            if let Some((row, rows)) = path.missing {
                look.missing += rows as u64;
                look.first_missing.get_or_insert_with(|| example(row));
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
        let column = &self.treatment;
        let TreatmentLook { treated, never, from_the_start, ends, missing, unknown, .. } =
            survey.treatment;
        let FirstTreated { missing_as_unknown, first_observed, .. } = self.options;
        let absent = survey.treatment.hidden(&survey.periods);
        if let (Some((unit, period)), false) = (&survey.treatment.first_missing, missing_as_unknown)
        {
            let problem = format!(
                "column `{column}` (treatment) is missing in {}, first for unit {unit} in period {period}; fill it in, or take it as unknown (`missing_as_unknown`, `--missing-as-unknown`)",
                counted(missing, "row", "rows")
            );
            return Err(DidError::Panel { problem });
        }
        if let (Some((unit, period)), false) =
            (&survey.treatment.first_end, self.options.keep_first)
        {
            let problem = format!(
                "column `{column}` (treatment) is not absorbing: it goes back to 0 in {}, first for unit {unit} in period {period}; effects of such treatments are those of `DidMultiplegt`, or keep the first treated period all the same (`keep_first`, `--keep-first`)",
                counted(ends, "unit", "units")
            );
            return Err(DidError::Panel { problem });
        }
        let (hidden, first_hidden) = absent;
        if let (Some((unit, period)), false) = (first_hidden, missing_as_unknown || first_observed)
        {
            let units = counted(hidden, "unit", "units");
            let problem = format!(
                "{units} may have been treated before the first row in which they are, first unit {unit}, in period {period}: rows of periods before it are absent, since its last untreated row or from its first row on. Add these rows, leave such units out (`missing_as_unknown`, `--missing-as-unknown`), or take the first treated row for the first treated period all the same (`first_observed`, `--first-observed`)"
            );
            return Err(DidError::Panel { problem });
        }
        let dropped = if first_observed { 0 } else { hidden };
        change.units_out = survey.units - unknown - dropped;
        change.add("Units treated", treated - dropped);
        change.add("Units never treated", never);
        change.add("Units treated from their first row on", from_the_start);
        if ends > 0 {
            change.add("Units whose treatment ends, with their first treated period", ends);
        }
        if missing > 0 {
            change.add("Rows without a treatment", missing);
            change.add("Units dropped whose first treated period is hidden by these", unknown);
        }
        if dropped > 0 {
            let what = "Units dropped whose first treated period is hidden by absent rows";
            change.add(what, dropped);
        }
        if hidden > dropped {
            let what =
                "Units that may have been treated in absent rows before their first treated row";
            change.add(what, hidden);
            change.notes.push(format!(
                "The first treated period of {} is the first in which they are seen to be treated; they may have been treated before it, so that their effects are at a longer exposure than it says, and rows before it are no untreated ones",
                counted(hidden, "unit", "units")
            ));
        }
        let is_status = from_the_start == treated;
        if survey.treatment.always(&survey.periods) > 0 || from_the_start > 0 && is_status {
            change.notes.push(match is_status {
                true => format!(
                    "All treated units are treated from their first row on: `{column}` seems to say who is treated, and not from when on"
                ),
                false => "Estimators of group-time effects drop units that are treated in the first period".to_owned(),
            });
        }
        Ok(Box::new(Added(self)))
    }
}

/// What is added is known to be there.
struct Added<'a>(&'a FirstTreatedStep);

impl Plan for Added<'_> {
    fn change(
        &self,
        frame: &PanelFrame<'_>,
        survey: &Survey,
        _: &mut PanelChange,
    ) -> Result<DataFrame> {
        let FirstTreated { name, never_as_zero, first_observed, .. } = &self.0.options;
        let mut times = frame.df.column(&frame.keys.time)?.as_materialized_series().clone();
        let zero = index(times.len());
        if *never_as_zero {
            times.append(&Series::new(times.name().clone(), [0_u8]).cast(times.dtype())?)?;
        }
        let mut sources: Vec<Option<IdxSize>> = vec![None; frame.df.height()];
        let mut keep = vec![true; frame.df.height()];
        for unit in &frame.units {
            let all = unit.start..unit.end;
            let path = Path::of(frame, *unit);
            let is_hidden = path.change(frame).is_some_and(|c| c.is_hidden(&survey.periods));
            match path.treated {
                Treated::From(_) if is_hidden && !first_observed => keep[all].fill(false),
                Treated::From(row) => sources[all].fill(Some(index(row))),
                Treated::Never => sources[all].fill(never_as_zero.then_some(zero)),
                Treated::Unknown => keep[all].fill(false),
            }
        }
        let mut df = frame.df.clone();
        df.with_column(gathered(&times.into_column(), &sources)?.with_name(name.as_str().into()))?;
        match keep.contains(&false) {
            false => Ok(df),
            true => Ok(df.filter(&BooleanChunked::from_slice(PlSmallStr::EMPTY, &keep))?),
        }
    }
}
