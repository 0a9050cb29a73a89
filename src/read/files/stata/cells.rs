//! The values of a variable, as they are read.

use std::collections::HashMap;

use polars::prelude::*;

use super::bytes::{Order, text};
use super::layout::{Kind, Variable};

/// Days and milliseconds between the first days of 1960, where Stata counts from, and of 1970.
const DAYS: i64 = 3_653;
const MILLISECONDS: i64 = DAYS * 86_400_000;

/// The largest numbers; those above are missing values.
const LARGEST_BYTE: i8 = 100;
const LARGEST_INT: i16 = 32_740;
const LARGEST_LONG: i32 = 2_147_483_620;
const LARGEST_FLOAT: u32 = 0x7EFF_FFFF;
const LARGEST_DOUBLE: u64 = 0x7FDF_FFFF_FFFF_FFFF;

/// Number of the variable and of the row that a long text was written for, by which it is found.
pub(super) type TextPlace = (u32, u64);

/// Values of the rows so far.
pub(super) enum Cells {
    Byte(PrimitiveChunkedBuilder<Int8Type>),
    Int(PrimitiveChunkedBuilder<Int16Type>),
    Long(PrimitiveChunkedBuilder<Int32Type>),
    Float(PrimitiveChunkedBuilder<Float32Type>),
    Double(PrimitiveChunkedBuilder<Float64Type>),
    Text(StringChunkedBuilder),
    LongText(Vec<TextPlace>),
}

/// What a variable's format says of its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dates {
    /// `%td`.
    Days,
    /// `%tc`.
    Times,
    /// `%tC`.
    LeapTimes,
}

impl Dates {
    /// `None` for numbers, which those of other periods are, too.
    pub fn of(format: &str) -> Option<Self> {
        let format = format.strip_prefix('%')?;
        let format = format.strip_prefix('-').unwrap_or(format);
        match () {
            () if format.starts_with("tc") => Some(Self::Times),
            () if format.starts_with("tC") => Some(Self::LeapTimes),
            // As it was called before Stata 10.
            () if format.starts_with("td") || format.starts_with('d') => Some(Self::Days),
            () => None,
        }
    }
}

impl Cells {
    pub fn of(kind: Kind, rows: usize) -> Self {
        let name = PlSmallStr::EMPTY;
        match kind {
            Kind::Byte => Self::Byte(PrimitiveChunkedBuilder::new(name, rows)),
            Kind::Int => Self::Int(PrimitiveChunkedBuilder::new(name, rows)),
            Kind::Long => Self::Long(PrimitiveChunkedBuilder::new(name, rows)),
            Kind::Float => Self::Float(PrimitiveChunkedBuilder::new(name, rows)),
            Kind::Double => Self::Double(PrimitiveChunkedBuilder::new(name, rows)),
            Kind::Text(_) => Self::Text(StringChunkedBuilder::new(name, rows)),
            Kind::LongText => Self::LongText(Vec::with_capacity(rows)),
        }
    }

    /// Adds the values of some rows of so many bytes; the first row with text that is not in UTF-8 is an error.
    pub fn add(
        &mut self,
        rows: std::slice::ChunksExact<'_, u8>,
        variable: &Variable,
        (version, order): (u16, Order),
    ) -> std::result::Result<(), ()> {
        let width = variable.kind.width();
        let values = rows.map(|row| &row[variable.start..variable.start + width]);
        let number = |bytes: &[u8]| order.integer(bytes);
        match self {
            Self::Byte(cells) => values.for_each(|bytes| {
                let value = (number(bytes) as u8).cast_signed();
                cells.append_option((value <= LARGEST_BYTE).then_some(value));
            }),
            Self::Int(cells) => values.for_each(|bytes| {
                let value = (number(bytes) as u16).cast_signed();
                cells.append_option((value <= LARGEST_INT).then_some(value));
            }),
            Self::Long(cells) => values.for_each(|bytes| {
                let value = (number(bytes) as u32).cast_signed();
                cells.append_option((value <= LARGEST_LONG).then_some(value));
            }),
            Self::Float(cells) => values.for_each(|bytes| {
                let value = f32::from_bits(number(bytes) as u32);
                cells.append_option((value <= f32::from_bits(LARGEST_FLOAT)).then_some(value));
            }),
            Self::Double(cells) => values.for_each(|bytes| {
                let value = f64::from_bits(number(bytes));
                cells.append_option((value <= f64::from_bits(LARGEST_DOUBLE)).then_some(value));
            }),
            Self::Text(cells) => {
                for bytes in values {
                    cells.append_value(text(bytes, version).ok_or(())?);
                }
            }
            Self::LongText(places) => {
                let of_variable = match version {
                    117 => 4,
                    118 => 2,
                    _ => 3,
                };
                places.extend(values.map(|bytes| {
                    let (variable, row) = bytes.split_at(of_variable);
                    (number(variable) as u32, number(row))
                }));
            }
        }
        Ok(())
    }

    /// The column, of dates if its variable has their format; an error if a long text is not there or no text.
    pub fn finish(
        self,
        variable: &Variable,
        texts: &HashMap<TextPlace, Option<String>>,
    ) -> PolarsResult<Series> {
        let name: PlSmallStr = variable.name.as_str().into();
        let series = match self {
            Self::Byte(cells) => cells.finish().into_series(),
            Self::Int(cells) => cells.finish().into_series(),
            Self::Long(cells) => cells.finish().into_series(),
            Self::Float(cells) => cells.finish().into_series(),
            Self::Double(cells) => cells.finish().into_series(),
            Self::Text(cells) => cells.finish().into_series(),
            Self::LongText(places) => {
                let mut column = StringChunkedBuilder::new(PlSmallStr::EMPTY, places.len());
                for place in &places {
                    let text = if *place == (0, 0) {
                        Some("")
                    } else {
                        texts.get(place).and_then(|text| text.as_deref())
                    };
                    let none = || polars_err!(ComputeError: "column `{name}` holds bytes that are no text, or a text that is not there");
                    column.append_value(text.ok_or_else(none)?);
                }
                column.finish().into_series()
            }
        };
        let dated =
            match Dates::of(&variable.format).filter(|_| series.dtype().is_primitive_numeric()) {
                Some(Dates::Days) => since_1970(&series, DAYS)?.cast(&DataType::Date)?,
                Some(Dates::Times) => since_1970(&series, MILLISECONDS)?
                    .cast(&DataType::Datetime(TimeUnit::Milliseconds, None))?,
                _ => series,
            };
        Ok(dated.with_name(name))
    }
}

/// Whole units since 1970, of numbers since 1960.
fn since_1970(numbers: &Series, between: i64) -> PolarsResult<Series> {
    let numbers = numbers.cast(&DataType::Float64)?;
    let shifted =
        numbers.f64()?.iter().map(|v| v.map(|v| (v.floor() as i64).saturating_sub(between)));
    Ok(shifted.collect::<Int64Chunked>().into_series())
}
