//! Mean outcomes by cohort.

use burn_did::explore::{CohortMean, CohortMeans};
use burn_did::report::PlotOptions;
use burn_did::{Data, DidError, SavedResult, data, explore::Explore};

use std::collections::BTreeMap;

use polars::prelude::*;

use super::{explore, panel, parquet, shuffled};
use crate::support::frames::map;

fn row(means: &CohortMeans, group: Option<f64>, time: f64) -> &CohortMean {
    means.rows.iter().find(|row| row.group == group && row.time == time).unwrap()
}

fn mean(means: &CohortMeans, group: Option<f64>, time: f64) -> (f64, Option<f64>, Option<f64>) {
    let row = row(means, group, time);
    (row.mean.estimate.unwrap(), row.mean.se, row.relative.estimate)
}

#[test]
fn means_are_those_of_the_rows() {
    let means = explore().means(panel()).unwrap();
    let se = (0.5f64 / 2.0).sqrt();
    assert_eq!(mean(&means, Some(3.0), 1.0), (1.5, Some(se), Some(-1.0)));
    assert_eq!(mean(&means, Some(3.0), 2.0), (2.5, None, Some(0.0)));
    assert_eq!(mean(&means, Some(2.0), 3.0), (6.0, None, Some(5.0)));
    assert_eq!(mean(&means, None, 3.0), (1.5, None, Some(1.0)));
    assert_eq!(means.rows.len(), 12);
}

#[test]
fn weights_count() {
    let mut look = explore();
    look.weights = Some("w".into());
    let means = look.means(panel()).unwrap();
    let (estimate, se, _) = mean(&means, Some(3.0), 1.0);
    // 2 with weight 2 and 1 with weight 1.
    let expected = 5.0 / 3.0_f64;
    let squares = 4.0 * (2.0 - expected).powi(2) + (1.0 - expected).powi(2);
    assert!((estimate - expected).abs() < 1e-15);
    assert!((se.unwrap() - (2.0 * squares).sqrt() / 3.0).abs() < 1e-15);
}

#[test]
fn rows_without_a_weight_do_not_count_in_standard_errors() {
    let mut look = explore();
    look.weights = Some("w".into());
    // Unit 3 of cohort 3 has none, so that unit 2 is alone.
    let weightless = map(&panel(), "w", |w| if w == 1.0 { 0.0 } else { w });
    let means = look.means(&weightless).unwrap();
    assert_eq!(mean(&means, Some(3.0), 1.0).1, None);
    assert_eq!(row(&means, Some(3.0), 1.0).n, 2);
    assert!(means.to_string().contains("only one row has a weight"), "{means}");
}

#[test]
fn far_outcomes_keep_their_digits() {
    let mut far = panel();
    far.apply("y", |y| y.as_materialized_series() + 1e9).unwrap();
    let (near, far) = (explore().means(panel()).unwrap(), explore().means(&far).unwrap());
    for (a, b) in near.rows.iter().zip(&far.rows) {
        assert!((a.mean.estimate.unwrap() + 1e9 - b.mean.estimate.unwrap()).abs() < 1e-6);
        assert_eq!(a.mean.se.is_some(), b.mean.se.is_some());
        if let (Some(a), Some(b)) = (a.mean.se, b.mean.se) {
            assert!((a - b).abs() < 1e-6 * a);
        }
    }
}

#[test]
fn order_and_pieces_change_nothing() {
    let whole = explore().means(panel()).unwrap();
    assert_eq!(explore().means(shuffled(&panel())).unwrap(), whole);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("panel.parquet");
    parquet(&shuffled(&panel()), &path, 4);
    let mut look = explore();
    look.memory_budget = Some(64);
    let pieces = look.means(Data::in_pieces(&path)).unwrap();
    assert_eq!(pieces.rows, whole.rows);
}

