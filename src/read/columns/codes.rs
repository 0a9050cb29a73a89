//! Columns of unit and cluster labels.
//!
//! How a column is read depends on its type alone, never on its values: pieces of one column then agree on the order.

use polars::prelude::*;

use super::categories::CategoryColumn;
use super::grouped::of_texts;
use super::integers::from_integers;
use super::kinds::kind;
use super::labels::{Codes, Label, Labels, TextLabels, from_ordered_key, ordered_key, signed_key};
use super::runs::{Keyed, LabelSlice, TextSlice};
use super::spelled::by_spelling;
use super::wide::{WideColumn, from_wide};
use crate::base::error::{DidError, Result};

/// A column of labels.
#[derive(Clone)]
pub(crate) enum LabelColumn {
    Integers(Int64Chunked),
    Unsigned(UInt64Chunked),
    Wide(WideColumn),
    /// With the test for values that are labels.
    Floats(Float64Chunked, fn(f64) -> bool),
    Texts(StringChunked),
    Categories(CategoryColumn),
}

/// Timestamps as text, whatever unit they are counted in. Those at midnight without a time zone are texts of dates.
fn time_texts(times: &DatetimeChunked, has_zone: bool) -> PolarsResult<StringChunked> {
    let texts = times.to_string(if has_zone { "%F %T%.f%:z" } else { "%F %T%.f" })?;
    let short = |text: &'_ str| text.strip_suffix(" 00:00:00").unwrap_or(text).to_owned();
    Ok(texts.iter().map(|text| text.map(short)).collect())
}

/// A question to a column without missing labels, in one or several pieces.
pub(super) trait LabelQuestion {
    type Answer;

    fn answer<S: LabelSlice>(self, pieces: &[S]) -> Option<Self::Answer>;
}

impl LabelColumn {
    /// A column of numbers, booleans, texts, categories or dates.
    pub fn new(column: &Column, role: &'static str) -> Result<Self> {
        let series = column.as_materialized_series();
        let unusable = || DidError::ColumnType {
            column: column.name().to_string(),
            role,
            expected: "numbers, booleans, text, categories or dates",
            got: kind(series.dtype()),
        };
        let cast = |dtype: DataType| series.cast(&dtype).map_err(|_| unusable());
        if let Some(wide) = WideColumn::new(series) {
            return Ok(Self::Wide(wide));
        }
        if let Some(categories) = CategoryColumn::new(series) {
            return Ok(Self::Categories(categories));
        }
        match series.dtype() {
            DataType::UInt64 => Ok(Self::Unsigned(series.u64()?.clone())),
            dtype if dtype.is_integer() => {
                Ok(Self::Integers(cast(DataType::Int64)?.i64()?.clone()))
            }
            dtype if dtype.is_float() => {
                Ok(Self::Floats(cast(DataType::Float64)?.f64()?.clone(), f64::is_finite))
            }
            DataType::Datetime(_, zone) => {
                let texts = time_texts(series.datetime()?, zone.is_some());
                texts.map(Self::Texts).map_err(|_| unusable())
            }
            DataType::String | DataType::Boolean | DataType::Date | DataType::Null => {
                Ok(Self::Texts(cast(DataType::String)?.str()?.clone()))
            }
            _ => Err(unusable()),
        }
    }

    /// As [`new`](Self::new), of a column in which infinity is a label like others: a level, or the groups of the never-treated.
    pub fn with_infinities(column: &Column, role: &'static str) -> Result<Self> {
        Ok(match Self::new(column, role)? {
            Self::Floats(values, _) => Self::Floats(values, |v| !v.is_nan()),
            others => others,
        })
    }

    /// The label of a row as text.
    pub fn text(&self, row: usize) -> String {
        match self {
            Self::Integers(c) => c.get(row).map(|v| v.to_string()),
            Self::Unsigned(c) => c.get(row).map(|v| v.to_string()),
            Self::Wide(c) => c.text(row),
            Self::Floats(c, _) => c.get(row).map(|v| v.to_string()),
            Self::Texts(c) => c.get(row).map(str::to_owned),
            Self::Categories(c) => c.text(row).map(str::to_owned),
        }
        .unwrap_or_default()
    }

