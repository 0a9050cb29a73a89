//! Numbers by what they are for, and what is wrong with them.

use polars::prelude::*;

use super::excerpt::excerpt;
use super::kinds::kind;
use super::period_codes::{PeriodCodes, Uncodable};
use super::period_table::MAX_DISTINCT;
use super::values::Numbers;
use crate::base::error::{DidError, Result, missing_word};

/// What a column is to have, by its role, and where it has numbers that are written as text.
macro_rules! numbers {
    ($role:expr, $more:literal) => {
        match $role {
            "time" => concat!("numbers, or dates with the option `frequency`", $more),
            "group" => concat!(
                "numbers (0 or missing for never treated), or dates with the option `frequency`",
                $more
            ),
            _ => concat!("numbers", $more),
        }
    };
}

/// A numeric or boolean column, with `null` in place of nulls, whose first row has the number `first_row` among all rows.
pub(super) fn numeric(
    series: &Series,
    role: &'static str,
    null: f64,
    first_row: usize,
) -> Result<Numbers> {
    Numbers::new(series, null).ok_or_else(|| {
        let other = match other_text(series) {
            Some((row, text)) if text == series.name().as_str() => {
                let (column, row) = (text, first_row + row);
                return DidError::RepeatedHeader { column, role, row, line: None };
            }
            other => other.map(|(_, text)| excerpt(&text)),
        };
        let (got, expected) = match (&other, series.dtype()) {
            (Some(text), _) => {
                (format!("{}, as `{text}`", kind(series.dtype())), numbers!(role, ""))
            }
            (None, DataType::String | DataType::Categorical(..) | DataType::Enum(..))
                if series.null_count() < series.len() =>
            {
                (WRITTEN.to_owned(), numbers!(role, "; cast the column to numbers"))
            }
            (None, dtype) => (kind(dtype), numbers!(role, "")),
        };
        DidError::ColumnType { column: series.name().to_string(), role, expected, got }
    })
}

/// A column of text or categories that all are numbers.
const WRITTEN: &str = "numbers that are written as text";

/// The first value of a column of text or categories that is no number, and its row.
fn other_text(series: &Series) -> Option<(usize, String)> {
    if !matches!(series.dtype(), DataType::String | DataType::Categorical(..) | DataType::Enum(..))
    {
        return None;
    }
    let texts = series.cast(&DataType::String).ok()?;
    let values = texts.str().ok()?.iter().enumerate();
    let mut values = values.filter_map(|(row, text)| Some((row, text?)));
    let other = |(_, text): &(usize, &str)| text.trim().parse::<f64>().is_err();
    values.find(other).map(|(row, text)| (row, text.to_owned()))
}

pub(super) fn small(
    column: &str,
    role: &'static str,
    numbers: Numbers,
    first_row: usize,
    map: impl Fn(f64) -> f64 + Sync,
) -> Result<PeriodCodes> {
    PeriodCodes::new(&numbers, map).map_err(|problem| match problem {
        Uncodable::TooMany { distinct } => too_many(column, role, distinct),
        Uncodable::Indistinct { row, value } => {
            let (column, row) = (column.to_owned(), first_row + row);
            DidError::TooManyDigits { column, role, value, row, line: None }
        }
    })
}

/// There are more distinct values than a period or group can have.
pub(crate) fn too_many(column: &str, role: &'static str, distinct: usize) -> DidError {
    DidError::TooManyValues { column: column.to_owned(), role, distinct, limit: MAX_DISTINCT }
}

/// First treated periods with never treated (0, +inf, null) as +inf.
pub(super) fn groups(column: &str, numbers: Numbers, first_row: usize) -> Result<PeriodCodes> {
    let codes =
        small(column, "group", numbers, first_row, |g| if g == 0.0 { f64::INFINITY } else { g })?;
    if codes.lowest().is_none_or(|g| g > 0.0) {
        return Ok(codes);
    }
    let negative = |code: &u16| codes.value(*code) < 0.0;
    match codes.codes.iter().position(negative) {
        None => Ok(codes),
        Some(row) => Err(negative_group(column, codes.value(codes.codes[row]), first_row + row)),
    }
}

/// A first treated period is negative.
pub(super) fn negative_group(column: &str, value: f64, row: usize) -> DidError {
    DidError::Negative {
        column: column.to_owned(),
        role: "group",
        value,
        row,
        line: None,
        remedy: format!(
            "if it is a period, add a constant to periods and groups so that all are positive; if it stands for never treated, write 0, +inf or nothing instead, or name it as a missing value of this column ({})",
            missing_word(column, &value.to_string())
        )
        .into(),
    }
}

/// Zeros and ones.
pub(super) fn binary(
    column: &str,
    role: &'static str,
    numbers: Numbers,
    first_row: usize,
) -> Result<PeriodCodes> {
    let is_binary = |v: f64| v.is_nan() || v == 0.0 || v == 1.0;
    let other = |row: usize, value| {
        let (column, row) = (column.to_owned(), first_row + row);
        DidError::NotBinary { column, role, value, row, line: None }
    };
    let Ok(codes) = PeriodCodes::new(&numbers, |v| v) else {
        let values = numbers.values();
        let row = values.iter().position(|v| !is_binary(*v)).unwrap_or(0);
        return Err(other(row, values[row]));
    };
    match codes.first_not(&is_binary) {
        None => Ok(codes),
        Some(row) => Err(other(row, codes.value(codes.codes[row]))),
    }
}

pub(super) fn refuse_negative(column: &str, w: &[f64], first_row: usize) -> Result<()> {
    match w.iter().enumerate().find(|(_, w)| **w < 0.0) {
        None => Ok(()),
        Some((row, w)) => Err(DidError::Negative {
            column: column.to_owned(),
            role: "weights",
            value: *w,
            row: first_row + row,
            line: None,
            remedy: "no weight may be negative".into(),
        }),
    }
}
