//! One row for a unit and period, from columns that have one for each period.

use polars::prelude::*;

use super::change::PanelChange;
use super::frame::index;
use super::pattern::{Pattern, USUAL};
use crate::base::calendar::Frequency;
use crate::base::error::{DidError, Result};
use crate::read::columns::different;

/// Which columns become one, and what they are called.
#[derive(Clone, Debug, PartialEq, Eq, bon::Builder)]
#[non_exhaustive]
#[builder(on(String, into))]
pub struct ToLong {
    /// Columns of the result, each of which the data have once for every period: `y` for `y_2003`, `y_2004` and so on.
    #[builder(with = |columns: impl IntoIterator<Item = impl Into<String>>| columns.into_iter().map(Into::into).collect())]
    pub columns: Vec<String>,
    /// Name of the column of periods.
    #[builder(default = "time")]
    pub time: String,
    /// Names of the columns of the data.
    #[builder(default = USUAL)]
    pub names: String,
    /// Length of a period, if the names have dates, as in `y_2003-02`. Else they have numbers.
    pub frequency: Option<Frequency>,
    /// Keeps rows in which all of these columns are null.
    #[builder(default)]
    pub keep_empty: bool,
    /// Words and numbers that stand for a missing value in CSV files, instead of the [usual words](crate::Data).
    #[builder(with = |values: impl IntoIterator<Item = impl Into<String>>| values.into_iter().map(Into::into).collect())]
    pub missing_values: Option<Vec<String>>,
    /// Bytes of data that may be in memory at a time where the tool [writes](super::PanelTool::write) from files.
    pub memory_budget: Option<u64>,
}

/// The columns of the data, sorted out.
pub(super) struct Folding {
    /// Names of the periods, ascending.
    periods: Vec<String>,
    /// Values of the column of periods.
    times: Series,
    /// Columns of the result with their type, and for each period where it is in the data.
    stubs: Vec<(String, DataType, Vec<Option<String>>)>,
    /// Columns that are repeated.
    repeated: Vec<String>,
    keep_empty: bool,
}

