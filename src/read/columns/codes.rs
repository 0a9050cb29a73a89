//! Columns of unit and cluster labels.
//!
//! How a column is read depends on its type alone, never on its values: pieces of one column then agree on the order.

use polars::prelude::*;
use rayon::slice::ParallelSliceMut;

use super::kinds::kind;
use super::labels::{
    Codes, Label, Labels, MISSING, code, from_ordered_key, ordered_key, signed_key,
};
use super::wide::{WideColumn, from_wide};
use crate::base::error::{DidError, Result};
use crate::base::parallel;

/// Rows that one task looks at.
const PART: usize = 8_192;

/// A column of labels.
pub(crate) enum LabelColumn {
    Integers(Int64Chunked),
    Unsigned(UInt64Chunked),
    Wide(WideColumn),
    /// With the test for values that are labels.
    Floats(Float64Chunked, fn(f64) -> bool),
    Texts(StringChunked),
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
        match series.dtype() {
            DataType::UInt64 => Ok(Self::Unsigned(series.u64()?.clone())),
            dtype if dtype.is_integer() => {
                Ok(Self::Integers(cast(DataType::Int64)?.i64()?.clone()))
            }
            dtype if dtype.is_float() => {
                Ok(Self::Floats(cast(DataType::Float64)?.f64()?.clone(), f64::is_finite))
            }
            DataType::String
            | DataType::Boolean
            | DataType::Categorical(..)
            | DataType::Enum(..)
            | DataType::Date
            | DataType::Datetime(..)
            | DataType::Null => Ok(Self::Texts(cast(DataType::String)?.str()?.clone())),
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
        }
    }

    /// First row of each label and the number of rows, if no label is missing and the labels ascend.
    pub fn runs(&self) -> Option<Vec<u32>> {
        match self {
            Self::Integers(c) if c.null_count() == 0 => {
                let pieces: Vec<&[i64]> =
                    c.downcast_iter().map(|a| a.values().as_slice()).collect();
                runs(&pieces, |v| v)
            }
            Self::Unsigned(c) if c.null_count() == 0 => {
                let pieces: Vec<&[u64]> =
                    c.downcast_iter().map(|a| a.values().as_slice()).collect();
                runs(&pieces, |v| v)
            }
            Self::Wide(c) if c.keys.null_count() == 0 => {
                let pieces: Vec<&[i128]> =
                    c.keys.downcast_iter().map(|a| a.values().as_slice()).collect();
                runs(&pieces, |v| v)
            }
            Self::Floats(c, is_label) if c.null_count() == 0 => {
                let pieces: Vec<&[f64]> =
                    c.downcast_iter().map(|a| a.values().as_slice()).collect();
                let missing = || pieces.iter().any(|p| p.iter().any(|v| !is_label(*v)));
                runs(&pieces, ordered_key).filter(|_| !missing())
            }
            Self::Texts(c) if c.null_count() == 0 => {
                let texts: Vec<Vec<&str>> =
                    c.downcast_iter().map(|a| a.values_iter().collect()).collect();
                let pieces: Vec<&[&str]> = texts.iter().map(Vec::as_slice).collect();
                runs(&pieces, |v| v)
            }
            _ => None,
        }
    }

    /// A code for each row.
    pub fn codes(&self) -> Codes {
        match self {
            Self::Integers(c) => {
                let c = c.rechunk();
                match c.cont_slice() {
                    Ok(values) => from_integers(values.len(), |i| Some(values[i])),
                    Err(_) => from_integers(c.len(), |i| c.get(i)),
                }
            }
            Self::Unsigned(c) => {
                let c = c.rechunk();
                match c.cont_slice() {
                    Ok(values) => from_integers(values.len(), |i| Some(signed_key(values[i]))),
                    Err(_) => from_integers(c.len(), |i| c.get(i).map(signed_key)),
                }
            }
            Self::Wide(c) => from_wide(&c.keys),
            Self::Floats(c, is_label) => {
                let c = c.rechunk();
                let key = |i| c.get(i).filter(|v| is_label(*v)).map(ordered_key);
                let Codes { codes, labels } = from_integers(c.len(), key);
                let Labels::Integers(keys) = labels else { return Codes { codes, labels } };
                let floats = keys.into_iter().map(from_ordered_key).collect();
                Codes { codes, labels: Labels::Floats(floats) }
            }
            Self::Texts(c) => from_texts(c),
        }
    }
}

