//! `burn-did data`: what there is, and that its commands run.

use std::fs;

use crate::run::{failure, stdout, temporary};

const NAMES: [&str; 5] = ["mpdta", "medicaid", "castle", "nsw", "favara_imbs"];

#[test]
fn data_are_listed_and_described() {
    let list = stdout(&["data"]);
    let listed: Vec<&str> = list.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(listed, NAMES);
    let castle = stdout(&["data", "castle"]);
    assert!(castle.contains("Rows: 550") && castle.contains("MIT licence"), "{castle}");
    assert!(castle.contains("  treat_year ") && castle.contains("burn-did att-gt DATA"));
}

/// Each command that is shown runs on the file that was written.
#[test]
fn the_commands_shown_run_on_the_files_written() {
    for name in NAMES {
        let file = temporary(&format!("teaching-{name}.parquet"));
        let text = stdout(&["data", name, "--out", &file]);
        let line = text.lines().find_map(|line| line.strip_prefix("To estimate: burn-did "));
        let mut words = Vec::new();
        for (number, part) in line.unwrap().split('\'').enumerate() {
            match number % 2 {
                0 => words.extend(part.split_whitespace().map(str::to_owned)),
                _ => words.push(part.to_owned()),
            }
        }
        let args: Vec<&str> = words.iter().map(String::as_str).chain(["--quiet"]).collect();
        let shown = stdout(&args);
        assert!(shown.contains("Std. Error"), "{name}: {shown}");
    }
    let csv = temporary("teaching-nsw.csv");
    stdout(&["data", "nsw", "--out", &csv]);
    let text = fs::read_to_string(csv).unwrap();
    assert!(text.starts_with("id,year,sample,treat,") && text.lines().count() == 1 + 32_874);
}

#[test]
fn what_is_wrong_is_said() {
    let message = failure(2, &["data", "casle"]);
    assert!(message.contains("castle"), "{message}");
    let message = failure(2, &["data", "castle", "--out", "castle.xlsx"]);
    assert!(message.contains(".parquet or .csv"), "{message}");
    failure(2, &["data", "--out", "castle.csv"]);
}
