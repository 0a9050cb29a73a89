//! `burn-did simulate`: data whose truth the commands find, and the same bytes whatever the machine.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::run::{failure, parsed, root, stdout, temporary, text};

/// A simulation, and what was written.
struct Written {
    truth: BTreeMap<String, f64>,
    /// The command that estimates, as it is printed, word by word.
    estimate: Vec<String>,
}

/// Words of a command as a shell splits them.
fn words(line: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '\'' => quoted = !quoted,
            ' ' if !quoted => out.push(String::new()),
            other => out.last_mut().unwrap().push(other),
        }
    }
    out
}

/// Name of a true value as the report prints it.
fn name(truth: &Value) -> String {
    let text = |key: &str| truth[key].as_str().map(ToOwned::to_owned);
    let number = |key: &str| truth[key].as_f64().map(|value| value.to_string());
    let parameter = text("parameter").unwrap();
    match (number("group"), number("time")) {
        (Some(group), Some(time)) => format!("ATT({group}, {time})"),
        (one, other) => {
            let of = one.or(other).or(number("event_time")).or(number("at")).or(text("term"));
            of.map_or(parameter.clone(), |of| format!("{parameter} {of}"))
        }
    }
}

fn simulated(kind: &str, label: &str, more: &[&str]) -> Written {
    let data = temporary(&format!("simulate-{label}.parquet"));
    let truth = temporary(&format!("simulate-{label}.json"));
    let fixed = ["simulate", kind, "--out", &data, "--truth", &truth];
    let report = stdout(&[&fixed[..], more].concat());
    let line = report.lines().find_map(|line| line.strip_prefix("To estimate: burn-did "));
    let estimate = words(line.unwrap_or_else(|| panic!("{report}")));
    let truths: Value = serde_json::from_str(&fs::read_to_string(truth).unwrap()).unwrap();
    let truths: BTreeMap<String, f64> = truths
        .as_array()
        .unwrap()
        .iter()
        .map(|truth| (name(truth), truth["value"].as_f64().unwrap()))
        .collect();
    for (name, value) in &truths {
        let line = report.lines().find(|line| line.trim_start().starts_with(&format!("{name} ")));
        assert!(line.is_some_and(|line| line.ends_with(&value.to_string())), "{name}: {report}");
    }
    Written { truth: truths, estimate }
}

impl Written {
    /// Estimates and standard errors under the names of the truth.
    fn estimates(&self, more: &[&str]) -> Vec<(String, f64, f64)> {
        let fixed = self.estimate.iter().map(String::as_str);
        let args: Vec<&str> =
            fixed.chain(more.iter().copied()).chain(["--format", "json", "--quiet"]).collect();
        let document = parsed(&args);
        let mut found = Vec::new();
        let mut add = |name: String, row: &Value| {
            if let (Some(estimate), Some(se)) = (row["estimate"].as_f64(), row["se"].as_f64()) {
                found.push((name, estimate, se));
            }
        };
        // Whole numbers as a person writes them.
        let at = |row: &Value, key: &str| row[key].as_f64().map_or("?".into(), |v| v.to_string());
        let rows = |key: &str| document[key].as_array().cloned().unwrap_or_default();
        for cell in rows("cells") {
            add(format!("ATT({}, {})", at(&cell, "group"), at(&cell, "time")), &cell);
        }
        for average in rows("aggregates") {
            for row in average["rows"].as_array().unwrap() {
                add(format!("event_study {}", at(row, "event_time")), row);
            }
            add("overall_dynamic".into(), &average["overall"]);
        }
        add("att".into(), &document["effect"]);
        for (row, name) in rows("overall").iter().zip(["overall_att", "overall_acrt"]) {
            add(name.into(), row);
        }
        for row in rows("effects") {
            match row.get("dose") {
                Some(_) => add(format!("dose_att {}", at(&row, "dose")), &row),
                None => add(format!("effect {}", at(&row, "horizon")), &row),
            }
        }
        for (key, parameter, column) in [
            ("slopes", "dose_acrt", "dose"),
            ("placebos", "placebo", "horizon"),
            ("function", "function", "x"),
            ("derivative", "derivative", "x"),
        ] {
            for row in rows(key) {
                add(format!("{parameter} {}", at(&row, column)), &row);
            }
        }
        add(format!("average {}", rows("effects").len()), &document["average"]);
        for row in rows("coefficients") {
            add(format!("coefficient {}", row["term"].as_str().unwrap()), &row);
        }
        found
    }
}

/// The estimates of the printed command, each within four standard errors of the truth.
fn finds_the_truth(kind: &str, label: &str, options: &[&str], fit: &[&str], least: usize) {
    let written = simulated(kind, label, options);
    let found = written.estimates(fit);
    let mut compared = 0;
    for (name, estimate, se) in &found {
        let Some(truth) = written.truth.get(name) else { continue };
        let off = (estimate - truth).abs();
        assert!(*se > 0.0 && off < 4.0 * se, "{label}, {name}: {estimate} ({se}), truth {truth}");
        compared += 1;
    }
    assert!(compared >= least, "{label}: {compared} compared of {found:?}");
}

