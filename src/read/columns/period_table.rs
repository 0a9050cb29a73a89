//! Codes of periods and groups in one look at the rows, by a table of the few whole numbers that some of the rows have.

use std::sync::atomic::{AtomicBool, Ordering};

use polars::prelude::*;

use super::values::Numbers;
use crate::base::parallel;

/// Largest number of distinct periods or groups: the days of 27 years.
pub(crate) const MAX_DISTINCT: usize = 10_000;

/// Code of +infinity.
pub(super) const INFINITE: u16 = u16::MAX - 1;

/// Code of a missing value.
pub(super) const MISSING: u16 = u16::MAX;

/// Rows that one task encodes.
const PART: usize = 8_192;

/// Rows that are looked at before.
const SAMPLE: usize = 1_024;

/// Doubles below hold every integer.
const EXACT: i64 = 1 << 53;

/// Code of a number that the rows looked at before do not have beside them.
const OUTSIDE: u16 = INFINITE - 1;

/// The codes, and the value of the first.
pub(super) struct TableCodes {
    pub codes: Vec<u16>,
    pub min: f64,
}

/// Codes of a column of whole numbers after `map`; `None` if it has others, too many, or rare ones beyond the usual.
pub(super) fn by_table(numbers: &Numbers, map: impl Fn(f64) -> f64) -> Option<TableCodes> {
    let (series, null) = (numbers.series(), map(numbers.null()));
    match series.dtype() {
        DataType::Int64 => coded(series.i64().ok()?, WholeNumbers(|v| v), null, map),
        DataType::Int32 => coded(series.i32().ok()?, WholeNumbers(i64::from), null, map),
        DataType::Int16 => coded(series.i16().ok()?, WholeNumbers(i64::from), null, map),
        DataType::UInt32 => coded(series.u32().ok()?, WholeNumbers(i64::from), null, map),
        DataType::UInt16 => coded(series.u16().ok()?, WholeNumbers(i64::from), null, map),
        DataType::Float64 => coded(series.f64().ok()?, Doubles, null, map),
        _ => None,
    }
}

/// How numbers of a type are found in a table of whole numbers.
trait Whole<T>: Sync {
    /// The number as an integer, if it is one that doubles tell apart.
    fn integer(&self, value: T) -> Option<i64>;

    /// Its place in a table whose first number is `first`, or one that is not in any table.
    fn place(&self, value: T, first: i64) -> usize;

    /// The number as a double.
    fn double(&self, value: T) -> f64;
}

struct WholeNumbers<F>(F);

impl<T, F: Fn(T) -> i64 + Sync> Whole<T> for WholeNumbers<F> {
    fn integer(&self, value: T) -> Option<i64> {
        Some((self.0)(value)).filter(|v| v.abs_diff(0) < EXACT.cast_unsigned())
    }

    fn place(&self, value: T, first: i64) -> usize {
        let distance = (self.0)(value).wrapping_sub(first).cast_unsigned();
        usize::try_from(distance).unwrap_or(usize::MAX)
    }

    fn double(&self, value: T) -> f64 {
        (self.0)(value) as f64
    }
}

struct Doubles;

impl Whole<f64> for Doubles {
    #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
    fn integer(&self, value: f64) -> Option<i64> {
        (value.fract() == 0.0 && value.abs() < EXACT as f64).then_some(value as i64)
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is compared")]
    fn place(&self, value: f64, first: i64) -> usize {
        let place = (value - first as f64) as usize;
        if first as f64 + place as f64 == value { place } else { usize::MAX }
    }

    fn double(&self, value: f64) -> f64 {
        value
    }
}

/// Codes of the whole numbers from `first` on.
struct Table {
    first: i64,
    codes: Vec<u16>,
    /// Value of code 0.
    min: f64,
}

impl Table {
    /// Of some numbers: those between the smallest and the largest of them, after `map`, have codes.
    fn new(sample: impl Iterator<Item = i64> + Clone, map: impl Fn(f64) -> f64) -> Option<Self> {
        let (first, last) = (sample.clone().min()?, sample.clone().max()?);
        let span = usize::try_from(last.abs_diff(first)).ok().filter(|n| *n < MAX_DISTINCT)?;
        let mapped = sample.map(|v| map(v as f64)).filter(|v| v.is_finite());
        let (min, max) = mapped
            .fold((f64::INFINITY, f64::NEG_INFINITY), |range, v| (range.0.min(v), range.1.max(v)));
        if min > max || min.fract() != 0.0 || max - min >= MAX_DISTINCT as f64 {
            return None;
        }
        let numbers = (first..).take(span + 1).map(|v| map(v as f64));
        let code = |v: f64| {
            special(v).unwrap_or(if v < min || v > max {
                OUTSIDE
            } else {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "in range"
                )]
                {
                    (v - min) as u16
                }
            })
        };
        Some(Self { first, codes: numbers.map(code).collect(), min })
    }
}