    /// The label of a row; `None` if it is missing or infinite.
    pub fn label(&self, row: usize) -> Option<Label> {
        match self {
            Self::Integers(c) => c.get(row).map(Label::Integer),
            Self::Unsigned(c) => c.get(row).map(|v| Label::Integer(signed_key(v))),
            Self::Wide(c) => c.keys.get(row).map(Label::Wide),
            Self::Floats(c, is_label) => {
                c.get(row).filter(|v| is_label(*v)).map(|v| Label::Integer(ordered_key(v)))
            }
            Self::Texts(c) => c.get(row).map(|v| Label::Text(v.to_owned())),
            Self::Categories(c) => c.text(row).map(|v| Label::Text(v.to_owned())),
        }
    }

    /// Whether labels are missing in some rows.
    pub fn has_missing(&self) -> bool {
        match self {
            Self::Integers(c) => c.null_count() > 0,
            Self::Unsigned(c) => c.null_count() > 0,
            Self::Wide(c) => c.keys.null_count() > 0,
            Self::Floats(..) => (0..self.rows()).any(|row| !self.is_there(row)),
            Self::Texts(c) => c.null_count() > 0,
            Self::Categories(c) => c.has_missing,
        }
    }

    /// Whether a row has a label.
    pub fn is_there(&self, row: usize) -> bool {
        match self {
            Self::Integers(c) => c.get(row).is_some(),
            Self::Unsigned(c) => c.get(row).is_some(),
            Self::Wide(c) => c.keys.get(row).is_some(),
            Self::Floats(c, is_label) => c.get(row).is_some_and(is_label),
            Self::Texts(c) => c.get(row).is_some(),
            Self::Categories(c) => c.text(row).is_some(),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Integers(c) => c.len(),
            Self::Unsigned(c) => c.len(),
            Self::Wide(c) => c.keys.len(),
            Self::Floats(c, _) => c.len(),
            Self::Texts(c) => c.len(),
            Self::Categories(c) => c.codes.len(),
        }
    }

    /// The answer to a question; `None` if labels are missing.
    pub(super) fn ask<Q: LabelQuestion>(&self, question: Q) -> Option<Q::Answer> {
        match self {
            Self::Integers(c) if c.null_count() == 0 => question.answer(&keyed(c, |v| v)),
            Self::Unsigned(c) if c.null_count() == 0 => question.answer(&keyed(c, |v| v)),
            Self::Wide(c) if c.keys.null_count() == 0 => question.answer(&keyed(&c.keys, |v| v)),
            Self::Floats(c, is_label) if c.null_count() == 0 => {
                let pieces = keyed(c, ordered_key);
                let missing = || pieces.iter().any(|p| p.values.iter().any(|v| !is_label(*v)));
                question.answer(&pieces).filter(|_| !missing())
            }
            Self::Texts(c) if c.null_count() == 0 => {
                question.answer(&c.downcast_iter().map(TextSlice).collect::<Vec<_>>())
            }
            Self::Categories(c) if !c.has_missing => {
                question.answer(&[Keyed { values: c.codes.as_slice(), key: |v: u32| v }])
            }
            _ => None,
        }
    }

    /// The column in one piece.
    pub(super) fn in_one_piece(&self) -> Self {
        match self {
            Self::Integers(c) => Self::Integers(c.rechunk().into_owned()),
            Self::Unsigned(c) => Self::Unsigned(c.rechunk().into_owned()),
            Self::Wide(c) => Self::Wide(c.in_one_piece()),
            Self::Floats(c, is_label) => Self::Floats(c.rechunk().into_owned(), *is_label),
            Self::Texts(c) => Self::Texts(c.rechunk().into_owned()),
            Self::Categories(c) => Self::Categories(c.clone()),
        }
    }

    /// Some of the rows; `None` if there are not all of them.
    pub(super) fn take(&self, rows: &[u32]) -> Option<Self> {
        let indices = || IdxCa::from_slice(PlSmallStr::EMPTY, rows);
        Some(match self {
            Self::Integers(c) => Self::Integers(c.take(&indices()).ok()?),
            Self::Unsigned(c) => Self::Unsigned(c.take(&indices()).ok()?),
            Self::Wide(c) => Self::Wide(c.take(&indices())?),
            Self::Floats(c, is_label) => Self::Floats(c.take(&indices()).ok()?, *is_label),
            Self::Texts(c) => Self::Texts(c.take(&indices()).ok()?),
            Self::Categories(c) => Self::Categories(c.take(rows)),
        })
    }

    /// The first rows.
    pub(super) fn head(&self, rows: usize) -> Self {
        match self {
            Self::Integers(c) => Self::Integers(c.slice(0, rows)),
            Self::Unsigned(c) => Self::Unsigned(c.slice(0, rows)),
            Self::Wide(c) => Self::Wide(c.head(rows)),
            Self::Floats(c, is_label) => Self::Floats(c.slice(0, rows), *is_label),
            Self::Texts(c) => Self::Texts(c.slice(0, rows)),
            Self::Categories(c) => Self::Categories(c.head(rows)),
        }
    }

