//! Columns of a data frame as numbers, without copies where their layout allows.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};

use polars::prelude::*;
use polars_buffer::Buffer;

use crate::base::parallel;

/// Rows that one task converts or looks at.
const PART: usize = 8_192;

/// Integers up to here, of either sign, are told apart by doubles.
pub(super) const EXACT: f64 = 9_007_199_254_740_992.0;

/// Decimal digits that doubles keep apart.
const DIGITS: u32 = 15;

/// One double a row: the data frame's own memory if it holds doubles in one piece without nulls.
#[derive(Clone, Debug)]
pub(crate) enum Values {
    Owned(Vec<f64>),
    /// As `Owned`, with integers or decimals among them that are too large to be doubles.
    Rounded(Vec<f64>),
    Shared(Buffer<f64>),
}

impl Values {
    /// Whether numbers were rounded to whole multiples of two or more.
    pub fn is_rounded(&self) -> bool {
        matches!(self, Self::Rounded(_))
    }
}

impl Deref for Values {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        match self {
            Self::Owned(values) | Self::Rounded(values) => values,
            Self::Shared(values) => values,
        }
    }
}

impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl From<Vec<f64>> for Values {
    fn from(values: Vec<f64>) -> Self {
        Self::Owned(values)
    }
}

/// How many values columns lack, by their names, where any is missing or not finite.
pub(crate) fn lacking<'a>(
    columns: impl Iterator<Item = (&'a String, &'a Values)>,
) -> Vec<(String, usize)> {
    let count = |values: &Values| values.iter().filter(|value| !value.is_finite()).count();
    let counts = columns.map(|(name, values)| (name.clone(), count(values)));
    counts.filter(|(_, rows)| *rows > 0).collect()
}

/// A numeric column, read block by block as doubles.
pub(crate) struct Numbers {
    series: Series,
    /// Value of nulls.
    null: f64,
}

impl Numbers {
    /// `None` unless the column is numeric, boolean or without any value.
    pub fn new(series: &Series, null: f64) -> Option<Self> {
        let dtype = series.dtype();
        let series = match dtype {
            DataType::Boolean => {
                let number = |b: Option<bool>| b.map(|b| f64::from(u8::from(b)));
                series.bool().ok()?.iter().map(number).collect::<Float64Chunked>().into_series()
            }
            DataType::Null => {
                Series::full_null(series.name().clone(), series.len(), &DataType::Float64)
            }
            _ if dtype.is_primitive_numeric() || dtype.is_decimal() => series.clone(),
            _ => return None,
        };
        Some(Self { series, null })
    }

    pub fn len(&self) -> usize {
        self.series.len()
    }

    /// The column.
    pub fn series(&self) -> &Series {
        &self.series
    }

    /// Value of nulls.
    pub fn null(&self) -> f64 {
        self.null
    }

    /// The rows from `start` on.
    pub fn read(&self, start: usize, out: &mut [f64]) {
        let (series, null) = (&self.series, self.null);
        match series.dtype() {
            DataType::Float64 => convert(series.f64(), |v| v, start, null, out),
            DataType::Float32 => convert(series.f32(), f64::from, start, null, out),
            DataType::Float16 => convert(series.f16(), f64::from, start, null, out),
            DataType::Int64 => convert(series.i64(), |v| v as f64, start, null, out),
            DataType::Int32 => convert(series.i32(), f64::from, start, null, out),
            DataType::Int16 => convert(series.i16(), f64::from, start, null, out),
            DataType::Int8 => convert(series.i8(), f64::from, start, null, out),
            DataType::UInt64 => convert(series.u64(), |v| v as f64, start, null, out),
            DataType::UInt32 => convert(series.u32(), f64::from, start, null, out),
            DataType::UInt16 => convert(series.u16(), f64::from, start, null, out),
            DataType::UInt8 => convert(series.u8(), f64::from, start, null, out),
            DataType::Int128 => convert(series.i128(), |v| v as f64, start, null, out),
            DataType::UInt128 => convert(series.u128(), |v| v as f64, start, null, out),
            DataType::Decimal(_, scale) => {
                let column = series.decimal().map(|column| column.physical());
                convert(column, |v| decimal(v, *scale), start, null, out);
            }
            _ => out.fill(f64::NAN),
        }
    }

