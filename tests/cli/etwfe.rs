//! `burn-did etwfe`.

use serde_json::json;

use crate::run::{COLUMNS, MPDTA, failure, keys, parsed, root, stdout, temporary};

fn asked<'a>(more: &[&'a str]) -> Vec<&'a str> {
    ["etwfe", MPDTA].into_iter().chain(COLUMNS).chain(more.iter().copied()).collect()
}

#[test]
fn averages_have_every_format_a_picture_and_analyses() {
    let document = parsed(&asked(&["--xname", "lpop", "--format", "json"]));
    assert_eq!(
        keys(&document),
        [
            "about",
            "cells",
            "event_times",
            "format",
            "groups",
            "kind",
            "notes",
            "overall",
            "periods",
            "result",
            "warnings"
        ]
    );
    assert_eq!(document["about"]["n_treated"], json!(291));
    let [picture, again, saved] =
        [temporary("etwfe.svg"), temporary("etwfe-again.svg"), temporary("etwfe.json")];
    stdout(&asked(&["--cgroup", "never_treated", "--plot", &picture, "--save", &saved]));
    stdout(&["plot", &saved, "--out", &again]);
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    assert_eq!(read(&picture), read(&again));
    assert!(stdout(&["honest", &saved]).contains("Sensitivity to Violations"));
    // Against units not yet treated nothing is before treatment.
    stdout(&asked(&["--save", &saved, "--quiet"]));
    for analysis in ["honest", "pretrends"] {
        let error = failure(1, &[analysis, &saved]);
        assert!(error.contains("`--cgroup never_treated`"), "{error}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let error = failure(2, &asked(&["--family", "gamma"]));
    assert!(error.contains("poisson"), "{error}");
    let error = failure(2, &asked(&["--xname", "lpop", "--xvar", "lpop"]));
    assert!(error.contains("`moderator`"), "{error}");
}

/// A formula that is a sum of columns is their list, in every command that takes a list.
#[test]
fn sums_of_columns_may_be_a_formula() {
    let window = ["--kappa-pre", "1", "--kappa-post", "1"];
    let others: [(&str, &[&str]); 4] =
        [("etwfe", &[]), ("stacked", &window), ("lpdid", &["--window=-1,1"]), ("balance", &[])];
    for (command, more) in others {
        let with = |name: &str, columns: &str| {
            let before = [command, MPDTA].into_iter().chain(COLUMNS);
            let own = ["--format", "csv", name, columns];
            stdout(&before.chain(more.iter().copied()).chain(own).collect::<Vec<_>>())
        };
        assert_eq!(with("--xformla", "~ 1 + lpop"), with("--xname", "lpop"), "{command}");
    }
    let error = failure(2, &asked(&["--xformla", "~ log(lpop)"]));
    assert!(error.contains("`log(lpop)` is no column"), "{error}");
}

#[test]
fn levels_of_the_moderator_have_averages() {
    let (data, saved) = (temporary("levels.csv"), temporary("levels.json"));
    let text = std::fs::read_to_string(root().join(MPDTA)).unwrap();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let county = names.iter().position(|name| *name == "countyreal").unwrap();
    let mut csv = format!("{},region\n", names.join(","));
    for line in lines {
        let id: usize = line.split(',').nth(county).unwrap().parse().unwrap();
        csv += &format!("{line},{}\n", ["north", "south", "west"][id % 3]);
    }
    std::fs::write(&data, csv).unwrap();
    let columns = ["--yname", "lemp", "--tname", "year", "--gname", "first.treat"];
    let asked =
        [&["etwfe", &data][..], &columns, &["--xvar", "region", "--control-group", "nevertreated"]]
            .concat();
    let document = parsed(&[&asked[..], &["--format", "json", "--save", &saved]].concat());
    assert_eq!(document["levels"].as_array().map(Vec::len), Some(3));
    assert_eq!(document["level_differences"].as_array().map(Vec::len), Some(2));
    let honest = parsed(&["honest", &saved, "--term", "south", "--format", "json"]);
    assert!(honest["original"]["estimate"].is_number());
    let unknown = failure(2, &["honest", &saved, "--term", "east"]);
    assert!(unknown.contains("it has those of north, south, west"), "{unknown}");
}
