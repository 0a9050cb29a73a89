//! Data frames: loading, and the changes that the tests make to them.

use std::fs::File;
use std::path::PathBuf;

use burn_did::data::mpdta;
use polars::prelude::*;

/// Path of a file beside the golden cases, which `BURN_DID_GOLDEN` has elsewhere: the tests may run on another machine than the
/// one that compiled them.
pub fn golden_path(file: &str) -> PathBuf {
    let here = || [env!("CARGO_MANIFEST_DIR"), "tests", "golden"].iter().collect();
    std::env::var_os("BURN_DID_GOLDEN").map_or_else(here, PathBuf::from).join(file)
}

/// What a golden JSON file holds.
pub fn golden_json<T: serde::de::DeserializeOwned>(file: &str) -> T {
    let path = golden_path(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Data of a golden data set, ditto blanks filled.
pub fn golden_data(dataset: &str) -> DataFrame {
    if dataset == "mpdta" {
        return mpdta();
    }
    let path = golden_path(&format!("{dataset}.csv"));
    let file = File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    CsvReadOptions::default()
        .with_infer_schema_length(None)
        .into_reader_with_file_handle(file)
        .finish()
        .and_then(|df| df.fill_null(FillNullStrategy::Forward(None)))
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Values of a column as `f64`.
pub fn floats(df: &DataFrame, column: &str) -> Vec<f64> {
    let cast = df.column(column).and_then(|c| c.cast(&DataType::Float64)).unwrap();
    cast.f64().unwrap().iter().map(|v| v.unwrap_or(f64::NAN)).collect()
}

/// The frame with a column replaced or added.
pub fn with<T>(df: &DataFrame, column: &str, values: Vec<T>) -> DataFrame
where
    Series: NamedFrom<Vec<T>, [T]>,
{
    let mut out = df.clone();
    out.with_column(Column::from(Series::new(column.into(), values))).unwrap();
    out
}

/// The frame with a numeric column mapped.
pub fn map(df: &DataFrame, column: &str, f: impl Fn(f64) -> f64) -> DataFrame {
    with(df, column, floats(df, column).into_iter().map(f).collect::<Vec<f64>>())
}

/// Rows of the frame in this order.
pub fn rows(df: &DataFrame, order: &[usize]) -> DataFrame {
    let index: IdxCa = order.iter().map(|i| Some(*i as IdxSize)).collect();
    df.take(&index).unwrap()
}

/// Rows for which the predicate of a column holds.
pub fn filter(df: &DataFrame, column: &str, keep: impl Fn(f64) -> bool) -> DataFrame {
    let order: Vec<usize> = floats(df, column)
        .iter()
        .enumerate()
        .filter(|(_, v)| keep(**v))
        .map(|(row, _)| row)
        .collect();
    rows(df, &order)
}

/// A permutation of `0..n` that depends on the seed alone.
pub fn permutation(n: usize, seed: u64) -> Vec<usize> {
    let mut random = super::splitmix::SplitMix64(seed);
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, (random.uniform() * (i + 1) as f64) as usize);
    }
    order
}
