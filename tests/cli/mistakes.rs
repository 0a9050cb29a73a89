//! Mistakes that people make with columns, and what they are told.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::run::*;

/// Fields of a row of mpdta.
struct Row {
    year: i32,
    unit: i32,
    lemp: String,
    group: i32,
}

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(root().join(MPDTA)).unwrap();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |i: usize| fields[i].parse().unwrap();
        Row { year: number(0), unit: number(1), lemp: fields[3].into(), group: number(4) }
    };
    text.lines().skip(1).map(row).collect()
}

/// A file of units, years, log employment and a further column.
fn file(folder: &Path, column: &str, value: impl Fn(&Row) -> String) -> String {
    let mut text = format!("county,year,lemp,{column}\n");
    for row in rows() {
        text += &format!("{},{},{},{}\n", row.unit, row.year, row.lemp, value(&row));
    }
    let path = folder.join("data.csv");
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn arguments<'a>(data: &'a str, group: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let columns = ["--yname", "lemp", "--tname", "year", "--idname", "county", "--gname", group];
    [&["att-gt", data][..], &columns, more].concat()
}

fn cells(data: &str, more: &[&str]) -> Value {
    parsed(&arguments(data, "g", &[&["--format", "json"], more].concat()))["cells"].clone()
}

#[track_caller]
fn says(message: &str, words: &[&str]) {
    for word in words {
        assert!(message.contains(word), "{word} is missing in: {message}");
    }
}

#[test]
fn names_that_are_nearly_right_are_proposed() {
    let given = |columns: &[&str]| failure(1, &[&["att-gt", MPDTA][..], columns].concat());
    let rest = ["--idname", "countyreal", "--gname", "first.treat"];
    let message = given(&[&["--yname", "lemp", "--tname", "Year"][..], &rest].concat());
    says(&message, &["`Year` (time) is not in the data; did you mean `year`? Its columns are"]);
}

#[test]
fn wide_files_are_to_be_reshaped() {
    let folder = tempfile::tempdir().unwrap();
    let wide = folder.path().join("wide.csv");
    fs::write(&wide, "county,g,lemp2003,lemp2004\n1,0,1.5,1.6\n2,2004,1.7,1.9\n").unwrap();
    let wide = wide.display().to_string();
    let message = failure(1, &arguments(&wide, "g", &[]));
    says(&message, &["`lemp2003` and `lemp2004` look like one column per period", "reshape long"]);
}

#[test]
fn a_status_is_no_first_treated_period() {
    let folder = tempfile::tempdir().unwrap();
    let ever = file(folder.path(), "g", |row| u8::from(row.group > 0).to_string());
    let message = failure(1, &arguments(&ever, "g", &[]));
    says(&message, &["`g` (group) holds only 0 and 1", "such as 2007", "burn-did drdid"]);
    let treated = |row: &Row| row.group > 0 && row.year >= row.group;
    let post = file(folder.path(), "g", |row| u8::from(treated(row)).to_string());
    let message = failure(1, &arguments(&post, "g", &[]));
    says(&message, &["`g` (group) changes", "looks like a treatment status of 0 and 1"]);
}

#[test]
fn never_treated_has_many_spellings() {
    let folder = tempfile::tempdir().unwrap();
    let spelled = |word: &'static str| {
        let group = move |row: &Row| match row.group {
            0 => word.to_owned(),
            group => group.to_string(),
        };
        file(folder.path(), "g", group)
    };
    let zero = spelled("0");
    let expected = cells(&zero, &[]);
    assert!(!stdout(&arguments(&zero, "g", &[])).contains("Never treated:"));
    for (word, told) in [
        ("", "Never treated: 309 units (`g` is empty in 1545 rows)"),
        ("NA", "Never treated: 309 units (`g` is `NA` in 1545 rows)"),
        ("9999", "Never treated: 309 units (309 units have a group after the last period: 9999)"),
    ] {
        let data = spelled(word);
        assert_eq!(cells(&data, &[]), expected, "{word}");
        let table = stdout(&arguments(&data, "g", &[]));
        says(&table, &[told]);
        assert!(!table.contains("Read as missing"), "{table}");
    }
    let negative = spelled("-1");
    let first = rows().iter().position(|row| row.group == 0).unwrap();
    let message = failure(1, &arguments(&negative, "g", &[]));
    says(&message, &[&format!("`g` (group) is -1 in line {} of {negative}", first + 2), "--na"]);
    assert_eq!(cells(&negative, &["--na", "-1"]), expected);
    let word = spelled("never");
    let message = failure(1, &arguments(&word, "g", &[]));
    says(&message, &["`g` (group) holds text, as `never`", "--na never"]);
    assert_eq!(cells(&word, &["--na", "never"]), expected);
}

#[test]
fn years_go_with_dates() {
    let folder = tempfile::tempdir().unwrap();
    let plain = file(folder.path(), "g", |row| row.group.to_string());
    let expected = parsed(&arguments(&plain, "g", &["--format", "json"]));
    let dated = fs::read_to_string(&plain).unwrap();
    let dated: Vec<String> = dated
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let day = if fields[1] == "year" { "" } else { "-07-01" };
            format!("{},{}{day},{},{}", fields[0], fields[1], fields[2], fields[3])
        })
        .collect();
    let path = folder.path().join("dated.csv");
    fs::write(&path, dated.join("\n")).unwrap();
    let path = path.display().to_string();
    let found = parsed(&arguments(&path, "g", &["--frequency", "year", "--format", "json"]));
    let estimates = |document: &Value| -> Vec<Value> {
        let cells = document["cells"].as_array().unwrap().iter();
        cells.map(|cell| serde_json::json!([cell["estimate"], cell["se"]])).collect()
    };
    assert_eq!(estimates(&found), estimates(&expected));
    assert_eq!(found["cells"][0]["group"], serde_json::json!("2004"));
}

#[test]
fn clusters_that_change_and_units_that_are_missing() {
    let folder = tempfile::tempdir().unwrap();
    let moving = file(folder.path(), "g,cl", |row| format!("{},{}", row.group, row.year % 7));
    let message = failure(1, &arguments(&moving, "g", &["--clustervars", "cl"]));
    says(&message, &["`cl` (cluster) changes over time", "each unit must stay in one cluster"]);
    let gaps = file(folder.path(), "g", |row| row.group.to_string());
    let text = fs::read_to_string(&gaps).unwrap();
    // Counties whose number ends with 1 miss a year.
    let kept: Vec<&str> = text.lines().filter(|line| !line.contains("1,2005,")).collect();
    assert!(kept.len() < text.lines().count());
    fs::write(&gaps, kept.join("\n")).unwrap();
    let table = stdout(&arguments(&gaps, "g", &[]));
    says(&table, &["to balance the panel", "`--allow-unbalanced-panel` keeps them"]);
}

#[test]
fn constant_covariates_are_quoted() {
    let folder = tempfile::tempdir().unwrap();
    let constant = file(folder.path(), "g,one", |row| format!("{},1", row.group));
    let table = stdout(&arguments(&constant, "g", &["--xformla", "~ one"]));
    says(&table, &["a covariate is constant", "look at `one`"]);
}

#[test]
fn counts_of_periods_are_not_negative() {
    let message = failure(2, &mpdta(&["--anticipation", "-1"]));
    says(&message, &["--anticipation", "expected a whole number of periods, at least 0"]);
}