    /// Rows that are 0.
    pub fn zeros(&self) -> usize {
        let of_part = |part: usize| {
            let start = part * PART;
            let mut values = vec![0.0; PART.min(self.len() - start)];
            self.read(start, &mut values);
            values.iter().filter(|value| **value == 0.0).count()
        };
        parallel::map(self.len().div_ceil(PART), of_part).into_iter().sum()
    }

    /// All rows.
    pub fn values(self) -> Values {
        let whole = self.series.f64().ok().filter(|column| column.cont_slice().is_ok());
        if let Some(array) = whole.and_then(|column| column.downcast_iter().next()) {
            return Values::Shared(array.values().clone());
        }
        let mut values = vec![0.0; self.len()];
        let wide = self.is_wide();
        let rounded = AtomicBool::new(false);
        parallel::chunks(&mut values, PART, |part, out| {
            self.read(part * PART, out);
            // No early exit, so that the test is vectorised.
            if wide && out.iter().fold(false, |large, v| large | (v.abs() >= EXACT)) {
                rounded.store(true, Ordering::Relaxed);
            }
        });
        if rounded.into_inner() { Values::Rounded(values) } else { Values::Owned(values) }
    }

    /// Whether the type has numbers that are no doubles.
    fn is_wide(&self) -> bool {
        use DataType::{Decimal, Int64, Int128, UInt64, UInt128};
        matches!(self.series.dtype(), Int64 | UInt64 | Int128 | UInt128 | Decimal(..))
    }

    /// First row, with its value as text, whose double may be that of another number; `largest` is the largest absolute
    /// value of all rows as doubles.
    pub fn indistinct(&self, largest: f64) -> Option<(usize, String)> {
        const LIMIT: u64 = 1 << 53;
        let series = &self.series;
        if let DataType::Decimal(_, scale) = series.dtype() {
            let column = series.decimal().ok()?.physical();
            let indistinct = first(column, |v| !is_distinct(*v, *scale));
            return indistinct.map(|(row, v)| (row, decimal_text(v, *scale)));
        }
        if largest < EXACT {
            return None;
        }
        fn shown<T: ToString>((row, value): (usize, T)) -> (usize, String) {
            (row, value.to_string())
        }
        match series.dtype() {
            DataType::Int64 => first(series.i64().ok()?, |v| v.unsigned_abs() > LIMIT).map(shown),
            DataType::UInt64 => first(series.u64().ok()?, |v| *v > LIMIT).map(shown),
            DataType::Int128 => {
                let large = |v: &i128| v.unsigned_abs() > u128::from(LIMIT);
                first(series.i128().ok()?, large).map(shown)
            }
            DataType::UInt128 => first(series.u128().ok()?, |v| *v > u128::from(LIMIT)).map(shown),
            DataType::Float64 => {
                first(series.f64().ok()?, |v| v.is_finite() && v.abs() >= EXACT).map(shown)
            }
            DataType::Float32 => {
                let large = |v: &f32| v.is_finite() && f64::from(v.abs()) >= EXACT;
                first(series.f32().ok()?, large).map(shown)
            }
            _ => None,
        }
    }
}

