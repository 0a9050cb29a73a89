//! A value that the user has written, and the rows of a column that have it.

use polars::prelude::*;
use serde::{Deserialize, Serialize};

use super::values::EXACT;

/// A word that may be a number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Token {
    pub text: String,
    pub integer: Option<i128>,
    /// Not NaN.
    pub number: Option<f64>,
    not_a_number: bool,
}

impl Token {
    pub fn new(text: &str) -> Self {
        let text = text.trim().to_owned();
        let parsed = text.parse::<f64>();
        let not_a_number = parsed.as_ref().is_ok_and(|number| number.is_nan());
        let number = parsed.ok().filter(|_| !not_a_number);
        let whole = number.filter(|n| n.fract() == 0.0 && n.abs() < EXACT);
        let integer = text.parse().ok().or(whole.map(|n| n as i128));
        Self { text, integer, number, not_a_number }
    }

    /// The rows of a column of numbers that are not this number in the column's type; `None` if it has no such number.
    pub fn differs(&self, series: &Series) -> PolarsResult<Option<BooleanChunked>> {
        Ok(match (series.dtype(), self.integer, self.number) {
            (DataType::Decimal(_, scale), ..) => {
                let column = series.decimal()?.physical();
                self.digits(*scale).map(|digits| column.not_equal_missing(digits))
            }
            (dtype, Some(integer), _) if dtype.is_integer() => {
                Some(series.cast(&DataType::Int128)?.i128()?.not_equal_missing(integer))
            }
            (dtype, _, Some(number)) if dtype.is_float() => {
                let values = series.cast(&DataType::Float64)?;
                let differs = |number: f64| values.f64().map(|v| v.not_equal_missing(number));
                let in_own_type = rounded(number, dtype)?;
                let single = rounded(number, &DataType::Float32)?;
                // Columns of several files are in the widest type, with the digits of the narrower one.
                let widened = single != in_own_type && single.is_finite() && single.fract() != 0.0;
                Some(if widened {
                    differs(in_own_type)? & differs(single)?
                } else {
                    differs(in_own_type)?
                })
            }
            (dtype, ..) if dtype.is_float() && self.not_a_number => {
                let values = series.cast(&DataType::Float64)?;
                Some(
                    values
                        .f64()?
                        .iter()
                        .map(|value| Some(!value.is_some_and(f64::is_nan)))
                        .collect(),
                )
            }
            _ => None,
        })
    }

    /// The number in units of the last of so many decimals, if that is whole.
    fn digits(&self, scale: usize) -> Option<i128> {
        let whole =
            |integer: i128| integer.checked_mul(10_i128.checked_pow(u32::try_from(scale).ok()?)?);
        if let Some(integer) = self.integer {
            return whole(integer);
        }
        // Without an exponent, in as few digits as the number has.
        let text = self.number?.to_string();
        let (before, after) = text.split_once('.')?;
        let zeros = scale.checked_sub(after.len())?;
        format!("{before}{after}{}", "0".repeat(zeros)).parse().ok()
    }
}

/// A number as a floating-point type has it.
pub(crate) fn rounded(number: f64, dtype: &DataType) -> PolarsResult<f64> {
    let series = Series::new(PlSmallStr::EMPTY, [number]).cast(dtype)?.cast(&DataType::Float64)?;
    Ok(series.f64()?.get(0).unwrap_or(f64::NAN))
}
