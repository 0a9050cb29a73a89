//! The first look at data.

mod balance;
mod describe;
mod means;
mod panelview;

use burn_did::explore::Explore;
use polars::prelude::*;

/// Five units over three periods; unit 3 misses the middle one, unit 4 is treated from the start, unit 5 never.
fn panel() -> DataFrame {
    df!(
        "id" => [1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 5, 5, 5],
        "t" => [1, 2, 3, 1, 2, 3, 1, 3, 1, 2, 3, 1, 2, 3],
        "g" => [2, 2, 2, 3, 3, 3, 3, 3, 1, 1, 1, 0, 0, 0],
        "y" => [1.0, 4.0, 6.0, 2.0, 2.5, 5.0, 1.0, 3.0, 7.0, 8.0, 9.0, 0.5, 0.25, 1.5],
        "x" => [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 4.0, 4.0, 5.0, 5.0, 6.0, 0.0, 0.0, 0.0],
        "w" => [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 4.0, 4.0, 4.0],
        "c" => ["a", "a", "a", "a", "a", "a", "b", "b", "b", "b", "b", "b", "b", "b"],
    )
    .unwrap()
}

fn explore() -> Explore {
    Explore::builder().unit("id").time("t").group("g").outcome("y").build()
}

/// The rows in another order.
fn shuffled(df: &DataFrame) -> DataFrame {
    let n = df.height() as u32;
    let order: Vec<u32> = (0..n).map(|row| (row * 5 + 3) % n).collect();
    df.take(&UInt32Chunked::from_vec("order".into(), order)).unwrap()
}

fn parquet(df: &DataFrame, path: &std::path::Path, rows: usize) {
    let file = std::fs::File::create(path).unwrap();
    ParquetWriter::new(file).with_row_group_size(Some(rows)).finish(&mut df.clone()).unwrap();
}