/// First value of a column that satisfies `test`, with its row.
fn first<T: PolarsNumericType>(
    column: &ChunkedArray<T>,
    test: impl Fn(&T::Native) -> bool,
) -> Option<(usize, T::Native)> {
    // Without an end before the part's, so that the test is vectorised; what null values hide is found out below.
    let in_part = |part: &[T::Native]| part.iter().fold(false, |any, value| any | test(value));
    let any = column.downcast_iter().any(|array| array.values().chunks(PART).any(in_part));
    if !any {
        return None;
    }
    let rows = column.downcast_iter().flat_map(|array| array.iter());
    (0..).zip(rows).find_map(|(row, value)| Some((row, *value?)).filter(|(_, v)| test(v)))
}

/// The double next to `v / 10^scale`; integers are exact.
fn decimal(v: i128, scale: usize) -> f64 {
    // Up to 10^22, powers of ten are doubles, and the quotient of two doubles is rounded once.
    const POWERS: [f64; 23] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ];
    match POWERS.get(scale) {
        Some(power) if v.unsigned_abs() <= 1 << 53 => v as f64 / power,
        _ => format!("{v}e-{scale}").parse().unwrap_or(f64::NAN),
    }
}

/// Whether doubles keep a decimal apart from all others: it has few digits, or is an integer up to 2^53.
fn is_distinct(mut v: i128, mut scale: usize) -> bool {
    while scale > 0 && v % 10 == 0 {
        (v, scale) = (v / 10, scale - 1);
    }
    let limit = if scale == 0 { 1 << 53 } else { 10_u128.pow(DIGITS) };
    v.unsigned_abs() <= limit
}

/// A decimal with its digits.
pub(crate) fn decimal_text(v: i128, scale: usize) -> String {
    let sign = if v < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", v.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}")
}

