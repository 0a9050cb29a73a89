//! Columns of a data frame as numbers, without copies where their layout allows.

use std::ops::Deref;

use polars::prelude::*;
use rayon::prelude::*;

/// Rows that one task converts.
const PART: usize = 8_192;

/// One double a row: the data frame's own memory if it holds doubles in one piece without nulls.
#[derive(Clone, Debug)]
pub(crate) enum Values {
    Owned(Vec<f64>),
    Shared(Float64Chunked),
}

impl Deref for Values {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        match self {
            Self::Owned(values) => values,
            Self::Shared(column) => column.cont_slice().unwrap_or_default(),
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

/// A numeric column, read block by block as doubles.
pub(crate) struct Numbers {
    series: Series,
    /// Value of nulls.
    null: f64,
}

impl Numbers {
    /// `None` unless the column is numeric or boolean.
    pub fn new(series: &Series, null: f64) -> Option<Self> {
        let dtype = series.dtype();
        let direct = matches!(
            dtype,
            DataType::Float64
                | DataType::Float32
                | DataType::Int64
                | DataType::Int32
                | DataType::UInt64
                | DataType::UInt32
        );
        if direct {
            return Some(Self { series: series.clone(), null });
        }
        let usable =
            dtype.is_primitive_numeric() || matches!(dtype, DataType::Boolean | DataType::Null);
        let series = usable.then(|| series.cast(&DataType::Float64).ok()).flatten()?;
        Some(Self { series, null })
    }

    pub fn len(&self) -> usize {
        self.series.len()
    }

    /// The rows from `start` on.
    pub fn read(&self, start: usize, out: &mut [f64]) {
        let (series, null) = (&self.series, self.null);
        match series.dtype() {
            DataType::Float64 => convert(series.f64(), |v| v, start, null, out),
            DataType::Float32 => convert(series.f32(), f64::from, start, null, out),
            DataType::Int64 => convert(series.i64(), |v| v as f64, start, null, out),
            DataType::Int32 => convert(series.i32(), f64::from, start, null, out),
            DataType::UInt64 => convert(series.u64(), |v| v as f64, start, null, out),
            _ => convert(series.u32(), f64::from, start, null, out),
        }
    }

    /// All rows.
    pub fn values(self) -> Values {
        if let Ok(column) = self.series.f64()
            && column.cont_slice().is_ok()
        {
            return Values::Shared(column.clone());
        }
        let mut values = vec![0.0; self.len()];
        values.par_chunks_mut(PART).enumerate().for_each(|(part, out)| self.read(part * PART, out));
        Values::Owned(values)
    }
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
