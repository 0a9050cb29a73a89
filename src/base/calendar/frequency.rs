//! Periods of the calendar.

use chrono::{DateTime, Datelike, NaiveDate, TimeZone, Utc};
use chrono_tz::Tz;

use super::text::WrittenDate;
use crate::base::words::words;

words! {
    /// What a period is where the time and group columns are dates.
    ///
    /// Periods are counted from the beginning of the calendar, so that the difference of two is the number of periods between
    /// them; [`shown`](Self::shown) and [`period`](Self::period) translate.
    ///
    /// ```
    /// use burn_did::options::Frequency;
    ///
    /// let march = Frequency::Month.period("2007-03-15");
    /// assert_eq!(march, Some(12.0 * 2007.0 + 2.0));
    /// assert_eq!(Frequency::Month.shown(24_086.0), "2007-03");
    /// ```
    pub enum Frequency: "frequency" {
        /// Calendar years, as `2007`.
        Year = "year",
        /// Quarters of a year, as `2007-Q1`.
        Quarter = "quarter",
        /// Months, as `2007-03`.
        Month = "month",
        /// Weeks from Monday to Sunday, as `2007-W05` (ISO 8601).
        Week = "week",
        /// Days, as `2007-03-01`.
        Day = "day",
    }
}

/// Years of dates that are written with four digits.
const YEARS: std::ops::RangeInclusive<i32> = 1..=9999;

impl Frequency {
    /// The period of a date in text: `2007-03-01`, with or without a time of day, or a period as [`shown`](Self::shown), of this
    /// frequency or of one that divides it. `None` for anything else.
    #[must_use]
    pub fn period(self, date: &str) -> Option<f64> {
        self.written(date).map(|period| period as f64)
    }

    /// A period by its name, such as `2007-03` for a month; any other number as it is.
    #[must_use]
    pub fn shown(self, period: f64) -> String {
        self.name_of(period).unwrap_or_else(|| super::label(period))
    }

    #[expect(clippy::cast_possible_truncation, reason = "whole, and checked by the calendar")]
    pub(super) fn name_of(self, period: f64) -> Option<String> {
        if period.fract() != 0.0 || !(1.0..1e7).contains(&period) {
            return None;
        }
        let period = period as i32;
        let day = |day| NaiveDate::from_num_days_from_ce_opt(day);
        Some(match self {
            Self::Year => format!("{period:04}"),
            Self::Quarter => {
                format!("{:04}-Q{}", period.div_euclid(4), period.rem_euclid(4) + 1)
            }
            Self::Month => {
                format!("{:04}-{:02}", period.div_euclid(12), period.rem_euclid(12) + 1)
            }
            Self::Week => {
                let week = day(7 * (period - 1) + 1)?.iso_week();
                format!("{:04}-W{:02}", week.year(), week.week())
            }
            Self::Day => {
                let date = day(period)?;
                format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
            }
        })
    }

    /// The period of a date in text.
    pub(crate) fn written(self, date: &str) -> Option<i64> {
        self.period_of(WrittenDate::parse(date)?)
    }

    /// The period that a whole number names by its digits, of this frequency or of one that divides it: 2007, 20071 for a quarter, 200703 for a
    /// month and 20070301 for a day; `None` for any other number.
    pub(crate) fn of_digits(self, number: f64) -> Option<i64> {
        self.period_of(WrittenDate::of_digits(number)?)
    }

    fn period_of(self, date: WrittenDate) -> Option<i64> {
        let quarter = |year: i32, quarter: u32| 4 * i64::from(year) + i64::from(quarter) - 1;
        let month = |year: i32, month: u32| 12 * i64::from(year) + i64::from(month) - 1;
        match (self, date) {
            (_, WrittenDate::Day(date)) | (Self::Week, WrittenDate::Week(date)) => self.of(date),
            (Self::Year, WrittenDate::Year(y) | WrittenDate::Quarter(y, _)) => Some(y.into()),
            (Self::Year, WrittenDate::Month(y, _)) => Some(y.into()),
            (Self::Quarter, WrittenDate::Quarter(y, q)) => Some(quarter(y, q)),
            (Self::Quarter, WrittenDate::Month(y, m)) => Some(quarter(y, m.div_ceil(3))),
            (Self::Month, WrittenDate::Month(y, m)) => Some(month(y, m)),
            _ => None,
        }
    }

    /// How precisely a date is written: that of a day for `2007-03-01`, of a month for `2007-03`. `None` for anything else.
    pub(crate) fn of_written(date: &str) -> Option<Self> {
        Some(Self::named_by(WrittenDate::parse(date)?))
    }

    /// As [`of_written`](Self::of_written), of a date in digits.
    pub(crate) fn of_written_digits(number: f64) -> Option<Self> {
        Some(Self::named_by(WrittenDate::of_digits(number)?))
    }

