//! One row for a unit, with a column for each period.

use polars::prelude::*;

use super::change::PanelChange;
use super::constant::{add_varying, first_values};
use super::frame::{PanelFrame, StepColumns, gathered, index};
use super::keys::PanelKeys;
use super::pattern::{Pattern, USUAL};
use super::step::{Plan, Step};
use super::survey::Survey;
use crate::base::calendar::named;
use crate::base::error::{DidError, Result};

/// Which columns are spread over the periods, and what they are called.
#[derive(Clone, Debug, PartialEq, Eq, bon::Builder)]
#[non_exhaustive]
#[builder(on(String, into))]
pub struct ToWide {
    /// Columns to spread, in place of all that change within some unit. Of the others a unit's first value is kept.
    #[builder(with = |columns: impl IntoIterator<Item = impl Into<String>>| columns.into_iter().map(Into::into).collect())]
    pub columns: Option<Vec<String>>,
    /// Names of the columns.
    #[builder(default = USUAL)]
    pub names: String,
}

impl Default for ToWide {
    fn default() -> Self {
        Self::builder().build()
    }
}

/// Spreads columns.
#[derive(Clone, Debug)]
pub(super) struct WideStep(pub ToWide);

impl Step for WideStep {
    fn name(&self) -> &'static str {
        "to_wide"
    }

    fn compares(&self) -> bool {
        true
    }

    fn columns(&self) -> StepColumns {
        StepColumns {
            carried: self.0.columns.clone().unwrap_or_default(),
            ..StepColumns::default()
        }
    }

    fn streams(&self) -> bool {
        false
    }

    fn look(&self, frame: &PanelFrame<'_>, survey: &mut Survey) -> Result<()> {
        survey.add_periods(frame)?;
        add_varying(frame, survey)
    }

    fn decide<'a>(
        &'a self,
        survey: &'a Survey,
        keys: &PanelKeys,
        change: &mut PanelChange,
    ) -> Result<Box<dyn Plan + 'a>> {
        let pattern = Pattern::parse(&self.0.names)?;
        let given = self.0.columns.as_ref();
        if let Some(key) =
            given.into_iter().flatten().find(|name| **name == keys.unit || **name == keys.time)
        {
            let expected = "columns other than those of unit and period";
            return Err(DidError::config("columns", expected, format!("`{key}`")));
        }
        let lost: Vec<String> = match given {
            Some(given) => {
                survey.varying.iter().filter(|name| !given.contains(name)).cloned().collect()
            }
            None => Vec::new(),
        };
        change.units_out = survey.units;
        if !lost.is_empty() {
            change.notes.push(format!(
                "Of columns that change only the first value is kept: {}",
                lost.join(", ")
            ));
        }
        let spread = given.map_or_else(|| survey.varying.iter().cloned().collect(), Clone::clone);
        change.add("Columns spread over the periods", spread.len() as u64);
        change.add("Periods", survey.periods.len() as u64);
        Ok(Box::new(Spread { pattern, spread }))
    }
}

/// What is spread.
struct Spread {
    pattern: Pattern,
    spread: Vec<String>,
}

impl Plan for Spread {
    fn change(
        &self,
        frame: &PanelFrame<'_>,
        survey: &Survey,
        change: &mut PanelChange,
    ) -> Result<DataFrame> {
        let (rank, periods) = (survey.ranks(frame), survey.periods.len());
        let units = frame.units.len();
        let mut rows: Vec<Vec<Option<IdxSize>>> = vec![vec![None; units]; periods];
        for (position, unit) in frame.units.iter().enumerate() {
            for row in unit.rows() {
                rows[rank(row)][position] = Some(index(row));
            }
        }
        let absent = rows.iter().flatten().filter(|row| row.is_none()).count();
        change.add("Units and periods without a row, null in the result", absent as u64);
        let mut columns: Vec<Column> = Vec::new();
        for column in frame.df.columns() {
            let name = column.name().as_str();
            if name != frame.keys.time && !self.spread.iter().any(|spread| spread == name) {
                columns.push(gathered(column, &first_values(frame, column))?);
            }
        }
        for name in &self.spread {
            let column = frame.df.column(name)?;
            for (rank, rows) in rows.iter().enumerate() {
                let period = named(survey.periods[rank], frame.keys.frequency);
                let name = self.pattern.name(name, &period);
                if columns.iter().any(|known| known.name().as_str() == name) {
                    let expected = "a pattern whose names no column of the data has";
                    return Err(DidError::config("names", expected, format!("`{name}`")));
                }
                columns.push(gathered(column, rows)?.with_name(name.into()));
            }
        }
        Ok(DataFrame::new(units, columns)?)
    }
}