#[test]
fn group_time_effects_are_found() {
    let plain = ["--units", "4000", "--heterogeneity", "0.5", "--seed", "1"];
    finds_the_truth("att-gt", "plain", &plain, &[], 15 + 7 + 1);
    let clusters = ["--clusters", "60", "--weights", "--covariates", "3", "--selection", "0.8"];
    finds_the_truth("att-gt", "clusters", &[&plain[..], &clusters].concat(), &[], 15 + 7 + 1);
    let gaps = [&plain[..], &["--attrition", "0.2"]].concat();
    finds_the_truth("att-gt", "gaps", &gaps, &[], 15 + 7 + 1);
    let sections = [&plain[..], &["--repeated-cross-sections"]].concat();
    finds_the_truth("att-gt", "sections", &sections, &[], 15 + 7 + 1);
    let all = ["--units", "4000", "--never-treated", "0", "--cohorts", "3,5,6", "--periods", "6"];
    finds_the_truth("att-gt", "all-treated", &all, &[], 8);
}

#[test]
fn two_periods_and_triple_differences_are_found() {
    for (label, more) in [
        ("two", &[][..]),
        ("two-weights", &["--weights", "--wrong-outcome-model"]),
        ("two-sections", &["--repeated-cross-sections", "--post-share", "0.4"]),
    ] {
        let units = ["--units", "6000", "--effect", "-2", "--seed", "3"];
        finds_the_truth("drdid", label, &[&units[..], more].concat(), &[], 1);
    }
    let dynamic = ["--aggregate", "dynamic"];
    for (label, more) in
        [("triple", &[][..]), ("triple-sections", &["--repeated-cross-sections", "--weights"])]
    {
        let units = ["--units", "6000", "--seed", "2"];
        finds_the_truth("ddd", label, &[&units[..], more].concat(), &dynamic, 6 + 4 + 1);
    }
    finds_the_truth("ddd", "triple-differ", &["--heterogeneity", "1"], &[], 6);
}

#[test]
fn doses_and_switches_are_found() {
    let doses = ["--units", "5000", "--cubic", "-0.4", "--seed", "5"];
    finds_the_truth("cont-did", "doses", &doses, &[], 2 * 19 + 2);
    let later =
        ["--dose-begins-with-treatment", "--clusters", "200", "--units", "2000", "--seed", "1"];
    finds_the_truth("cont-did", "doses-later", &later, &[], 2 * 19 + 2);
    finds_the_truth("did-multiplegt", "switches", &["--units", "4000"], &[], 3 + 2 + 1);
    let clusters = ["--units", "4000", "--units-per-cluster", "5", "--periods", "6"];
    finds_the_truth("did-multiplegt", "switches-clusters", &clusters, &[], 3 + 2 + 1);
    finds_the_truth("did-multiplegt", "switches-four", &["--periods", "4"], &[], 2 + 1 + 1);
}

#[test]
fn coefficients_and_curves_are_found() {
    finds_the_truth("feols", "two-way", &["--attrition", "0.1", "--seed", "4"], &[], 3);
    let counts = ["--counts", "--clusters", "80", "--cluster-sd", "0.2", "--slopes", "0.2"];
    finds_the_truth("feols", "counts", &counts, &[], 2);
    let draws = ["--biters", "299"];
    let curve = ["--units", "20000", "--seed", "6"];
    finds_the_truth("npiv", "curve", &curve, &draws, 18);
    let exogenous = [&curve[..], &["--endogeneity", "0", "--frequency", "2"]].concat();
    finds_the_truth("npiv", "curve-exogenous", &exogenous, &draws, 18);
}

/// A violation of parallel trends is what estimates are off by; an analysis that allows for linear violations finds the effect.
#[test]
fn violations_are_what_estimates_are_off_by() {
    let written = simulated("pretrends", "violation", &["--units", "8000", "--violation", "0.2"]);
    let saved = temporary("simulate-violation-fit.json");
    let found = written.estimates(&["--save", &saved]);
    let mut events = 0;
    for (name, estimate, se) in &found {
        let Some(event) = name.strip_prefix("event_study ") else { continue };
        let expected = written.truth[name] + written.truth[&format!("violation {event}")];
        assert!((estimate - expected).abs() < 4.0 * se, "{name}: {estimate}, expected {expected}");
        events += 1;
    }
    assert_eq!(events, 7);
    let study = ["--aggregate", "dynamic", "--format", "json", "--quiet"];
    let honest = ["honest", &saved, "--delta", "sd", "--m", "0"];
    let robust = &parsed(&[&honest[..], &study].concat())["intervals"][0];
    let [lower, upper] = ["ci_lower", "ci_upper"].map(|key| robust[key].as_f64().unwrap());
    let [slack, truth] = [upper - lower, written.truth["event_study 0"]];
    assert!(lower - slack < truth && truth < upper + slack, "{lower} to {upper}, truth {truth}");
    let biased = found.iter().find(|(name, ..)| name == "event_study 0").unwrap();
    assert!(biased.1 - truth > 4.0 * biased.2, "without the analysis the effect is missed");
    let power = parsed(&[&["pretrends", &saved][..], &study].concat());
    assert_eq!(power["kind"], "pretrends");
}

