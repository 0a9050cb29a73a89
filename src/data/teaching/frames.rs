//! Frames of the files that ship.

use std::io::Cursor;

use polars::prelude::*;

/// Adult mortality and the expansion of Medicaid: 2,604 US counties, 2009 to 2019, 28,644 rows.
///
/// The file has counts, which take a third of the space; rates are formed of them as their publishers do, to the last bit.
pub(super) fn medicaid() -> DataFrame {
    let raw = shipped(include_bytes!("medicaid.parquet"));
    let number = |name: &str| {
        let column = raw.column(name).and_then(|c| c.cast(&DataType::Float64));
        column.expect("shipped columns")
    };
    let population = number("population_20_64");
    let share = |part: &str, whole: &Column, times: f64, name: &str| {
        let ratio = (&number(part) / whole).expect("shipped columns");
        (&ratio * times).with_name(name.into())
    };
    let names = ["county_code", "st", "year", "treat_year"];
    let mut columns: Vec<Column> =
        names.iter().map(|name| raw.column(name).expect("shipped columns").clone()).collect();
    columns.extend([
        number("set_wt"),
        population.clone(),
        share("deaths", &population, 1e5, "crude_rate_20_64"),
        share("female", &population, 100.0, "perc_female"),
        share("white", &population, 100.0, "perc_white"),
        share("hispanic", &population, 100.0, "perc_hispanic"),
        share("unemployed", &number("labour_force"), 100.0, "unemp_rate"),
        tenths(&number("poverty")).with_name("poverty_rate".into()),
        (&number("income") * 0.001).with_name("median_income".into()),
    ]);
    DataFrame::new(raw.height(), columns).expect("shipped columns")
}

/// A tenth of each number, by division: polars multiplies by the inverse, which has other last digits.
fn tenths(column: &Column) -> Column {
    let values = column.f64().expect("shipped columns").apply_values(|value| value / 10.0);
    values.into_column()
}

pub(super) fn castle() -> DataFrame {
    shipped(include_bytes!("castle.parquet"))
}

pub(super) fn nsw() -> DataFrame {
    shipped(include_bytes!("nsw.parquet"))
}

pub(super) fn favara_imbs() -> DataFrame {
    shipped(include_bytes!("favara_imbs.parquet"))
}

/// A file that ships, with whole numbers and numbers in the widest type.
fn shipped(bytes: &'static [u8]) -> DataFrame {
    let frame = ParquetReader::new(Cursor::new(bytes)).finish().expect("shipped data parse");
    let wide = |column: &Column| match column.dtype() {
        DataType::Int32 => column.cast(&DataType::Int64),
        DataType::Float32 => column.cast(&DataType::Float64),
        _ => Ok(column.clone()),
    };
    let columns: PolarsResult<Vec<Column>> = frame.columns().iter().map(wide).collect();
    let columns = columns.expect("numbers have wider types");
    DataFrame::new(frame.height(), columns).expect("shipped columns")
}
