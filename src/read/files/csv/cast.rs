//! The type of a CSV file's column, from all its fields.

use std::ops::Range;

use polars::prelude::*;

use super::field::Field;
use crate::base::parallel;
use crate::read::columns::{MissingValues, TokenCounts};

/// Rows that one task looks at.
const PART: usize = 8_192;

/// Doubles up to here hold every integer.
const EXACT: u128 = 1 << 53;

/// What fields occur in a column.
#[derive(Clone, Copy, Default)]
struct FoundFields {
    integers: Option<(i128, i128)>,
    floats: bool,
    /// Integers that 128 bits do not hold.
    digits: bool,
    /// Numbers with a point or an exponent that doubles do not tell from others.
    rounded: bool,
    not_a_number: bool,
    booleans: bool,
    texts: bool,
}

/// The type that holds all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FieldKind {
    Int64,
    UInt64,
    Int128,
    Float64,
    Boolean,
    Text,
    /// Numbers that only their digits tell apart.
    Digits,
}

impl FoundFields {
    fn add(&mut self, field: Field<'_>) {
        match field {
            Field::Missing => {}
            Field::NotANumber => self.not_a_number = true,
            Field::Integer(i) => {
                let (low, high) = self.integers.unwrap_or((i, i));
                self.integers = Some((low.min(i), high.max(i)));
            }
            Field::Float(_) => self.floats = true,
            Field::Digits(_) => self.digits = true,
            Field::Boolean(_) => self.booleans = true,
            Field::Text(_) => self.texts = true,
        }
    }

    fn join(self, other: Self) -> Self {
        let integers = match (self.integers, other.integers) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        Self {
            integers,
            floats: self.floats || other.floats,
            digits: self.digits || other.digits,
            rounded: self.rounded || other.rounded,
            not_a_number: self.not_a_number || other.not_a_number,
            booleans: self.booleans || other.booleans,
            texts: self.texts || other.texts,
        }
    }

    /// The type; that of a `label` tells all its values apart.
    fn kind(self, label: bool) -> FieldKind {
        let numbers = self.integers.is_some() || self.floats || self.digits;
        if self.texts || (self.booleans && numbers) {
            return FieldKind::Text;
        }
        if self.booleans {
            return FieldKind::Boolean;
        }
        let (low, high) = self.integers.unwrap_or_default();
        let exact = low.unsigned_abs() <= EXACT && high.unsigned_abs() <= EXACT;
        if self.floats || self.digits || (self.not_a_number && exact && !label) {
            // Labels are compared, so that none may be rounded.
            return if label && (self.digits || self.rounded || !exact) {
                FieldKind::Digits
            } else {
                FieldKind::Float64
            };
        }
        let fits = |min: i128, max: i128| min <= low && high <= max;
        match () {
            () if self.integers.is_none() => FieldKind::Float64,
            () if fits(i64::MIN.into(), i64::MAX.into()) => FieldKind::Int64,
            () if fits(0, u64::MAX.into()) => FieldKind::UInt64,
            () => FieldKind::Int128,
        }
    }
}

