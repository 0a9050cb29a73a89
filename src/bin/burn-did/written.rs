//! What a text is that stands where numbers are expected.

use burn_did::options::{Frequency, Words};

/// What a text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// A date, or another period of a calendar, as they are read.
    Date,
    /// A date that is written in another way, as 01/06/2003.
    OtherDate,
    /// A number with letters before it, as FY2003.
    Named(String),
    /// A number that may have a decimal comma, as 0,25.
    DecimalComma,
    /// A number with separators of thousands, as 1,234.56 or 1.234.567.
    Thousands,
    /// A number with a sign of a currency, or of percent.
    Sign(String),
    /// Something else.
    Word,
}

impl Written {
    pub(crate) fn of(text: &str) -> Self {
        let text = text.trim();
        if Frequency::WORDS.iter().any(|word| word.value.period(text).is_some()) {
            return Self::Date;
        }
        if is_other_date(text) {
            return Self::OtherDate;
        }
        if is_decimal_comma(text) {
            return Self::DecimalComma;
        }
        if has_thousands(text) {
            return Self::Thousands;
        }
        if let Some(number) = named(text) {
            return Self::Named(number.to_owned());
        }
        without_sign(text).map_or(Self::Word, |number| Self::Sign(number.to_owned()))
    }
}

fn are_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a text has a day, a month and a year of four digits, in whatever order.
fn is_other_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split(['/', '.', '-']).collect();
    parts.len() == 3
        && parts.iter().all(|part| are_digits(part) && part.len() <= 4)
        && parts.iter().filter(|part| part.len() == 4).count() == 1
        && parts.iter().filter(|part| part.len() <= 2).count() == 2
}

fn is_decimal_comma(text: &str) -> bool {
    text.matches(',').count() == 1 && text.replace(',', ".").parse::<f64>().is_ok()
}

fn has_thousands(text: &str) -> bool {
    let text = text.trim_start_matches(['-', '+']);
    let marks: Vec<&str> = text.matches([',', '.', '\'']).collect();
    let parts: Vec<&str> = text.split([',', '.', '\'']).collect();
    let has_decimals = marks.len() > 1 && marks[0] != marks[marks.len() - 1];
    let thousands = &parts[1..parts.len() - usize::from(has_decimals)];
    marks.len() > 1
        && parts[0].len() <= 3
        && parts.iter().all(|part| are_digits(part))
        && thousands.iter().all(|part| part.len() == 3)
}

/// The digits behind letters.
fn named(text: &str) -> Option<&str> {
    let digits = text.trim_start_matches(|c: char| c.is_alphabetic() || matches!(c, ' ' | '_'));
    (digits.len() < text.len() && are_digits(digits)).then_some(digits)
}

/// The number beside one other character that is neither a letter nor a mark of numbers.
fn without_sign(text: &str) -> Option<&str> {
    let is_sign = |c: char| !c.is_alphanumeric() && !matches!(c, '.' | ',' | '-' | '+' | '?' | '*');
    let number = text.trim_start_matches(is_sign).trim_end_matches(is_sign);
    let signs = text.chars().count() - number.chars().count();
    (signs == 1 && number.parse::<f64>().is_ok()).then_some(number)
}
