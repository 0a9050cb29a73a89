//! What a field of a CSV file may be.

use crate::read::columns::MissingWords;

/// A field without the blanks around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Field<'a> {
    Missing,
    /// The word for no number.
    NotANumber,
    Integer(i128),
    Float(f64),
    /// A number with a decimal comma, unless the comma separates thousands, as it may in `1,234`.
    WithComma {
        value: f64,
        may_be_thousands: bool,
    },
    /// An integer beyond 128 bits, and what a double holds of it.
    Digits(f64),
    Boolean(bool),
    Text(&'a str),
}

impl<'a> Field<'a> {
    /// What a text is; `commas` says whether numbers may have decimal commas.
    pub fn new(text: &'a str, missing: &MissingWords, commas: bool) -> Self {
        // The usual words are no numbers, so that numbers need not be compared with them.
        let number = Self::number(text);
        match number {
            Some(Self::NotANumber) if missing.names(text) => Self::Missing,
            Some(number) if !missing.has_numbers() => number,
            _ if missing.among_numbers(text) && number != Some(Self::NotANumber) => Self::Missing,
            Some(number) => number,
            None => match text {
                "TRUE" | "True" | "true" => Self::Boolean(true),
                "FALSE" | "False" | "false" => Self::Boolean(false),
                _ => Self::with_comma(text, missing, commas).unwrap_or(Self::Text(text)),
            },
        }
    }

    /// A number with one comma and no point.
    fn with_comma(text: &str, missing: &MissingWords, commas: bool) -> Option<Self> {
        let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
        let commas = if commas { text.matches(',').count() } else { 0 };
        if commas != 1 || !has_digit || text.contains('.') {
            return None;
        }
        match Field::new(&text.replace(',', "."), missing, false) {
            Field::Float(value) => {
                let may_be_thousands = may_be_thousands(text, ',');
                Some(Self::WithComma { value, may_be_thousands })
            }
            Field::Missing => Some(Self::Missing),
            _ => None,
        }
    }

    fn number(text: &'a str) -> Option<Self> {
        if let Ok(integer) = text.parse::<i64>() {
            return Some(Self::Integer(integer.into()));
        }
        if let Ok(integer) = text.parse::<i128>() {
            return Some(Self::Integer(integer));
        }
        let float: f64 = text.parse().ok()?;
        let unsigned = text.trim_start_matches(['+', '-']);
        Some(match float {
            _ if float.is_nan() => Self::NotANumber,
            _ if unsigned.bytes().all(|b| b.is_ascii_digit()) => Self::Digits(float),
            _ => Self::Float(float),
        })
    }
}

/// Whether a number with one mark has one to three digits before it, the first of them not 0, and three after it.
pub(super) fn may_be_thousands(text: &str, mark: char) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    unsigned.split_once(mark).is_some_and(|(thousands, rest)| {
        (1..=3).contains(&thousands.len())
            && rest.len() == 3
            && !thousands.starts_with('0')
            && digits(thousands)
            && digits(rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::columns::MissingValues;

    fn named(words: &[&str]) -> MissingWords {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        MissingValues::new(Some(&words)).words("x", |_| false)
    }

    #[test]
    fn fields() {
        let usual = MissingWords::usual();
        for (text, field) in [
            ("12", Field::Integer(12)),
            ("+7", Field::Integer(7)),
            ("007", Field::Integer(7)),
            ("18446744073709551615", Field::Integer(18_446_744_073_709_551_615)),
            ("1.50", Field::Float(1.5)),
            ("1e3", Field::Float(1000.0)),
            (".5", Field::Float(0.5)),
            ("Inf", Field::Float(f64::INFINITY)),
            ("-inf", Field::Float(f64::NEG_INFINITY)),
            ("NaN", Field::NotANumber),
            ("", Field::Missing),
            (".", Field::Missing),
            (".c", Field::Missing),
            ("NULL", Field::Missing),
            ("TRUE", Field::Boolean(true)),
            ("1,5", Field::Text("1,5")),
            ("0x1f", Field::Text("0x1f")),
            ("T", Field::Text("T")),
        ] {
            assert_eq!(Field::new(text, &usual, false), field, "{text}");
        }
        let digits = "1234567890123456789012345678901234567890";
        assert!(matches!(Field::new(digits, &usual, true), Field::Digits(_)));
    }

    #[test]
    fn words_of_the_user_come_first() {
        let own = named(&["-99", "TRUE"]);
        assert_eq!(Field::new("-99.0", &own, false), Field::Missing);
        assert_eq!(Field::new("TRUE", &own, false), Field::Missing);
        assert_eq!(Field::new("-98", &own, false), Field::Integer(-98));
        assert_eq!(Field::new("NA", &own, false), Field::Text("NA"));
        let own = named(&["NaN"]);
        assert_eq!(Field::new("NaN", &own, false), Field::Missing);
        assert_eq!(Field::new("nan", &own, false), Field::NotANumber);
    }

    #[test]
    fn commas_are_decimal_where_they_may_be() {
        let usual = MissingWords::usual();
        let with_comma = |value| Field::WithComma { value, may_be_thousands: false };
        for (text, field) in [
            ("1,5", with_comma(1.5)),
            ("-,5", with_comma(-0.5)),
            ("2,5e3", with_comma(2_500.0)),
            ("1,", with_comma(1.0)),
            ("0,123", with_comma(0.123)),
            ("1234,567", with_comma(1_234.567)),
            ("1,2345", with_comma(1.2345)),
            ("-12,345", Field::WithComma { value: -12.345, may_be_thousands: true }),
            ("1.5", Field::Float(1.5)),
            ("12", Field::Integer(12)),
            ("1.234,5", Field::Text("1.234,5")),
            ("1,2,3", Field::Text("1,2,3")),
            (",", Field::Text(",")),
            ("a,b", Field::Text("a,b")),
        ] {
            assert_eq!(Field::new(text, &usual, true), field, "{text}");
        }
        assert_eq!(Field::new("1,5", &usual, false), Field::Text("1,5"));
        let own = named(&["-99.5"]);
        assert_eq!(Field::new("-99,50", &own, true), Field::Missing);
    }
}
