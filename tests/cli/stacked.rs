//! `burn-did stacked`.

use serde_json::json;

use crate::run::{COLUMNS, MPDTA, failure, keys, parsed, stdout, temporary};

fn asked<'a>(more: &[&'a str]) -> Vec<&'a str> {
    ["stacked", MPDTA].into_iter().chain(COLUMNS).chain(more.iter().copied()).collect()
}

#[test]
fn stacks_have_every_format_a_picture_and_analyses() {
    let window = ["--kappa-pre", "2", "--kappa-post", "1"];
    let document = parsed(&asked(&[&window[..], &["--format", "json"]].concat()));
    assert_eq!(
        keys(&document),
        [
            "about",
            "control_weights",
            "effects",
            "format",
            "kind",
            "notes",
            "overall",
            "result",
            "warnings"
        ]
    );
    assert_eq!(document["effects"].as_array().map(Vec::len), Some(4));
    assert_eq!(document["about"]["stack_weights"], json!("corrective"));
    let [picture, again, saved] =
        [temporary("stacked.svg"), temporary("stacked-again.svg"), temporary("stacked.json")];
    stdout(&asked(&[&window[..], &["--plot", &picture, "--save", &saved]].concat()));
    stdout(&["plot", &saved, "--out", &again]);
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    assert_eq!(read(&picture), read(&again));
    assert!(stdout(&["honest", &saved]).contains("Sensitivity to Violations"));
}

#[test]
fn what_is_wrong_is_said() {
    let error = failure(2, &asked(&["--kappa-pre", "2"]));
    assert!(error.contains("--kappa-post"), "{error}");
    let error = failure(2, &asked(&["--kappa-pre", "0", "--kappa-post", "1"]));
    assert!(error.contains("`pre_window`"), "{error}");
    let words = ["--kappa-pre", "9", "--kappa-post", "1"];
    let error = failure(1, &asked(&words));
    assert!(error.contains("shorter window"), "{error}");
}
