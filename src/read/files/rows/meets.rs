//! Which rows meet a condition.

use polars::prelude::*;

use super::condition::{Order, RowCondition, Test};
use super::parse::OPTION;
use crate::base::calendar::Frequency;
use crate::base::error::{DidError, Result};
use crate::read::columns::{Numbers, Table, Token, kind, rounded};

/// What the column is for, in messages.
pub(super) const ROLE: &str = "condition on rows";

const NUMBERS: &str = "a condition on numbers, where the column has numbers";
const WITH_ZEROS: &str =
    "values with the leading zeros that the column has, as identifiers with leading zeros are text";
const BOOLEANS: &str = "`== TRUE` or `== FALSE`, where the column has booleans";
const DATES: &str =
    "a condition on dates as 2014-03-01, 2014-03 or 2014, where the column has dates";
const TEXT: &str = "a condition with `==` or `!=`, where the column has text; `<` and `>` are for numbers and dates";
const NOTHING_ELSE: &str = "a condition on numbers, dates, booleans or text";

impl RowCondition {
    /// Whether each row meets the condition; null where the column is missing.
    ///
    /// # Errors
    /// If the column is not there, or has values of which this cannot be asked.
    pub(super) fn meets(&self, table: &Table<'_>) -> Result<BooleanChunked> {
        let series = table.series(&self.column, ROLE)?;
        match &self.test {
            Test::Missing => Ok(!present(series)?),
            Test::Present => present(series),
            Test::Among(values) => self.has_one(table, series, values),
            Test::NotAmong(values) => Ok(!self.has_one(table, series, values)?),
            Test::Ordered(order, value) => self.is_ordered(table, series, *order, value),
        }
    }

    fn has_one(
        &self,
        table: &Table<'_>,
        series: &Series,
        values: &[String],
    ) -> Result<BooleanChunked> {
        match series.dtype() {
            DataType::Null => Ok(BooleanChunked::full_null(PlSmallStr::EMPTY, series.len())),
            DataType::Boolean => {
                let read =
                    |value: &String| boolean(value).ok_or_else(|| self.unfit(BOOLEANS, series));
                let values = values.iter().map(read).collect::<Result<Vec<bool>>>()?;
                Ok(each(series.bool()?.iter(), |value| values.contains(&value)))
            }
            DataType::Date | DataType::Datetime(..) => {
                let mut all = None;
                for value in values {
                    let equal = self.is_date(table, series, value)?;
                    all = Some(all.map_or(equal.clone(), |all: BooleanChunked| all | equal));
                }
                Ok(all.unwrap_or_default())
            }
            dtype if is_text(dtype) => {
                let texts = series.cast(&DataType::String)?;
                self.check_zeros(texts.str()?, values)?;
                let mut equal = BooleanChunked::full(PlSmallStr::EMPTY, false, series.len());
                for value in values {
                    // Dates that are held as text are compared by the period that the value names.
                    equal = equal
                        | match self.is_date(table, series, value) {
                            Ok(equal) => equal,
                            Err(_) => each(texts.str()?.iter(), |text| text.trim() == value.trim()),
                        };
                }
                let present = present(series)?;
                Ok(equal.iter().zip(present.iter()).map(known).collect())
            }
            dtype if dtype.is_primitive_numeric() || dtype.is_decimal() => {
                let mut equal = BooleanChunked::full(PlSmallStr::EMPTY, false, series.len());
                for value in values {
                    let token = self.number(series, value)?;
                    if let Some(differs) = token.differs(series)? {
                        equal = equal | !differs;
                    }
                }
                let present = present(series)?;
                Ok(equal.iter().zip(present.iter()).map(known).collect())
            }
            _ => Err(self.unfit(NOTHING_ELSE, series)),
        }
    }

    /// An error if a text is the same number as a value and is written with other zeros before it, so that it is not equal to it.
    fn check_zeros(&self, texts: &StringChunked, values: &[String]) -> Result<()> {
        let numbers = values.iter().filter_map(|value| without_zeros(value));
        let numbers: Vec<&str> = numbers.collect();
        if numbers.is_empty() {
            return Ok(());
        }
        let is_other = |text: &&str| {
            without_zeros(text).is_some_and(|number| numbers.contains(&number))
                && values.iter().all(|value| value.trim() != text.trim())
        };
        match texts.iter().flatten().find(is_other) {
            None => Ok(()),
            Some(text) => {
                let got = format!("`{self}`, and column `{}` has `{}`", self.column, text.trim());
                Err(DidError::config(OPTION, WITH_ZEROS, got))
            }
        }
    }

