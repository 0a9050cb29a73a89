//! The type of a CSV file's column, from all its fields.

use super::field::Field;
use crate::read::columns::Kind;

/// Doubles up to here hold every integer.
const EXACT: u128 = 1 << 53;

/// What fields occur in a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FoundFields {
    pub integers: Option<(i128, i128)>,
    pub floats: bool,
    /// Integers that 128 bits do not hold.
    pub digits: bool,
    /// Numbers with a point or an exponent that doubles do not tell from others.
    pub rounded: bool,
    pub not_a_number: bool,
    pub booleans: bool,
    pub texts: bool,
    /// Integers whose first digit is a zero before another, in labels and columns that are written again.
    pub leading_zeros: bool,
    /// Numbers with a decimal point, and with a decimal comma, where there may be both.
    pub points: bool,
    pub commas: bool,
    /// Numbers with a comma that cannot separate thousands, and with a point that cannot, where there may be both.
    pub decimal_commas: bool,
    pub decimal_points: bool,
}

/// The type that holds all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldKind {
    Int64,
    UInt64,
    Int128,
    Float64,
    Boolean,
    Text,
    /// Numbers that only their digits tell apart.
    Digits,
}

impl FieldKind {
    /// How fields are read for it.
    pub fn mode(self) -> Mode {
        match self {
            Self::Text => Mode::Text,
            Self::Digits => Mode::Digits,
            _ => Mode::Typed,
        }
    }
}

/// How the fields of a column are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// As what they are.
    Typed,
    /// As texts, because some are.
    Text,
    /// As the digits of numbers.
    Digits,
}

impl FoundFields {
    pub fn add(&mut self, field: Field<'_>) {
        match field {
            Field::Missing => {}
            Field::NotANumber => self.not_a_number = true,
            Field::Integer(i) => self.add_integers(i, i),
            Field::Float(_) => self.floats = true,
            Field::WithComma { may_be_thousands, .. } => {
                (self.floats, self.commas) = (true, true);
                self.decimal_commas |= !may_be_thousands;
            }
            Field::Digits(_) => self.digits = true,
            Field::Boolean(_) => self.booleans = true,
            Field::Text(_) => self.texts = true,
        }
    }

    /// Adds integers from `low` to `high`.
    pub fn add_integers(&mut self, low: i128, high: i128) {
        let (lowest, highest) = self.integers.unwrap_or((low, high));
        self.integers = Some((lowest.min(low), highest.max(high)));
    }

    pub fn join(mut self, other: Self) -> Self {
        if let Some((low, high)) = other.integers {
            self.add_integers(low, high);
        }
        Self {
            integers: self.integers,
            floats: self.floats || other.floats,
            digits: self.digits || other.digits,
            rounded: self.rounded || other.rounded,
            not_a_number: self.not_a_number || other.not_a_number,
            booleans: self.booleans || other.booleans,
            texts: self.texts || other.texts,
            leading_zeros: self.leading_zeros || other.leading_zeros,
            points: self.points || other.points,
            commas: self.commas || other.commas,
            decimal_commas: self.decimal_commas || other.decimal_commas,
            decimal_points: self.decimal_points || other.decimal_points,
        }
    }

    /// The type; that of a label tells all its values apart, as does that of a carried column unless it has numbers with decimals. Where
    /// some have leading zeros, numbers are identifiers, whose digits count.
    pub fn kind(self, kind: Kind) -> FieldKind {
        let label = match kind {
            Kind::Value => false,
            Kind::Label => true,
            Kind::Carried | Kind::Verbatim => !self.floats,
        };
        let numbers = self.integers.is_some() || self.floats || self.digits;
        let verbatim = kind == Kind::Verbatim;
        if self.texts || (self.booleans && (numbers || verbatim)) {
            return FieldKind::Text;
        }
        if self.booleans {
            return FieldKind::Boolean;
        }
        // The file that is written has commas between its columns.
        let as_written = verbatim && (self.floats || self.not_a_number) && !self.commas;
        if self.leading_zeros || as_written {
            return FieldKind::Digits;
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

/// Whether a number has other digits than its double: than the shortest that it is known by, or the 17 that always tell.
pub(super) fn is_rounded(text: &str, value: f64) -> bool {
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
