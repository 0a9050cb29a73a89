//! The first treated period, from a treatment of zeros and ones.

use polars::prelude::*;

use super::change::PanelChange;
use super::frame::{PanelFrame, StepColumns, UnitRows, gathered, index};
use super::keys::PanelKeys;
use super::step::{Plan, Step, new_column};
use super::survey::{Survey, TreatmentLook};
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
    /// Takes missing treatments as unknown, in place of an error: they are passed over where what comes before and after tells them, and
    /// units whose first treated period they hide are dropped.
    #[builder(default)]
    pub missing_as_unknown: bool,
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
    end: Option<usize>,
    missing: Option<(usize, usize)>,
}

impl Path {
    fn of(frame: &PanelFrame<'_>, unit: UnitRows) -> Self {
        let mut path = Self { treated: Treated::Never, end: None, missing: None };
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
                Treated::Never => hidden = false,
                _ if value == 0.0 => path.end = path.end.or(Some(row)),
                _ => {}
            }
        }
        if path.treated == Treated::Never && hidden {
            path.treated = Treated::Unknown;
        }
        path
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
        frame.refuse_duplicates()?;
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
        if let (Some((unit, period)), false) =
            (&survey.treatment.first_missing, self.options.missing_as_unknown)
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
        change.units_out = survey.units - unknown;
        change.add("Units treated", treated);
        change.add("Units never treated", never);
        change.add("Units treated from their first row on", from_the_start);
        if ends > 0 {
            change.add("Units whose treatment ends, with their first treated period", ends);
        }
        if missing > 0 {
            change.add("Rows without a treatment", missing);
            change.add("Units dropped whose first treated period is hidden by these", unknown);
        }
        if from_the_start > 0 {
            change.notes.push(match from_the_start == treated {
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
    fn change(&self, frame: &PanelFrame<'_>, _: &Survey, _: &mut PanelChange) -> Result<DataFrame> {
        let FirstTreated { name, never_as_zero, .. } = &self.0.options;
        let mut times = frame.df.column(&frame.keys.time)?.as_materialized_series().clone();
        let zero = index(times.len());
        if *never_as_zero {
            times.append(&Series::new(times.name().clone(), [0_u8]).cast(times.dtype())?)?;
        }
        let mut sources: Vec<Option<IdxSize>> = vec![None; frame.df.height()];
        let mut keep = vec![true; frame.df.height()];
        for unit in &frame.units {
            let all = unit.start..unit.end;
            match Path::of(frame, *unit).treated {
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
