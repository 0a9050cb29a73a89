//! The event study of Sun and Abraham on the command line.

use std::fs;

use serde_json::{Value, json};

use crate::golden::data;
use crate::run::{failure, keys, parsed, root, stdout, temporary};

const COLUMNS: [&str; 8] =
    ["--yname", "lemp", "--tname", "year", "--idname", "countyreal", "--gname", "first.treat"];

fn mpdta<'a>(more: &[&'a str]) -> Vec<&'a str> {
    ["sunab", "src/data/mpdta.csv"].into_iter().chain(COLUMNS).chain(more.iter().copied()).collect()
}

fn near(got: &Value, expected: &Value) {
    let (got, expected) = (got.as_f64().unwrap(), expected.as_f64().unwrap());
    assert!((got - expected).abs() <= 1e-8 * expected.abs(), "{got} against {expected}");
}

/// mpdta, of which some counties are seen once.
fn seen_once() -> String {
    let csv = fs::read_to_string(root().join("src/data/mpdta.csv")).unwrap();
    let kept = csv.lines().filter(|line| {
        let mut fields = line.split(',');
        let (year, unit) = (fields.next().unwrap(), fields.next().unwrap());
        !unit.ends_with("07") || year == "2005"
    });
    let path = temporary("seen_once.csv");
    fs::write(&path, kept.map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    path
}

#[test]
fn rows_that_alone_have_a_unit_are_said() {
    let data = seen_once();
    let asked = |command: &str, more: &[&str]| {
        stdout(&[&[command, data.as_str()][..], &COLUMNS, more].concat())
    };
    let table = asked("sunab", &[]);
    let regression =
        stdout(&["feols", &data, "lemp ~ i(year, treat, ref = 2003) | countyreal + year"]);
    let of = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("Rows: ")).unwrap();
        line.split(',').next().unwrap().to_owned()
    };
    assert!(of(&table).ends_with("singletons dropped)"), "{table}");
    assert_eq!(of(&table), of(&regression));
    let latex = asked("sunab", &["--format", "latex"]);
    assert!(latex.contains("singletons dropped)"), "{latex}");
    let study = asked("study", &["--estimators", "sunab,etwfe"]);
    let lost = study.lines().find(|line| line.contains("(singletons)")).unwrap_or(&study);
    assert!(
        lost.starts_with("Warning: Sun-Abraham: ") && lost.contains("rows are left out"),
        "{lost}"
    );
}

#[test]
fn golden_cases_agree() {
    let golden = fs::read_to_string(root().join("tests/golden/sunab.json")).unwrap();
    let golden: Value = serde_json::from_str(&golden).unwrap();
    for case in golden["cases"].as_array().unwrap() {
        let data = data(case["dataset"].as_str().unwrap());
        let mut args = vec!["sunab", &data, "--format", "json"];
        for (option, key) in [
            ("--yname", "outcome"),
            ("--tname", "time"),
            ("--idname", "unit"),
            ("--gname", "group"),
            ("--weightsname", "weights"),
            ("--xformla", "covariates"),
        ] {
            if let Some(column) = case[key].as_str() {
                args.extend([option, column]);
            }
        }
        let reference: Vec<String> =
            case["reference"].as_array().unwrap().iter().map(Value::to_string).collect();
        let reference = reference.join(",");
        args.extend(["--ref-p", &reference]);
        let document = parsed(&args);
        assert_eq!(document["about"]["n_rows"], case["n"], "{args:?}");
        let rows = document["rows"].as_array().unwrap().iter();
        let rows: Vec<&Value> = rows.filter(|row| row["status"] != "reference").collect();
        for (index, row) in rows.iter().enumerate() {
            assert_eq!(row["event_time"], case["times"][index]);
            near(&row["estimate"], &case["estimates"][index]);
            near(&row["se"], &case["errors"][index]);
        }
        assert_eq!(rows.len(), case["times"].as_array().unwrap().len());
        near(&document["overall"]["estimate"], &case["overall"][0]);
        near(&document["overall"]["se"], &case["overall"][1]);
    }
}

