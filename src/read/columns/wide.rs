//! Labels that need 128 bits: wide integers and decimals.

use polars::prelude::*;

use super::grouped::of_numbers;
use super::labels::{Codes, Labels};
use super::values::decimal_text;

/// A column of wide integers or decimals.
#[derive(Clone)]
pub(crate) struct WideColumn {
    /// The integers, or the decimals' digits, in order; unsigned integers less 2^127.
    pub keys: Int128Chunked,
    /// Digits after the point.
    scale: usize,
    unsigned: bool,
}

impl WideColumn {
    /// `None` for another type.
    pub fn new(series: &Series) -> Option<Self> {
        let (keys, scale, unsigned) = match series.dtype() {
            DataType::Int128 => (series.i128().ok()?.clone(), 0, false),
            DataType::Decimal(_, scale) => {
                (series.decimal().ok()?.physical().clone(), *scale, false)
            }
            DataType::UInt128 => {
                let key = |v: Option<u128>| v.map(flip);
                (series.u128().ok()?.iter().map(key).collect(), 0, true)
            }
            _ => return None,
        };
        Some(Self { keys, scale, unsigned })
    }

    /// The column in one piece.
    pub fn in_one_piece(&self) -> Self {
        Self { keys: self.keys.rechunk().into_owned(), ..self.clone() }
    }

    /// Some of the rows; `None` if there are not all of them.
    pub fn take(&self, rows: &IdxCa) -> Option<Self> {
        Some(Self { keys: self.keys.take(rows).ok()?, ..self.clone() })
    }

    /// The first rows.
    pub fn head(&self, rows: usize) -> Self {
        Self { keys: self.keys.slice(0, rows), ..self.clone() }
    }

    /// The label of a row as text.
    pub fn text(&self, row: usize) -> Option<String> {
        let key = self.keys.get(row)?;
        Some(match self.unsigned {
            true => flip(key.cast_unsigned()).cast_unsigned().to_string(),
            false => decimal_text(key, self.scale),
        })
    }
}

/// Signed integers in the order of the unsigned ones; its own inverse on the bits.
fn flip(value: u128) -> i128 {
    (value ^ (1 << 127)).cast_signed()
}

/// A code for each row.
pub(crate) fn from_wide(keys: &Int128Chunked) -> Codes {
    let keys = keys.rechunk();
    let (codes, labels) = match keys.cont_slice() {
        Ok(values) => of_numbers(values.len(), &|row| Some(values[row])),
        Err(_) => of_numbers(keys.len(), &|row| keys.get(row)),
    };
    Codes { codes, labels: Labels::Wide(labels) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_labels_are_exact_and_ordered_as_numbers() {
        let one = 1_i128 << 100;
        let column = WideColumn::new(&Series::new("id".into(), [one + 1, one, 9, -1])).unwrap();
        assert_eq!(from_wide(&column.keys).codes, [3, 2, 1, 0]);
        assert_eq!(column.text(0), Some((one + 1).to_string()));
        let column = WideColumn::new(&Series::new("id".into(), [u128::MAX, 0, 7])).unwrap();
        assert_eq!(from_wide(&column.keys).codes, [2, 0, 1]);
        assert_eq!(column.text(0), Some(u128::MAX.to_string()));
        let digits = Int128Chunked::from_slice("id".into(), &[-1_050, 700, 70]);
        let decimals = digits.into_decimal(20, 2).unwrap().into_series();
        let column = WideColumn::new(&decimals).unwrap();
        assert_eq!(from_wide(&column.keys).codes, [0, 2, 1]);
        assert_eq!(column.text(0).as_deref(), Some("-10.5"));
        assert_eq!(column.text(1).as_deref(), Some("7"));
    }
}