/// A column of fields in the type that holds them, and what of it was read as missing.
///
/// If all fields but the missing ones are numbers, the column is numeric: integers where it can be, else doubles. Words for
/// true and false are booleans. Else it is text, in which fewer words are missing. A column of a `label` is never rounded.
pub(super) fn cast(
    fields: &StringChunked,
    missing: &MissingValues,
    label: bool,
) -> PolarsResult<(Series, TokenCounts)> {
    let fields: &StringChunked = &fields.rechunk();
    let column = TextFields { fields, missing };
    let kind = column.found(label).kind(label);
    let name = fields.name().clone();
    let word = |field: Field<'_>| matches!(field, Field::Missing | Field::NotANumber);
    Ok(match kind {
        FieldKind::Int64 => {
            let (values, counts) = column.read(word, |_, field| integer(field));
            (Int64Chunked::from_slice_options(name, &values).into_series(), counts)
        }
        FieldKind::UInt64 => {
            let (values, counts) = column.read(word, |_, field| integer(field));
            (UInt64Chunked::from_slice_options(name, &values).into_series(), counts)
        }
        FieldKind::Int128 => {
            let (values, counts) = column.read(word, |_, field| integer(field));
            (Int128Chunked::from_slice_options(name, &values).into_series(), counts)
        }
        FieldKind::Float64 => {
            let (values, counts) = column.read(word, |_, field| float(field));
            (Float64Chunked::from_slice_options(name, &values).into_series(), counts)
        }
        FieldKind::Boolean => {
            let boolean = |_, field| if let Field::Boolean(b) = field { Some(b) } else { None };
            let (values, counts) = column.read(word, boolean);
            (BooleanChunked::from_slice_options(name, &values).into_series(), counts)
        }
        FieldKind::Digits => {
            let (values, counts) =
                column.read(word, |text: &str, field| (!word(field)).then_some(text.trim()));
            (StringChunked::from_slice_options(name, &values).into_series(), counts)
        }
        FieldKind::Text => {
            let texts = fields.clone().into_series();
            let cleaned = missing.clean(&texts)?;
            let (texts, mut counts) = cleaned.unwrap_or((texts, TokenCounts::default()));
            if fields.null_count() > 0 {
                counts.add("", fields.null_count());
            }
            (texts, counts)
        }
    })
}

/// Whether a number has other digits than its double: than the shortest that it is known by, or the 17 that always tell.
fn is_rounded(text: &str, value: f64) -> bool {
    let digits = |text: &str| -> Vec<u8> {
        let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
        let digits = mantissa.bytes().filter(u8::is_ascii_digit).skip_while(|digit| *digit == b'0');
        let mut digits: Vec<u8> = digits.collect();
        digits.truncate(digits.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1));
        digits
    };
    let has = |shown: String| digits(&shown) == digits(text);
    // So many digits always come back.
    text.len() > 15 && !has(format!("{value:e}")) && !has(format!("{value:.16e}"))
}

fn integer<T: TryFrom<i128>>(field: Field<'_>) -> Option<T> {
    if let Field::Integer(i) = field { T::try_from(i).ok() } else { None }
}

fn float(field: Field<'_>) -> Option<f64> {
    match field {
        Field::Integer(i) => Some(i as f64),
        Field::Float(v) | Field::Digits(v) => Some(v),
        // As in a data frame: not the same as nothing, though missing as well.
        Field::NotANumber => Some(f64::NAN),
        _ => None,
    }
}

/// Fields of a column in one piece.
struct TextFields<'a> {
    fields: &'a StringChunked,
    missing: &'a MissingValues,
}

impl<'a> TextFields<'a> {
    /// `look` at all rows, part by part.
    fn parts<T: Send>(&self, look: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
        let rows = self.fields.len();
        parallel::map(rows.div_ceil(PART), |part| look(parallel::part(part, PART, rows)))
    }

