//! A table whose columns are read by what they are for.

use std::borrow::Cow;

use polars::prelude::*;

use super::codes::LabelColumn;
use super::missing::MissingValues;
use super::names::not_found;
use super::numbers::{binary, groups, negative_group, numeric, refuse_negative, small};
use super::period_codes::PeriodCodes;
use super::periods::periods;
use super::read_as_missing::ReadAsMissing;
use super::values::{Numbers, Values, lacking};
use super::wanted::{Asked, Wanted};
use super::without_group::WithoutGroup;
use crate::base::calendar::Frequency;
use crate::base::error::{DidError, Result};
use crate::base::parallel;

/// Rows that one task looks at.
const PART: usize = 8_192;

/// A frame without the values that stand for a missing one. What is wrong with a column is said by its name, its role and its row.
#[derive(Clone)]
pub(crate) struct Table<'a> {
    frame: Cow<'a, DataFrame>,
    /// Number of the first row among all rows.
    first_row: usize,
    /// What was taken as missing.
    pub read_as_missing: Vec<ReadAsMissing>,
}

/// Columns as numbers, of the rows in which all have one.
pub(crate) struct CompleteNumbers {
    /// `[columns][rows]`, in the order in which they were asked for.
    pub columns: Vec<Vec<f64>>,
    /// Rows that were left out.
    pub rows_missing: usize,
    /// Columns without a number in some rows, and in how many.
    pub missing: Vec<(String, usize)>,
}

impl<'a> Table<'a> {
    /// The wanted columns of a frame whose first row has the number `first_row` among all rows; an error if its rows cannot be
    /// numbered.
    pub fn read(
        df: &'a DataFrame,
        wanted: &Wanted,
        missing: &MissingValues,
        first_row: usize,
    ) -> Result<Self> {
        if u32::try_from(df.height()).is_err() {
            return Err(DidError::config("data", "at most 4,294,967,295 rows", df.height()));
        }
        let mut table = Self { first_row, ..Self::plain(df) };
        for name in wanted.names() {
            let Ok(column) = df.column(&name) else { continue };
            let words = missing.words(&name, |name| df.column(name).is_ok());
            let cleaned = words.clean(column.as_materialized_series())?;
            if let Some((series, counts)) = cleaned {
                table.frame.to_mut().with_column(series.into_column())?;
                table.read_as_missing.extend(counts.of(&name));
            }
        }
        Ok(table)
    }

    /// A frame in which no other values stand for a missing one.
    pub fn plain(df: &'a DataFrame) -> Self {
        Self { frame: Cow::Borrowed(df), first_row: 0, read_as_missing: Vec::new() }
    }

    /// The frame, in which no other values stand for a missing one in the columns that were read.
    pub fn into_frame(self) -> DataFrame {
        self.frame.into_owned()
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.frame.height()
    }

    fn column(&self, name: &str, role: &'static str) -> Result<&Column> {
        let names = || self.frame.get_column_names().into_iter().map(PlSmallStr::as_str);
        self.frame.column(name).map_err(|_| not_found(name, role, names()))
    }

    /// A column as it is.
    pub fn series(&self, name: &str, role: &'static str) -> Result<&Series> {
        Ok(self.column(name, role)?.as_materialized_series())
    }

    /// Whether a column has a type of categories.
    pub fn is_categorical(&self, name: &str) -> bool {
        let column = self.frame.column(name);
        column.is_ok_and(|c| c.dtype().is_categorical() || c.dtype().is_enum())
    }

    /// A column of numbers or booleans, NaN if missing.
    pub fn numbers(&self, name: &str, role: &'static str) -> Result<Values> {
        Ok(numeric(self.series(name, role)?, role, f64::NAN, self.first_row)?.values())
    }

    /// Weights, all nonnegative; NaN if missing.
    pub fn weights(&self, name: &str) -> Result<Values> {
        let values = self.numbers(name, "weights")?;
        refuse_negative(name, &values, self.first_row)?;
        Ok(values)
    }

    /// Zeros and ones.
    pub fn binary(&self, name: &str, role: &'static str) -> Result<PeriodCodes> {
        let numbers = numeric(self.series(name, role)?, role, f64::NAN, self.first_row)?;
        binary(name, role, numbers, self.first_row)
    }

    /// Labels; infinite values count as missing.
    pub fn labels(&self, name: &str, role: &'static str) -> Result<LabelColumn> {
        LabelColumn::new(self.column(name, role)?, role)
    }

    /// Labels, infinity included: levels, or groups, where infinity means never treated.
    pub fn levels(&self, name: &str, role: &'static str) -> Result<LabelColumn> {
        LabelColumn::with_infinities(self.column(name, role)?, role)
    }

    /// Periods, missing if they are not finite.
    pub fn periods(&self, name: &str, frequency: Option<Frequency>) -> Result<PeriodCodes> {
        let numbers = self.dated(name, "time", frequency, f64::NAN)?;
        let finite = |t: f64| if t.is_finite() { t } else { f64::NAN };
        small(name, "time", numbers, self.first_row, finite)
    }

