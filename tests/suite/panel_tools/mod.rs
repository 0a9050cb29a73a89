//! Tools that bring a panel into shape: by hand, by laws, and from file to file.

mod files;
mod laws;
mod mistakes;
mod tools;

use burn_did::panel::PanelKeys;
use polars::prelude::*;

/// The columns `id` and `t`.
fn keys() -> PanelKeys {
    PanelKeys::builder().unit("id").time("t").build()
}

/// Four units and four periods: the first has all, the second lacks one between others, the third its last two, and the fourth has a row
/// without a period.
fn panel() -> DataFrame {
    df!(
        "y" => [Some(1.0), Some(2.0), None, Some(8.0), Some(1.5), Some(3.5), Some(9.5), Some(5.0), Some(5.5), Some(7.0), Some(0.0), Some(6.0)],
        "id" => ["a", "a", "a", "a", "b", "b", "b", "c", "c", "d", "d", "d"],
        "t" => [Some(2001_i32), Some(2002), Some(2003), Some(2004), Some(2001), Some(2002), Some(2004), Some(2001), Some(2002), Some(2001), None, Some(2002)],
        "state" => [Some("x"), None, Some("x"), Some("x"), Some("z"), Some("z"), Some("z"), None, Some("w"), None, None, None],
        "g" => [2003, 2003, 2003, 2003, 0, 0, 0, 2001, 2001, 2004, 2004, 2004],
        "d" => [false, false, true, true, false, false, false, true, true, false, false, false],
    )
    .unwrap()
}

fn numbers(df: &DataFrame, name: &str) -> Vec<Option<f64>> {
    let numbers = df.column(name).unwrap().cast(&DataType::Float64).unwrap();
    numbers.f64().unwrap().iter().collect()
}

fn texts(df: &DataFrame, name: &str) -> Vec<Option<String>> {
    let values = df.column(name).unwrap().str().unwrap().iter();
    values.map(|v| v.map(str::to_owned)).collect()
}
