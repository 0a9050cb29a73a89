//! `burn-did lpdid`.

use serde_json::json;

use crate::run::{COLUMNS, MPDTA, failure, keys, parsed, stdout, temporary};

fn asked<'a>(more: &[&'a str]) -> Vec<&'a str> {
    ["lpdid", MPDTA].into_iter().chain(COLUMNS).chain(more.iter().copied()).collect()
}

#[test]
fn projections_have_every_format_a_picture_and_analyses() {
    let document = parsed(&asked(&["--window", "-3,2", "--rw", "--format", "json"]));
    assert_eq!(
        keys(&document),
        ["about", "effects", "format", "kind", "pooled", "result", "warnings"]
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