/// First row of each label in a column of several pieces, and the number of rows, if the labels ascend.
fn runs<T: Copy + Send + Sync, K: Ord>(
    pieces: &[&[T]],
    key: impl Fn(T) -> K + Sync,
) -> Option<Vec<u32>> {
    let mut parts: Vec<(usize, Option<T>, &[T])> = Vec::new();
    let (mut rows, mut before) = (0, None);
    for part in pieces.iter().flat_map(|piece| piece.chunks(PART)) {
        parts.push((rows, before, part));
        (rows, before) = (rows + part.len(), part.last().copied());
    }
    let starts: Vec<Vec<u32>> = parallel::map_all(parts.len(), |i| {
        let (first, before, part) = parts[i];
        starts_in(first, before.map(&key), part, &key)
    })?;
    let mut starts = starts.concat();
    starts.push(u32::try_from(rows).ok()?);
    Some(starts)
}

/// First rows of labels in a part that starts at row `first`, after the label `last`; `None` if they do not ascend.
fn starts_in<T: Copy, K: Ord>(
    first: usize,
    mut last: Option<K>,
    part: &[T],
    key: impl Fn(T) -> K,
) -> Option<Vec<u32>> {
    let mut starts = Vec::new();
    for (row, label) in (first..).zip(part) {
        let now = Some(key(*label));
        if now != last {
            if now < last {
                return None;
            }
            starts.push(u32::try_from(row).ok()?);
            last = now;
        }
    }
    Some(starts)
}

pub(crate) fn from_integers(rows: usize, value: impl Fn(usize) -> Option<i64> + Sync) -> Codes {
    let parts = rows.div_ceil(PART);
    let values = |index| parallel::part(index, PART, rows).filter_map(&value);
    let join = |a: (i64, i64), b: (i64, i64)| (a.0.min(b.0), a.1.max(b.1));
    let range_of = |part| values(part).map(|v| (v, v)).fold((i64::MAX, i64::MIN), join);
    let (min, max) = parallel::map(parts, range_of).into_iter().fold((i64::MAX, i64::MIN), join);
    if min > max {
        return Codes { codes: vec![MISSING; rows], labels: Labels::Integers(Vec::new()) };
    }
    let span = max.abs_diff(min);
    let dense = span <= 4 * rows as u64 + 1024;
    let labels = if dense {
        let mut present = vec![false; offset(span) + 1];
        for v in (0..rows).filter_map(&value) {
            present[offset(v.abs_diff(min))] = true;
        }
        (min..=max).zip(present).filter_map(|(v, p)| p.then_some(v)).collect()
    } else {
        let mut sorted = parallel::map(parts, |part| values(part).collect::<Vec<i64>>()).concat();
        sorted.par_sort_unstable();
        sorted.dedup();
        sorted
    };
    let table: Vec<u32> = if dense && labels.len() as u64 <= span {
        let mut table = vec![MISSING; offset(span) + 1];
        for (i, label) in (0u32..).zip(&labels) {
            table[offset(label.abs_diff(min))] = i;
        }
        table
    } else {
        Vec::new()
    };
    let code_of = |v: i64| match (dense, table.is_empty()) {
        (true, true) => code(v.abs_diff(min)),
        (true, false) => table[offset(v.abs_diff(min))],
        (false, _) => code(labels.partition_point(|l| *l < v) as u64),
    };
    let mut codes = vec![MISSING; rows];
    parallel::chunks(&mut codes, PART, |part, codes| {
        for (code, row) in codes.iter_mut().zip(parallel::part(part, PART, rows)) {
            *code = value(row).map_or(MISSING, code_of);
        }
    });
    Codes { codes, labels: Labels::Integers(labels) }
}

fn from_texts(values: &StringChunked) -> Codes {
    let mut seen: PlHashMap<&str, u32> = PlHashMap::default();
    let mut codes = Vec::with_capacity(values.len());
    let mut last = (None, MISSING);
    for value in values.iter() {
        if value != last.0 {
            let next = code(seen.len() as u64);
            last = (value, value.map_or(MISSING, |v| *seen.entry(v).or_insert(next)));
        }
        codes.push(last.1);
    }
    let mut sorted: Vec<(&str, u32)> = seen.into_iter().collect();
    sorted.par_sort_unstable();
    let mut rank = vec![0; sorted.len()];
    for (r, (_, first)) in (0u32..).zip(&sorted) {
        rank[*first as usize] = r;
    }
    parallel::chunks(&mut codes, PART, |_, codes| {
        codes.iter_mut().filter(|c| **c != MISSING).for_each(|c| *c = rank[*c as usize]);
    });
    let labels = Labels::Texts(sorted.into_iter().map(|(s, _)| s.to_owned()).collect());
    Codes { codes, labels }
}

fn offset(distance: u64) -> usize {
    usize::try_from(distance).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
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