    fn is_ordered(
        &self,
        table: &Table<'_>,
        series: &Series,
        order: Order,
        value: &str,
    ) -> Result<BooleanChunked> {
        match series.dtype() {
            DataType::Null => Ok(BooleanChunked::full_null(PlSmallStr::EMPTY, series.len())),
            DataType::Boolean => Err(self.unfit(BOOLEANS, series)),
            dtype if is_text(dtype) && Frequency::of_written(value).is_none() => {
                Err(self.unfit(TEXT, series))
            }
            dtype if is_text(dtype) || dtype.is_temporal() => {
                let (dates, at) = self.dates(table, series, value)?;
                Ok(each(dates.iter().map(|date| number(*date)), |date| order.holds(&date, &at)))
            }
            dtype if dtype.is_primitive_numeric() || dtype.is_decimal() => {
                let token = self.number(series, value)?;
                if let (Some(at), true) = (token.integer, dtype.is_integer()) {
                    let values = series.cast(&DataType::Int128)?;
                    return Ok(each(values.i128()?.iter(), |value| order.holds(&value, &at)));
                }
                let at = token.number.unwrap_or(f64::NAN);
                // 0.1 in single precision is not above 0.1.
                let at = if dtype.is_float() { rounded(at, dtype)? } else { at };
                let values = Numbers::new(series, f64::NAN).map(Numbers::values);
                let values = values.iter().flat_map(|values| values.iter());
                Ok(each(values.map(|value| number(*value)), |value| order.holds(&value, &at)))
            }
            _ => Err(self.unfit(NOTHING_ELSE, series)),
        }
    }

    /// A number that a column of numbers is compared with.
    fn number(&self, series: &Series, value: &str) -> Result<Token> {
        let token = Token::new(value);
        if token.number.is_some() { Ok(token) } else { Err(self.unfit(NUMBERS, series)) }
    }

    /// A column of dates and a date, both in the periods that the date names.
    fn dates(&self, table: &Table<'_>, series: &Series, value: &str) -> Result<(Vec<f64>, f64)> {
        let frequency = Frequency::of_written(value);
        let read = frequency.and_then(|frequency| Some((frequency, frequency.period(value)?)));
        let (frequency, at) = read.ok_or_else(|| self.unfit(DATES, series))?;
        Ok((table.dates(&self.column, ROLE, frequency)?.to_vec(), at))
    }

    /// Whether each date is in the period that a value names.
    fn is_date(&self, table: &Table<'_>, series: &Series, value: &str) -> Result<BooleanChunked> {
        let (dates, at) = self.dates(table, series, value)?;
        Ok(each(dates.iter().map(|date| number(*date)), |date| date == at))
    }

    fn unfit(&self, expected: &'static str, series: &Series) -> DidError {
        let has = kind(series.dtype());
        let got = format!("`{self}`, and column `{}` has {has}", self.column);
        DidError::config(OPTION, expected, got)
    }
}

fn is_text(dtype: &DataType) -> bool {
    matches!(dtype, DataType::String | DataType::Categorical(..) | DataType::Enum(..))
}

/// The digits of an integer from its first on that is not 0.
fn without_zeros(text: &str) -> Option<&str> {
    let digits = text.trim();
    let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_integer.then(|| digits.trim_start_matches('0'))
}

/// A number that is not missing.
fn number(value: f64) -> Option<f64> {
    Some(value).filter(|value| !value.is_nan())
}

fn boolean(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "true" | "t" | "1" => Some(true),
        "false" | "f" | "0" => Some(false),
        _ => None,
    }
}

/// Rows that have a value.
fn present(series: &Series) -> Result<BooleanChunked> {
    let there = series.is_not_null();
    Ok(if series.dtype().is_float() {
        let numbers = series.is_not_nan()?.fill_null_with_values(false)?;
        there & numbers
    } else {
        there
    })
}

/// Whether a row has a value, where it has one.
fn known((holds, present): (Option<bool>, Option<bool>)) -> Option<bool> {
    holds.filter(|_| present == Some(true))
}

/// What holds of each value; null where there is none.
fn each<T>(values: impl Iterator<Item = Option<T>>, holds: impl Fn(T) -> bool) -> BooleanChunked {
    values.map(|value| value.map(&holds)).collect()
}