fn convert<T: PolarsNumericType>(
    column: PolarsResult<&ChunkedArray<T>>,
    number: impl Fn(T::Native) -> f64,
    start: usize,
    null: f64,
    mut out: &mut [f64],
) {
    let Ok(column) = column else { return };
    let mut skip = start;
    for array in column.downcast_iter() {
        let values = array.values().as_slice();
        if skip >= values.len() {
            skip -= values.len();
            continue;
        }
        let values = &values[skip..];
        let (now, later) = out.split_at_mut(values.len().min(out.len()));
        for (out, value) in now.iter_mut().zip(values) {
            *out = number(*value);
        }
        if let Some(valid) = array.validity().filter(|valid| valid.unset_bits() > 0) {
            for (i, out) in now.iter_mut().enumerate() {
                if !valid.get_bit(skip + i) {
                    *out = null;
                }
            }
        }
        (out, skip) = (later, 0);
        if out.is_empty() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(series: &Series) -> Values {
        Numbers::new(series, f64::NAN).unwrap().values()
    }

    #[test]
    fn doubles_in_one_piece_are_not_copied() {
        let series = Series::new("x".into(), [1.0, 2.0]);
        let shared = values(&series);
        let original = series.f64().unwrap().cont_slice().unwrap();
        assert!(std::ptr::eq(&raw const *shared, original));
    }

    #[test]
    fn every_numeric_type_is_read_and_nothing_panics() {
        let ints = [Some(-3_i64), None, Some(100)];
        let series = Series::new("x".into(), ints);
        let signed = [DataType::Int8, DataType::Int16, DataType::Int32, DataType::Int128];
        let floats = [DataType::Float16, DataType::Float32, DataType::Float64];
        for dtype in signed.iter().chain(&floats) {
            let got = values(&series.cast(dtype).unwrap());
            assert!(got[0] == -3.0 && got[1].is_nan() && got[2] == 100.0, "{dtype}");
        }
        let series = Series::new("x".into(), [Some(3_u8), None, Some(100)]);
        use DataType::{UInt8, UInt16, UInt32, UInt64, UInt128};
        for dtype in [UInt8, UInt16, UInt32, UInt64, UInt128] {
            let got = values(&series.cast(&dtype).unwrap());
            assert!(got[0] == 3.0 && got[1].is_nan() && got[2] == 100.0, "{dtype}");
        }
        let got = values(&Series::new("x".into(), [Some(true), None, Some(false)]));
        assert!(got[0] == 1.0 && got[1].is_nan() && got[2] == 0.0);
        let got = values(&Series::full_null("x".into(), 2, &DataType::Null));
        assert!(got.len() == 2 && got[0].is_nan());
        for dtype in [DataType::String, DataType::Date, DataType::Binary, DataType::Time] {
            let series = Series::full_null("x".into(), 2, &dtype);
            assert!(Numbers::new(&series, f64::NAN).is_none(), "{dtype}");
        }
    }

    fn decimals(values: &[Option<i128>], scale: usize) -> Series {
        let column = Int128Chunked::from_slice_options("x".into(), values);
        column.into_decimal(38, scale).unwrap().into_series()
    }

    #[test]
    fn decimals_are_the_doubles_next_to_them() {
        let got = values(&decimals(&[Some(12_345), None, Some(-7), Some(500)], 2));
        assert!(got[0] == 123.45 && got[1].is_nan() && got[2] == -0.07 && got[3] == 5.0);
        let large = 9_007_199_254_740_991_i128;
        for scale in [0, 4, 20] {
            let got = values(&decimals(&[Some(large * 10_i128.pow(scale))], scale as usize));
            assert!(got[0] == 9_007_199_254_740_991.0, "{scale}: {}", got[0]);
        }
        let text = "12345678901234567890.123456789";
        let got = values(&decimals(&[Some(12_345_678_901_234_567_890_123_456_789)], 9));
        assert!(got[0] == text.parse::<f64>().unwrap() && got.is_rounded());
        assert_eq!(decimal_text(-1_050, 3), "-1.05");
        assert_eq!(decimal_text(7, 3), "0.007");
        assert_eq!(decimal_text(70_000, 4), "7");
    }

    #[test]
    fn numbers_beyond_doubles_are_found() {
        let limit = 1_i64 << 53;
        let found = |series: &Series, largest: f64| {
            Numbers::new(series, f64::NAN).unwrap().indistinct(largest)
        };
        let series = Series::new("t".into(), [Some(limit), None, Some(-limit - 1)]);
        let expected = Some((2, "-9007199254740993".to_owned()));
        assert_eq!(found(&series, EXACT), expected);
        assert_eq!(found(&series.cast(&DataType::Int128).unwrap(), EXACT), expected);
        let series = Series::new("t".into(), [1, u64::MAX]);
        let expected = Some((1, u64::MAX.to_string()));
        assert_eq!(found(&series, u64::MAX as f64), expected);
        assert_eq!(found(&series.cast(&DataType::UInt128).unwrap(), 2e19), expected);
        assert!(found(&Series::new("t".into(), [1.0, 1e16]), 1e16).is_some());
        assert!(found(&Series::new("t".into(), [2004.5, f64::INFINITY]), 1e300).is_none());
        assert!(found(&decimals(&[Some(200_433_333_333_333)], 11), 2005.0).is_none());
        let long = decimals(&[Some(20_043_333_333_333_333_333)], 16);
        assert_eq!(found(&long, 2005.0), Some((0, "2004.3333333333333333".to_owned())));
        assert!(found(&decimals(&[Some(20_040_000_000_000_000_000)], 16), 2005.0).is_none());
        let rounded = |v: i64| values(&Series::new("y".into(), [v])).is_rounded();
        assert!(rounded(1 << 60) && !rounded(1 << 40));
    }

    #[test]
    fn pieces_and_nulls_are_put_together() {
        let mut series = Series::new("x".into(), [Some(1_i32), None]);
        series.append(&Series::new("x".into(), [Some(3_i32)])).unwrap();
        let all = values(&series);
        assert!(all[0] == 1.0 && all[1].is_nan() && all[2] == 3.0);
        let mut later = [0.0; 2];
        Numbers::new(&series, -1.0).unwrap().read(1, &mut later);
        assert_eq!(later, [-1.0, 3.0]);
    }
}