    /// First treated periods with never treated (0, +inf, null) as +inf.
    pub fn first_periods(&self, name: &str, frequency: Option<Frequency>) -> Result<PeriodCodes> {
        groups(name, self.dated(name, "group", frequency, f64::INFINITY)?, self.first_row)
    }

    /// Rows whose first treated period is written as 0, where a period may be negative; elsewhere 0 is no period, and rows are not
    /// counted. `lowest` is the first period of the table.
    pub fn zero_groups(
        &self,
        name: &str,
        frequency: Option<Frequency>,
        lowest: Option<f64>,
    ) -> Result<usize> {
        match lowest.is_some_and(|period| period < 0.0) {
            true => Ok(self.dated(name, "group", frequency, f64::INFINITY)?.zeros()),
            false => Ok(0),
        }
    }

    /// Rows without a group, and whether other rows say by a code that they are never treated, of those that are `complete`, or of all.
    /// `group` is the first treated period of a row; `units` counts the units that have a row for which a test holds.
    pub fn without_group(
        &self,
        name: &str,
        group: impl Fn(usize) -> f64 + Sync,
        complete: Option<&[bool]>,
        units: impl FnOnce(&(dyn Fn(usize) -> bool + Sync)) -> Option<usize>,
    ) -> Result<WithoutGroup> {
        let series = self.series(name, "group")?;
        let nulls = series.null_count();
        let is_null = (nulls > 0).then(|| series.is_null().rechunk().into_owned());
        let is_null = |row: usize| is_null.as_ref().is_some_and(|n| n.get(row) == Some(true));
        let serves = |row: usize| complete.is_none_or(|complete| complete[row]);
        let parts = self.len().div_ceil(PART);
        let count = |holds: &(dyn Fn(usize) -> bool + Sync)| -> usize {
            let of =
                |part| parallel::part(part, PART, self.len()).filter(|row| holds(*row)).count();
            parallel::map(parts, of).into_iter().sum()
        };
        let is_coded = |row: usize| group(row) == f64::INFINITY && serves(row) && !is_null(row);
        let in_none = |part| !parallel::part(part, PART, self.len()).any(is_coded);
        // Most often the first rows tell.
        let coded = !parallel::all(parts, &in_none);
        // Rows whose group is NaN are not complete.
        let nan = complete.map_or(0, |_| count(&|row| group(row).is_nan()));
        let is_without = |row: usize| is_null(row) && serves(row);
        let rows = if nulls > 0 { count(&is_without) } else { 0 };
        let units = if rows > 0 { units(&is_without) } else { None };
        Ok(WithoutGroup { rows, units, nulls, coded, nan })
    }

    /// Units of a column that have a row for which a test holds; none if there is no such column.
    pub fn units_with(&self, unit: &str, holds: &dyn Fn(usize) -> bool) -> Option<usize> {
        let series = self.series(unit, "unit").ok()?;
        let rows: BooleanChunked = (0..self.len()).map(|row| Some(holds(row))).collect();
        series.filter(&rows).ok()?.drop_nulls().n_unique().ok()
    }

    fn dated(
        &self,
        name: &str,
        role: &'static str,
        frequency: Option<Frequency>,
        null: f64,
    ) -> Result<Numbers> {
        let series = periods(self.column(name, role)?, role, frequency, self.first_row)?;
        numeric(&series, role, null, self.first_row)
    }

    /// Dates as periods of a frequency, NaN if missing.
    pub fn dates(&self, name: &str, role: &'static str, frequency: Frequency) -> Result<Values> {
        Ok(self.dated(name, role, Some(frequency), f64::NAN)?.values())
    }

