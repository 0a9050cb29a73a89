//! A first look at data from the command line.

use serde_json::Value;

use crate::run::{MPDTA, failure, stdout, temporary};

const DATA: [&str; 7] =
    [MPDTA, "--tname", "year", "--idname", "countyreal", "--gname", "first.treat"];

fn asked<'a>(command: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [command].into_iter().chain(DATA).chain(more.iter().copied()).collect()
}

#[test]
fn a_description_ends_with_the_command_that_estimates() {
    let shown = stdout(&asked("describe", &["--yname", "lemp"]));
    assert!(shown.contains("Units: 500, balanced panel"), "{shown}");
    let command =
        shown.lines().find_map(|line| line.strip_prefix("To estimate: burn-did ")).unwrap();
    let estimates = stdout(&command.split(' ').collect::<Vec<_>>());
    assert!(estimates.contains("2004"), "{estimates}");
}

#[test]
fn means_and_balance_have_every_format() {
    let means = stdout(&asked("means", &["--yname", "lemp", "--format", "json"]));
    let means: Value = serde_json::from_str(&means).unwrap();
    assert_eq!(
        (means["kind"].as_str(), means["means"].as_array().map(Vec::len)),
        (Some("cohort_means"), Some(20))
    );
    let csv = stdout(&asked("balance", &["--xname", "lpop", "--format", "csv"]));
    assert!(csv.starts_with("group,time,variable,change,estimate"), "{csv}");
    let plot = temporary("means.svg");
    stdout(&asked("means", &["--yname", "lemp", "--plot", &plot]));
    assert!(std::fs::read_to_string(plot).unwrap().contains("<svg"));
}

#[test]
fn what_is_wrong_is_said() {
    let error = failure(1, &["describe", MPDTA, "--tname", "yaer", "--gname", "first.treat"]);
    assert!(error.contains("did you mean `year`"), "{error}");
    let error = failure(2, &asked("means", &[]));
    assert!(error.contains("--yname"), "{error}");
}
