//! `burn-did did-multiplegt`

use std::fs;

use serde_json::Value;

use crate::run::{burn_did, failure, keys, parsed, root, sorted, stdout, temporary, text};

const DATA: &str = "tests/golden/multiplegt_mgt_a.csv";
const COLUMNS: [&str; 8] = ["--yname", "y", "--tname", "t", "--idname", "id", "--dname", "d"];

fn args<'a>(more: &[&'a str]) -> Vec<&'a str> {
    ["did-multiplegt", DATA].into_iter().chain(COLUMNS).chain(more.iter().copied()).collect()
}

fn fit(more: &[&str]) -> Value {
    let more: Vec<&str> = more.iter().copied().chain(["--format", "json"]).collect();
    parsed(&args(&more))
}

/// A case of R as a command line.
fn arguments(case: &Value) -> Vec<String> {
    let options = &case["options"];
    let mut args = vec!["did-multiplegt".to_owned()];
    args.push(format!("tests/golden/multiplegt_{}", case["data"].as_str().unwrap()));
    for (option, value) in options.as_object().unwrap() {
        let name = match option.as_str() {
            "cluster" => "clustervars".to_owned(),
            "drop_missing_preswitch" => "drop-if-d-miss-before-first-switch".to_owned(),
            "keep_bidirectional_switchers" => "dont-drop-larger-lower".to_owned(),
            other => other.replace('_', "-"),
        };
        let list = |value: &Value| -> String {
            let items = value.as_array().unwrap().iter();
            let items: Vec<String> =
                items.map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned)).collect();
            items.join(",")
        };
        match value {
            Value::Bool(true) => args.push(format!("--{name}")),
            Value::String(text) => args.extend([format!("--{name}"), text.clone()]),
            Value::Number(number) => args.extend([format!("--{name}"), number.to_string()]),
            Value::Array(parts) if option == "predict_het" => {
                args.extend([
                    format!("--{name}"),
                    format!("{}:{}", list(&parts[0]), list(&parts[1])),
                ]);
            }
            Value::Array(_) => args.extend([format!("--{name}"), list(value)]),
            _ => {}
        }
    }
    args.extend(["--format".into(), "json".into()]);
    args
}

#[test]
fn golden_cases_agree() {
    let file = fs::read_to_string(root().join("tests/golden/multiplegt.json")).unwrap();
    let golden: Value = serde_json::from_str(&file).unwrap();
    for case in golden["cases"].as_array().unwrap() {
        let args = arguments(case);
        let got = parsed(&args.iter().map(String::as_str).collect::<Vec<_>>());
        let close = |got: &Value, want: &Value| {
            let (got, want) = (got.as_f64().unwrap(), want.as_f64().unwrap());
            let unit = got.abs().max(want.abs());
            assert!((got - want).abs() <= 1e-9 * unit, "{}: {got} for {want}", case["id"]);
        };
        for (name, sign) in [("effects", 1), ("placebos", -1)] {
            let (rows, wanted) = (got[name].as_array().unwrap(), case[name].as_array().unwrap());
            assert_eq!(rows.len(), wanted.len(), "{}", case["id"]);
            for (horizon, (row, want)) in (1..).zip(rows.iter().zip(wanted)) {
                assert_eq!(row["horizon"], sign * horizon);
                close(&row["estimate"], &want[0]);
                close(&row["se"], &want[1]);
                assert_eq!((&row["n_obs"], &row["n_switchers"]), (&want[2], &want[3]));
            }
        }
        if let Some(average) = case["average"].as_array() {
            close(&got["average"]["estimate"], &average[0]);
            close(&got["average"]["se"], &average[1]);
        }
        for (row, want) in got["predictors"]
            .as_array()
            .unwrap_or(&Vec::new())
            .iter()
            .zip(case["predict_het"].as_array().unwrap_or(&Vec::new()))
        {
            assert_eq!((&row["effect"], &row["n"]), (&want[0], &want[3]));
            close(&row["estimate"], &want[1]);
            close(&row["se"], &want[2]);
        }
    }
}

