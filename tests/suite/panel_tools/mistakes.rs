//! What is refused, and in which words.

use burn_did::panel::{
    self, BalanceRule, Base, FillGaps, FirstTreated, PanelKeys, PanelTool, ToLong, ToWide,
};
use polars::prelude::*;

use super::{keys, panel};

#[track_caller]
fn refused(tool: &PanelTool, df: &DataFrame, says: &[&str]) {
    let error = tool.apply(df).unwrap_err().to_string();
    assert!(says.iter().all(|word| error.contains(word)), "{error}");
}

#[test]
fn columns_that_are_not_there_or_of_another_kind() {
    let df = panel();
    let other = |unit: &str, time: &str| PanelKeys::builder().unit(unit).time(time).build();
    refused(
        &panel::balance(&other("ID", "t"), BalanceRule::Units),
        &df,
        &["`ID` (unit)", "did you mean `id`?"],
    );
    refused(&panel::balance(&other("id", "year"), BalanceRule::Units), &df, &["`year` (time)"]);
    refused(
        &panel::balance(&other("id", "state"), BalanceRule::Units),
        &df,
        &["`state` (time) holds text"],
    );
    refused(&panel::lag(&keys(), ["yy"], 1), &df, &["`yy` (column) is not in the data"]);
    refused(&panel::difference(&keys(), ["state"], 1), &df, &["`state` (column) holds text"]);
    refused(
        &panel::first_treated(&keys(), "g", FirstTreated::default()),
        &df,
        &["`g` (treatment) must be 0 or 1", "row 0 has 2003"],
    );
    refused(
        &panel::to_wide(&keys(), ToWide::builder().columns(["z"]).build()),
        &df,
        &["`z` (column)"],
    );
}

#[test]
fn rows_of_one_unit_and_period() {
    let df = df!("id" => [7, 7], "t" => [1, 1], "y" => [1.0, 2.0]).unwrap();
    let two = ["unit 7 has two rows for period 1", "burn-did panel deduplicate"];
    for tool in [
        panel::balance(&keys(), BalanceRule::Units),
        panel::fill_gaps(&keys(), FillGaps::default()),
        panel::lag(&keys(), ["y"], 1),
        panel::long_difference(&keys(), ["y"], Base::Period(1.0)),
        panel::to_wide(&keys(), ToWide::default()),
    ] {
        refused(&tool, &df, &two);
    }
}

#[test]
fn options_out_of_range() {
    let df = panel();
    refused(&panel::lag(&keys(), ["y"], 0), &df, &["`periods`"]);
    refused(&panel::difference(&keys(), ["y"], -1), &df, &["`periods`"]);
    refused(&panel::lag(&keys(), Vec::<String>::new(), 1), &df, &["`columns`"]);
    refused(
        &panel::long_difference(&keys(), ["y"], Base::Period(1990.0)),
        &df,
        &["`base`", "1990"],
    );
    refused(&panel::long_difference(&keys(), ["y"], Base::BeforeTreatment), &df, &["`group`"]);
    refused(
        &panel::to_wide(&keys(), ToWide::builder().names("{column}").build()),
        &df,
        &["`names`"],
    );
    refused(
        &panel::to_wide(&keys(), ToWide::builder().columns(["t"]).build()),
        &df,
        &["`columns`", "`t`"],
    );
    refused(
        &panel::first_treated(&keys(), "d", FirstTreated::builder().name("y").build()),
        &df,
        &["`name`", "`y`"],
    );
    refused(&panel::to_long(ToLong::builder().columns(["y"]).build()), &df, &["`y`", "`y_2003`"]);
    let mixed = df!("id" => [1], "y_1" => [1], "y_2" => ["a"]).unwrap();
    refused(
        &panel::to_long(ToLong::builder().columns(["y"]).build()),
        &mixed,
        &["`y` hold integers, text"],
    );
    let changing = df!("id" => [1, 1], "t" => [1, 2], "g" => [0, 2]).unwrap();
    let grouped = PanelKeys::builder().unit("id").time("t").group("g").build();
    refused(
        &panel::balance(&grouped, BalanceRule::Units),
        &changing,
        &["`g` (group) changes", "unit 1"],
    );
    let apart = df!("id" => [1, 2], "t" => [1, 2]).unwrap();
    refused(&panel::balance(&keys(), BalanceRule::Units), &apart, &["no rows are left", "`fill`"]);
    let irregular = df!("id" => [1, 1, 1, 1], "t" => [0.0, 1.0, 2.72, 19.3]).unwrap();
    refused(&panel::lag(&keys(), ["t"], 1), &irregular, &["`time`", "frequency"]);
}

#[test]
fn panels_without_rows() {
    let df = panel().slice(0, 0);
    for tool in [
        panel::fill_gaps(&keys(), FillGaps::default()),
        panel::lag(&keys(), ["y"], 1),
        panel::first_treated(&keys(), "d", FirstTreated::default()),
        panel::to_wide(&keys(), ToWide::default()),
    ] {
        assert_eq!(tool.apply(&df).unwrap().0.height(), 0);
    }
}
