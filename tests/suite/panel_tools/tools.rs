//! What each tool makes of a few rows.

use burn_did::options::Frequency;
use burn_did::panel::{
    self, BalanceRule, Base, FillGaps, FirstTreated, Keep, PanelKeys, ToLong, ToWide,
};
use polars::prelude::*;

use super::{keys, numbers, panel, texts};

#[test]
fn first_treated_periods_have_the_type_of_the_time_column() {
    let (df, change) =
        panel::first_treated(&keys(), "d", FirstTreated::default()).apply(panel()).unwrap();
    let first = df.column("first_treated").unwrap();
    assert_eq!(first.dtype(), &DataType::Int32);
    let expected = [2003.0; 4]
        .map(Some)
        .into_iter()
        .chain([None; 3])
        .chain([Some(2001.0); 2])
        .chain([None; 3]);
    assert_eq!(numbers(&df, "first_treated"), expected.collect::<Vec<_>>());
    let counts = ["Units treated", "Units never treated", "Units treated from their first row on"];
    assert_eq!(counts.map(|what| change.count(what)), [2, 2, 1]);
    assert_eq!((change.rows_in, change.rows_out, change.rows_without_key), (12, 12, 1));
    let zero = FirstTreated::builder().never_as_zero(true).name("g2").build();
    let (df, _) = panel::first_treated(&keys(), "d", zero).apply(panel()).unwrap();
    assert_eq!(numbers(&df, "g2")[4..7], [Some(0.0); 3]);
    let mut df = panel();
    let decimal = DataType::Decimal(6, 2);
    df.with_column(df.column("t").unwrap().cast(&decimal).unwrap()).unwrap();
    let zero = FirstTreated::builder().never_as_zero(true).build();
    let (df, _) = panel::first_treated(&keys(), "d", zero).apply(&df).unwrap();
    let first = df.column("first_treated").unwrap();
    assert_eq!(first.dtype(), &decimal);
    let first = first.cast(&DataType::Float64).unwrap();
    assert_eq!(first.f64().unwrap().iter().collect::<Vec<_>>()[3..5], [2003.0, 0.0].map(Some));
}

#[test]
fn decimals_of_other_digits_are_folded_and_lists_are_no_csv() {
    let decimals = |values: [i128; 2], scale| {
        Int128Chunked::from_slice("".into(), &values).into_decimal(9, scale).unwrap().into_series()
    };
    let df = df!("id" => [1, 2], "y_1" => decimals([15, 25], 1), "y_2" => decimals([155, 7], 2));
    let fold = panel::to_long(ToLong::builder().columns(["y"]).build());
    let (long, _) = fold.apply(df.unwrap()).unwrap();
    let folded = long.column("y").unwrap();
    assert_eq!(folded.dtype(), &DataType::Decimal(10, 2));
    let folded = folded.cast(&DataType::Float64).unwrap();
    assert!(folded.f64().unwrap().iter().eq([1.5, 1.55, 2.5, 0.07].map(Some)));
    let list = Series::new("l".into(), [Series::new("".into(), [1, 2])]);
    let df = df!("id" => [1], "t" => [1], "y" => [1.0], "l" => list).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let lag = panel::lag(&keys(), ["y"], 1);
    lag.write(&df, folder.path().join("a.parquet")).unwrap();
    let error = lag.write(&df, folder.path().join("a.csv")).unwrap_err().to_string();
    assert!(error.contains("column `l` has lists") && error.contains(".parquet"), "{error}");
}

#[test]
fn missing_treatments_are_passed_over_where_the_others_tell() {
    let df = df!(
        "id" => [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4],
        "t" => [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3],
        "d" => [None, Some(0), Some(1), Some(0), None, Some(1), Some(1), None, Some(1), Some(0), Some(0), None],
    )
    .unwrap();
    let error = panel::first_treated(&keys(), "d", FirstTreated::default())
        .apply(&df)
        .unwrap_err()
        .to_string();
    assert!(error.contains("missing in 4 rows, first for unit 1 in period 1"), "{error}");
    let unknown = FirstTreated::builder().missing_as_unknown(true).build();
    let (df, change) = panel::first_treated(&keys(), "d", unknown).apply(&df).unwrap();
    let expected = [Some(3.0), Some(3.0), Some(3.0), Some(1.0), Some(1.0), Some(1.0)];
    assert_eq!(numbers(&df, "first_treated"), expected);
    assert_eq!((change.units_in, change.units_out), (4, 2));
}