#[test]
fn they_are_shown_saved_and_drawn() {
    let look =
        Explore::builder().unit("countyreal").time("year").group("first.treat").outcome("lemp");
    let means = look.build().means(data::mpdta()).unwrap();
    assert_eq!(means.rows.len(), 4 * 5);
    let shown = means.to_string();
    assert!(shown.contains("First treated in 2004") && shown.contains("Never treated"), "{shown}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("means.json");
    means.save(&path).unwrap();
    let SavedResult::CohortMeans(loaded) = SavedResult::load(&path).unwrap() else {
        panic!("another kind")
    };
    assert_eq!(*loaded, means);
    means.plot(folder.path().join("means.png")).unwrap();
    assert!(shown.contains(" Mean ") && !shown.contains("Less"), "{shown}");
    let mut relative = means.clone();
    relative.relative = true;
    let relative = relative.to_string();
    assert!(relative.contains("Less 2006") && !relative.contains(" Mean "), "{relative}");
    assert!(relative.contains("of the never-treated, 2003"), "{relative}");
    let drawn = |relative: bool, show: bool| {
        let means = CohortMeans::load(&path)
            .map(|mut m| {
                m.relative = relative;
                m
            })
            .unwrap();
        means.to_svg(&PlotOptions::new().show_intervals(show)).unwrap()
    };
    let relative = drawn(true, true);
    assert!(relative.contains("Relative to the Base Period") && relative.contains("Base period"));
    assert!(!drawn(false, true).contains("Base period"));
    assert!(drawn(false, true).contains("pointwise interval"));
    assert!(!drawn(false, false).contains("pointwise interval"));
    let frame = means.to_dataframe().unwrap();
    assert_eq!((frame.height(), frame.column("base").unwrap().null_count()), (40, 20));
}

#[test]
fn results_saved_before_there_was_a_base_are_read() {
    let means = explore().means(panel()).unwrap();
    let mut saved: serde_json::Value = serde_json::from_str(&means.to_json().unwrap()).unwrap();
    for name in ["units_with_duplicates", "anticipation", "relative"] {
        saved["result"].as_object_mut().unwrap().remove(name).unwrap();
    }
    for row in saved["result"]["rows"].as_array_mut().unwrap() {
        let row = row.as_object_mut().unwrap();
        assert!(row.remove("base").is_some() && row.remove("relative").is_some());
        row.insert("change".into(), 0.5.into());
    }
    let loaded = SavedResult::from_json(&saved.to_string()).unwrap();
    assert!(loaded.report().to_table().to_string().contains("Mean Outcomes by Cohort"));
}

#[test]
fn many_cohorts_have_panels_of_their_own() {
    let rows = (0..9).flat_map(|unit| (1..=10).map(move |t| (unit, t)));
    let (id, t): (Vec<i32>, Vec<i32>) = rows.unzip();
    let g: Vec<i32> = id.iter().map(|unit| if *unit == 8 { 0 } else { unit + 2 }).collect();
    let y: Vec<f64> = id.iter().zip(&t).map(|(a, b)| f64::from(a * b)).collect();
    let means = explore().means(df!("id" => id, "t" => t, "g" => g, "y" => y).unwrap()).unwrap();
    let svg = means.to_svg(&PlotOptions::default()).unwrap();
    assert_eq!(svg.matches("First treated in").count(), 8);
    // The panel, and its colour in the legend.
    assert_eq!(svg.matches("Never treated").count(), 2);
}

#[test]
fn an_outcome_and_a_level_are_needed() {
    let mut look = explore();
    look.alpha = 1.5;
    assert!(matches!(look.means(panel()), Err(DidError::Config { option: "alpha", .. })));
    look.outcome = None;
    look.alpha = 0.05;
    assert!(matches!(look.means(panel()), Err(DidError::Config { option: "outcome", .. })));
}

/// Units over periods 1 to 5, some of whose rows are missing, with weights that change.
fn unbalanced(units: i64) -> DataFrame {
    let mut state = 7_u64;
    let mut uniform = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (mut id, mut t, mut g, mut y, mut w) = (vec![], vec![], vec![], vec![], vec![]);
    for unit in 0..units {
        let level = 10.0 * uniform();
        for period in 1..=5 {
            let (noise, weight, kept) = (uniform(), 0.5 + uniform(), uniform() < 0.8);
            if kept {
                id.push(unit);
                t.push(period);
                g.push([0, 2, 4][(unit % 3) as usize]);
                y.push(100.0 + level + noise);
                w.push(weight);
            }
        }
    }
    df!("id" => id, "t" => t, "g" => g, "y" => y, "w" => w).unwrap()
}

/// The standard errors of `mean(t) - mean(base)` from the influence of every unit on both means, by group and period.
fn dense(
    df: &DataFrame,
    base: &dyn Fn(i64) -> i32,
    weighted: bool,
) -> BTreeMap<(i64, i32), [f64; 2]> {
    let ints = |name: &str| -> Vec<i64> {
        let column = df.column(name).unwrap().cast(&DataType::Int64).unwrap();
        column.i64().unwrap().into_no_null_iter().collect()
    };
    let floats = |name: &str| -> Vec<f64> {
        df.column(name).unwrap().f64().unwrap().into_no_null_iter().collect()
    };
    let (id, t, g, y, w) = (ints("id"), ints("t"), ints("g"), floats("y"), floats("w"));
    let units = *id.iter().max().unwrap() as usize + 1;
    let w = |row: usize| if weighted { w[row] } else { 1.0 };
    let mut found = BTreeMap::new();
    for group in [0, 2, 4] {
        let influence = |period: i32| {
            let rows: Vec<usize> =
                (0..y.len()).filter(|r| g[*r] == group && t[*r] == i64::from(period)).collect();
            let total: f64 = rows.iter().map(|r| w(*r)).sum();
            let mean = rows.iter().map(|r| w(*r) * y[*r]).sum::<f64>() / total;
            let n = rows.len() as f64;
            let mut psi = vec![0.0; units];
            for r in rows {
                psi[id[r] as usize] = (n / (n - 1.0)).sqrt() * w(r) * (y[r] - mean) / total;
            }
            (mean, psi)
        };
        let (base_mean, base_psi) = influence(base(group));
        for period in 1..=5 {
            let (mean, psi) = influence(period);
            let squares = psi.iter().zip(&base_psi).map(|(a, b)| (a - b).powi(2));
            found.insert((group, period), [mean - base_mean, squares.sum::<f64>().sqrt()]);
        }
    }
    found
}

#[test]
fn standard_errors_relative_to_the_base_are_those_of_influences() {
    let df = unbalanced(120);
    for (weighted, stated, anticipation) in
        [(true, None, 0), (false, Some(3.0), 0), (true, None, 1)]
    {
        let mut look = explore();
        look.weights = weighted.then(|| "w".into());
        (look.base_period, look.anticipation) = (stated, anticipation);
        let never = stated.map_or(1, |period| period as i32);
        let before = |group: i64| group as i32 - 1 - anticipation as i32;
        let base = |group: i64| if before(group) >= 1 { before(group) } else { never };
        for df in [df.clone(), shuffled(&df.slice(0, df.height() - df.height() % 5 - 1))] {
            let expected = dense(&df, &base, weighted);
            let means = look.means(&df).unwrap();
            assert_eq!(means.rows.len(), 15);
            for row in &means.rows {
                let group = row.group.unwrap_or(0.0) as i64;
                assert_eq!(row.base, Some(f64::from(base(group))));
                let [change, se] = expected[&(group, row.time as i32)];
                assert!((row.relative.estimate.unwrap() - change).abs() < 1e-11, "{row:?}");
                match row.relative.se {
                    None => assert_eq!(row.base, Some(row.time)),
                    Some(found) => assert!((found - se).abs() < 1e-10 * se, "{row:?}: {se}"),
                }
            }
        }
    }
}

#[test]
fn in_a_balanced_panel_they_are_of_differences_of_units() {
    let means = explore().means(panel()).unwrap();
    // Units 2 and 3 of cohort 3 are both observed in 1 and 3, unit 2 alone in the base period.
    assert_eq!(row(&means, Some(3.0), 1.0).relative.se, None);
    let look =
        Explore::builder().unit("countyreal").time("year").group("first.treat").outcome("lemp");
    let frame = data::mpdta();
    let means = look.build().means(&frame).unwrap();
    let wide = |year: f64| -> Vec<f64> {
        let mask = frame.column("year").unwrap().as_materialized_series().equal(year).unwrap()
            & frame.column("first.treat").unwrap().as_materialized_series().equal(2007).unwrap();
        let year = frame.filter(&mask).unwrap().sort(["countyreal"], SortMultipleOptions::new());
        year.unwrap().column("lemp").unwrap().f64().unwrap().into_no_null_iter().collect()
    };
    let changes: Vec<f64> = wide(2003.0).iter().zip(wide(2006.0)).map(|(a, b)| a - b).collect();
    let n = changes.len() as f64;
    let mean = changes.iter().sum::<f64>() / n;
    let variance = changes.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let relative = row(&means, Some(2007.0), 2003.0).relative;
    assert!((relative.estimate.unwrap() - mean).abs() < 1e-12);
    assert!((relative.se.unwrap() - (variance / n).sqrt()).abs() < 1e-12);
    // Rows that are units of their own are independent.
    let mut rows = Explore::builder().time("year").group("first.treat").outcome("lemp").build();
    rows.base_period = Some(2003.0);
    let means = rows.means(&frame).unwrap();
    let found = row(&means, None, 2005.0);
    let se = found.mean.se.unwrap().hypot(row(&means, None, 2003.0).mean.se.unwrap());
    assert!((found.relative.se.unwrap() - se).abs() < 1e-14);
}

/// The same means but for rounding: frames that begin with other rows have another shift.
fn assert_close(found: &CohortMeans, expected: &CohortMeans) {
    assert_eq!(found.rows.len(), expected.rows.len());
    for (a, b) in found.rows.iter().zip(&expected.rows) {
        assert_eq!((a.group, a.time, a.n, a.base), (b.group, b.time, b.n, b.base));
        let numbers = |row: &CohortMean| [row.mean, row.relative].map(|e| [e.estimate, e.se]);
        for (a, b) in numbers(a).as_flattened().iter().zip(numbers(b).as_flattened()) {
            let near = a.zip(*b).is_none_or(|(a, b)| (a - b).abs() < 1e-12 * (1.0 + b.abs()));
            assert!(a.is_some() == b.is_some() && near, "{a:?} {b:?}");
        }
    }
}

#[test]
fn a_period_without_outcomes_is_no_base() {
    let df = unbalanced(60);
    let empty = df.column("t").unwrap().as_materialized_series().equal(3).unwrap();
    let y = df.column("y").unwrap().f64().unwrap().set(&empty, None).unwrap();
    let mut gap = df.clone();
    gap.with_column(y.into_column()).unwrap();
    let without = df.filter(&!empty).unwrap();
    let expected = explore().means(&without).unwrap();
    assert_eq!(row(&expected, Some(4.0), 4.0).base, Some(2.0));
    assert_close(&explore().means(&gap).unwrap(), &expected);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gap.parquet");
    parquet(&gap, &path, 50);
    let mut look = explore();
    look.memory_budget = Some(64);
    assert_close(&look.means(Data::in_pieces(&path)).unwrap(), &expected);
    look.base_period = Some(3.0);
    let error = look.means(&gap).unwrap_err();
    assert!(matches!(error, DidError::Config { option: "base_period", .. }), "{error}");
}

#[test]
fn several_rows_of_a_unit_in_a_period_are_said() {
    let double = panel().vstack(&panel().slice(3, 2)).unwrap();
    let means = explore().means(double).unwrap();
    assert_eq!(means.units_with_duplicates, 1);
    assert!(means.to_string().contains("1 unit has several rows in a period"), "{means}");
}
