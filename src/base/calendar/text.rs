//! Dates as text: ISO 8601, quarters as `2007-Q1`, and quarters and months as Stata, R and statistical offices write them.

use chrono::{NaiveDate, Weekday};

/// A date as it was written, down to the day or less precisely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WrittenDate {
    Year(i32),
    Quarter(i32, u32),
    Month(i32, u32),
    Week(NaiveDate),
    Day(NaiveDate),
}

impl WrittenDate {
    /// `None` for anything but `2007`, `2007-Q1`, `2007Q1`, `2007 Q1`, `2007q1`, `2007-03`, `2007M03`, `2007m3`, `2007-W05`, `2007W05`,
    /// `2007-03-01` and a day with a time of day: `2007-03-01 12:30:00`, `2007-03-01T12:30:00.5Z`, `2007-03-01T12:30:00+02:00`.
    pub fn parse(text: &str) -> Option<Self> {
        let (year, rest) = digits(text, 4)?;
        let year = i32::try_from(year).ok().filter(|year| *year > 0)?;
        if rest.is_empty() {
            return Some(Self::Year(year));
        }
        let after_dash = rest.strip_prefix('-');
        let part = after_dash.or_else(|| rest.strip_prefix(' ')).unwrap_or(rest);
        if let Some(quarter) = part.strip_prefix(['Q', 'q']) {
            let (quarter, end) = digits(quarter, 1)?;
            let valid = end.is_empty() && (1..=4).contains(&quarter);
            return valid.then_some(Self::Quarter(year, quarter));
        }
        if let Some(week) = part.strip_prefix('W') {
            let (week, end) = digits(week, 2)?;
            let monday = NaiveDate::from_isoywd_opt(year, week, Weekday::Mon);
            return monday.filter(|_| end.is_empty()).map(Self::Week);
        }
        if let Some(month) = part.strip_prefix(['M', 'm']) {
            let month =
                digits(month, 2).or_else(|| digits(month, 1)).filter(|(_, end)| end.is_empty());
            let month = month.map(|(month, _)| month).filter(|month| (1..=12).contains(month));
            return month.map(|month| Self::Month(year, month));
        }
        let (month, rest) = digits(after_dash?, 2)?;
        if rest.is_empty() {
            return (1..=12).contains(&month).then_some(Self::Month(year, month));
        }
        let (day, clock) = digits(rest.strip_prefix('-')?, 2)?;
        let date = NaiveDate::from_ymd_opt(year, month, day)?;
        is_clock(clock).then_some(Self::Day(date))
    }

    /// The year, quarter, month or day that a whole number of four, five, six or eight digits writes; `None` for any other.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and small")]
    pub fn of_digits(number: f64) -> Option<Self> {
        if number.fract() != 0.0 || !(1e3..1e8).contains(&number) {
            return None;
        }
        let digits = number as u32;
        let year = |one: u32| (digits / one) as i32;
        match digits {
            0..10_000 => Some(Self::Year(year(1))),
            10_000..100_000 => {
                let quarter = digits % 10;
                (1..=4).contains(&quarter).then_some(Self::Quarter(year(10), quarter))
            }
            100_000..1_000_000 => {
                let month = digits % 100;
                (1..=12).contains(&month).then_some(Self::Month(year(100), month))
            }
            1_000_000..10_000_000 => None,
            _ => NaiveDate::from_ymd_opt(year(10_000), digits / 100 % 100, digits % 100)
                .map(Self::Day),
        }
    }
}

/// The number that the first `count` characters are, and the rest.
fn digits(text: &str, count: usize) -> Option<(u32, &str)> {
    let (number, rest) = text.split_at_checked(count)?;
    let valid = number.bytes().all(|b| b.is_ascii_digit());
    valid.then(|| number.parse().ok().map(|number| (number, rest))).flatten()
}

/// Whether a text is nothing or a time of day with or without a time zone.
fn is_clock(text: &str) -> bool {
    let Some(text) = text.strip_prefix(['T', ' ']) else { return text.is_empty() };
    let below = |text, limit| digits(text, 2).filter(|(n, _)| *n < limit).map(|(_, rest)| rest);
    let Some(rest) = below(text, 24).and_then(|r| r.strip_prefix(':')) else { return false };
    let Some(mut rest) = below(rest, 60) else { return false };
    if let Some(seconds) = rest.strip_prefix(':') {
        let Some(after) = below(seconds, 61) else { return false };
        rest = after;
        if let Some(fraction) = after.strip_prefix('.') {
            rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            if rest.len() == fraction.len() {
                return false;
            }
        }
    }
    let Some(offset) = rest.strip_prefix(['+', '-']) else { return matches!(rest, "" | "Z") };
    below(offset, 24).is_some_and(|rest| {
        let minutes = rest.strip_prefix(':').unwrap_or(rest);
        rest.is_empty() || below(minutes, 60) == Some("")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_they_are_written() {
        let day = NaiveDate::from_ymd_opt(2007, 3, 1).map(WrittenDate::Day);
        for text in [
            "2007-03-01",
            "2007-03-01 00:00",
            "2007-03-01 23:59:59",
            "2007-03-01T00:00:00.000",
            "2007-03-01T00:00:00Z",
            "2007-03-01T00:00:00.123456+02:00",
            "2007-03-01 00:00:00-0530",
            "2007-03-01 00:00:00+00",
        ] {
            assert_eq!(WrittenDate::parse(text), day, "{text}");
        }
        assert_eq!(WrittenDate::parse("2007"), Some(WrittenDate::Year(2007)));
        assert_eq!(WrittenDate::parse("2007-03"), Some(WrittenDate::Month(2007, 3)));
        for text in ["2007Q3", "2007-Q3", "2007 Q3", "2007q3"] {
            assert_eq!(WrittenDate::parse(text), Some(WrittenDate::Quarter(2007, 3)));
        }
        for text in ["2007M03", "2007m3", "2007-M3", "2007m03"] {
            assert_eq!(WrittenDate::parse(text), Some(WrittenDate::Month(2007, 3)));
        }
        let monday = NaiveDate::from_ymd_opt(2007, 1, 29).map(WrittenDate::Week);
        assert_eq!(WrittenDate::parse("2007-W05"), monday);
        assert_eq!(WrittenDate::parse("2007W05"), monday);
    }

    #[test]
    fn anything_else_is_no_date() {
        for text in [
            "",
            "0",
            "07",
            "2007-",
            "2007-3",
            "2007-13",
            "2007-00",
            "2007-02-30",
            "2007/03/01",
            "01-03-2007",
            "2007-03-01x",
            "2007-03-01T",
            "2007-03-01 25:00",
            "2007-03-01 12:00:00.",
            "2007-Q5",
            "2007-Q",
            "2007-W54",
            "2007-W00",
            "2007-W5",
            "0000-01-01",
            "+007-01-01",
            "2007-03-01 12:00:00+2",
            "２００７",
            "2007-03-é1",
            " 2007-03-01",
            "20070301",
        ] {
            assert_eq!(WrittenDate::parse(text), None, "{text}");
        }
    }
}
