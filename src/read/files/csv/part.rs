//! A column in a piece of a file, in the narrowest type that its fields have so far.

use polars::prelude::{StringChunked, StringChunkedBuilder};

use super::field::{Field, may_be_thousands};
use super::kinds::{FoundFields, Mode, is_rounded};
use crate::read::columns::{Kind, MissingWords, TokenCounts};

/// Values of the rows; a place is taken where one is missing.
#[derive(Debug)]
pub(super) enum PartValues {
    Integers(Vec<i64>),
    Wide(Vec<i128>),
    Floats(Vec<f64>),
    Booleans(Vec<bool>),
    Texts(StringChunked),
    /// They are of no one type.
    Mixed,
}

/// Rows of a column.
#[derive(Debug)]
pub(super) struct ColumnPart {
    pub found: FoundFields,
    pub values: PartValues,
    /// Rows without a value, ascending.
    pub nulls: Vec<u32>,
    /// Rows with the word for no number.
    pub not_numbers: Vec<u32>,
    /// What was read as missing.
    pub words: TokenCounts,
}

/// Takes fields one after another.
pub(super) struct PartBuilder<'a> {
    missing: &'a MissingWords,
    /// Whether a word for missing values is a number.
    numbers_may_be_missing: bool,
    /// Whether all values are told apart.
    label: bool,
    /// Whether fields are written again as they are.
    verbatim: bool,
    /// Whether numbers may have decimal commas.
    commas: bool,
    mode: Mode,
    rows: u32,
    part: ColumnPart,
    texts: StringChunkedBuilder,
    /// Lowest and highest of the integers that are told by their first look.
    low: i64,
    high: i64,
}

impl<'a> PartBuilder<'a> {
    pub fn new(missing: &'a MissingWords, kind: Kind, commas: bool, mode: Mode) -> Self {
        let found = FoundFields { texts: mode == Mode::Text, ..FoundFields::default() };
        let part = ColumnPart {
            found,
            values: PartValues::Integers(Vec::new()),
            nulls: Vec::new(),
            not_numbers: Vec::new(),
            words: TokenCounts::default(),
        };
        let texts = StringChunkedBuilder::new("".into(), 0);
        let (low, high) = (i64::MAX, i64::MIN);
        let numbers_may_be_missing = missing.has_numbers();
        Self {
            missing,
            numbers_may_be_missing,
            label: kind != Kind::Value,
            verbatim: kind == Kind::Verbatim,
            commas,
            mode,
            rows: 0,
            part,
            texts,
            low,
            high,
        }
    }

    /// The next row.
    #[inline]
    pub fn push(&mut self, text: &str) {
        if self.mode == Mode::Typed && !self.numbers_may_be_missing {
            match &mut self.part.values {
                PartValues::Integers(values) => {
                    if let Some(value) = short_integer(text.as_bytes()) {
                        if self.label && has_leading_zero(text) {
                            self.part.found.leading_zeros = true;
                        }
                        (self.low, self.high) = (self.low.min(value), self.high.max(value));
                        values.push(value);
                        self.rows += 1;
                        return;
                    }
                }
                PartValues::Floats(values) if !self.label && !self.commas => {
                    if let Some(value) = plain_float(text) {
                        values.push(value);
                        self.rows += 1;
                        return;
                    }
                }
                _ => {}
            }
        }
        self.push_any(text);
        self.rows += 1;
    }

    fn push_any(&mut self, text: &str) {
        let trimmed = text.trim();
        match self.mode {
            Mode::Typed => self.push_typed(trimmed),
            Mode::Text if self.missing.among_texts(trimmed) => {
                self.part.words.add(trimmed, 1);
                self.texts.append_null();
            }
            Mode::Text => self.texts.append_value(text),
            Mode::Digits => match Field::new(trimmed, self.missing, self.commas) {
                // Not the same as nothing: a group that is no number is left out, one that is empty is never treated.
                Field::NotANumber if self.verbatim => self.texts.append_value(trimmed),
                Field::Missing | Field::NotANumber => {
                    self.part.words.add(trimmed, 1);
                    self.texts.append_null();
                }
                _ => self.texts.append_value(trimmed),
            },
        }
    }

    fn push_typed(&mut self, text: &str) {
        let field = Field::new(text, self.missing, self.commas);
        let (row, part) = (self.rows, &mut self.part);
        part.found.add(field);
        if self.label && matches!(field, Field::Integer(_) | Field::Digits(_)) {
            part.found.leading_zeros |= has_leading_zero(text);
        }
        if let Field::Float(value) | Field::WithComma { value, .. } = field {
            if self.commas && !part.found.decimal_points && text.contains('.') {
                part.found.points = true;
                part.found.decimal_points = !may_be_thousands(text, '.');
            }
            if self.label && !part.found.rounded {
                part.found.rounded = is_rounded(text, value);
            }
        }
        match field {
            Field::Missing => {
                part.words.add(text, 1);
                part.nulls.push(row);
                part.values.push_place();
            }
            Field::NotANumber => {
                part.words.add(text, 1);
                part.not_numbers.push(row);
                part.values.push_place();
            }
            Field::Integer(value) => part.push_integer(value, row),
            Field::Float(value) | Field::WithComma { value, .. } | Field::Digits(value) => {
                part.push_float(value, row);
            }
            Field::Boolean(value) => {
                let none_before = self.low > self.high && part.found.integers.is_none();
                part.push_boolean(value, row, none_before);
            }
            Field::Text(_) => part.values = PartValues::Mixed,
        }
    }

