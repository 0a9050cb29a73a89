//! What a text is that stands where numbers are expected.

use burn_did::options::{Frequency, Words};

/// What a text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// A date, or another period of a calendar, as they are read.
    Date,
    /// A date that is written in another way, as 01/06/2003, 07/01/03 or 01Jul2003.
    OtherDate,
    /// One of two words for a yes and a no, with the pair.
    YesNo(&'static str, &'static str),
    /// A number with the exponent of Fortran, as 8.46D+00.
    Exponent(String),
    /// A number with a short word for a period before it, as FY2003.
    Named(String),
    /// A number with another minus than that of the keyboard.
    Minus(char, String),
    /// What a number is compared with, as <5, ~5, 10+ or before 2005: no number by itself.
    Bound,
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
        if let Some((yes, no)) = yes_and_no(text) {
            return Self::YesNo(yes, no);
        }
        if let Some(number) = with_exponent(text) {
            return Self::Exponent(number);
        }
        if is_decimal_comma(text) {
            return Self::DecimalComma;
        }
        if has_thousands(text) {
            return Self::Thousands;
        }
        if let Some((minus, number)) = other_minus(text) {
            return Self::Minus(minus, format!("-{number}"));
        }
        if is_bound(text) {
            return Self::Bound;
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

/// Words for a yes and a no.
const ANSWERS: [(&str, &str); 5] =
    [("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"), ("treated", "untreated")];

fn yes_and_no(text: &str) -> Option<(&'static str, &'static str)> {
    let text = text.to_lowercase();
    ANSWERS.into_iter().find(|(yes, no)| text == *yes || text == *no)
}

/// The number with an E in place of the D of Fortran's double precision.
fn with_exponent(text: &str) -> Option<String> {
    let number = text.replacen(['D', 'd'], "E", 1);
    (number != text && number.parse::<f64>().is_ok()).then_some(number)
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

fn is_month(word: &str) -> bool {
    word.len() >= 3 && MONTHS.iter().any(|month| month.starts_with(&word.to_lowercase()))
}

/// Whether a text has a day, a month in digits or by its name, and a year, in whatever order; or a month by its name and a year.
fn is_other_date(text: &str) -> bool {
    let mut parts: Vec<&str> = Vec::new();
    let is_mark = |c: char| matches!(c, '/' | '.' | '-' | ' ' | ',');
    for part in text.split(is_mark).filter(|part| !part.is_empty()) {
        // 01Jul2003 has no marks.
        let is_digit = |c: char| c.is_ascii_digit();
        let start = part.find(|c| !is_digit(c)).unwrap_or(part.len());
        let (before, rest) = part.split_at(start);
        let (name, after) = rest.split_at(rest.find(is_digit).unwrap_or(rest.len()));
        parts.extend([before, name, after].into_iter().filter(|part| !part.is_empty()));
    }
    let numbers: Vec<&str> = parts.iter().copied().filter(|part| are_digits(part)).collect();
    let years = numbers.iter().filter(|part| part.len() == 4).count();
    let short = numbers.iter().filter(|part| part.len() <= 2).count();
    let names = parts.len() - numbers.len();
    let are_of_dates = years <= 1 && years + short == numbers.len();
    match (names, numbers.len()) {
        (0, 3) => are_of_dates && text.contains(['/', '.', '-']),
        (1, 1 | 2) => are_of_dates && parts.iter().any(|part| is_month(part)),
        _ => false,
    }
}

fn is_decimal_comma(text: &str) -> bool {
    text.matches(',').count() == 1 && text.replace(',', ".").parse::<f64>().is_ok()
}

/// Blanks, most of which a line does not break at.
const BLANKS: [char; 4] = [' ', '\u{a0}', '\u{2009}', '\u{202f}'];

fn has_thousands(text: &str) -> bool {
    let text = text.trim_start_matches(['-', '+']);
    let is_mark = |c: char| matches!(c, ',' | '.' | '\'') || BLANKS.contains(&c);
    let marks: Vec<&str> = text.matches(is_mark).collect();
    let parts: Vec<&str> = text.split(is_mark).collect();
    let has_blank = text.contains(BLANKS);
    let has_decimals = marks.len() > 1 && marks[0] != marks[marks.len() - 1];
    let thousands = &parts[1..parts.len() - usize::from(has_decimals)];
    (marks.len() > 1 || has_blank)
        && parts[0].len() <= 3
        && parts.iter().all(|part| are_digits(part))
        && thousands.iter().all(|part| part.len() == 3)
}

/// Words that stand before the number of a period and say nothing else of it.
const PERIODS: [&str; 12] =
    ["fy", "cy", "ay", "sy", "yr", "year", "y", "g", "t", "period", "wave", "cohort"];

/// The digits behind a word for a period.
fn named(text: &str) -> Option<&str> {
    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let word = text[..text.len() - digits.len()].trim_end_matches([' ', '_']).to_lowercase();
    (are_digits(digits) && PERIODS.contains(&word.as_str())).then_some(digits)
}

/// A sign that looks like a minus, and the number behind it.
fn other_minus(text: &str) -> Option<(char, &str)> {
    let minus = text.chars().next().filter(|c| {
        "\u{2212}\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{fe63}\u{ff0d}".contains(*c)
    })?;
    let number = text[minus.len_utf8()..].trim_start();
    let is_number = number.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    (is_number && number.parse::<f64>().is_ok()).then_some((minus, number))
}

/// Words that compare with the number beside them.
const COMPARING: [&str; 22] = [
    "pre", "post", "before", "after", "not", "since", "until", "till", "by", "from", "ca", "circa",
    "about", "over", "under", "up", "to", "at", "least", "most", "than", "or",
];

/// More of them, which may stand behind the number, too.
const MORE_OR_LESS: [&str; 6] = ["more", "less", "fewer", "greater", "later", "earlier"];

/// Whether a text is a number and what compares with it, in signs or in words.
fn is_bound(text: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let Some(start) = text.find(is_digit) else { return false };
    let end = text.rfind(is_digit).map_or(text.len(), |last| last + 1);
    if text[start..end].parse::<f64>().is_err() {
        return false;
    }
    let (before, after) = (text[..start].to_lowercase(), text[end..].to_lowercase());
    let words: Vec<&str> = [&before, &after]
        .into_iter()
        .flat_map(|part| part.split(|c: char| !c.is_alphabetic()))
        .filter(|word| !word.is_empty())
        .collect();
    let compares = |word: &&str| COMPARING.contains(word) || MORE_OR_LESS.contains(word);
    let has_sign = before.contains(['<', '>', '≤', '≥', '~', '≈', '±']) || after.trim() == "+";
    words.iter().all(compares) && (has_sign || !words.is_empty())
}

/// The number beside a sign of a currency, of percent or of degrees.
fn without_sign(text: &str) -> Option<&str> {
    let is_sign = |c: char| {
        matches!(c, '$' | '%' | '¢' | '£' | '¤' | '¥' | '‰' | '°' | '\u{20a0}'..='\u{20cf}')
    };
    let number = text.trim_start_matches(is_sign).trim_end_matches(is_sign);
    let signs = text.chars().count() - number.chars().count();
    (signs == 1 && number.trim().parse::<f64>().is_ok()).then_some(number.trim())
}