    /// A code for each row.
    pub fn codes(&self) -> Codes {
        match self {
            Self::Integers(c) => of_keys(c, Some),
            Self::Unsigned(c) => of_keys(c, |v| Some(signed_key(v))),
            Self::Wide(c) => from_wide(&c.keys),
            Self::Floats(c, is_label) => {
                let key = |v| is_label(v).then(|| ordered_key(v));
                let Codes { codes, labels } = of_keys(c, key);
                let Labels::Integers(keys) = labels else { return Codes { codes, labels } };
                let floats = keys.into_iter().map(from_ordered_key).collect();
                Codes { codes, labels: Labels::Floats(floats) }
            }
            Self::Texts(c) => from_texts(c),
            Self::Categories(c) => {
                Codes { codes: c.codes.to_vec(), labels: Labels::Categories(c.labels.clone()) }
            }
        }
    }
}

/// The pieces of a column.
fn keyed<T: PolarsNumericType, F: Copy>(
    column: &ChunkedArray<T>,
    key: F,
) -> Vec<Keyed<'_, T::Native, F>> {
    column.downcast_iter().map(|array| Keyed { values: array.values().as_slice(), key }).collect()
}

/// Codes of a column of numbers by keys that they have if they are labels.
fn of_keys<T: PolarsNumericType>(
    column: &ChunkedArray<T>,
    key: impl Fn(T::Native) -> Option<i64> + Sync,
) -> Codes {
    let column = column.rechunk();
    match column.cont_slice() {
        Ok(values) => from_integers(values.len(), |i| key(values[i])),
        Err(_) => from_integers(column.len(), |i| column.get(i).and_then(&key)),
    }
}

fn from_texts(column: &StringChunked) -> Codes {
    let whole = column.rechunk();
    let Some(array) = whole.downcast_iter().next() else {
        return Codes { codes: Vec::new(), labels: Labels::Integers(Vec::new()) };
    };
    let texts = TextSlice(array);
    if let Some(codes) = by_spelling(&texts) {
        return codes;
    }
    let found = of_texts(&texts);
    Codes { codes: found.codes, labels: Labels::Texts(TextLabels::new(column, found.rows)) }
}

#[cfg(test)]
mod tests {
    use super::super::labels::MISSING;
    use super::*;

    fn column(series: Series) -> LabelColumn {
        LabelColumn::new(&series.into_column(), "unit").unwrap()
    }

    fn codes(series: Series) -> Codes {
        column(series).codes()
    }

    #[test]
    fn codes_follow_the_sorted_labels() {
        for values in [vec![30i64, 10, 20, 10], vec![3_000_000_000_000, -5, 20, -5]] {
            let got = codes(Series::new("id".into(), values));
            assert_eq!(got.codes, [2, 0, 1, 0]);
        }
        let texts = codes(Series::new("id".into(), ["b", "ä", "a", "b"]));
        assert_eq!(texts.codes, [1, 2, 0, 1]);
        let floats = column(Series::new("id".into(), [1.5, -2.0, f64::NAN, 0.0]));
        assert_eq!(floats.codes().codes, [2, 0, MISSING, 1]);
        assert_eq!(floats.text(1), "-2");
        assert!(floats.label(1) < floats.label(3) && floats.label(2).is_none());
        let infinite = column(Series::new("id".into(), [f64::INFINITY, 2.0, f64::NEG_INFINITY]));
        assert_eq!(infinite.codes().codes, [MISSING, 0, MISSING]);
        assert!(infinite.label(0).is_none() && infinite.label(2).is_none());
        let levels = Series::new("g".into(), [f64::INFINITY, 2.0, f64::NAN]).into_column();
        let levels = LabelColumn::with_infinities(&levels, "cluster").unwrap();
        assert_eq!((levels.codes().codes, levels.text(0)), (vec![1, 0, MISSING], "inf".into()));
    }

    #[test]
    fn nulls_are_missing() {
        let got = codes(Series::new("id".into(), [Some(7i32), None, Some(7)]));
        assert_eq!(got.codes, [0, MISSING, 0]);
        assert_eq!(got.labels.len(), 1);
    }