/// Unit 1 enters treated, unit 2 has no row between its last untreated and its first treated one, unit 3 is treated in the panel's first
/// period, and unit 4 is absent before its treatment, which is seen to begin.
#[test]
fn first_treated_periods_that_absent_rows_hide_are_refused() {
    let df = df!(
        "id" => [1, 1, 2, 2, 2, 3, 3, 4, 4],
        "t" => [2, 3, 1, 3, 4, 1, 2, 2, 3],
        "d" => [1, 1, 0, 1, 1, 1, 1, 0, 1],
    )
    .unwrap();
    let of = |options: FirstTreated| panel::first_treated(&keys(), "d", options).apply(&df);
    let error = of(FirstTreated::default()).unwrap_err().to_string();
    for part in ["2 units", "unit 1, in period 2", "--missing-as-unknown", "--first-observed"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    let unknown = FirstTreated::builder().missing_as_unknown(true).build();
    let (known, change) = of(unknown).unwrap();
    assert_eq!(numbers(&known, "first_treated"), [1.0, 1.0, 3.0, 3.0].map(Some));
    assert_eq!((change.units_in, change.units_out, change.count("Units treated")), (4, 2, 2));
    let dropped = "Units dropped whose first treated period is hidden by absent rows";
    assert_eq!(change.count(dropped), 2);
    let observed = FirstTreated::builder().first_observed(true).build();
    let (all, change) = of(observed).unwrap();
    let expected = [2.0, 2.0, 3.0, 3.0, 3.0, 1.0, 1.0, 3.0, 3.0];
    assert_eq!(numbers(&all, "first_treated"), expected.map(Some));
    assert_eq!((change.units_out, change.count("Units treated")), (4, 4));
    let said = change.notes.join(" ");
    assert!(said.contains("of 2 units is the first in which they are seen"), "{said}");
    // Both: missing treatments are unknown, and absent rows are passed over.
    let both = FirstTreated::builder().missing_as_unknown(true).first_observed(true).build();
    assert_eq!(of(both).unwrap().0.height(), 9);
}

#[test]
fn treatments_that_end_are_named_and_may_be_kept() {
    let df = df!("id" => [1, 1, 1, 2, 2, 2], "t" => [1, 2, 3, 1, 2, 3], "d" => [0, 1, 1, 1, 0, 1])
        .unwrap();
    let error = panel::first_treated(&keys(), "d", FirstTreated::default()).apply(&df).unwrap_err();
    assert_eq!(error.code(), "panel");
    let error = error.to_string();
    assert!(error.contains("in 1 unit, first for unit 2 in period 2"), "{error}");
    let keep = FirstTreated::builder().keep_first(true).build();
    let (df, change) = panel::first_treated(&keys(), "d", keep).apply(&df).unwrap();
    assert_eq!(numbers(&df, "first_treated")[3..], [Some(1.0); 3]);
    assert_eq!(change.count("Units whose treatment ends, with their first treated period"), 1);
}

#[test]
fn balanced_panels_by_every_rule() {
    let with_group = PanelKeys::builder().unit("id").time("t").group("g").build();
    let of = |rule| {
        let (df, change) = panel::balance(&with_group, rule).apply(panel()).unwrap();
        (
            texts(&df, "id").into_iter().flatten().collect::<String>(),
            numbers(&df, "t").len(),
            change,
        )
    };
    let (units, rows, change) = of(BalanceRule::Units);
    assert_eq!((units.as_str(), rows), ("aaaa", 4));
    assert_eq!(change.count("Units dropped that lack a period"), 3);
    let cohorts: Vec<_> =
        change.cohorts.iter().map(|c| (c.cohort.as_str(), c.units_in, c.units_out)).collect();
    assert_eq!(cohorts, [("2001", 1, 0), ("2003", 1, 1), ("2004", 1, 0), ("never", 1, 0)]);
    let (units, _, change) = of(BalanceRule::Periods);
    assert_eq!(units, "aabbccdd");
    assert_eq!(change.notes, ["Dropped: 2003, 2004"]);
    // 2003 alone is what b lacks, and 2004 what c and d lack then.
    let (units, _, change) = of(BalanceRule::Largest);
    assert_eq!((units.as_str(), change.count("Periods dropped")), ("aabbccdd", 2));
    let (units, _, change) = of(BalanceRule::Fill);
    assert_eq!((units.as_str(), change.count("Rows added")), ("aaaabbbbccccdddd", 5));
}

#[test]
fn the_largest_panel_is_between_the_extremes() {
    // Nine units have periods 1 to 4, one lacks 4 and another lacks 1, 2 and 3.
    let (mut id, mut t) = (Vec::new(), Vec::new());
    for unit in 0..11 {
        for period in 1..=4 {
            if !(unit == 9 && period == 4 || unit == 10 && period < 4) {
                id.push(unit);
                t.push(period);
            }
        }
    }
    let df = df!("id" => id, "t" => t).unwrap();
    let (df, change) = panel::balance(&keys(), BalanceRule::Largest).apply(&df).unwrap();
    assert_eq!((df.height(), change.units_out), (36, 9));
    assert!(panel::balance(&keys(), BalanceRule::Periods).apply(&df).unwrap().0.height() == 36);
}

#[test]
fn gaps_are_filled_between_the_ends_or_everywhere() {
    let (df, change) = panel::fill_gaps(&keys(), FillGaps::default()).apply(panel()).unwrap();
    assert_eq!((df.height(), change.count("Units with rows added")), (12, 1));
    assert_eq!(numbers(&df, "t")[4..8], [2001.0, 2002.0, 2003.0, 2004.0].map(Some));
    assert_eq!((texts(&df, "state")[6].as_deref(), numbers(&df, "y")[6]), (None, None));
    let carry = FillGaps::builder().all_periods(true).carry_constant(true).build();
    let (df, _) = panel::fill_gaps(&keys(), carry).apply(panel()).unwrap();
    assert_eq!(df.height(), 16);
    assert_eq!(texts(&df, "state")[6].as_deref(), Some("z"));
    // What is missing in a row of the data stays missing.
    assert_eq!(
        texts(&df, "state")[8..12],
        [None, Some("w"), Some("w"), Some("w")].map(|s| s.map(str::to_owned))
    );
    assert_eq!(numbers(&df, "g")[10..12], [Some(2001.0); 2]);
    assert_eq!((numbers(&df, "y")[6], df.column("t").unwrap().dtype()), (None, &DataType::Int32));
    assert_eq!(df.get_column_names(), panel().get_column_names());
}

#[test]
fn duplicates_are_dropped_and_conflicts_decided() {
    let df = df!(
        "id" => [1, 1, 1, 1, 2, 2],
        "t" => [1, 1, 1, 2, 1, 1],
        "y" => [Some(1), Some(1), Some(4), Some(9), Some(7), None],
        "name" => ["p", "p", "q", "p", "r", "r"],
    )
    .unwrap();
    let of = |keep| panel::deduplicate(&keys(), keep).apply(&df);
    let error = of(Keep::Equal).unwrap_err().to_string();
    assert!(
        error.contains("2 pairs of unit")
            && error.contains("`name` in 1, `y` in 2")
            && error.contains("unit 1 in period 1"),
        "{error}"
    );
    let (first, change) = of(Keep::First).unwrap();
    assert_eq!(numbers(&first, "y"), [Some(1.0), Some(9.0), Some(7.0)]);
    assert_eq!(change.count("Rows dropped that are equal to another"), 1);
    assert_eq!(change.count("Units and periods with rows that differ"), 2);
    assert_eq!(first.column("y").unwrap().dtype(), &DataType::Int32);
    let (last, _) = of(Keep::Last).unwrap();
    assert_eq!(numbers(&last, "y"), [Some(4.0), Some(9.0), None]);
    let (mean, _) = of(Keep::Mean).unwrap();
    assert_eq!(numbers(&mean, "y"), [Some(2.5), Some(9.0), Some(7.0)]);
    assert_eq!(mean.column("y").unwrap().dtype(), &DataType::Float64);
    assert_eq!(texts(&mean, "name")[0].as_deref(), Some("p"));
    let equal = df.slice(0, 2);
    assert_eq!(panel::deduplicate(&keys(), Keep::Equal).apply(&equal).unwrap().0.height(), 1);
}

#[test]
fn lags_are_of_periods_and_not_of_rows() {
    let (df, change) = panel::lag(&keys(), ["y", "state"], 1).apply(panel()).unwrap();
    assert_eq!(
        numbers(&df, "y_lag1")[..7],
        [None, Some(1.0), Some(2.0), None, None, Some(1.5), None]
    );
    assert_eq!(df.column("state_lag1").unwrap().dtype(), &DataType::String);
    assert_eq!(change.count("Of these, rows after a gap"), 1);
    assert_eq!(change.notes, ["One period is 1 of `t`"]);
    let (df, _) = panel::lag(&keys(), ["y"], -2).apply(panel()).unwrap();
    assert_eq!(numbers(&df, "y_lead2")[..7], [None, Some(8.0), None, None, None, Some(9.5), None]);
    let (df, _) = panel::difference(&keys(), ["y"], 2).apply(panel()).unwrap();
    assert_eq!(numbers(&df, "y_diff2")[..7], [None, None, None, Some(6.0), None, None, Some(6.0)]);
}

#[test]
fn dates_are_counted_by_frequency() {
    let df = df!(
        "id" => [1, 1, 1, 1],
        "t" => ["2006-12-31", "2007-01-15", "2007-03-01", "2007-02-28"],
        "y" => [1.0, 2.0, 8.0, 4.0],
    )
    .unwrap();
    let monthly = PanelKeys::builder().unit("id").time("t").frequency(Frequency::Month).build();
    let (lagged, change) = panel::difference(&monthly, ["y"], 1).apply(&df).unwrap();
    assert_eq!(numbers(&lagged, "y_diff1"), [None, Some(1.0), Some(2.0), Some(4.0)]);
    assert_eq!(change.notes, ["One period is a month"]);
    let two = df!("id" => [1, 2, 2], "t" => ["2007-02-28", "2007-01-31", "2007-02-01"]).unwrap();
    let (filled, _) = panel::balance(&monthly, BalanceRule::Fill).apply(&two).unwrap();
    let dates = ["2007-01-31", "2007-02-28", "2007-01-31", "2007-02-01"];
    assert_eq!(texts(&filled, "t").into_iter().flatten().collect::<Vec<_>>(), dates);
    // Every second year is a period of its own.
    let waves = df!("id" => [1, 1, 1], "t" => [2000, 2002, 2006], "y" => [1.0, 2.0, 4.0]).unwrap();
    let (lagged, change) = panel::lag(&keys(), ["y"], 1).apply(&waves).unwrap();
    assert_eq!(numbers(&lagged, "y_lag1"), [None, Some(1.0), None]);
    assert_eq!(change.notes, ["One period is 2 of `t`"]);
}

#[test]
fn long_differences_are_since_the_base() {
    let grouped = PanelKeys::builder().unit("id").time("t").group("g").build();
    let (df, change) =
        panel::long_difference(&grouped, ["y"], Base::BeforeTreatment).apply(panel()).unwrap();
    assert_eq!(numbers(&df, "y_long_diff")[..4], [Some(-1.0), Some(0.0), None, Some(6.0)]);
    let counts = [
        "Units without a row in the base period",
        "Units without a base period: never treated",
        "Units without a base period: treated from the first period on",
    ];
    assert_eq!(counts.map(|what| change.count(what)), [1, 1, 1]);
    let (df, _) =
        panel::long_difference(&keys(), ["y"], Base::Period(2002.0)).apply(panel()).unwrap();
    assert_eq!(numbers(&df, "y_long_diff")[4..7], [Some(-2.0), Some(0.0), Some(6.0)]);
}

#[test]
fn wide_and_long() {
    let (wide, change) = panel::to_wide(&keys(), ToWide::default()).apply(panel()).unwrap();
    let names: Vec<&str> = wide.get_column_names().into_iter().map(PlSmallStr::as_str).collect();
    let expected = [
        "id", "state", "g", "d_2001", "d_2002", "d_2003", "d_2004", "y_2001", "y_2002", "y_2003",
        "y_2004",
    ];
    assert_eq!((names, wide.height()), (expected.to_vec(), 4));
    assert_eq!(texts(&wide, "state")[2].as_deref(), Some("w"));
    assert_eq!(numbers(&wide, "y_2004"), [Some(8.0), Some(9.5), None, None]);
    assert_eq!(change.count("Units and periods without a row, null in the result"), 5);
    let some = ToWide::builder().columns(["y"]).names("{period}.{column}").build();
    let (wide, change) = panel::to_wide(&keys(), some).apply(panel()).unwrap();
    assert!(
        wide.column("2003.y").is_ok() && change.notes[0].ends_with("kept: d"),
        "{:?}",
        change.notes
    );
    let df =
        df!("id" => [1, 2], "y_2" => [1, 2], "y_lag_1" => [5, 6], "y_1" => [0.5, 1.5]).unwrap();
    let back = ToLong::builder().columns(["y", "y_lag"]).time("t").build();
    let (long, change) = panel::to_long(back).apply(&df).unwrap();
    assert_eq!(numbers(&long, "t"), [1.0, 2.0, 1.0, 2.0].map(Some));
    assert_eq!(numbers(&long, "y"), [0.5, 1.0, 1.5, 2.0].map(Some));
    assert_eq!(numbers(&long, "y_lag"), [Some(5.0), None, Some(6.0), None]);
    assert_eq!((change.rows_in, change.rows_out), (2, 4));
}

#[test]
fn the_report_says_what_was_done() {
    let grouped = PanelKeys::builder().unit("id").time("t").group("g").build();
    let (_, change) = panel::balance(&grouped, BalanceRule::Units).apply(panel()).unwrap();
    let expected = "\
balance: rows 12 to 4, units 4 to 1
Rows without a unit or a period: 1
Units dropped that lack a period: 3
Periods dropped: 0
Units by cohort: 2001 1 to 0, 2003 1 to 1, 2004 1 to 0, never 1 to 0
";
    assert_eq!(change.to_string(), expected);
    let json: serde_json::Value = serde_json::from_str(&change.to_json().unwrap()).unwrap();
    assert_eq!((&json["tool"], &json["rows_out"]), (&"balance".into(), &4.into()));
}