impl Folding {
    /// Finds the columns among those of the data. The type of columns without a value says nothing where the others have another.
    pub fn new(
        options: &ToLong,
        schema: &Schema,
        is_empty: &dyn Fn(&str) -> Result<bool>,
    ) -> Result<Self> {
        let pattern = Pattern::parse(&options.names)?;
        if options.columns.is_empty() {
            return Err(DidError::config("columns", "at least one column", "none"));
        }
        let valid = |period: &str| match options.frequency {
            Some(frequency) => frequency.period(period),
            None => period.parse().ok().filter(|number: &f64| number.is_finite()),
        };
        // A column whose name begins with another's is looked for first.
        let mut stubs: Vec<&String> = options.columns.iter().collect();
        stubs.sort_by_key(|stub| std::cmp::Reverse(stub.len()));
        let mut found: Vec<(&String, String, String, f64)> = Vec::new();
        let mut repeated = Vec::new();
        for name in schema.iter_names().map(|name| name.as_str()) {
            let of_a_stub = stubs.iter().find_map(|stub| {
                let period = pattern.period(name, stub)?;
                Some((*stub, name.to_owned(), period.to_owned(), valid(period)?))
            });
            match of_a_stub {
                Some(column) => found.push(column),
                None => repeated.push(name.to_owned()),
            }
        }
        if let Some(stub) = options.columns.iter().find(|stub| !found.iter().any(|f| f.0 == *stub))
        {
            let expected = "columns that the data have for some periods, named as `names` says";
            let got = format!("`{stub}`, of which there is no `{}`", pattern.name(stub, "2003"));
            return Err(DidError::config("columns", expected, got));
        }
        let clash =
            options.columns.iter().chain([&options.time]).find(|name| repeated.contains(name));
        if let Some(name) = clash {
            let expected = "names that no other column has";
            return Err(DidError::config("columns", expected, format!("`{name}`")));
        }
        let mut periods: Vec<(f64, String)> = found.iter().map(|f| (f.3, f.2.clone())).collect();
        periods.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        periods.dedup();
        if let Some(twice) = periods.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let got = format!("`{}` and `{}`", twice[0].1, twice[1].1);
            return Err(DidError::config("names", "one way of writing a period", got));
        }
        let periods: Vec<String> = periods.into_iter().map(|(_, name)| name).collect();
        let stub = |stub: &String| {
            let of = |period: &String| {
                found.iter().find(|f| f.0 == stub && f.2 == *period).map(|f| f.1.clone())
            };
            let columns: Vec<Option<String>> = periods.iter().map(of).collect();
            let dtypes = columns.iter().flatten().map(|name| Ok((name, schema.try_get(name)?)));
            let dtypes: Vec<(&String, &DataType)> = dtypes.collect::<Result<_>>()?;
            let all: Vec<&DataType> = dtypes.iter().map(|(_, dtype)| *dtype).collect();
            let of_all = all.iter().copied().try_fold(DataType::Null, common);
            let of_filled = || -> Result<Option<DataType>> {
                let mut filled = Vec::new();
                for (name, dtype) in &dtypes {
                    if !is_empty(name)? {
                        filled.push(*dtype);
                    }
                }
                Ok(filled.into_iter().try_fold(DataType::Null, common))
            };
            let dtype = of_all.map_or_else(of_filled, |dtype| Ok(Some(dtype)))?;
            let dtype = dtype.ok_or_else(|| {
                let problem = format!(
                    "the columns that become `{stub}` hold {}; give them one type",
                    different(&all)
                );
                DidError::Panel { problem }
            })?;
            Ok((stub.clone(), dtype, columns))
        };
        let stubs = options.columns.iter().map(stub).collect::<Result<_>>()?;
        let times = times(&options.time, &periods, options.frequency);
        Ok(Self { periods, times, stubs, repeated, keep_empty: options.keep_empty })
    }

    /// What was found.
    pub fn describe(&self, change: &mut PanelChange) {
        change.add(
            "Columns folded",
            self.stubs.iter().map(|s| s.2.iter().flatten().count() as u64).sum(),
        );
        change.add("Periods", self.periods.len() as u64);
        change.notes.push(format!("Periods: {}", self.periods.join(", ")));
    }

    /// Rows of the result from rows of the data: the periods of one after those of another.
    pub fn change(&self, df: &DataFrame, change: &mut PanelChange) -> Result<DataFrame> {
        let (units, periods) = (df.height(), self.periods.len());
        let places = || (0..units).flat_map(|unit| (0..periods).map(move |period| (unit, period)));
        let gather = |column: &Column, of: &dyn Fn((usize, usize)) -> usize| {
            let rows: Vec<IdxSize> = places().map(|place| index(of(place))).collect();
            column.take(&IdxCa::from_vec(PlSmallStr::EMPTY, rows))
        };
        let mut columns = Vec::new();
        for name in &self.repeated {
            columns.push(gather(df.column(name)?, &|(unit, _)| unit)?);
        }
        columns.push(gather(&self.times.clone().into_column(), &|(_, period)| period)?);
        let mut present: Option<BooleanChunked> = None;
        for (name, dtype, of_periods) in &self.stubs {
            let mut all = Series::new_empty(name.as_str().into(), dtype);
            for column in of_periods {
                let series = match column {
                    Some(column) => df.column(column)?.as_materialized_series().cast(dtype)?,
                    None => Series::full_null(PlSmallStr::EMPTY, units, dtype),
                };
                all.append(&series)?;
            }
            let column = gather(&all.into_column(), &|(unit, period)| period * units + unit)?;
            let there = column.is_not_null();
            present = Some(match present {
                Some(present) => &present | &there,
                None => there,
            });
            columns.push(column);
        }
        let long = DataFrame::new(units * periods, columns)?;
        let Some(present) = present.filter(|_| !self.keep_empty) else { return Ok(long) };
        let long_rows = long.height();
        let long = long.filter(&present)?;
        change
            .add("Rows dropped in which all columns are null", (long_rows - long.height()) as u64);
        Ok(long)
    }
}

/// The type of values of both, if they are of one kind.
fn common(a: DataType, b: &DataType) -> Option<DataType> {
    let wide =
        |dtype: &DataType| matches!(dtype, DataType::UInt64 | DataType::Int128 | DataType::UInt128);
    match (&a, b) {
        (a, b) if a == b => Some(b.clone()),
        (DataType::Null, other) => Some(other.clone()),
        (_, DataType::Null) => Some(a),
        (a, b) if a.is_integer() && b.is_integer() => {
            Some(if wide(a) || wide(b) { DataType::Int128 } else { DataType::Int64 })
        }
        (DataType::Decimal(p, a), DataType::Decimal(q, b)) => decimals((*p, *a), (*q, *b)),
        (a, b) if is_number(a) && is_number(b) => Some(DataType::Float64),
        _ => None,
    }
}

fn is_number(dtype: &DataType) -> bool {
    dtype.is_primitive_numeric() || dtype.is_decimal()
}

/// Decimals that hold those of both, of so many digits and so many of these after the point; numbers beyond 38 digits.
fn decimals((p, a): (usize, usize), (q, b): (usize, usize)) -> Option<DataType> {
    let scale = a.max(b);
    let digits = scale + p.saturating_sub(a).max(q.saturating_sub(b));
    Some(if digits <= 38 { DataType::Decimal(digits, scale) } else { DataType::Float64 })
}

/// The column of periods: whole numbers, other numbers, or dates as text.
fn times(name: &str, periods: &[String], frequency: Option<Frequency>) -> Series {
    let name = PlSmallStr::from(name);
    if frequency.is_some() {
        return Series::new(name, periods);
    }
    let whole: Option<Vec<i64>> = periods.iter().map(|period| period.parse().ok()).collect();
    match whole {
        Some(whole) => Series::new(name, whole),
        None => {
            let numbers: Vec<Option<f64>> =
                periods.iter().map(|period| period.parse().ok()).collect();
            Series::new(name, numbers)
        }
    }
}