#[test]
fn every_output_is_made_and_read() {
    let (picture, saved) = (temporary("sunab.svg"), temporary("sunab.json"));
    let text = stdout(&mpdta(&["--plot", &picture, "--save", &saved]));
    assert!(text.contains("Event Study by Regression") && text.contains("countyreal"), "{text}");
    assert!(fs::read_to_string(&picture).unwrap().starts_with("<svg"));
    let document: Value = serde_json::from_str(&fs::read_to_string(&saved).unwrap()).unwrap();
    assert_eq!(document["kind"], json!("sun_abraham"));
    let expected = [
        "about",
        "coefficients",
        "format",
        "kind",
        "notes",
        "overall",
        "result",
        "rows",
        "warnings",
    ];
    assert_eq!(keys(&document), expected);
    assert!(stdout(&["honest", &saved, "--mbar", "1"]).contains("Original"));
    let again = temporary("sunab-again.svg");
    stdout(&["plot", &saved, "--out", &again]);
    assert_eq!(fs::read_to_string(again).unwrap(), fs::read_to_string(picture).unwrap());
    let refused = failure(1, &["aggregate", &saved, "--aggregate", "simple"]);
    assert!(refused.contains("was saved by sunab"), "{refused}");
    assert!(stdout(&mpdta(&["--format", "csv"])).starts_with("table,event_time,estimate,se"));
    assert!(stdout(&mpdta(&["--format", "latex"])).contains("\\toprule"));
}

#[test]
fn options_reach_the_estimator() {
    let about =
        |more: &[&str]| parsed(&mpdta(&[&["--format", "json"], more].concat()))["about"].clone();
    assert_eq!(about(&[])["vcov"], json!("cluster:countyreal"));
    assert_eq!(about(&["--vcov", "hetero"])["vcov"], about(&["--vcov", "HC1"])["vcov"]);
    assert_eq!(about(&["--alp", "0.1"])["alpha"], json!(0.1));
    for (code, more, expected) in [
        (2, &["--memory-budget", "1GiB"][..], "--memory-budget"),
        (2, &["--cluster", "id"], "--vcov cluster:firm"),
        (2, &["--ref-p", "x"], "--ref-p"),
        (1, &["--absorb", "state"], "column `state`"),
    ] {
        let message = failure(code, &mpdta(more));
        assert!(message.contains(expected), "{more:?}: {message}");
    }
}

#[test]
fn rows_that_are_left_out_are_said_under_the_table() {
    let path = temporary("sunab-missing.csv");
    let all = fs::read_to_string(root().join("src/data/mpdta.csv")).unwrap();
    let line = |(at, line): (usize, &str)| {
        let mut fields: Vec<&str> = line.split(',').collect();
        if at > 0 && at % 37 == 0 {
            fields[3] = "NA";
        }
        fields.join(",")
    };
    let lines: Vec<String> = all.lines().enumerate().map(line).collect();
    fs::write(&path, lines.join("\n")).unwrap();
    let shown = stdout(&[&["sunab", &path], &COLUMNS[..]].concat());
    for words in ["Read as missing in lemp: `NA` (67)", "Warning: dropped 67 rows"] {
        assert_eq!(shown.matches(words).count(), 1, "{words}: {shown}");
    }
}

/// A column whose name formulas write in backticks has its name in the result, as in those of other estimators.
#[test]
fn an_outcome_has_its_name() {
    let spaced = temporary("log-emp.csv");
    let table = fs::read_to_string(root().join("src/data/mpdta.csv")).unwrap();
    fs::write(&spaced, table.replacen("lemp", "log emp", 1)).unwrap();
    let columns = COLUMNS.map(|word| if word == "lemp" { "log emp" } else { word });
    let document = parsed(&[&["sunab", &spaced, "--format", "json"], &columns[..]].concat());
    assert_eq!(document["about"]["outcome"], "log emp");
}
