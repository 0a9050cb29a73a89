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
    let more = ["--yname", "lemp", "--relative", "--base-period", "2004", "--plot", &plot];
    let table = stdout(&asked("means", &more));
    assert!(table.contains("Less 2004") && table.contains("of the never-treated, 2004"), "{table}");
    let drawn = std::fs::read_to_string(plot).unwrap();
    assert!(drawn.contains("<svg") && drawn.contains("Relative to the Base Period"));
}

#[test]
fn a_view_of_the_panel_has_every_format() {
    let plot = temporary("view.svg");
    let table = stdout(&asked("panelview", &["--plot", &plot]));
    assert!(table.contains("oooxx") && table.contains("61.8%"), "{table}");
    assert!(std::fs::read_to_string(&plot).unwrap().contains("Each row is one unit."));
    let view = stdout(&asked("panelview", &["--by-cohort", "--format", "json"]));
    let view: Value = serde_json::from_str(&view).unwrap();
    assert_eq!(view["kind"].as_str(), Some("panel_view"));
    assert_eq!(view["patterns"][3]["pattern"].as_str(), Some("nnnnn"));
    let saved = temporary("view.json");
    stdout(&asked("panelview", &["--save", &saved]));
    stdout(&["plot", &saved, "--out", &plot]);
    let csv = stdout(&asked("panelview", &["--format", "csv"]));
    assert!(csv.starts_with("group,pattern,estimate"), "{csv}");
    let status = ["panelview", MPDTA, "--tname", "year", "--idname", "countyreal"];
    let table = stdout(&[&status[..], &["--treatment", "treat"]].concat());
    assert!(table.contains("aaaaa") && table.contains("nnnnn"), "{table}");
    let error = failure(2, &status);
    assert!(error.contains("--gname") && error.contains("--treatment"), "{error}");
    failure(2, &asked("panelview", &["--treatment", "treat"]));
}

#[test]
fn what_is_wrong_is_said() {
    let error = failure(1, &["describe", MPDTA, "--tname", "yaer", "--gname", "first.treat"]);
    assert!(error.contains("did you mean `year`"), "{error}");
    let error = failure(2, &asked("means", &[]));
    assert!(error.contains("--yname"), "{error}");
    let error = failure(2, &asked("means", &["--yname", "lemp", "--base-period", "y2004"]));
    assert!(error.contains("--base-period is `y2004`, which is no period"), "{error}");
    let error = failure(2, &asked("means", &["--yname", "lemp", "--base-period", "1999"]));
    assert!(error.contains("a period that has outcomes"), "{error}");
}
