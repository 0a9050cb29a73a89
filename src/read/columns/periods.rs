//! Dates as periods of the calendar.

use chrono_tz::Tz;
use polars::prelude::*;

use super::excerpt::excerpt;
use super::kinds::kind;
use crate::base::calendar::Frequency;
use crate::base::error::{DidError, Result};

/// What a column of dates can be.
const DATES: &str = "dates, timestamps, text such as 2007-03-01 or numbers such as 20070301, as the option `frequency` is set (in the time and \
                     in the group column)";

/// The column as numbers of periods: as it is without a frequency, and the periods of its dates with one. Its first row has
/// the number `first_row` among all rows.
pub(crate) fn periods(
    column: &Column,
    role: &'static str,
    frequency: Option<Frequency>,
    first_row: usize,
) -> Result<Series> {
    let series = column.as_materialized_series();
    let name = || series.name().to_string();
    let is_date = matches!(series.dtype(), DataType::Date | DataType::Datetime(..));
    let Some(frequency) = frequency else {
        if is_date {
            let dtype = kind(series.dtype());
            return Err(DidError::Dates { column: name(), role, dtype });
        }
        return Ok(series.clone());
    };
    let unusable = |value: String, row: usize| DidError::NoPeriod {
        column: name(),
        role,
        value,
        row: first_row + row,
        line: None,
        frequency: frequency.word(),
    };
    let counted: Int64Chunked = match series.dtype() {
        DataType::Null => return Ok(series.clone()),
        DataType::Date => {
            let dates = series.date()?.physical();
            let period = |days: &i32| frequency.of_days(*days);
            counted(dates.iter(), period).map(Int64Chunked::from_iter).map_err(|(row, days)| {
                unusable(format!("the date {days} days after 1970-01-01"), row)
            })?
        }
        DataType::Datetime(unit, zone) => {
            let per_second = match unit {
                TimeUnit::Nanoseconds => 1_000_000_000,
                TimeUnit::Microseconds => 1_000_000,
                TimeUnit::Milliseconds => 1_000,
            };
            let zone: Option<Tz> = match zone.as_ref().map(|zone| zone.parse()) {
                None => None,
                Some(Ok(zone)) => Some(zone),
                Some(Err(_)) => {
                    return Err(DidError::ColumnType {
                        column: name(),
                        role,
                        expected: "timestamps of a time zone of the IANA data base",
                        got: kind(series.dtype()),
                    });
                }
            };
            let instants = series.datetime()?.physical();
            let period = |at: &i64| frequency.of_seconds(at.div_euclid(per_second), zone);
            counted(instants.iter(), period).map(Int64Chunked::from_iter).map_err(|(row, at)| {
                unusable(format!("the time {at} {unit} after 1970-01-01"), row)
            })?
        }
        DataType::String | DataType::Categorical(..) | DataType::Enum(..) => {
            let texts = series.cast(&DataType::String)?;
            let of_digits = |text: &str| frequency.of_digits(text.parse::<u32>().ok()?.into());
            let never = |text: &str| text.trim().parse().is_ok_and(|number| is_never(role, number));
            let of_text = |text: &&str| match frequency.written(text).or_else(|| of_digits(text)) {
                None if never(text) => Some(None),
                period => period.map(Some),
            };
            let found = counted(texts.str()?.iter(), of_text)
                .map_err(|(row, text)| unusable(format!("`{}`", excerpt(text)), row))?;
            return Ok(with_never(series.name().clone(), &found));
        }
        other if other.is_primitive_numeric() => {
            let named = by_digits(series, role, frequency)?;
            return named.map_err(|(row, number)| unusable(number.to_string(), row));
        }
        other => {
            let got = kind(other);
            return Err(DidError::ColumnType { column: name(), role, expected: DATES, got });
        }
    };
    Ok(counted.with_name(series.name().clone()).into_series())
}

/// Periods of numbers that name them by their digits, among which groups may also say that a unit is never treated; or the first value that
/// names none, and its row.
fn by_digits(
    series: &Series,
    role: &str,
    frequency: Frequency,
) -> Result<std::result::Result<Series, (usize, f64)>> {
    let numbers = series.cast(&DataType::Float64)?;
    let period = |(row, value): (usize, Option<f64>)| match value {
        Some(v) if !v.is_nan() && !is_never(role, v) => {
            frequency.of_digits(v).map(|period| Some(period as f64)).ok_or((row, v))
        }
        kept => Ok(kept),
    };
    let periods: std::result::Result<Float64Chunked, (usize, f64)> =
        numbers.f64()?.iter().enumerate().map(period).collect();
    Ok(periods.map(|periods| periods.with_name(series.name().clone()).into_series()))
}

/// Whether a number in a column of this role says that a unit is never treated.
fn is_never(role: &str, number: f64) -> bool {
    role == "group" && (number == 0.0 || number == f64::INFINITY)
}

/// Periods, of which those that are none say that a unit is never treated.
fn with_never(name: PlSmallStr, periods: &[Option<Option<i64>>]) -> Series {
    match periods.iter().all(|period| *period != Some(None)) {
        true => Int64Chunked::from_iter(periods.iter().map(|period| period.flatten()))
            .with_name(name)
            .into_series(),
        false => {
            let number = |period: Option<i64>| period.map_or(f64::INFINITY, |period| period as f64);
            Float64Chunked::from_iter(periods.iter().map(|period| period.map(number)))
                .with_name(name)
                .into_series()
        }
    }
}

