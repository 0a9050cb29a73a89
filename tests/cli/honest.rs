//! `burn-did honest`.

use std::fs;

use serde_json::{Value, json};

use crate::run::{burn_did, failure, keys, mpdta, parsed, root, sorted, stdout, temporary, text};

fn golden() -> Value {
    let path = root().join("tests/golden/honest.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The event study of a golden file, as the command reads it.
fn study(name: &str, file: &str) -> String {
    let path = temporary(file);
    fs::write(&path, golden()[name]["study"].to_string()).unwrap();
    path
}

#[test]
fn golden_cases_agree() {
    for name in ["antic_a", "mpdta"] {
        let file = study(name, &format!("honest-golden-{name}.json"));
        let golden = golden();
        for case in golden[name]["cases"].as_array().unwrap() {
            if case["method"].is_null() {
                continue;
            }
            let word = |key: &str| case[key].as_str().unwrap().to_owned();
            let m: Vec<String> =
                case["m"].as_array().unwrap().iter().map(ToString::to_string).collect();
            let delta = word("delta");
            let of_m = if delta == "sd" { "--m" } else { "--mbar" };
            let mut args: Vec<String> = vec!["honest".into(), file.clone()];
            let mut add = |name: &str, value: String| args.extend([name.to_owned(), value]);
            add("--delta", delta);
            add("--method", word("method"));
            add("--l-vec", word("l_vec"));
            add(of_m, m.join(","));
            add("--grid-points", case["grid_points"].to_string());
            add("--format", "json".into());
            for option in ["bias", "monotonicity"] {
                if let Some(value) = case[option].as_str() {
                    add(&format!("--{option}"), value.to_owned());
                }
            }
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let document = parsed(&args);
            let se = document["original"]["se"].as_f64().unwrap();
            let points = case["grid_points"].as_f64().unwrap();
            for (found, expected) in document["intervals"]
                .as_array()
                .unwrap()
                .iter()
                .zip(case["rows"].as_array().unwrap())
            {
                let length = expected[1].as_f64().unwrap() - expected[0].as_f64().unwrap();
                let step = (40.0 * se + 12.0 * found["m"].as_f64().unwrap()) / (points - 1.0);
                let tolerance =
                    if case["method"] == "FLCI" { 0.015 * length } else { 1.001 * step };
                for (end, i) in [("ci_lower", 0), ("ci_upper", 1)] {
                    let off = found[end].as_f64().unwrap() - expected[i].as_f64().unwrap();
                    assert!(off.abs() <= tolerance, "{}: {found} {expected}", case["id"]);
                }
            }
        }
    }
}

#[test]
fn documents_have_the_keys_that_are_documented() {
    let file = study("mpdta", "honest-keys.json");
    let document =
        parsed(&["honest", &file, "--l-vec", "avg", "--mbar", "0.5,1", "--format", "json"]);
    assert_eq!(
        keys(&document),
        ["about", "format", "intervals", "kind", "notes", "original", "result", "warnings"]
    );
    assert_eq!(
        keys(&document["original"]),
        sorted(["estimate", "se", "ci_lower", "ci_upper", "p_value", "statistic"])
    );
    assert_eq!(
        keys(&document["intervals"][0]),
        sorted([
            "delta",
            "ci_lower",
            "m",
            "method",
            "open",
            "open_above",
            "open_below",
            "ci_upper"
        ])
    );
    assert_eq!((&document["kind"], &document["format"]), (&json!("honest"), &json!(2)));
    let about = &document["about"];
    assert_eq!(about["breakdown_status"], json!("found"));
    let breakdown = about["breakdown"].as_f64().unwrap();
    assert!((0.5..1.0).contains(&breakdown), "{breakdown}");
    // The default grids.
    let relative = parsed(&["honest", &file, "--format", "json"]);
    let m: Vec<f64> = relative["intervals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["m"].as_f64().unwrap())
        .collect();
    assert_eq!((m.len(), m[0], m[9]), (10, 0.0, 2.0));
    let smooth = parsed(&["honest", &file, "--delta", "sd", "--format", "json"]);
    assert_eq!(
        (&smooth["about"]["method"], smooth["intervals"].as_array().unwrap().len()),
        (&json!("flci"), 10)
    );
    assert_eq!(
        (smooth["about"]["m_lower"].is_number(), smooth["about"]["m_upper"].is_number()),
        (true, true)
    );
}

#[test]
fn saved_fits_are_analysed() {
    let saved = temporary("honest-fit.json");
    stdout(&mpdta(&["--save", &saved]));
    let table = stdout(&["honest", &saved, "--mbar", "0.5,1", "--l-vec", "avg"]);
    assert!(
        table.contains("Breakdown Value") && table.contains("the base period varies"),
        "{table}"
    );
    let universal = temporary("honest-universal.json");
    stdout(&mpdta(&["--save", &universal, "--base-period", "universal"]));
    let [a, b] = [&saved, &universal].map(|file| {
        parsed(&[
            "honest",
            file,
            "--m",
            "0,0.01",
            "--aggregate",
            "dynamic:min_e=-3",
            "--format",
            "json",
        ])
    });
    for i in 0..2 {
        let [a, b] = [&a, &b].map(|d| d["intervals"][i]["ci_lower"].as_f64().unwrap());
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
    assert_eq!(
        (a["warnings"].as_array().unwrap().len(), b["warnings"].as_array().unwrap().len()),
        (1, 0)
    );
    let [picture, result] = [temporary("honest.svg"), temporary("honest-result.json")];
    let csv = stdout(&[
        "honest",
        &universal,
        "--event-time",
        "1",
        "--mbar",
        "1",
        "--format",
        "csv",
        "--plot",
        &picture,
        "--save",
        &result,
    ]);
    assert_eq!(csv.lines().count(), 3);
    assert!(fs::read_to_string(&picture).unwrap().starts_with("<svg"));
    assert!(fs::read_to_string(result).unwrap().contains("\"intervals\""));
    let values = ["0", "0.25", "0.5", "0.75", "1", "1.25", "1.5", "1.75", "2"];
    let many = values.join(",");
    stdout(&["honest", &universal, "--event-time", "1", "--mbar", &many, "--plot", &picture]);
    let drawn = fs::read_to_string(&picture).unwrap();
    for value in values.iter().chain(&["Original"]) {
        assert!(drawn.lines().any(|line| line == *value), "{value}: {drawn}");
    }
    for (format, words) in [("markdown", "| Method"), ("latex", r"\toprule")] {
        assert!(stdout(&["honest", &universal, "--mbar", "1", "--format", format]).contains(words));
    }
}

#[test]
fn sets_have_the_names_of_the_r_package() {
    let file = study("antic_a", "honest-names.json");
    for (given, more, name) in [
        ("sdpb", &[][..], "DeltaSDPB"),
        ("rmnb", &[], "DeltaRMNB"),
        ("DeltaSDRMI", &[], "DeltaSDRMI"),
        ("rmm", &["--monotonicity", "increasing"], "DeltaRMI"),
        ("sd", &["--monotonicity", "decreasing"], "DeltaSDD"),
        ("rm", &["--bias", "positive"], "DeltaRMPB"),
    ] {
        let of_m = if given.to_lowercase().contains("rm") { "--mbar" } else { "--m" };
        let args = ["honest", &file, "--delta", given, of_m, "0.1", "--grid-points", "50"];
        let document = parsed(&[&args[..], more, &["--format", "json"]].concat());
        assert_eq!(document["about"]["delta"], json!(name));
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let file = study("mpdta", "honest-refused.json");
    let refused = |code: i32, more: &[&str], words: &str| {
        let message = failure(code, &[&["honest", &file][..], more].concat());
        assert!(message.contains(words), "{message}");
    };
    refused(2, &["--delta", "xx"], "expected sd, rm or sdrm");
    refused(2, &["--delta", "sd", "--mbar", "1"], "--mbar applies to");
    refused(2, &["--delta", "rm", "--m", "1"], "--m applies to");
    refused(2, &["--m=-1"], "at least 0");
    refused(2, &["--m", "nan"], "at least 0");
    refused(2, &["--delta", "sdpb", "--bias", "negative"], "names one restriction");
    refused(2, &["--method", "FLCI"], "`method`");
    refused(2, &["--l-vec", "1,0"], "--event-time");
    refused(2, &["--l-vec", "last"], "must be first, average");
    refused(
        2,
        &["--event-time", "7"],
        "after the reference period, got 7; the event times are 0, 1, 2",
    );
    refused(2, &["--kappa", "0.5"], "`kappa`");
    refused(2, &["--grid-points", "1"], "`grid_points`");
    refused(2, &["--grid-lb", "1", "--grid-ub", "0"], "`grid`");
    refused(2, &["--aggregate", "dynamic"], "the file has an event study");
    refused(2, &["--aggregate", "group"], "must be dynamic");
    let with = |name: &str, content: &str, words: &str| {
        let path = temporary(name);
        fs::write(&path, content).unwrap();
        let message = failure(1, &["honest", &path]);
        assert!(message.contains(words), "{message}");
    };
    with("honest-none.json", "", "saved result");
    with("honest-text.json", "{\"betahat\": \"NA\"}", "saved result");
    with("honest-other.json", "{}", "saved result");
    let study = |b: &str, s: &str, pre: u8| {
        format!(
            "{{\"betahat\":{b},\"sigma\":{s},\"num_pre_periods\":{pre},\"num_post_periods\":1}}"
        )
    };
    with("honest-a.json", &study("[1,2]", "[[1,0],[0,1]]", 2), "2 coefficients are not 2");
    with("honest-b.json", &study("[1,2]", "[[1,0]]", 1), "not 2 by 2");
    with("honest-c.json", &study("[1,null]", "[[1,0],[0,1]]", 1), "saved result");
    with("honest-d.json", &study("[1,2]", "[[1,0],[0,-1]]", 1), "variance of coefficient 2");
    with("honest-e.json", &study("[2]", "[[1]]", 0), "no period before");
    let crossed = study("[0,1,1]", "[[0,0,0],[0,0,1],[0,1,0]]", 2);
    with("honest-f.json", &crossed, "coefficient 2 has no variance");
    let three = study("[0,0,1]", "[[1,0,0],[0,1,0],[0,0,1]]", 2);
    let apart = three.replace('}', ",\"event_times\":[-5,-2,0]}");
    with("honest-g.json", &apart, "the event times -5, -2, 0 are not consecutive");
    with("honest-h.json", &study("[NaN,2]", "[[1,0],[0,1]]", 1), "no numbers of JSON");
    refused(2, &["--alp", "1e-300"], "got 1e-300");
    assert!(failure(1, &["honest", "no-such-file.json"]).contains("no-such-file.json"));
}

#[test]
fn grids_that_cut_an_interval_warn() {
    let file = study("antic_a", "honest-open.json");
    let args = ["honest", &file, "--mbar", "1", "--grid-lb", "-0.5", "--grid-ub", "0.5"];
    let done = burn_did(&[&args[..], &["--format", "csv"]].concat());
    assert_eq!(done.status.code(), Some(0));
    assert!(text(&done.stderr).contains("reaches the end of the grid"), "{}", text(&done.stderr));
    let quiet = burn_did(&[&args[..], &["--format", "csv", "-q"]].concat());
    assert_eq!((text(&quiet.stderr), &quiet.stdout), ("", &done.stdout));
    let document = parsed(&[&args[..], &["--format", "json"]].concat());
    assert_eq!(document["intervals"][0]["open"], json!(true));
}

/// Of files with several event studies, one is named.
#[test]
fn the_event_study_of_an_estimator_is_named() {
    let saved = temporary("honest-study.json");
    let columns = ["--outcome", "lemp", "--time", "year", "--unit", "countyreal"];
    let study = ["study", "src/data/mpdta.csv", "--group", "first.treat", "--estimators", "cs,bjs"];
    stdout(&[&study[..], &columns, &["--save", &saved, "--quiet"]].concat());
    let several = failure(2, &["honest", &saved]);
    assert!(several.contains("name one by --term: cs, bjs"), "{several}");
    let unknown = failure(2, &["pretrends", &saved, "--term", "sa"]);
    assert!(unknown.contains("no event study of `sa`"), "{unknown}");
    let of = |term: &str| parsed(&["honest", &saved, "--term", term, "--format", "json"]);
    let alone = temporary("honest-alone.json");
    let imputation = ["imputation", "src/data/mpdta.csv", "--group", "first.treat"];
    stdout(&[&imputation[..], &columns, &["--save", &alone, "--quiet"]].concat());
    let single = parsed(&["honest", &alone, "--format", "json"]);
    let [joint, single] = [of("imputation"), single].map(|of| of["original"]["estimate"].clone());
    assert!(joint.is_number() && (joint.as_f64().unwrap() - single.as_f64().unwrap()).abs() < 1e-9);
    let one = failure(2, &["honest", &alone, "--term", "bjs"]);
    assert!(one.contains("the file has one event study"), "{one}");
}