#[test]
fn the_document_has_the_documented_keys() {
    let got = fit(&["--effects", "2", "--placebo", "1", "--effects-equal", "--predict-het", "reg"]);
    assert_eq!(got["kind"], "did_multiplegt");
    for key in ["effects", "placebos", "average", "predictors", "about", "warnings"] {
        assert!(!got[key].is_null(), "{key}");
    }
    let effect = [
        "horizon",
        "estimate",
        "se",
        "ci_lower",
        "ci_upper",
        "p_value",
        "statistic",
        "status",
        "n_obs",
        "n_switchers",
        "n_obs_w",
        "n_switchers_w",
    ];
    assert_eq!(keys(&got["effects"][0]), sorted(effect));
    assert!(got["about"]["equal_effects_p_value"].is_f64());
    assert!(got["about"]["placebos_p_value"].is_null());
    let vcov = &got["result"]["vcov"];
    assert_eq!(vcov.as_array().unwrap().len(), 3);
    let se = got["effects"][1]["se"].as_f64().unwrap();
    assert!((vcov[1][1].as_f64().unwrap() - se * se).abs() < 1e-15);
    let effects: Vec<&Value> =
        got["predictors"].as_array().unwrap().iter().map(|r| &r["effect"]).collect();
    assert_eq!(effects, [-1, 1, 2]);
    let linear = fit(&["--effects", "2", "--trends-lin"]);
    assert!(linear["average"].is_null());
}

#[test]
fn options_reach_the_estimator() {
    let plain = fit(&["--effects", "3", "--placebo", "1"]);
    for more in [
        &["--normalized"][..],
        &["--switchers", "out"],
        &["--only-never-switchers"],
        &["--same-switchers"],
        &["--trends-nonparam", "reg"],
        &["--trends-lin"],
        &["--continuous", "1"],
        &["--weightsname", "w"],
        &["--clustervars", "cl"],
        &["--less-conservative-se"],
        &["--xformla", "~ x"],
        &["--alp", "0.1"],
        &["--boot", "--biters", "20", "--seed", "4"],
    ] {
        let options: Vec<&str> =
            ["--effects", "3", "--placebo", "1"].into_iter().chain(more.iter().copied()).collect();
        let other = fit(&options);
        assert_ne!(plain["effects"], other["effects"], "{more:?}");
    }
    let range = fit(&["--effects", "3", "--effects-equal=2,3"]);
    assert_eq!(range["about"]["equal_effects_df"], 1);
}

#[test]
fn every_format_is_written_and_files_too() {
    let [saved, picture] = [temporary("switching.json"), temporary("switching.svg")];
    let table = stdout(&args(&["--effects", "2", "--save", &saved, "--plot", &picture]));
    assert!(table.contains("Effects of Switching Treatments"), "{table}");
    assert!(fs::read_to_string(saved).unwrap().contains("\"format\": 2"));
    assert!(fs::read_to_string(picture).unwrap().starts_with("<svg"));
    assert!(stdout(&args(&["--format", "markdown"])).contains("| "));
    assert!(stdout(&args(&["--format", "latex"])).contains(r"\begin{"));
    assert_eq!(stdout(&args(&["--format", "csv", "--effects", "2"])).lines().count(), 4);
}

#[test]
fn what_is_wrong_is_said() {
    let message = failure(2, &args(&["--same-switchers-pl"]));
    assert!(message.contains("hint: add --same-switchers"), "{message}");
    assert!(failure(2, &args(&["--effects", "0"])).contains("`effects` must be at least 1"));
    assert!(failure(1, &args(&["--xformla", "~ nope"])).contains("column `nope`"));
    let none = failure(1, &args(&["--trends-nonparam", "id"]));
    assert!(none.contains("no effect of column `d`"), "{none}");
    let usage = burn_did(&args(&["--switchers", "up"]));
    assert_eq!(usage.status.code(), Some(2));
    assert!(text(&usage.stderr).contains("possible values: in, out"));
}

#[test]
fn normalized_effects_are_not_analysed() {
    let saved = temporary("normalized.json");
    stdout(&args(&["--effects", "2", "--placebo", "2", "--normalized", "--save", &saved]));
    for analysis in ["honest", "pretrends"] {
        let message = failure(1, &[analysis, &saved]);
        assert!(message.contains("fit without `normalized` (`--normalized`)"), "{message}");
    }
    let itself = failure(2, &args(&["--xformla", "~ y"]));
    assert!(itself.contains("`covariates` must be without the outcome"), "{itself}");
}
