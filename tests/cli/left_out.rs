//! Averages that leave out cells, and what could not be made.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use crate::run::{burn_did, failure, parsed, stdout, temporary, text};

const FORMATS: [&str; 5] = ["table", "markdown", "latex", "csv", "json"];

/// A panel whose group 3 is separated from the others by `x`, so that no propensity score exists for it.
fn data(name: &str) -> String {
    let path = temporary(name);
    let mut csv = String::from("id,t,g,x,y\n");
    for id in 0..120_i32 {
        let group = [0, 3, 4][usize::try_from(id % 3).unwrap()];
        let noise = |k: i32| f64::from((id * 37 + k * 101 + id * id * 7) % 97) / 97.0;
        let x = noise(0) + if group == 3 { 5.0 } else { 0.0 };
        for t in 1..=5 {
            let effect = if group > 0 && t >= group { f64::from(t - group + 1) } else { 0.0 };
            let y = f64::from(t) * 0.3 + noise(t) + effect;
            writeln!(csv, "{id},{t},{group},{x},{y}").unwrap();
        }
    }
    fs::write(&path, csv).unwrap();
    path
}

fn fit<'a>(file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let columns =
        ["--yname", "y", "--tname", "t", "--idname", "id", "--gname", "g", "--xformla", "~ x"];
    let options = ["--est-method", "ipw", "--base-period", "universal"];
    ["att-gt", file].into_iter().chain(columns).chain(options).chain(more.iter().copied()).collect()
}