    fn texts(&self, rows: Range<usize>) -> impl Iterator<Item = &'a str> {
        let array = self.fields.downcast_iter().next();
        rows.map(move |row| array.and_then(|array| array.get(row)).unwrap_or_default())
    }

    fn found(&self, label: bool) -> FoundFields {
        let found = |rows| {
            let mut found = FoundFields::default();
            for text in self.texts(rows) {
                let text = text.trim();
                let field = Field::new(text, self.missing);
                found.add(field);
                if let (true, Field::Float(value)) = (label && !found.rounded, field) {
                    found.rounded = is_rounded(text, value);
                }
            }
            found
        };
        self.parts(found).into_iter().fold(FoundFields::default(), FoundFields::join)
    }

    /// Values of all fields, and counts of those that are words for a missing value.
    fn read<T: Send>(
        &self,
        word: impl Fn(Field<'_>) -> bool + Sync,
        value: impl Fn(&'a str, Field<'a>) -> Option<T> + Sync,
    ) -> (Vec<Option<T>>, TokenCounts) {
        let read = |rows: Range<usize>| {
            let mut counts = TokenCounts::default();
            let values: Vec<Option<T>> = self
                .texts(rows)
                .map(|text| {
                    let trimmed = text.trim();
                    let field = Field::new(trimmed, self.missing);
                    if word(field) {
                        counts.add(trimmed, 1);
                    }
                    value(text, field)
                })
                .collect();
            (values, counts)
        };
        let parts: Vec<(Vec<Option<T>>, TokenCounts)> = self.parts(read);
        let mut all = (Vec::with_capacity(self.fields.len()), TokenCounts::default());
        for (values, counts) in parts {
            all.0.extend(values);
            all.1 = all.1.join(counts);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(fields: &[&str], label: bool) -> (Series, Vec<(String, usize)>) {
        let column = StringChunked::from_slice("x".into(), fields);
        let (series, counts) = cast(&column, &MissingValues::default(), label).unwrap();
        (series, counts.of("x").into_iter().map(|c| (c.token, c.values)).collect())
    }

    fn series<T>(values: Vec<Option<T>>) -> Series
    where
        Series: NamedFrom<Vec<Option<T>>, [Option<T>]>,
    {
        Series::new("x".into(), values)
    }

    #[test]
    fn numbers_with_words_for_missing_values_are_numbers() {
        let (column, counts) = typed(&["1", "NA", " 2", ".", "", "NA"], false);
        assert_eq!(column, series(vec![Some(1_i64), None, Some(2), None, None, None]));
        let counts: Vec<_> = counts.iter().map(|(t, n)| (t.as_str(), *n)).collect();
        assert_eq!(counts, [("", 1), (".", 1), ("NA", 2)]);
        let (column, _) = typed(&["1", "null", "2.5", "Inf"], false);
        assert_eq!(column, series(vec![Some(1.0), None, Some(2.5), Some(f64::INFINITY)]));
        let (column, _) = typed(&["1", "NaN"], false);
        assert!(column.f64().unwrap().get(1).unwrap().is_nan());
        assert_eq!(typed(&["1", "NaN"], true).0, series(vec![Some(1_i64), None]));
        assert_eq!(typed(&["NA", ""], false).0, series::<f64>(vec![None, None]));
    }

    #[test]
    fn integers_stay_exact() {
        let wide = |fields: &[&str]| typed(fields, true).0.dtype().clone();
        assert_eq!(wide(&["-1", "9223372036854775807"]), DataType::Int64);
        assert_eq!(wide(&["1", "18446744073709551615"]), DataType::UInt64);
        assert_eq!(wide(&["-1", "18446744073709551615"]), DataType::Int128);
        assert_eq!(wide(&["1.5", "9007199254740993"]), DataType::String);
        assert_eq!(typed(&["1.5", "9007199254740993"], false).0.dtype(), &DataType::Float64);
        assert_eq!(wide(&["9007199254740992.00", "9007199254740993.00"]), DataType::String);
        assert_eq!(wide(&["9007199254740992.00", "-1e300"]), DataType::Float64);
        assert_eq!(wide(&["0.12345678901234567890", "0.5"]), DataType::String);
        assert_eq!(wide(&["0.30000000000000004", "00000000000000.500"]), DataType::Float64);
        assert_eq!(wide(&["0.10000000000000001", "0.1"]), DataType::Float64);
        assert_eq!(wide(&["3.0000000000000004e-1", "-Infinity"]), DataType::Float64);
    }

    #[test]
    fn texts_have_fewer_words() {
        let (column, counts) = typed(&["a", "NA", ".", "", "5", "null"], false);
        let texts = ["a", "NA", ".", "", "5", "null"];
        let kept = texts.map(|t| Some(t).filter(|t| !["NA", ""].contains(t)));
        assert_eq!(column, series(kept.to_vec()));
        assert_eq!(counts, [(String::new(), 1), ("NA".to_owned(), 1)]);
        assert_eq!(typed(&["TRUE", "NA", "false"], false).0, {
            series(vec![Some(true), None, Some(false)])
        });
        assert_eq!(typed(&["TRUE", "1"], false).0.dtype(), &DataType::String);
    }
}