    /// The rows so far.
    pub fn finish(mut self) -> ColumnPart {
        if self.low <= self.high {
            self.part.found.add_integers(self.low.into(), self.high.into());
        }
        let found = self.part.found;
        let numbers = found.integers.is_some() || found.floats || found.digits;
        if self.mode != Mode::Typed {
            self.part.values = PartValues::Texts(self.texts.finish());
        } else if found.texts || (found.booleans && numbers) {
            // One way or the other, it is text.
            self.part.found.texts = true;
            self.part.values = PartValues::Mixed;
        }
        self.part
    }
}

impl ColumnPart {
    /// Memory that it takes.
    pub fn bytes(&self) -> u64 {
        let values = match &self.values {
            PartValues::Integers(values) => size_of_val(&**values),
            PartValues::Wide(values) => size_of_val(&**values),
            PartValues::Floats(values) => size_of_val(&**values),
            PartValues::Booleans(values) => size_of_val(&**values),
            PartValues::Texts(texts) => texts
                .downcast_iter()
                .map(|a| a.total_buffer_len() + size_of_val(&**a.views()))
                .sum(),
            PartValues::Mixed => 0,
        };
        (values + size_of_val(&*self.nulls) + size_of_val(&*self.not_numbers)) as u64
    }

    fn push_integer(&mut self, value: i128, row: u32) {
        match &mut self.values {
            PartValues::Integers(values) => match i64::try_from(value) {
                Ok(value) => values.push(value),
                Err(_) => {
                    let mut wide: Vec<i128> = values.iter().map(|v| i128::from(*v)).collect();
                    wide.push(value);
                    self.values = PartValues::Wide(wide);
                }
            },
            PartValues::Wide(values) => values.push(value),
            PartValues::Floats(values) => values.push(value as f64),
            PartValues::Booleans(_) => self.values = PartValues::Mixed,
            PartValues::Texts(_) | PartValues::Mixed => {}
        }
        debug_assert!(self.values.has(row + 1));
    }

    fn push_float(&mut self, value: f64, row: u32) {
        let floats = match &mut self.values {
            PartValues::Integers(values) => values.iter().map(|v| *v as f64).collect(),
            PartValues::Wide(values) => values.iter().map(|v| *v as f64).collect(),
            PartValues::Floats(values) => return values.push(value),
            PartValues::Booleans(_) => return self.values = PartValues::Mixed,
            PartValues::Texts(_) | PartValues::Mixed => return,
        };
        let mut floats: Vec<f64> = floats;
        floats.push(value);
        self.values = PartValues::Floats(floats);
        debug_assert!(self.values.has(row + 1));
    }

    /// `none_before` says that no number was.
    fn push_boolean(&mut self, value: bool, row: u32, none_before: bool) {
        match &mut self.values {
            PartValues::Booleans(values) => values.push(value),
            PartValues::Integers(_) if none_before => {
                let mut values = vec![false; row as usize];
                values.push(value);
                self.values = PartValues::Booleans(values);
            }
            _ => self.values = PartValues::Mixed,
        }
    }
}

impl PartValues {
    /// Takes a place for a row without a value.
    fn push_place(&mut self) {
        match self {
            Self::Integers(values) => values.push(0),
            Self::Wide(values) => values.push(0),
            Self::Floats(values) => values.push(0.0),
            Self::Booleans(values) => values.push(false),
            Self::Texts(_) | Self::Mixed => {}
        }
    }

    /// Whether there are values for so many rows.
    fn has(&self, rows: u32) -> bool {
        let length = match self {
            Self::Integers(values) => values.len(),
            Self::Wide(values) => values.len(),
            Self::Floats(values) => values.len(),
            Self::Booleans(values) => values.len(),
            Self::Texts(_) | Self::Mixed => return true,
        };
        length == rows as usize
    }
}

/// Whether a zero is the first of several digits.
#[inline]
fn has_leading_zero(text: &str) -> bool {
    matches!(text.as_bytes(), [b'0', b'0'..=b'9', ..])
}

/// An integer of so few digits that nothing has to be checked.
#[inline]
fn short_integer(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut value = 0;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = 10 * value + i64::from(digit);
    }
    Some(if negative { -value } else { value })
}

/// A number with a decimal point.
#[inline]
fn plain_float(text: &str) -> Option<f64> {
    // No word for infinity or for no number has a point.
    if text.as_bytes().contains(&b'.') { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_are_those_of_the_rules() {
        let usual = MissingWords::usual();
        for text in [
            "0",
            "-0",
            "7",
            "007",
            "-12",
            "999999999999999999",
            "1000000000000000000",
            "+5",
            "-",
            "",
            "1.5",
            "-.5",
            "5.",
            ".",
            "-.",
            "--1.5",
            "1.5.2",
            "1e5",
            "a",
            "1-2.5",
            " 1",
            "123456789012345678901234567890",
        ] {
            let field = Field::new(text, &usual, false);
            if let Some(value) = short_integer(text.as_bytes()) {
                assert_eq!(field, Field::Integer(value.into()), "{text}");
            }
            if let Some(value) = plain_float(text) {
                assert_eq!(field, Field::Float(value), "{text}");
            }
        }
        assert!(short_integer(b"-12") == Some(-12) && plain_float("-.5") == Some(-0.5));
    }
}