    #[test]
    fn ascending_labels_are_runs() {
        let runs = |series| column(series).runs();
        assert_eq!(runs(Series::new("id".into(), [1i64, 1, 5, 9, 9])), Some(vec![0, 2, 3, 5]));
        assert_eq!(runs(Series::new("id".into(), [-1.0, -0.0, 0.0])), Some(vec![0, 1, 3]));
        assert_eq!(runs(Series::new("id".into(), ["a", "b", "b"])), Some(vec![0, 1, 3]));
        assert_eq!(runs(Series::new("id".into(), [2i64, 1])), None);
        assert_eq!(runs(Series::new("id".into(), [1.0, f64::NAN])), None);
        assert_eq!(runs(Series::new("id".into(), [1.0, f64::INFINITY])), None);
        assert_eq!(runs(Series::new("id".into(), [Some("a"), None])), None);
        let long: Vec<i64> = (0..20_000).map(|i| i / 3).collect();
        let starts = runs(Series::new("id".into(), long)).unwrap();
        assert_eq!((starts.len(), starts[4_000]), (6_668, 12_000));
    }
    #[test]
    fn the_order_of_unsigned_labels_does_not_depend_on_the_piece() {
        let small = column(Series::new("id".into(), [9_u64, 10]));
        let large = column(Series::new("id".into(), [u64::MAX, 10]));
        assert!(small.label(0) < small.label(1) && small.label(1) < large.label(0));
        assert_eq!(small.label(1), large.label(1));
        assert_eq!(large.codes().codes, [1, 0]);
        assert_eq!((large.text(0), large.runs()), (u64::MAX.to_string(), None));
        let clusters = large.codes().labels;
        assert_eq!(
            (clusters.label(0), clusters.label(1)),
            (small.label(1).unwrap(), large.label(0).unwrap())
        );
    }

    #[test]
    fn every_type_of_label_is_read_and_nothing_panics() {
        let ints = Series::new("id".into(), [Some(20_i64), None, Some(3), Some(20)]);
        let floats = [DataType::Float16, DataType::Float32, DataType::Float64];
        let signed = [DataType::Int8, DataType::Int16, DataType::Int32, DataType::Int128];
        use DataType::{UInt8, UInt16, UInt32, UInt64, UInt128};
        let unsigned = [UInt8, UInt16, UInt32, UInt64, UInt128, DataType::Decimal(20, 0)];
        for dtype in floats.iter().chain(&signed).chain(&unsigned) {
            let column = column(ints.cast(dtype).unwrap());
            assert_eq!(column.codes().codes, [1, MISSING, 0, 1], "{dtype}");
            assert_eq!((column.text(0), column.label(1)), ("20".into(), None), "{dtype}");
        }
        let texts = Series::new("id".into(), [Some("b"), None, Some("a"), Some("b")]);
        let categories = Categories::random(PlSmallStr::EMPTY, CategoricalPhysical::U8);
        let frozen = FrozenCategories::new(["b", "a"]).unwrap();
        for dtype in [
            DataType::String,
            DataType::from_categories(categories),
            DataType::from_frozen_categories(frozen),
        ] {
            assert_eq!(codes(texts.cast(&dtype).unwrap()).codes, [1, MISSING, 0, 1], "{dtype}");
        }
        let booleans = codes(Series::new("id".into(), [Some(true), None, Some(false), Some(true)]));
        assert_eq!(booleans.codes, [1, MISSING, 0, 1]);
        let utc = DataType::Datetime(TimeUnit::Nanoseconds, Some(polars::prelude::TimeZone::UTC));
        for dtype in [DataType::Date, DataType::Datetime(TimeUnit::Milliseconds, None), utc] {
            let physical = if dtype == DataType::Date { DataType::Int32 } else { DataType::Int64 };
            let dates = ints.cast(&physical).unwrap().cast(&dtype).unwrap();
            assert_eq!(codes(dates).codes, [1, MISSING, 0, 1], "{dtype}");
        }
        assert_eq!(codes(Series::full_null("id".into(), 2, &DataType::Null)).codes, [MISSING; 2]);
        for dtype in [
            DataType::Binary,
            DataType::Time,
            DataType::Duration(TimeUnit::Milliseconds),
            DataType::List(Box::new(DataType::Int64)),
            DataType::Array(Box::new(DataType::Int64), 2),
            DataType::Struct(vec![Field::new("a".into(), DataType::Int64)]),
        ] {
            let series = Series::full_null("id".into(), 2, &dtype).into_column();
            let error = LabelColumn::new(&series, "cluster").err().unwrap().to_string();
            assert!(error.contains("`id` (cluster) holds"), "{error}");
        }
    }
}
