//! Results that are saved.

use std::fs;

use serde_json::{Value, json};

use crate::run::*;

#[test]
fn a_result_is_saved_under_no_name_of_another_format() {
    for ending in ["dta", "csv", "parquet", "TEX", "csv.gz"] {
        let file = temporary(&format!("other-format.{ending}"));
        let message = failure(2, &mpdta(&["--save", &file]));
        assert!(message.contains("is to be a JSON document"), "{message}");
        assert!(message.contains("--format csv > FILE"), "{message}");
        assert!(!std::path::Path::new(&file).exists(), "{file}");
    }
}

#[test]
fn what_is_saved_is_what_json_prints() {
    let saved = temporary("one-json.json");
    let same = |command: &[&str]| {
        let printed =
            stdout(&[command, &["--format", "json", "--quiet", "--save", &saved]].concat());
        assert_eq!(printed, fs::read_to_string(&saved).unwrap(), "{command:?}");
        serde_json::from_str::<Value>(&printed).unwrap()
    };
    assert!(same(&mpdta(&[])).get("aggregates").is_none());
    let averages = ["--aggregate", "dynamic", "--aggregate", "simple", "--vcov"];
    let document = same(&mpdta(&averages));
    assert!(document["aggregates"][1]["asked"] == "simple" && document["vcov"].is_array());
    let file = temporary("one-json-fit.json");
    fs::copy(&saved, &file).unwrap();
    let average = same(&["aggregate", &file, "--aggregate", "group"]);
    assert_eq!((&average["kind"], &average["asked"]), (&json!("aggregated"), &json!("group")));
    stdout(&["plot", &saved, "--out", &temporary("one-json.svg")]);
}