    fn named_by(date: WrittenDate) -> Self {
        match date {
            WrittenDate::Year(_) => Self::Year,
            WrittenDate::Quarter(..) => Self::Quarter,
            WrittenDate::Month(..) => Self::Month,
            WrittenDate::Week(_) => Self::Week,
            WrittenDate::Day(_) => Self::Day,
        }
    }

    /// The period of a day; `None` outside the years 1 to 9999.
    pub(crate) fn of(self, date: NaiveDate) -> Option<i64> {
        let (year, month) = (i64::from(date.year()), i64::from(date.month0()));
        let days = i64::from(date.num_days_from_ce());
        YEARS.contains(&date.year()).then(|| match self {
            Self::Year => year,
            Self::Quarter => 4 * year + month / 3,
            Self::Month => 12 * year + month,
            // The first day of the calendar is a Monday.
            Self::Week => (days - 1).div_euclid(7) + 1,
            Self::Day => days,
        })
    }

    /// The period of a number of days since 1970.
    pub(crate) fn of_days(self, days: i32) -> Option<i64> {
        self.of(NaiveDate::from_epoch_days(days)?)
    }

    /// The period of a number of seconds since 1970, by the clock of a time zone.
    pub(crate) fn of_seconds(self, seconds: i64, zone: Option<Tz>) -> Option<i64> {
        let instant = DateTime::<Utc>::from_timestamp(seconds, 0)?;
        // Far from the ends of what can be represented, where local time may not exist.
        let instant = Some(instant).filter(|i| (-1..=10_000).contains(&i.year()))?;
        let utc = instant.naive_utc();
        self.of(zone.map_or(utc.date(), |zone| zone.from_utc_datetime(&utc).date_naive()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Frequency; 5] =
        [Frequency::Year, Frequency::Quarter, Frequency::Month, Frequency::Week, Frequency::Day];

    #[test]
    fn periods_follow_each_other_and_names_are_read_back() {
        let first = NaiveDate::from_ymd_opt(2003, 12, 20).unwrap();
        for frequency in ALL {
            let mut last = frequency.of(first).unwrap();
            for date in first.iter_days().take(3_000) {
                let period = frequency.of(date).unwrap();
                assert!(period == last || period == last + 1, "{frequency:?} {date}");
                let name = frequency.shown(period as f64);
                assert_eq!(frequency.written(&name), Some(period), "{name}");
                assert_eq!(frequency.period(&date.to_string()), Some(period as f64));
                last = period;
            }
        }
    }

    #[test]
    fn names() {
        let names = ALL.map(|f| f.shown(f.period("2007-03-01").unwrap()));
        assert_eq!(names, ["2007", "2007-Q1", "2007-03", "2007-W09", "2007-03-01"]);
        assert_eq!(
            Frequency::Week.shown(Frequency::Week.period("2008-12-31").unwrap()),
            "2009-W01"
        );
        let first = ALL.map(|f| f.shown(f.period("0001-01-01").unwrap()));
        assert_eq!(first, ["0001", "0001-Q1", "0001-01", "0001-W01", "0001-01-01"]);
        assert!(ALL.iter().all(|f| f.period("0001-01-01").unwrap() >= 1.0));
        let last = ALL.map(|f| f.shown(f.period("9999-12-31").unwrap()));
        assert_eq!(last, ["9999", "9999-Q4", "9999-12", "9999-W52", "9999-12-31"]);
        for odd in [0.0, -3.0, 2.5, f64::INFINITY, f64::NAN, 1e300, 9e6] {
            assert!(ALL.iter().all(|f| !f.shown(odd).is_empty()));
        }
    }

    #[test]
    fn coarser_dates_than_the_period_are_none() {
        assert_eq!(Frequency::Day.period("2007-03"), None);
        assert_eq!(Frequency::Week.period("2007-03"), None);
        assert_eq!(Frequency::Month.period("2007-Q1"), None);
        assert_eq!(Frequency::Month.period("2007"), None);
        assert_eq!(Frequency::Month.period("2007-W05"), None);
        assert_eq!(Frequency::Quarter.period("2007-09"), Frequency::Quarter.period("2007Q3"));
        assert_eq!(Frequency::Year.period("2007-Q2"), Some(2007.0));
    }

    #[test]
    fn instants_are_dated_by_their_time_zone() {
        let midnight = 1_167_609_600;
        let new_york: Tz = "America/New_York".parse().unwrap();
        assert_eq!(Frequency::Year.of_seconds(midnight, None), Some(2007));
        assert_eq!(Frequency::Year.of_seconds(midnight, Some(new_york)), Some(2006));
        assert_eq!(Frequency::Day.of_days(0), Frequency::Day.written("1970-01-01"));
        for extreme in [i64::MIN, i64::MAX, -62_135_596_801, 253_402_300_800] {
            assert_eq!(Frequency::Day.of_seconds(extreme, None), None, "{extreme}");
            Frequency::Day.of_seconds(extreme, Some(new_york));
        }
        assert_eq!(Frequency::Day.of_days(i32::MIN), None);
    }
}
