//! Rows chosen on the command line.

use std::fs;

use serde_json::json;

use crate::run::*;

/// Conditions on mpdta, which leave out the first year and some counties.
const CONDITIONS: [&str; 2] = ["year >= 2004", "countyreal < 55000"];

/// mpdta without the rows that the conditions leave out.
fn by_hand(name: &str) -> String {
    let path = temporary(name);
    let all = fs::read_to_string(root().join(MPDTA)).unwrap();
    let mut lines = all.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at =
        |name: &str| header.iter().position(|column| column.trim_matches('"') == name).unwrap();
    let (year, county) = (at("year"), at("countyreal"));
    let kept = lines.filter(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        fields[year].parse::<i32>().unwrap() >= 2004
            && fields[county].parse::<i32>().unwrap() < 55_000
    });
    let kept: Vec<&str> = kept.collect();
    assert!(kept.len() > 1_000 && kept.len() < 2_000, "{}", kept.len());
    fs::write(&path, format!("{}\n{}\n", header.join(","), kept.join("\n"))).unwrap();
    path
}

/// The options that choose the rows.
fn chosen() -> Vec<&'static str> {
    CONDITIONS.iter().flat_map(|condition| ["--rows", condition]).collect()
}

#[test]
fn every_command_takes_the_rows_and_says_so() {
    let rows = by_hand("rows-by-hand.csv");
    let panel = &COLUMNS[..];
    let look = &["--tname", "year", "--gname", "first.treat", "--idname", "countyreal"][..];
    for (command, options) in [
        ("att-gt", panel),
        ("stacked", &[panel, &["--kappa-pre", "1", "--kappa-post", "0"]].concat()[..]),
        ("lpdid", &[panel, &["--window=-2,0"]].concat()[..]),
        ("imputation", panel),
        ("etwfe", panel),
        ("study", panel),
        ("bacon", panel),
        ("sunab", panel),
        ("describe", look),
        ("panelview", look),
        ("means", panel),
        ("balance", panel),
        ("feols", &["lemp ~ lpop | year"][..]),
        ("npiv", &["--yname", "lemp", "--xname", "lpop", "--biters", "20"][..]),
        ("two-stage", panel),
        ("twfe-weights", panel),
    ] {
        let run = |data: &str, more: &[&str]| stdout(&[&[command, data], options, more].concat());
        let (by_hand, shown) = (run(&rows, &[]), run(MPDTA, &chosen()));
        let said = shown.lines().filter(|line| line.contains("Rows chosen: "));
        assert_eq!(said.count(), 1, "{command}: {shown}");
        let others = |text: &str| -> Vec<String> {
            let kept = text.lines().filter(|line| !line.contains("Rows chosen: "));
            // The command that `describe` proposes names the data.
            kept.filter(|line| !line.contains("burn-did att-gt ")).map(ToOwned::to_owned).collect()
        };
        assert_eq!(others(&shown), others(&by_hand), "{command}");
    }
}

#[test]
fn a_saved_result_and_a_proposed_command_keep_the_conditions() {
    let saved = parsed(&mpdta(&[&chosen()[..], &["--format", "json"]].concat()));
    let files =
        saved.pointer("/result/audit/files/chosen").or(saved.pointer("/audit/files/chosen"));
    let files = files.unwrap_or_else(|| panic!("{saved}"));
    assert_eq!(files["rows"], json!(2_500));
    assert_eq!(
        files["left_out"][0],
        json!({"condition": "year >= 2004", "rows": 500, "missing": 0})
    );
    let look = ["describe", MPDTA, "--tname", "year", "--gname", "first.treat", "--yname", "lemp"];
    let shown = stdout(&[&look[..], &["--idname", "countyreal"], &chosen()[..]].concat());
    let proposed = "--rows 'year >= 2004' --rows 'countyreal < 55000'";
    assert!(shown.contains(proposed), "{shown}");
}

#[test]
fn what_is_no_condition_is_a_mistake_of_the_command_line() {
    for (condition, part) in
        [("year", "`year <= 2014`"), ("year > 2003 & year < 2007", "one condition each")]
    {
        let message = failure(2, &mpdta(&["--rows", condition]));
        assert!(message.contains("--rows") && message.contains(part), "{message}");
    }
    let message = failure(2, &mpdta(&["--rows", "year > 2007"]));
    assert!(message.contains("some row meets, got `year > 2007`, of 2500 rows"), "{message}");
    let message = failure(1, &mpdta(&["--rows", "yeer > 2007"]));
    assert!(message.contains("`yeer`") && message.contains("year"), "{message}");
}

#[test]
fn tools_of_panels_take_rows_too() {
    let rows = by_hand("rows-tool.csv");
    let [chosen_out, whole_out] = ["rows-tool-a.csv", "rows-tool-b.csv"].map(temporary);
    let tool = |data: &str, out: &str, more: &[&str]| {
        let keys = ["--idname", "countyreal", "--tname", "year", "--out", out];
        stdout(&[&["panel", "balance", data], &keys[..], more].concat())
    };
    let said = tool(MPDTA, &chosen_out, &chosen());
    assert!(said.contains("Rows chosen: "), "{said}");
    tool(&rows, &whole_out, &[]);
    assert_eq!(fs::read(chosen_out).unwrap(), fs::read(whole_out).unwrap());
}
