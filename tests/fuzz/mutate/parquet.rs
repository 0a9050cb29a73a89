//! Mutations of parquet files: types, values and pieces of columns, before the bytes.

use polars::prelude::*;

use super::dice::Dice;

/// Values that a column of doubles gets.
const EXTREME: [f64; 14] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    0.0,
    -0.0,
    -1.0,
    1e9,
    1e17,
    1e37,
    1e154,
    1e300,
    f64::MAX,
    f64::MIN_POSITIVE,
    9_007_199_254_740_993.0,
];

pub fn bytes(df: &DataFrame, row_group: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let writer = ParquetWriter::new(&mut bytes).with_row_group_size(Some(row_group.max(1)));
    let _ = writer.finish(&mut df.clone()).unwrap();
    bytes
}

/// The frame with a change; as it was if the change is impossible.
pub fn mutate(df: &DataFrame, dice: &mut Dice) -> DataFrame {
    let names = df.get_column_names_owned();
    let (Some(name), true) = (names.get(dice.below(names.len())), df.height() > 1) else {
        return df.clone();
    };
    let column = df.column(name).unwrap();
    let new = match dice.below(9) {
        0 | 1 => retyped(column, dice),
        2 | 3 => spoiled(column, dice),
        4 => Some(Column::full_null(name.clone(), df.height(), column.dtype())),
        5 => {
            let keep = dice.between(1, df.height() - 1);
            return df.slice(dice.below(df.height() - keep) as i64, keep);
        }
        6 => return df.vstack(&df.slice(0, dice.between(1, df.height()))).unwrap_or_default(),
        7 => return df.drop(name).unwrap_or_default(),
        _ => {
            let other = &names[dice.below(names.len())];
            Some(df.column(other).unwrap().clone().with_name(name.clone()))
        }
    };
    let mut out = df.clone();
    if let Some(new) = new {
        let _ = out.with_column(new);
    }
    out
}

/// The column in another type.
fn retyped(column: &Column, dice: &mut Dice) -> Option<Column> {
    let types = [
        DataType::Int8,
        DataType::Int16,
        DataType::Int32,
        DataType::Int64,
        DataType::UInt8,
        DataType::UInt16,
        DataType::UInt32,
        DataType::UInt64,
        DataType::Int128,
        DataType::Float32,
        DataType::Decimal(38, 4),
        DataType::String,
        DataType::Binary,
        DataType::Boolean,
        DataType::Date,
        DataType::Time,
        DataType::Duration(TimeUnit::Nanoseconds),
        DataType::Datetime(TimeUnit::Microseconds, None),
        DataType::from_categories(Categories::global()),
        DataType::List(Box::new(DataType::Null)),
    ];
    let dtype = &types[dice.below(types.len())];
    let text = column.dtype() == &DataType::String;
    match dtype {
        DataType::Categorical(..) => column.cast(&DataType::String).ok()?.cast(dtype).ok(),
        DataType::List(_) => {
            let series = column.as_materialized_series();
            let rows = (0..series.len() as i64).map(|row| series.slice(row, 1));
            Some(Column::new(column.name().clone(), rows.collect::<Vec<Series>>()))
        }
        dtype if text && dtype.is_temporal() => None,
        dtype => column.cast(dtype).ok(),
    }
}

/// Nulls or extreme values in some rows.
fn spoiled(column: &Column, dice: &mut Dice) -> Option<Column> {
    let floats = column.cast(&DataType::Float64).ok()?;
    let (value, share) = (EXTREME[dice.below(EXTREME.len())], dice.unit().powi(3));
    let null = dice.chance(0.3);
    let values: Vec<Option<f64>> = floats
        .f64()
        .ok()?
        .iter()
        .map(|old| match dice.chance(share) {
            true if null => None,
            true => Some(value),
            false => old,
        })
        .collect();
    Some(Column::new(column.name().clone(), values))
}