    /// The table with periods in place of the dates of some columns, so that the dates of a period are one level, too.
    pub fn in_periods<'n>(
        &self,
        columns: impl IntoIterator<Item = (&'n str, &'static str)>,
        frequency: Option<Frequency>,
    ) -> Result<Self> {
        let mut table = self.clone();
        for (name, role) in columns {
            let series = periods(self.column(name, role)?, role, frequency, self.first_row)?;
            table.frame.to_mut().with_column(series.into_column())?;
        }
        Ok(table)
    }

    /// As [`periods`](Self::periods), of a table [in periods](Self::in_periods) and however many there are.
    pub fn period_values(&self, name: &str) -> Result<Values> {
        self.distinct(name, "time", f64::NAN)
    }

    /// As [`first_periods`](Self::first_periods), of a table [in periods](Self::in_periods) and however many there are.
    pub fn first_period_values(&self, name: &str) -> Result<Values> {
        let values = self.distinct(name, "group", f64::INFINITY)?;
        if let Some((row, value)) = (self.first_row..).zip(&*values).find(|(_, g)| **g < 0.0) {
            return Err(negative_group(name, *value, row));
        }
        let never = |g: &f64| if *g == 0.0 { f64::INFINITY } else { *g };
        Ok(values.iter().map(never).collect::<Vec<f64>>().into())
    }

    /// Numbers that are as different as doubles as they are in their column.
    fn distinct(&self, name: &str, role: &'static str, null: f64) -> Result<Values> {
        let numbers = numeric(self.series(name, role)?, role, null, self.first_row)?;
        // Infinity as the largest value: all rows are looked at.
        match numbers.indistinct(f64::INFINITY) {
            None => Ok(numbers.values()),
            Some((row, value)) => {
                let (column, row) = (name.to_owned(), self.first_row + row);
                Err(DidError::TooManyDigits { column, role, value, row, line: None })
            }
        }
    }

    /// The wanted columns as numbers, of the rows in which all have a finite number; an error if none is left.
    pub fn complete_numbers(&self, wanted: &Wanted) -> Result<CompleteNumbers> {
        let read = |Asked { column, role, .. }: &Asked| match *role {
            "weights" => self.weights(column),
            role => self.numbers(column, role),
        };
        let all: Vec<Values> = wanted.asked().iter().map(read).collect::<Result<_>>()?;
        let rows = self.len();
        let complete: Vec<usize> =
            (0..rows).filter(|row| all.iter().all(|values| values[*row].is_finite())).collect();
        let names = wanted.asked().iter().map(|asked| &asked.column);
        let missing = lacking(names.zip(&all));
        if complete.is_empty() {
            return Err(DidError::no_complete_rows(&missing));
        }
        let of_complete_rows = |values: &Values| complete.iter().map(|row| values[*row]).collect();
        Ok(CompleteNumbers {
            columns: all.iter().map(of_complete_rows).collect(),
            rows_missing: rows - complete.len(),
            missing,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::wanted::Kind;
    use super::*;

    fn frame() -> DataFrame {
        df!(
            "y" => [Some(1.0), Some(-99.0), Some(3.0), None],
            "w" => [1.0, 2.0, 0.5, 1.0],
            "g" => [0.0, 2004.0, f64::INFINITY, -1.0],
            "day" => ["2007-01-31", "2007-02-01", "2007-02-28", "2008-01-01"],
        )
        .unwrap()
    }

    #[test]
    fn only_wanted_columns_lose_what_stands_for_missing() {
        let (df, column) = (frame(), "y".to_owned());
        let wanted = Wanted::default().and("outcome", Kind::Value, [&column]);
        let missing = MissingValues::new(Some(&["-99".to_owned(), "2".to_owned()]));
        let table = Table::read(&df, &wanted, &missing, 0).unwrap();
        let taken: Vec<&str> = table.read_as_missing.iter().map(|t| t.column.as_str()).collect();
        assert_eq!((table.len(), taken), (4, vec!["y"]));
        let complete = table.complete_numbers(&wanted).unwrap();
        assert_eq!((complete.columns, complete.rows_missing), (vec![vec![1.0, 3.0]], 2));
        assert_eq!(complete.missing, [("y".to_owned(), 2)]);
        assert_eq!(&*table.weights("w").unwrap(), [1.0, 2.0, 0.5, 1.0]);
    }

    #[test]
    fn errors_name_column_role_and_row_among_all_rows() {
        let df = frame();
        let table = Table { first_row: 10, ..Table::plain(&df) };
        let message = |error: DidError| error.to_string();
        let negative = message(table.first_periods("g", None).err().unwrap());
        assert!(negative.starts_with("column `g` (group) is -1 in row 13"), "{negative}");
        assert_eq!(message(table.first_period_values("g").err().unwrap()), negative);
        let negative = message(table.weights("y").err().unwrap());
        assert!(negative.starts_with("column `y` (weights) is -99 in row 11"), "{negative}");
        let other = message(table.binary("w", "treatment").err().unwrap());
        assert_eq!(other, "column `w` (treatment) must be 0 or 1; row 11 has 2");
        let text = message(table.numbers("day", "outcome").err().unwrap());
        assert!(text.starts_with("column `day` (outcome) holds text"), "{text}");
        let none = message(table.labels("state", "cluster").err().unwrap());
        assert!(none.starts_with("column `state` (cluster) is not in the data"), "{none}");
    }

    #[test]
    fn dates_are_read_as_their_periods() {
        let df = frame();
        let monthly = Some(Frequency::Month);
        let codes = Table::plain(&df).periods("day", monthly).unwrap();
        let dated = Table::plain(&df).in_periods([("day", "time")], monthly).unwrap();
        let values = dated.period_values("day").unwrap();
        assert!((0..4).all(|row| codes.value(codes.codes[row]) == values[row]));
        assert_eq!(
            [values[1] - values[0], values[2] - values[1], values[3] - values[2]],
            [1.0, 0.0, 11.0]
        );
    }
}
