//! `burn-did lpdid`.

use std::fs;

use serde_json::json;

use crate::run::{COLUMNS, MPDTA, failure, keys, parsed, root, stdout, temporary};

fn asked<'a>(more: &[&'a str]) -> Vec<&'a str> {
    ["lpdid", MPDTA].into_iter().chain(COLUMNS).chain(more.iter().copied()).collect()
}

#[test]
fn projections_have_every_format_a_picture_and_analyses() {
    let document = parsed(&asked(&["--window", "-3,2", "--rw", "--format", "json"]));
    assert_eq!(
        keys(&document),
        ["about", "effects", "format", "kind", "notes", "pooled", "result", "warnings"]
    );
    assert_eq!(document["effects"].as_array().map(Vec::len), Some(6));
    assert_eq!(document["about"]["method"], json!("reweighted"));
    let [picture, again, saved] =
        [temporary("lpdid.svg"), temporary("lpdid-again.svg"), temporary("lpdid.json")];
    let words = ["--window=-3,2", "--method", "rw", "--plot", &picture, "--save", &saved];
    stdout(&asked(&words));
    stdout(&["plot", &saved, "--out", &again]);
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    assert_eq!(read(&picture), read(&again));
    assert!(stdout(&["honest", &saved]).contains("Sensitivity to Violations"));
    assert!(stdout(&asked(&["--window=0,0", "--format", "csv"])).contains("n_treated"));
}

/// A covariate of every second year: outcomes of the others serve, and event times stay years.
#[test]
fn rows_without_a_covariate_serve_for_outcomes() {
    let text = fs::read_to_string(root().join(MPDTA)).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let [year, population] =
        ["year", "lpop"].map(|name| header.iter().position(|column| *column == name).unwrap());
    let mut csv = format!("{}\n", header.join(","));
    for line in lines {
        let mut fields: Vec<&str> = line.split(',').collect();
        if fields[year].ends_with(['3', '5', '7']) {
            fields[population] = "";
        }
        csv += &format!("{}\n", fields.join(","));
    }
    let data = temporary("lpdid-gaps.csv");
    fs::write(&data, csv).unwrap();
    let more = ["--window=-2,1", "--xname", "lpop", "--format", "json"];
    let words: Vec<&str> =
        ["lpdid", &data].into_iter().chain(COLUMNS).chain(more.iter().copied()).collect();
    let document = parsed(&words);
    let effects = document["effects"].as_array().unwrap();
    let counts = |at: usize| (effects[at]["n_rows"].clone(), effects[at]["n_treated"].clone());
    // Event time 0, of the counties that start in 2004 and 2006; then 1, without those that start in the year after.
    assert_eq!(counts(2), (json!(980), json!(60)));
    assert_eq!(counts(3), (json!(849), json!(60)));
    assert_eq!(document["about"]["rows_with_gaps"], json!(1500));
    assert_eq!(document["about"]["n_periods"], json!(5));
    assert!(
        document["warnings"]
            .to_string()
            .contains("stay: a row without a covariate is left out only"),
        "{}",
        document["warnings"]
    );
}

#[test]
fn what_is_wrong_is_said() {
    let error = failure(2, &asked(&["--window", "3,2"]));
    assert!(error.contains("-3,5"), "{error}");
    let error = failure(2, &asked(&["--window=-3,2", "--treat", "d"]));
    assert!(error.contains("--treat"), "{error}");
    let error = failure(2, &asked(&["--window=-3,2", "--pmd", "0"]));
    assert!(error.contains("last, max"), "{error}");
    let error = failure(1, &asked(&["--window=-3,2", "--clustervars", "year"]));
    assert!(error.contains("stay in one cluster"), "{error}");
}
