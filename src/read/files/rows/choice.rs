//! Rows chosen by all conditions, counted.

use polars::prelude::*;

use super::condition::RowCondition;
use super::meets::ROLE;
use super::parse::OPTION;
use crate::base::error::{DidError, Result};
use crate::read::columns::{Kind, MissingValues, Table, Wanted};
use crate::read::files::files_read::{ChosenRows, FilesRead, RowsLeftOut};

/// Chooses rows, frame by frame.
pub(crate) struct Choice<'a> {
    conditions: &'a [RowCondition],
    missing: &'a MissingValues,
    chosen: ChosenRows,
}

impl<'a> Choice<'a> {
    pub fn new(conditions: &'a [RowCondition], missing: &'a MissingValues) -> Self {
        let none = |condition: &RowCondition| RowsLeftOut {
            condition: condition.to_string(),
            rows: 0,
            missing: 0,
        };
        let left_out = conditions.iter().map(none).collect();
        Self { conditions, missing, chosen: ChosenRows { left_out, ..ChosenRows::default() } }
    }

    /// The columns of the roles, which are read as their roles ask for, and the other columns of the conditions.
    pub fn wanted(&self, roles: &Wanted) -> Wanted {
        let names = roles.names();
        let columns = self.conditions.iter().map(|condition| &condition.column);
        roles.clone().and(ROLE, Kind::Value, columns.filter(|column| !names.contains(column)))
    }

    /// The columns `names` of the rows that meet all conditions; all of a frame if there is no condition. The frame follows those that
    /// were given before.
    pub fn keep(&mut self, df: DataFrame, names: &[String]) -> Result<DataFrame> {
        if self.conditions.is_empty() {
            return Ok(df);
        }
        let chosen = self.which(&df)?;
        self.chosen.rows += df.height();
        self.chosen.chosen += chosen.num_trues();
        Ok(df.select(names.iter().map(String::as_str))?.filter(&chosen)?)
    }

    /// The rows that meet all conditions.
    fn which(&mut self, df: &DataFrame) -> Result<BooleanChunked> {
        let wanted = self.wanted(&Wanted::default());
        let table = Table::read(df, &wanted, self.missing, self.chosen.rows)?;
        let mut chosen = BooleanChunked::full(PlSmallStr::EMPTY, true, df.height());
        for (condition, left_out) in self.conditions.iter().zip(&mut self.chosen.left_out) {
            let meets = condition.meets(&table)?;
            left_out.missing += (&chosen & &meets.is_null()).num_trues();
            let still = &chosen & &meets.fill_null_with_values(false)?;
            left_out.rows += chosen.num_trues() - still.num_trues();
            chosen = still;
        }
        Ok(chosen)
    }

    /// The number among all rows of a row that was chosen, `df` being a frame of all rows with the columns of the conditions.
    pub fn place(mut self, row: usize, df: &DataFrame) -> Result<Option<usize>> {
        let chosen = self.which(df)?;
        let places = chosen.iter().enumerate().filter(|(_, is_chosen)| *is_chosen == Some(true));
        Ok(places.map(|(place, _)| place).nth(row))
    }

    /// The files, with how many of their rows were chosen.
    ///
    /// # Errors
    /// [`DidError::Config`] if there are rows and none was.
    pub fn finish(self, files: FilesRead) -> Result<FilesRead> {
        if self.conditions.is_empty() {
            return Ok(files);
        }
        let ChosenRows { rows, chosen, .. } = self.chosen;
        if rows > 0 && chosen == 0 {
            let conditions: Vec<String> =
                self.conditions.iter().map(|condition| format!("`{condition}`")).collect();
            let conditions = conditions.join(" and ");
            let got = format!("{conditions}, of {rows} rows");
            return Err(DidError::config(OPTION, "conditions that some row meets", got));
        }
        Ok(FilesRead { chosen: Some(self.chosen), ..files })
    }
}