/// Code of a number that is no period.
fn special(value: f64) -> Option<u16> {
    if value == f64::INFINITY {
        return Some(INFINITE);
    }
    value.is_nan().then_some(MISSING)
}

fn coded<T: PolarsNumericType>(
    column: &ChunkedArray<T>,
    whole: impl Whole<T::Native>,
    null: f64,
    map: impl Fn(f64) -> f64,
) -> Option<TableCodes> {
    let null = special(null)?;
    let rows = column.len();
    let values = column.cont_slice().ok();
    let sample: Vec<i64> = (0..rows)
        .step_by((rows / SAMPLE).max(1))
        .filter_map(|row| match values {
            Some(values) => whole.integer(values[row]),
            None => whole.integer(column.get(row)?),
        })
        .collect();
    let table = Table::new(sample.iter().copied(), &map)?;
    let extremes = [f64::NAN, f64::INFINITY].map(|v| special(map(v)).unwrap_or(OUTSIDE));
    let code = |value: T::Native| match table.codes.get(whole.place(value, table.first)) {
        Some(code) => *code,
        None => {
            let value = whole.double(value);
            match special(value) {
                Some(INFINITE) => extremes[1],
                Some(_) => extremes[0],
                None => OUTSIDE,
            }
        }
    };
    let mut codes = vec![0; rows];
    let mut rest = codes.as_mut_slice();
    let unknown = AtomicBool::new(false);
    for array in column.downcast_iter() {
        let values = array.values().as_slice();
        let validity = array.validity().filter(|valid| valid.unset_bits() > 0);
        let (own, later) = rest.split_at_mut(values.len());
        parallel::chunks(own, PART, |part, codes| {
            if unknown.load(Ordering::Relaxed) {
                return;
            }
            let values = &values[part * PART..];
            let mut known = true;
            match validity {
                None => {
                    for (out, value) in codes.iter_mut().zip(values) {
                        *out = code(*value);
                        known &= *out != OUTSIDE;
                    }
                }
                Some(valid) => {
                    for ((out, value), row) in codes.iter_mut().zip(values).zip(part * PART..) {
                        *out = if valid.get_bit(row) { code(*value) } else { null };
                        known &= *out != OUTSIDE;
                    }
                }
            }
            if !known {
                unknown.store(true, Ordering::Relaxed);
            }
        });
        rest = later;
    }
    (!unknown.into_inner()).then_some(TableCodes { codes, min: table.min })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes of a column in which zero is infinite, as of groups.
    fn codes(series: &Series) -> Option<(Vec<u16>, f64)> {
        let numbers = Numbers::new(series, f64::INFINITY).unwrap();
        let never = |v: f64| if v == 0.0 { f64::INFINITY } else { v };
        by_table(&numbers, never).map(|found| (found.codes, found.min))
    }

    #[test]
    fn whole_numbers_of_every_type_have_codes() {
        let series = Series::new("g".into(), [Some(2004_i64), None, Some(0), Some(2007)]);
        let expected = Some((vec![0, INFINITE, INFINITE, 3], 2004.0));
        use DataType::{Float64, Int16, Int32, Int64, UInt16, UInt32};
        for dtype in [Float64, Int16, Int32, Int64, UInt16, UInt32] {
            let mut series = series.cast(&dtype).unwrap();
            // A table of all numbers from 0 on is small enough.
            assert_eq!(codes(&series), expected, "{dtype}");
            series.append(&series.clone().slice(2, 2)).unwrap();
            let (found, _) = codes(&series).unwrap();
            assert_eq!(found[4..], [INFINITE, 3], "{dtype}");
        }
        let doubles = Series::new("g".into(), [3.0, f64::NAN, f64::INFINITY, 5.0]);
        assert_eq!(codes(&doubles), Some((vec![0, MISSING, INFINITE, 2], 3.0)));
    }

    #[test]
    fn other_numbers_have_no_table() {
        for values in
            [vec![2.5, 3.0], vec![1.0, 20_000.0], vec![0.0, f64::NEG_INFINITY], vec![1e300]]
        {
            assert!(codes(&Series::new("g".into(), values)).is_none());
        }
        assert!(codes(&Series::new("g".into(), [1_i64 << 53])).is_none());
        assert!(
            codes(&Series::new("g".into(), ["a"; 0]).cast(&DataType::Int64).unwrap()).is_none()
        );
        // 1 and 2 are between the numbers of the table, and no groups of the sample.
        let mut values = vec![0_i64; 100_000];
        (0..100_000).step_by(2).for_each(|row| values[row] = 3);
        assert!(codes(&Series::new("g".into(), values.as_slice())).is_some());
        for other in [1, 2, 4, -1] {
            values[70_001] = other;
            assert!(codes(&Series::new("g".into(), values.as_slice())).is_none(), "{other}");
        }
    }
}