/// The same seed gives the same bytes on any number of threads, and in parquet the values of CSV.
#[test]
fn a_seed_is_a_file() {
    let run = |kind: &str, threads: &str, file: &str| {
        let out = temporary(file);
        let done = Command::new(env!("CARGO_BIN_EXE_burn-did"))
            .current_dir(root())
            .env("RAYON_NUM_THREADS", threads)
            .env("POLARS_MAX_THREADS", threads)
            .args(["simulate", kind, "--units", "20000", "--seed", "7", "--out", &out, "--quiet"])
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", text(&done.stderr));
        fs::read(out).unwrap()
    };
    for kind in ["att-gt", "drdid", "ddd", "cont-did", "did-multiplegt", "feols", "npiv"] {
        for ending in ["parquet", "csv"] {
            let [one, three] = ["1", "3"]
                .map(|threads| run(kind, threads, &format!("simulate-{kind}-{threads}.{ending}")));
            assert!(one == three, "{kind}.{ending}");
        }
    }
}

/// More units leave those before them as they were, across the pieces in which files are written.
#[test]
fn pieces_are_no_part_of_the_data() {
    let rows = |units: &str| {
        let out = temporary(&format!("simulate-pieces-{units}.csv"));
        stdout(&["simulate", "drdid", "--covariates", "1", "--units", units, "--out", &out]);
        fs::read_to_string(out).unwrap()
    };
    let (few, many) = (rows("1000"), rows("300000"));
    assert!(many.starts_with(&few), "the first thousand units");
    assert_eq!(many.lines().count(), 1 + 2 * 300_000);
    let ids = many.lines().skip(1).step_by(2).map(|line| line.split(',').next().unwrap());
    assert!(ids.enumerate().all(|(unit, id)| id == (unit + 1).to_string()));
}

#[test]
fn what_is_wrong_is_said() {
    let out = temporary("simulate-wrong.csv");
    for (kind, more, expected) in [
        ("att-gt", &["--units", "0"][..], "`units` must be at least 1"),
        ("att-gt", &["--cohorts", "5,3"], "`cohorts` must be ascending"),
        ("att-gt", &["--cohorts", "9"], "from 2 to the last period, got 9"),
        ("att-gt", &["--never-treated", "1.5"], "`never_treated` must be a share"),
        ("att-gt", &["--noise=-1"], "`noise`"),
        ("att-gt", &["--effects", "1,NaN"], "`effects` must be finite numbers"),
        ("drdid", &["--covariates", "5"], "at most 4"),
        ("ddd", &["--eligible", "2"], "`eligible`"),
        ("cont-did", &["--groups", "4"], "fewer than periods"),
        ("did-multiplegt", &["--periods", "3"], "at least 4"),
        ("feols", &["--periods", "1"], "at least 2"),
        ("npiv", &["--strength", "0"], "`strength`"),
        ("att-gt", &["--units", "1000000000000"], "2^42"),
    ] {
        let args = [&["simulate", kind, "--out", &out][..], more].concat();
        let message = failure(2, &args);
        assert!(message.contains(expected), "{kind} {more:?}: {message}");
        assert!(!std::path::Path::new(&out).exists());
    }
    let message = failure(2, &["simulate", "att-gt", "--out", "panel.xlsx"]);
    assert!(message.contains(".parquet or .csv"), "{message}");
    let message = failure(2, &["simulate", "att-gt", "--out", &out, "--truth", &out]);
    assert!(message.contains("two outputs"), "{message}");
    let message = failure(2, &["simulate", "att-gt", "--out", &out, "--truth", "truth.txt"]);
    assert!(message.contains(".json or .csv"), "{message}");
    assert!(!std::path::Path::new(&out).exists(), "nothing is written before all is checked");
}

#[test]
fn reports_and_truths_have_formats() {
    let (out, truth) = (temporary("simulate-formats.csv"), temporary("simulate-truth.csv"));
    let args = ["simulate", "feols", "--out", &out, "--truth", &truth, "--format", "json"];
    let report = parsed(&args);
    assert_eq!((&report["rows"], &report["units"]), (&6_000.into(), &1_000.into()));
    assert_eq!(report["truths"][0]["term"], "d");
    let truth = fs::read_to_string(truth).unwrap();
    let mut lines = truth.lines();
    assert_eq!(lines.next(), Some("parameter,term,group,time,event_time,at,value"));
    assert_eq!(lines.next(), Some("coefficient,d,,,,,1.0"));
    // Many cells are cut short in text, and say so.
    let long = ["simulate", "att-gt", "--periods", "20", "--cohorts", "5,9", "--out", &out];
    assert!(stdout(&long).contains("and 8 more cells"), "{}", stdout(&long));
}
