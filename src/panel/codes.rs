//! Dense codes of unit and cluster labels, in the labels' sorted order.

use std::collections::HashMap;

use polars::prelude::*;
use rayon::prelude::*;

use crate::error::{DidError, Result};

/// Code of a missing label.
pub(crate) const MISSING: u32 = u32::MAX;

/// Distinct labels, ascending.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Labels {
    Integers(Vec<i64>),
    Floats(Vec<f64>),
    Texts(Vec<String>),
}

impl Labels {
    pub fn len(&self) -> usize {
        match self {
            Self::Integers(v) => v.len(),
            Self::Floats(v) => v.len(),
            Self::Texts(v) => v.len(),
        }
    }

    pub fn label(&self, code: u32) -> String {
        let i = code as usize;
        match self {
            Self::Integers(v) => v[i].to_string(),
            Self::Floats(v) => v[i].to_string(),
            Self::Texts(v) => v[i].clone(),
        }
    }
}

/// One code a row, `MISSING` for null or NaN.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Codes {
    pub codes: Vec<u32>,
    pub labels: Labels,
}

impl Codes {
    /// Codes of a column of integers, floats, strings or anything that casts to a string.
    pub fn new(column: &Column, role: &'static str) -> Result<Self> {
        let series = column.as_materialized_series();
        let unusable = |_| DidError::ColumnType {
            column: column.name().to_string(),
            role,
            expected: "integers, floats or strings",
            got: series.dtype().to_string(),
        };
        match series.dtype() {
            dtype if dtype.is_integer() => match series.strict_cast(&DataType::Int64) {
                Ok(ints) => Ok(Self::from_integers(&values(ints.i64().map_err(unusable)?))),
                // Beyond 64 signed bits only the digits are left to compare.
                Err(_) => {
                    let texts = series.cast(&DataType::String).map_err(unusable)?;
                    Ok(Self::from_texts(texts.str().map_err(unusable)?))
                }
            },
            dtype if dtype.is_float() => {
                let floats = series.cast(&DataType::Float64).map_err(unusable)?;
                Ok(Self::from_floats(floats.f64().map_err(unusable)?))
            }
            _ => {
                let texts = series.cast(&DataType::String).map_err(unusable)?;
                Ok(Self::from_texts(texts.str().map_err(unusable)?))
            }
        }
    }

    fn from_integers(values: &[Option<i64>]) -> Self {
        let present = || values.par_iter().flatten();
        let (Some(&min), Some(&max)) = (present().min(), present().max()) else {
            let codes = vec![MISSING; values.len()];
            return Self { codes, labels: Labels::Integers(Vec::new()) };
        };
        let span = max.abs_diff(min);
        let labels = if span <= 4 * values.len() as u64 + 1024 {
            distinct_in_range(values, min, span)
        } else {
            let mut sorted: Vec<i64> = present().copied().collect();
            sorted.par_sort_unstable();
            sorted.dedup();
            sorted
        };
        let codes = if labels.len() as u64 == span + 1 {
            values.par_iter().map(|v| v.map_or(MISSING, |v| code(v.abs_diff(min)))).collect()
        } else if span <= 4 * values.len() as u64 + 1024 {
            let mut table = vec![MISSING; offset(span) + 1];
            for (i, label) in (0u32..).zip(&labels) {
                table[offset(label.abs_diff(min))] = i;
            }
            values
                .par_iter()
                .map(|v| v.map_or(MISSING, |v| table[offset(v.abs_diff(min))]))
                .collect()
        } else {
            values
                .par_iter()
                .map(|v| v.map_or(MISSING, |v| code(labels.partition_point(|l| *l < v) as u64)))
                .collect()
        };
        Self { codes, labels: Labels::Integers(labels) }
    }

    fn from_floats(values: &Float64Chunked) -> Self {
        let keys: Vec<Option<i64>> =
            values.iter().map(|v| v.filter(|v| !v.is_nan()).map(ordered_key)).collect();
        let Self { codes, labels } = Self::from_integers(&keys);
        let Labels::Integers(keys) = labels else { return Self { codes, labels } };
        Self { codes, labels: Labels::Floats(keys.into_iter().map(from_ordered_key).collect()) }
    }

    fn from_texts(values: &StringChunked) -> Self {
        let mut seen: HashMap<&str, u32> = HashMap::new();
        let mut codes = Vec::with_capacity(values.len());
        for value in values.iter() {
            let next = code(seen.len() as u64);
            codes.push(value.map_or(MISSING, |v| *seen.entry(v).or_insert(next)));
        }
        let mut sorted: Vec<(&str, u32)> = seen.into_iter().collect();
        sorted.par_sort_unstable();
        let mut rank = vec![0; sorted.len()];
        for (r, (_, first)) in (0u32..).zip(&sorted) {
            rank[*first as usize] = r;
        }
        codes.par_iter_mut().filter(|c| **c != MISSING).for_each(|c| *c = rank[*c as usize]);
        let labels = Labels::Texts(sorted.into_iter().map(|(s, _)| s.to_owned()).collect());
        Self { codes, labels }
    }
}

fn values(ints: &Int64Chunked) -> Vec<Option<i64>> {
    ints.iter().collect()
}

fn distinct_in_range(values: &[Option<i64>], min: i64, span: u64) -> Vec<i64> {
    let mut present = vec![false; offset(span) + 1];
    for v in values.iter().flatten() {
        present[offset(v.abs_diff(min))] = true;
    }
    (min..).zip(present).filter_map(|(v, p)| p.then_some(v)).collect()
}

fn offset(distance: u64) -> usize {
    usize::try_from(distance).unwrap_or(usize::MAX)
}

fn code(index: u64) -> u32 {
    u32::try_from(index).unwrap_or(MISSING)
}

/// Integers in the order of the floats; −0 and 0 are the same label.
fn ordered_key(value: f64) -> i64 {
    let bits = (value + 0.0).to_bits().cast_signed();
    bits ^ (((bits >> 63).cast_unsigned()) >> 1).cast_signed()
}

fn from_ordered_key(key: i64) -> f64 {
    f64::from_bits((key ^ (((key >> 63).cast_unsigned()) >> 1).cast_signed()).cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(series: Series) -> Codes {
        Codes::new(&series.into_column(), "unit").unwrap()
    }

    #[test]
    fn codes_follow_the_sorted_labels() {
        for values in [vec![30i64, 10, 20, 10], vec![3_000_000_000_000, -5, 20, -5]] {
            let got = codes(Series::new("id".into(), values));
            assert_eq!(got.codes, [2, 0, 1, 0]);
        }
        let texts = codes(Series::new("id".into(), ["b", "ä", "a", "b"]));
        assert_eq!(texts.codes, [1, 2, 0, 1]);
        let floats = codes(Series::new("id".into(), [1.5, -2.0, f64::NAN, 0.0]));
        assert_eq!(floats.codes, [2, 0, MISSING, 1]);
        assert_eq!(floats.labels.label(0), "-2");
    }

    #[test]
    fn nulls_are_missing() {
        let got = codes(Series::new("id".into(), [Some(7i32), None, Some(7)]));
        assert_eq!(got.codes, [0, MISSING, 0]);
        assert_eq!(got.labels.len(), 1);
    }
}
