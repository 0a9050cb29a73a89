//! `burn-did bacon` and `burn-did twfe-weights`.

use serde_json::json;

use crate::run::{COLUMNS, MPDTA, burn_did, failure, keys, mpdta, parsed, stdout, temporary, text};

fn asked<'a>(command: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [command, MPDTA].into_iter().chain(COLUMNS).chain(more.iter().copied()).collect()
}

#[test]
fn decompositions_have_every_format_and_a_picture() {
    let document = parsed(&asked("bacon", &["--format", "json"]));
    assert_eq!(
        keys(&document),
        [
            "about",
            "coefficient",
            "comparisons",
            "format",
            "kind",
            "kinds",
            "notes",
            "result",
            "warnings"
        ]
    );
    assert_eq!(document["comparisons"].as_array().map(Vec::len), Some(9));
    assert_eq!(document["about"]["n_clusters"], json!(500));
    let csv = stdout(&asked("bacon", &["--format", "csv"]));
    assert!(csv.contains("earlier_vs_later"), "{csv}");
    let [picture, again, saved] =
        [temporary("bacon.svg"), temporary("bacon-again.svg"), temporary("bacon.json")];
    stdout(&asked("bacon", &["--plot", &picture, "--save", &saved]));
    stdout(&["plot", &saved, "--out", &again]);
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    assert_eq!(read(&picture), read(&again));
    assert!(failure(1, &["honest", &saved]).contains("was saved by bacon"));
}

/// Options that a kind of picture does not have are said, and those that it has are not.
#[test]
fn options_that_leave_a_picture_as_it_is_are_said() {
    let picture = temporary("idle.svg");
    let looks = ["--plot", &picture, "--colours", "#000000,#ff0000", "--style", "line", "--caps"];
    let said = |args: &[&str]| {
        let done = burn_did(args);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        let lines = text(&done.stderr).lines();
        let idle =
            lines.filter_map(|line| line.strip_suffix(": the picture is the same without it"));
        idle.map(str::to_owned).collect::<Vec<String>>()
    };
    let of = |option: &str| format!("warning: {option} has no effect");
    let all = ["--colours", "--style", "--caps"].map(of);
    assert_eq!(said(&asked("bacon", &looks)), all);
    assert_eq!(said(&asked("balance", &looks)), all);
    assert!(said(&asked("bacon", &[&looks[..], &["--quiet"]].concat())).is_empty());
    let dynamic = [&["--aggregate", "dynamic"][..], &looks].concat();
    assert!(said(&mpdta(&dynamic)).is_empty());
    // Results that share a panel have colours of their own.
    let [one, other] = [temporary("idle-1.json"), temporary("idle-2.json")];
    for (file, more) in [(&one, "nevertreated"), (&other, "notyettreated")] {
        stdout(&mpdta(&["--control-group", more, "--save", file, "--quiet"]));
    }
    let both = ["compare", &one, &other, "--aggregate", "dynamic"];
    assert_eq!(said(&[&both[..], &looks].concat()), all[..1]);
    // The same on a saved result.
    let drawn = ["plot", &one, "--aggregate", "group", "--out", &picture];
    let ribbon = [&drawn[..], &["--style", "ribbon", "--caps"]].concat();
    let caps = said(&ribbon);
    assert!(!caps.contains(&all[1]), "{caps:?}");
    assert!(said(&[&drawn[..], &looks[2..]].concat()).is_empty());
}

#[test]
fn weights_take_the_words_of_r() {
    let of = |words: &str| {
        let document = parsed(&asked("twfe-weights", &["--type", words, "--format", "json"]));
        document["about"].clone()
    };
    assert_eq!(of("feTR")["n_negative"], json!(1));
    assert_eq!(of("fe_tr"), of("feTR"));
    assert_eq!(of("fdS")["regression"], json!("fd_s"));
    let shown = stdout(&asked("twfe-weights", &["--cells", "unit", "--xname", "lpop"]));
    assert!(shown.contains("cells of units") && shown.contains("Controls: lpop"), "{shown}");
}

#[test]
fn what_is_wrong_is_said() {
    let error = failure(2, &asked("twfe-weights", &["--type", "fe"]));
    assert!(error.contains("fe_tr"), "{error}");
    let error = failure(2, &["bacon", MPDTA, "--yname", "lemp"]);
    assert!(error.contains("--idname"), "{error}");
    let renamed = COLUMNS.map(|word| if word == "lemp" { "lmep" } else { word });
    let error = failure(1, &[&["bacon", MPDTA], &renamed[..]].concat());
    assert!(error.contains("did you mean `lemp`"), "{error}");
}

/// The remedy for units that lack an outcome in a period is one that works.
#[test]
fn a_panel_with_a_gap_is_balanced_as_the_error_says() {
    let data = std::fs::read_to_string(MPDTA).unwrap();
    let [gap, balanced] = [temporary("gap.csv"), temporary("gap-balanced.csv")];
    std::fs::write(&gap, data.replacen(",8.46146904264388,", ",,", 1)).unwrap();
    let error = failure(1, &[&["bacon", &gap], &COLUMNS[..]].concat());
    let condition = "lemp is not missing";
    let remedy =
        format!("(`panel::balance`; `burn-did panel balance` with `--rows \"{condition}\"`)");
    assert!(error.contains(&remedy) && error.contains("`burn-did twfe-weights`"), "{error}");
    let keys = ["--idname", "countyreal", "--tname", "year", "--rows", condition];
    stdout(&[&["panel", "balance", &gap, "--out", &balanced], &keys[..]].concat());
    stdout(&[&["bacon", &balanced], &COLUMNS[..]].concat());
}

#[test]
fn decompositions_with_controls_have_differences_within_cohorts() {
    // Effects of units have the part of a control that does not change.
    let constant = parsed(&asked("bacon", &["--xname", "lpop", "--format", "json"]));
    assert_eq!(constant["within_cohorts"]["weight"], json!(0));
    assert!(constant["warnings"].to_string().contains("lpop"), "{}", constant["warnings"]);
    let data = temporary("controls.csv");
    let mut csv = String::from("id,t,g,y,x\n");
    for unit in 0..40 {
        let group = [0, 3, 4, 5][unit % 4];
        for t in 1..=6 {
            let (y, x) = ((unit * 31 + t * t * 17) % 23, (unit * 7 + t * t * 5) % 11);
            csv += &format!("{unit},{t},{group},{y},{x}\n");
        }
    }
    std::fs::write(&data, csv).unwrap();
    let columns = ["--yname", "y", "--tname", "t", "--idname", "id", "--gname", "g"];
    let with_controls = [&["bacon", &data][..], &columns, &["--xname", "x"]].concat();
    let document = parsed(&[&with_controls[..], &["--format", "json"]].concat());
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let within = &document["within_cohorts"];
    let (omega, apart) = (number(&within["weight"]), number(&within["estimate"]));
    let pairs = document["comparisons"].as_array().unwrap();
    assert_eq!(pairs.len(), 6);
    let sum: f64 = pairs.iter().map(|of| number(&of["weight"]) * number(&of["estimate"])).sum();
    let coefficient = number(&document["coefficient"]["estimate"]);
    assert!(omega > 0.0 && (omega * apart + (1.0 - omega) * sum - coefficient).abs() < 1e-12);
    let table = stdout(&with_controls);
    for says in ["Both treated", "differences within cohorts", "Controls: x"] {
        assert!(table.contains(says), "{table}");
    }
}