#[test]
fn every_format_says_what_an_average_leaves_out() {
    let file = data("left-out.csv");
    let (saved, picture) = (temporary("left-out.json"), temporary("left-out.svg"));
    let asked = ["--aggregate", "dynamic:na_rm=true"];
    let of = |format: &str| {
        let args = fit(&file, &[&asked[..], &["--format", format]].concat());
        let done = burn_did(&args);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        assert!(text(&done.stderr).contains("are left out, of group 3"));
        text(&done.stdout).to_owned()
    };
    for format in FORMATS {
        let shown = of(format).replace("\\_", "_").replace("\\%", "%");
        assert!(shown.contains("are left out, of group 3"), "{shown}");
    }
    for format in ["table", "markdown", "latex"] {
        let shown = of(format).replace("\\%", "%");
        for words in
            ["66.7% of its weight left out", "50% of the treated weight", "2: 100% (no estimate)"]
        {
            assert!(shown.contains(words), "{words} is not in\n{shown}");
        }
    }
    let csv = of("csv");
    let header: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let row = |table: &str, event_time: &str| {
        let place = |name: &str| header.iter().position(|head| *head == name).unwrap();
        let rows = csv.lines().map(|line| line.split(',').collect::<Vec<&str>>());
        let mut rows = rows.filter(|row| row[0] == table);
        let row = rows.find(|row| row[place("event_time")] == event_time).unwrap();
        ["estimate", "status", "left_out"].map(|name| row[place(name)].to_owned())
    };
    assert_eq!(row("rows", "0")[1..], ["partial", "0.5"], "{csv}");
    assert_eq!(row("rows", "2"), ["", "no_estimate", "1.0"], "{csv}");
    let overall = row("overall", "");
    assert!(overall[1] == "partial" && overall[2].starts_with("0.66"), "{csv}");
    assert_eq!(header[header.len() - 2..], ["left_out", "note"]);
    let json: Value = serde_json::from_str(&of("json")).unwrap();
    let average = &json["aggregates"][0];
    let left_out = &average["result"]["left_out"];
    assert!((left_out["share"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-12);
    assert_eq!(left_out["groups"][0]["group"], json!(3));
    assert_eq!(left_out["cells"].as_array().unwrap().len(), 4);
    assert_eq!(left_out["rows"].as_array().unwrap().last().unwrap(), &json!({"at": 2, "share": 1}));

    stdout(&fit(&file, &[&asked[..], &["--save", &saved, "--plot", &picture]].concat()));
    let drawn = fs::read_to_string(&picture).unwrap();
    assert!(drawn.contains("No estimate") && drawn.contains("are left out"), "{drawn}");
    let again = parsed(&[&["aggregate", &saved][..], &asked, &["--format", "json"]].concat());
    assert_eq!(&again["result"]["left_out"], left_out);
    assert!(again["warnings"].to_string().contains("are left out"));

    // The sensitivity analysis is of what is left.
    let sensitivity =
        [&["honest", &saved, "--mbar", "0", "--grid-points", "50"][..], &asked].concat();
    assert!(stdout(&sensitivity).contains("Left out (40 treated units, 50%"));
    let robust = parsed(&[&sensitivity[..], &["--format", "json"]].concat());
    assert_eq!(&robust["result"]["study"]["left_out"], left_out);
    let (study, picture) = (temporary("left-out-honest.json"), temporary("left-out-honest.svg"));
    stdout(&[&sensitivity[..], &["--save", &study]].concat());
    stdout(&["plot", &study, "--out", &picture]);
    assert!(fs::read_to_string(&picture).unwrap().contains("are left out"));
}

#[test]
fn what_could_not_be_made_fails_in_every_format() {
    let file = data("not-made.csv");
    let saved = temporary("not-made.json");
    for format in FORMATS {
        let more = ["--aggregate", "dynamic", "--format", format, "--save", &saved];
        let done = burn_did(&fit(&file, &more));
        assert_eq!(done.status.code(), Some(1), "{format}");
        assert!(!done.stdout.is_empty(), "what was estimated is written");
        let said = text(&done.stderr);
        let at = |words: &str| said.find(words).unwrap_or_else(|| panic!("{words}: {said}"));
        let failed =
            at("error: aggregate dynamic: 4 cells have no estimate (group 3, times 1, 3, 4, 5");
        let (remedy, na_rm) = (at("outcome regression"), at("na_rm"));
        assert!(failed < remedy && remedy < na_rm, "{said}");
        assert!(said.contains("66.7% of the weight of the overall average"), "{said}");
    }
    // The result was saved, and failed cells are drawn as failed.
    let picture = temporary("not-made.svg");
    stdout(&["plot", &saved, "--out", &picture]);
    assert!(fs::read_to_string(&picture).unwrap().contains("No estimate"));
    let _ = fs::remove_file(&picture);
    let args = ["plot", &saved, "--out", &picture, "--aggregate", "dynamic"];
    assert!(failure(1, &args).contains("4 cells have no estimate"));
    let args = ["aggregate", &saved, "--aggregate", "group", "--plot", &picture];
    assert!(failure(1, &args).starts_with("error: aggregate group: "));
    assert!(!fs::exists(&picture).unwrap());
}

#[test]
fn windows_say_what_the_overall_average_is_of() {
    let of = |aggregate: &str| {
        let columns = ["--yname", "lemp", "--tname", "year", "--idname", "countyreal"];
        let group = ["--gname", "first.treat", "--aggregate", aggregate];
        stdout(&[&["att-gt", "src/data/mpdta.csv"][..], &columns, &group].concat())
    };
    let table = of("event:max_e=1");
    assert!(table.contains("Overall average over the event times 0, 1 (outside the window: 2, 3)"));
    assert!(!table.contains("Warning"), "{table}");
    let table = of("dynamic:balance_e=1");
    assert!(table.contains("Not in the overall average, for the window: group 2007 ("), "{table}");
    // Nothing of the average asked for is left out.
    for whole in
        ["dynamic", "dynamic:min_e=-2", "dynamic:max_e=9", "dynamic:na_rm=true", "calendar"]
    {
        let table = of(whole);
        assert!(!table.contains("left out") && !table.contains("window"), "{table}");
    }
}

#[test]
fn files_say_what_they_are() {
    let [fit, printed, honest, ols, picture] =
        ["what.json", "what-printed.json", "what-honest.json", "what-ols.json", "what.png"]
            .map(temporary);
    let columns = crate::run::mpdta(&["--base-period", "universal", "--save", &fit]);
    fs::write(&printed, stdout(&[&columns[..], &["--format", "json"]].concat())).unwrap();
    stdout(&["honest", &fit, "--mbar", "0", "--grid-points", "50", "--save", &honest]);
    stdout(&["feols", "src/data/mpdta.csv", "lemp ~ lpop", "--save", &ols, "--quiet"]);
    let [balance, average] = ["what-balance.json", "what-average.json"].map(temporary);
    let columns = ["--tname", "year", "--idname", "countyreal", "--gname", "first.treat"];
    let save = ["--xname", "lpop", "--save", &balance, "--quiet"];
    stdout(&[&["balance", "src/data/mpdta.csv"], &columns[..], &save].concat());
    stdout(&["aggregate", &fit, "--aggregate", "group", "--save", &average, "--quiet"]);
    let simple = ["--aggregate", "simple"];
    // What is printed is what is saved.
    for file in [&fit, &printed] {
        stdout(&[&["aggregate", file][..], &simple].concat());
    }
    for (args, words) in [
        ([&["aggregate", &ols][..], &simple].concat(), "was saved by feols"),
        ([&["aggregate", &honest][..], &simple].concat(), "hint: `burn-did plot` draws it"),
        (vec!["honest", &honest], "was saved by honest"),
        (vec!["honest", &balance], "was saved by balance; this command reads"),
        (vec!["honest", &balance], "hint: `burn-did plot` draws it"),
        ([&["aggregate", &average][..], &simple].concat(), "hint: `burn-did plot` draws it"),
    ] {
        let message = failure(1, &args);
        assert!(message.contains(words), "{message}");
    }
    stdout(&["plot", &honest, "--out", &picture]);
    assert!(fs::metadata(picture).unwrap().len() > 10_000);
}
