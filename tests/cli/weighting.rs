//! What the estimator's weighting does, from the command line.

use serde_json::Value;

use crate::run::{burn_did, failure, mpdta, stdout, temporary};

/// A fit with everything that is known of its weights.
fn saved(name: &str, more: &[&str]) -> String {
    let save = temporary(name);
    let scores = temporary(&format!("{name}.csv"));
    let asked = ["--xformla", "~ lpop", "--weighting", "--save", &save, "--save-scores", &scores];
    stdout(&mpdta(&[&asked[..], more].concat()));
    save
}

#[test]
fn overlap_and_weighting_have_every_format() {
    let save = saved("weighting_formats.json", &[]);
    let scores = std::fs::read_to_string(format!("{save}.csv")).unwrap();
    assert!(scores.starts_with("unit,unit_group,group,time,treated,score,"), "{scores}");
    for command in ["overlap", "weighting"] {
        let plot = temporary(&format!("weighting_{command}.svg"));
        let table = stdout(&[command, &save, "--plot", &plot]);
        assert!(command == "overlap" || table.contains("Group 2004 in 2004 to 2007"), "{table}");
        assert!(table.contains("2004") && table.contains("Method: Doubly Robust"), "{table}");
        assert!(std::fs::read_to_string(plot).unwrap().contains("<svg"));
        let json: Value =
            serde_json::from_str(&stdout(&[command, &save, "--format", "json"])).unwrap();
        assert_eq!(json["kind"], command);
        assert!(stdout(&[command, &save, "--format", "csv"]).contains("group,time"));
        assert!(stdout(&[command, &save, "--format", "latex"]).contains(r"\toprule"));
    }
    let one = stdout(&["weighting", &save, "--group", "2004", "--time", "2006"]);
    assert!(one.contains("Group 2004 in 2006") && !one.contains("2007"), "{one}");
    let picture = temporary("weighting_covariates.svg");
    stdout(&["weighting", &save, "--group", "2004", "--distributions", &picture]);
    assert!(std::fs::read_to_string(picture).unwrap().contains("<svg"));
}

#[test]
fn what_is_wrong_is_said() {
    let error = failure(2, &mpdta(&["--save-scores", "scores"]));
    assert!(error.contains("must end in .parquet or .csv"), "{error}");
    let error = failure(2, &mpdta(&["--weighting"]));
    assert!(error.contains("--save"), "{error}");
    let save = temporary("weighting_without.json");
    stdout(&mpdta(&["--save", &save]));
    let error = failure(1, &["weighting", &save]);
    assert!(error.contains("--weighting"), "{error}");
    let error = failure(1, &["overlap", "Cargo.toml"]);
    assert!(error.contains("saved result"), "{error}");
    let save = saved("weighting_cells.json", &["--est-method", "reg"]);
    let error = failure(2, &["weighting", &save, "--group", "1999"]);
    assert!(error.contains("there are 2004, 2006, 2007"), "{error}");
    // The table is there, and the picture is not.
    let output = burn_did(&["overlap", &save, "--plot", &temporary("none.svg")]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(!output.stdout.is_empty() && error.contains("no propensity score"), "{error}");
}
