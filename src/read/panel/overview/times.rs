//! The periods and groups of all rows, which frames of some of them may lack.

use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};

use super::PanelColumns;
use crate::base::calendar::moved_groups;
use crate::base::error::Result;
use crate::read::columns::{Kind, MissingValues, PeriodCodes, Table, Wanted};

/// Periods and groups, ascending.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct TimesFound {
    pub periods: Vec<f64>,
    groups: Vec<f64>,
}

impl PanelColumns {
    /// The columns that have them.
    pub(super) fn wanted_times(&self) -> Wanted {
        let wanted = Wanted::default().and("time", Kind::Value, [&self.time]);
        wanted.and("group", Kind::Value, &self.group)
    }
}

impl TimesFound {
    /// Of rows whose first has the number `first_row` among all.
    ///
    /// # Errors
    /// Errors about a column.
    pub fn of(
        df: &DataFrame,
        columns: &PanelColumns,
        missing: &MissingValues,
        first_row: usize,
    ) -> Result<Self> {
        let PanelColumns { time, group, frequency, .. } = columns;
        let table = Table::read(df, &columns.wanted_times(), missing, first_row)?;
        let finite = |codes: PeriodCodes| codes.finite(codes.codes.iter());
        let periods = table.periods(time, *frequency)?;
        let groups = group.as_ref().map(|group| table.first_periods(group, *frequency));
        let groups = groups.transpose()?.map(finite).unwrap_or_default();
        Ok(Self { periods: finite(periods), groups })
    }

    /// Adds those of other rows.
    pub fn add(&mut self, more: Self) {
        let own = [&mut self.periods, &mut self.groups];
        for (own, more) in own.into_iter().zip([more.periods, more.groups]) {
            own.extend(more);
            own.sort_by(f64::total_cmp);
            own.dedup();
        }
    }

    /// Groups that rounding alone tells from a period or from another group, with what they are taken as.
    pub fn moved(&self) -> Vec<(f64, f64)> {
        moved_groups(&self.periods, &self.groups)
    }
}