/// What all values are, or the first value that is nothing, and its row. Equal neighbours are looked up once.
fn counted<T: Copy + PartialEq, P: Copy>(
    values: impl Iterator<Item = Option<T>>,
    period: impl Fn(&T) -> Option<P>,
) -> std::result::Result<Vec<Option<P>>, (usize, T)> {
    let mut last: Option<(T, P)> = None;
    let mut of = |(row, value): (usize, Option<T>)| {
        let Some(value) = value else { return Ok(None) };
        let known = last.filter(|(known, _)| *known == value).map(|(_, period)| period);
        let this_period = known.or_else(|| period(&value)).ok_or((row, value))?;
        last = Some((value, this_period));
        Ok(Some(this_period))
    };
    values.enumerate().map(&mut of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(series: &Series, frequency: Frequency) -> Result<Vec<Option<String>>> {
        let counted = periods(&series.clone().into_column(), "time", Some(frequency), 0)?;
        let shown = |period: Option<i64>| period.map(|p| frequency.shown(p as f64));
        Ok(counted.i64()?.iter().map(shown).collect())
    }

    fn expected(periods: [&str; 2]) -> Vec<Option<String>> {
        vec![Some(periods[0].to_owned()), None, Some(periods[1].to_owned())]
    }

    #[test]
    fn dates_of_every_type_are_periods() {
        let days = Series::new("t".into(), [Some(13_572_i32), None, Some(13_514)]);
        let dates = days.cast(&DataType::Date).unwrap();
        assert_eq!(read(&dates, Frequency::Month).unwrap(), expected(["2007-02", "2007-01"]));
        assert_eq!(read(&dates, Frequency::Day).unwrap(), expected(["2007-02-28", "2007-01-01"]));
        let seconds = Series::new("t".into(), [Some(1_172_620_800_i64), None, Some(1_167_609_600)]);
        for (unit, factor) in [
            (TimeUnit::Milliseconds, 1_000),
            (TimeUnit::Microseconds, 1_000_000),
            (TimeUnit::Nanoseconds, 1_000_000_000),
        ] {
            let times = (seconds.i64().unwrap() * factor).into_series();
            let plain = times.cast(&DataType::Datetime(unit, None)).unwrap();
            assert_eq!(read(&plain, Frequency::Year).unwrap(), expected(["2007", "2007"]));
            let zone = polars::prelude::TimeZone::opt_try_new(Some("America/New_York")).unwrap();
            let zoned = times.cast(&DataType::Datetime(unit, zone)).unwrap();
            assert_eq!(read(&zoned, Frequency::Year).unwrap(), expected(["2007", "2006"]));
        }
        let texts = Series::new("t".into(), [Some("2007-02-28"), None, Some("2007-01")]);
        assert_eq!(read(&texts, Frequency::Quarter).unwrap(), expected(["2007-Q1", "2007-Q1"]));
    }

    #[test]
    fn numbers_are_years() {
        let of = |values: &[f64], role| {
            let column = Series::new("g".into(), values).into_column();
            periods(&column, role, Some(Frequency::Year), 7)
        };
        let read = of(&[2007.0, f64::NAN, 0.0, f64::INFINITY], "group").unwrap();
        assert_eq!((read.f64().unwrap().get(0), read.len()), (Some(2007.0), 4));
        for (values, role) in
            [([2007.0, 2007.5], "group"), ([2007.0, 0.0], "time"), ([2007.0, -1.0], "group")]
        {
            let found = of(&values, role).unwrap_err().to_string();
            assert!(found.contains("in row 8") && found.contains("assigned to a year"), "{found}");
        }
    }

    #[test]
    fn zero_among_dates_is_never() {
        let column = Series::new("g".into(), [Some("2007-02-28"), Some("0"), None, Some("Inf")]);
        let of = |role| periods(&column.clone().into_column(), role, Some(Frequency::Year), 0);
        let never = f64::INFINITY;
        let expected = Series::new("g".into(), [Some(2007.0), Some(never), None, Some(never)]);
        assert!(of("group").unwrap().equals_missing(&expected));
        assert!(of("time").unwrap_err().to_string().contains("`g` (time) has `0` in row 1"));
    }

    #[test]
    fn what_is_no_date_is_named() {
        let error = |series: Series, frequency| {
            let column = series.into_column();
            periods(&column, "group", frequency, 7).unwrap_err().to_string()
        };
        let texts = Series::new("g".into(), ["2007-02-28", "28/02/2007"]);
        let found = error(texts, Some(Frequency::Month));
        assert!(
            found.contains("`g` (group)") && found.contains("`28/02/2007` in row 8"),
            "{found}"
        );
        let found = error(Series::new("g".into(), [2007_i64]), Some(Frequency::Month));
        assert!(found.contains("`g` (group) has 2007 in row 7"), "{found}");
        assert!(found.contains("in digits as 20071, 200703 and 20070301"), "{found}");
        let found = error(Series::new("g".into(), [true]), Some(Frequency::Week));
        assert!(
            found.contains("holds true and false") && found.contains("`frequency` is set"),
            "{found}"
        );
        let dates = Series::new("g".into(), [1_i32]).cast(&DataType::Date).unwrap();
        let found = error(dates, None);
        assert!(found.contains("`g` (group) has dates") && found.contains("frequency"), "{found}");
        let far = Series::new("g".into(), [i32::MIN]).cast(&DataType::Date).unwrap();
        assert!(error(far, Some(Frequency::Day)).contains("days after 1970"));
    }
}
