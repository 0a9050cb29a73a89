//! The binary: its JSON, formats, files, messages and exit codes.

#![allow(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

const MPDTA: &str = "src/data/mpdta.csv";
const COLUMNS: [&str; 8] =
    ["--yname", "lemp", "--tname", "year", "--idname", "countyreal", "--gname", "first.treat"];

/// The JSON reader may miss the last digit of a number, so that a saved covariance is off by that much.
const SAVED: f64 = 1e-12;

fn root() -> PathBuf {
    env!("CARGO_MANIFEST_DIR").into()
}

/// A file that no other test uses.
fn temporary(name: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path.display().to_string()
}

fn burn_did(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_burn-did"))
        .current_dir(root())
        .env_remove("COLUMNS")
        .args(args)
        .output()
        .expect("the binary runs")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// Standard output of a run that must succeed silently.
fn stdout(args: &[&str]) -> String {
    let done = burn_did(args);
    assert_eq!((done.status.code(), text(&done.stderr)), (Some(0), ""), "{args:?}");
    text(&done.stdout).to_owned()
}

/// Standard error of a run that must fail with this code and write nothing else.
fn failure(code: i32, args: &[&str]) -> String {
    let done = burn_did(args);
    assert_eq!((done.status.code(), text(&done.stdout)), (Some(code), ""), "{args:?}");
    let message = text(&done.stderr).to_owned();
    assert!(message.starts_with("error: "), "{message}");
    message
}

/// Arguments of a fit of mpdta.
fn mpdta<'a>(more: &[&'a str]) -> Vec<&'a str> {
    ["att-gt", MPDTA].into_iter().chain(COLUMNS).chain(more.iter().copied()).collect()
}

fn parsed(args: &[&str]) -> Value {
    serde_json::from_str(&stdout(args)).expect("JSON")
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn sorted<const N: usize>(mut names: [&str; N]) -> [&str; N] {
    names.sort_unstable();
    names
}

/// Relative difference; 0 if both are null.
fn deviation(a: &Value, b: &Value) -> f64 {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) if a == b => 0.0,
        (Some(a), Some(b)) => (a - b).abs() / a.abs().max(b.abs()),
        (None, None) => 0.0,
        _ => f64::INFINITY,
    }
}

/// The same structure and words, with numbers within a relative tolerance.
fn assert_close(a: &Value, b: &Value, tolerance: f64) {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len());
            a.iter().zip(b).for_each(|(a, b)| assert_close(a, b, tolerance));
        }
        (Value::Object(x), Value::Object(y)) => {
            assert_eq!(keys(a), keys(b));
            x.iter().for_each(|(k, v)| assert_close(v, &y[k], tolerance));
        }
        (Value::Number(_), Value::Number(_)) => {
            assert!(deviation(a, b) <= tolerance, "{a} against {b}");
        }
        _ => assert_eq!(a, b),
    }
}

#[test]
fn json_has_every_field_of_the_contract() {
    let document = parsed(&mpdta(&[
        "--xformla",
        "~ lpop",
        "--base-period",
        "universal",
        "--aggregate",
        "dynamic:min_e=-1,max_e=2,balance_e=1,na_rm=true",
        "--aggregate",
        "simple",
        "--vcov",
        "--format",
        "json",
    ]));
    let expected = sorted([
        "estimator",
        "backend",
        "precision",
        "n_units",
        "n_rows",
        "critical_value",
        "wald",
        "cells",
        "vcov",
        "aggregates",
        "audit",
        "warnings",
        "timings",
    ]);
    assert_eq!(keys(&document), expected);
    for (key, value) in [
        ("estimator", json!("att_gt")),
        ("backend", json!("ndarray")),
        ("precision", json!("f64")),
        ("n_units", json!(500)),
        ("n_rows", json!(2500)),
        ("warnings", json!([])),
    ] {
        assert_eq!(document[key], value, "{key}");
    }
    assert!((document["critical_value"].as_f64().unwrap() - 1.959_963_984_540_054).abs() < 1e-12);
    assert_eq!(keys(&document["wald"]), ["df", "p_value", "stat"]);
    assert_eq!(keys(&document["timings"]), ["estimate", "inference", "ingest", "read", "total"]);
    assert!(document["timings"]["total"].as_f64().unwrap() > 0.0);
    assert_eq!(document["audit"]["periods"], json!([2003, 2004, 2005, 2006, 2007]));
    assert_eq!(document["audit"]["rows_in"], json!(2500));

    let cells = document["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 15);
    let fields = sorted([
        "group",
        "time",
        "att",
        "se",
        "ci_lower",
        "ci_upper",
        "p_value",
        "status",
        "reason",
        "n_treated",
        "n_control",
    ]);
    for cell in cells {
        assert_eq!(keys(cell), fields);
        assert!(cell["group"].is_i64() && cell["time"].is_i64());
    }
    let reference = &cells[0];
    assert_eq!((&reference["group"], &reference["time"]), (&json!(2004), &json!(2003)));
    assert_eq!(reference["status"], "reference");
    assert_eq!(reference["att"].as_f64(), Some(0.0));
    for missing in ["se", "ci_lower", "ci_upper", "p_value", "reason"] {
        assert!(reference[missing].is_null(), "{missing}");
    }
    let cell = &cells[1];
    assert_eq!(cell["status"], "ok");
    assert_eq!((&cell["n_treated"], &cell["n_control"]), (&json!(20), &json!(309)));
    assert!((cell["att"].as_f64().unwrap() + 0.014_529_9).abs() < 1e-5);

    let vcov = document["vcov"].as_array().unwrap();
    assert_eq!(vcov.len(), 15);
    let variance = vcov[1][1].as_f64().unwrap();
    assert!((variance.sqrt() - cell["se"].as_f64().unwrap()).abs() < 1e-15);

    let dynamic = &document["aggregates"][0];
    assert_eq!(keys(dynamic), ["critical_value", "options", "overall", "rows", "type"]);
    assert_eq!(dynamic["type"], "dynamic");
    assert_eq!(dynamic["options"], json!({"min_e": -1, "max_e": 2, "balance_e": 1, "na_rm": true}));
    assert_eq!(keys(&dynamic["overall"]), ["att", "ci_lower", "ci_upper", "se"]);
    for (row, at) in dynamic["rows"].as_array().unwrap().iter().zip([-1, 0, 1]) {
        assert_eq!(keys(row), ["at", "att", "ci_lower", "ci_upper", "se"]);
        assert_eq!(row["at"], json!(at));
    }
    let simple = &document["aggregates"][1];
    assert_eq!((&simple["options"], &simple["rows"]), (&json!({}), &json!([])));
}

#[test]
fn a_failed_aggregate_stands_in_its_place() {
    let asked = ["--aggregate", "dynamic:min_e=9", "--aggregate", "simple"];
    let document = parsed(&mpdta(&[&asked[..], &["--format", "json"]].concat()));
    let failed = &document["aggregates"][0];
    assert_eq!(keys(failed), ["error", "options", "type"]);
    assert_eq!(failed["options"], json!({"min_e": 9}));
    assert!(failed["error"].as_str().unwrap().contains("no event time"));
    assert!(document["aggregates"][1]["overall"]["att"].is_f64());
    assert!(document.get("vcov").is_none());

    let table = burn_did(&mpdta(&asked));
    assert_eq!(table.status.code(), Some(0));
    assert!(text(&table.stderr).starts_with("warning: aggregate dynamic:min_e=9: no event time"));
    assert!(text(&table.stdout).contains("Average Effect of Participating"));
}

#[test]
fn failed_cells_are_null_with_their_reason() {
    let data = temporary("separated.csv");
    // Nobody in group 3 overlaps with the comparison in x.
    let mut csv = String::from("id,t,g,y,x\n");
    for unit in 0..60 {
        let group = [0, 3, 4][unit % 3];
        let x = (unit % 7) as f64 + if group == 3 { 100.0 } else { 0.0 };
        for t in 1..=4 {
            let y = (unit * 31 + t * 17) % 23;
            csv += &format!("{unit},{t},{group},{y},{x}\n");
        }
    }
    fs::write(&data, csv).unwrap();
    let args = [
        "att-gt",
        &data,
        "--outcome",
        "y",
        "--unit",
        "id",
        "--time",
        "t",
        "--group",
        "g",
        "--covariates",
        "x",
        "--method",
        "ipw",
        "--vcov",
        "--aggregate",
        "simple",
        "--aggregate",
        "simple:na_rm=true",
        "--format",
        "json",
    ];
    let document = parsed(&args);
    let cell = &document["cells"][0];
    assert_eq!((&cell["group"], &cell["status"]), (&json!(3), &json!("overlap")));
    assert!(cell["reason"].as_str().unwrap().contains("overlap"));
    assert!(cell["att"].is_null() && cell["se"].is_null());
    assert!(document["vcov"][0].as_array().unwrap().iter().all(Value::is_null));
    assert!(document["aggregates"][0]["error"].as_str().unwrap().contains("na_rm"));
    assert!(document["aggregates"][1]["overall"]["att"].is_f64());
    assert!(!document["warnings"].as_array().unwrap().is_empty());
}

#[test]
fn every_format_is_written() {
    let asked = ["--aggregate", "dynamic", "--format"];
    let formatted = |format: &'static str| stdout(&mpdta(&[&asked[..], &[format]].concat()));
    let table = formatted("table");
    assert!(table.starts_with("Group-Time Average Treatment Effects\n"));
    assert!(table.contains("\n\nAverage Effects by Length of Exposure\n"));
    assert!(table.ends_with("Std. Errors: analytic\n"));
    assert!(formatted("markdown").contains("|---:|"));
    assert_eq!(formatted("latex").matches(r"\end{table}").count(), 2);
    let csv = formatted("csv");
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows.len(), 1 + 12 + 7 + 1);
    assert!(rows[0].starts_with("type,term,group,time,at,att,se,"));
    assert!(rows[1].starts_with("att_gt,\"ATT(2004, 2004)\",2004,2004,,-0.0105"));
    assert!(rows[13].starts_with("dynamic,ATT(-3),,,-3,0.0305"));
    assert!(rows[20].starts_with("dynamic,overall,,,,"));
}

#[test]
fn a_saved_result_gives_the_same_aggregates() {
    let saved = temporary("saved.json");
    let asked = [
        "--aggregate",
        "dynamic",
        "--aggregate",
        "simple",
        "--aggregate",
        "group:max_e=1",
        "--aggregate",
        "calendar",
        "--aggregate",
        "dynamic:max_e=-9",
        "--format",
        "json",
    ];
    let boot = ["--boot", "--biters", "500", "--save", &saved];
    let fit = parsed(&mpdta(&[&asked[..], &boot].concat()));
    assert_eq!(fit["warnings"], json!([]));
    let again = parsed(&[&["aggregate", &saved], &asked[..]].concat());
    assert_close(&again["aggregates"], &fit["aggregates"], SAVED);
    for key in ["estimator", "backend", "precision", "n_units", "n_rows"] {
        assert_eq!(again[key], fit[key], "{key}");
    }
    let width = |row: &Value| row["ci_upper"].as_f64().unwrap() - row["ci_lower"].as_f64().unwrap();
    let narrow =
        parsed(&[&["aggregate", &saved, "--no-cband", "--alp", "0.1"], &asked[..]].concat());
    let row = |document: &Value| width(&document["aggregates"][0]["rows"][0]);
    assert!(row(&narrow) < row(&fit));
    let csv = stdout(&["aggregate", &saved, "--aggregate", "simple", "--format", "csv"]);
    assert_eq!(csv.lines().count(), 2);
}

#[test]
fn an_aggregate_command_without_any_result_fails() {
    let saved = temporary("empty-window.json");
    stdout(&mpdta(&["--save", &saved]));
    let message = failure(1, &["aggregate", &saved, "--aggregate", "dynamic:min_e=9"]);
    assert!(message.contains("no event time"), "{message}");
    failure(1, &["plot", &saved, "--out", "never.png", "--aggregate", "dynamic:min_e=9"]);
}

#[test]
fn plots_are_written() {
    let (saved, png, svg) = (temporary("plot.json"), temporary("es.png"), temporary("es.svg"));
    stdout(&mpdta(&["--aggregate", "dynamic", "--plot", &png, "--save", &saved]));
    assert!(fs::read(&png).unwrap().starts_with(b"\x89PNG"));

    let draw = ["plot", &saved, "--out", &svg, "--title", "Teen employment"];
    let size = ["--width", "640", "--height", "480", "--x-label", "Years", "--y-label", ""];
    let drawn = |more: &[&str]| {
        stdout(&[&draw[..], &size, more].concat());
        fs::read_to_string(&svg).unwrap()
    };
    let event_study = drawn(&["--aggregate", "dynamic"]);
    assert!(event_study.contains("640") && event_study.contains("<svg"));
    assert_ne!(drawn(&["--aggregate", "group"]), event_study);
    assert_ne!(drawn(&[]), event_study);
    stdout(&["aggregate", &saved, "--aggregate", "calendar", "--plot", &svg]);
    failure(2, &["plot", &saved, "--out", &svg, "--aggregate", "simple"]);
    failure(2, &["plot", &saved, "--out", "es.gif"]);
    failure(2, &["plot", &saved, "--out", &svg, "--width", "640"]);
    failure(2, &["plot", &saved, "--out", &svg, "--width", "5", "--height", "5"]);
}

#[test]
fn bad_command_lines_exit_with_2() {
    let bad = |more: &[&str], expected: &str| {
        let message = failure(2, &mpdta(more));
        assert!(message.contains(expected), "{message}");
    };
    bad(&["--frobnicate"], "--frobnicate");
    bad(&["--aggregate", "weekly"], "unknown type `weekly`");
    bad(&["--aggregate", "dynamic:e=1"], "unknown option `e`");
    bad(&["--aggregate", "dynamic:min_e=low"], "`min_e` must be a number");
    bad(&["--aggregate", "dynamic:balance_e=-1"], "`balance_e` must be a whole number");
    bad(&["--aggregate", "dynamic:na_rm"], "key=value");
    bad(&["--control-group", "everyone"], "nevertreated");
    bad(&["--anticipation", "-1"], "--anticipation");
    bad(&["--alp", "1.5"], "between 0 and 1");
    bad(&["--xformla", "~ poly(lpop, 2)"], "poly()");
    bad(
        &["--clustervars", "countyreal,lpop,treat"],
        "at most one cluster variable beyond the unit",
    );
    bad(&["--cband", "--no-cband"], "cannot be used with");
    bad(&["--plot", "es.pdf"], ".png or .svg");
    bad(&["--memory-budget", "lots"], "expected bytes");
    bad(&["--boot", "--biters", "0"], "at least 1");
    bad(&["--device", "1"], "cpu backend");
    bad(&["--vcov"], "--format json");
    bad(&["--allow-unbalanced-panel", "--repeated-cross-sections"], "allow_unbalanced_panel");
    let message = failure(2, &["att-gt", MPDTA, "--tname", "year", "--gname", "first.treat"]);
    assert!(message.contains("--yname"), "{message}");
    let message = failure(2, &[&["att-gt", MPDTA], &COLUMNS[..4], &COLUMNS[6..]].concat());
    assert!(message.contains("hint: name the unit column by --idname"), "{message}");
    assert!(failure(2, &["aggregate", "fit.json"]).contains("--aggregate"));
}

#[test]
fn bad_data_exit_with_1() {
    let columns = |data: &str, yname: &str| {
        let rest = &COLUMNS[2..];
        failure(1, &[&["att-gt", data, "--yname", yname, "--format", "json"], rest].concat())
    };
    assert!(columns("missing.csv", "lemp").contains("missing.csv: no such file"));
    assert!(columns(MPDTA, "wage").contains("column `wage` (outcome) is not in the data"));
    let text = temporary("text.csv");
    fs::write(&text, "countyreal,year,first.treat,lemp\n1,2003,0,high\n1,2004,0,low\n").unwrap();
    assert!(columns(&text, "lemp").contains("column `lemp` (outcome) has type"));
    fs::write(&text, "countyreal,year,first.treat,lemp\n1,2003,0,1\n1,2003,0,2\n").unwrap();
    assert!(columns(&text, "lemp").contains("hint: for rows that are not a panel"));
    let message = failure(1, &["aggregate", MPDTA, "--aggregate", "simple"]);
    assert!(message.contains("saved result") && message.contains("hint: "), "{message}");
    let done = burn_did(&mpdta(&["--save", "no/such/folder/fit.json"]));
    assert_eq!(done.status.code(), Some(1));
    assert!(text_of(&done).contains("no/such/folder/fit.json"));
}

fn text_of(done: &Output) -> &str {
    text(&done.stderr)
}

#[test]
fn the_unit_is_no_cluster_beyond_itself() {
    let cells =
        |more: &[&str]| parsed(&mpdta(&[more, &["--format", "json"]].concat()))["cells"].clone();
    let plain = cells(&[]);
    assert_eq!(cells(&["--clustervars", "countyreal"]), plain);
    let clustered = cells(&["--clustervars", "countyreal,lpop"]);
    assert_ne!(clustered, plain);
    assert_eq!(cells(&["--cluster", "lpop", "--cluster", "countyreal"]), clustered);
    // Rows that are units of their own can be clustered by what would be the unit of a panel.
    let rows = ["--repeated-cross-sections", "--clustervars"];
    assert_ne!(cells(&[&rows[..], &["countyreal"]].concat()), cells(&rows[..1]));
}

#[test]
fn bands_follow_the_options() {
    let critical = |more: &[&str]| {
        let document = parsed(&mpdta(&[more, &["--format", "json"]].concat()));
        document["critical_value"].as_f64().unwrap()
    };
    assert!((critical(&[]) - 1.96).abs() < 0.001);
    assert!(critical(&["--cband"]) > 2.5);
    assert!(critical(&["--boot", "--biters", "2000"]) > 2.5);
    assert!((critical(&["--boot", "--no-cband", "--alp", "0.1"]) - 1.645).abs() < 0.001);
    let seeded = |seed| critical(&["--boot", "--seed", seed, "--multiplier", "webb"]);
    assert_eq!(seeded("1"), seeded("1"));
    assert_ne!(seeded("1"), seeded("2"));
}

#[test]
fn help_is_as_documented() {
    for command in ["", "att-gt", "aggregate", "plot"] {
        let args: Vec<&str> = [command, "--help"].into_iter().filter(|a| !a.is_empty()).collect();
        let name = if command.is_empty() { "burn-did" } else { command };
        let path = root().join(format!("tests/snapshots/{name}.txt"));
        let help = stdout(&args);
        if std::env::var_os("BURN_DID_UPDATE").is_some() {
            fs::write(&path, &help).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(help, expected, "rewrite {} with BURN_DID_UPDATE=1", path.display());
    }
}

/// Cases of R `did` that go through every option of the sample and of the estimator.
const GOLDEN: [&str; 13] = [
    "mpdta__dr_nev_var_a0_xlpop_p_w0",
    "mpdta__ipw_nyt_uni_a0_xlpop_p_w0",
    "mpdta__reg_nev_var_a0_x0_rc_w0",
    "antic_a__reg_nyt_uni_a2_xx1-x2_p_w0",
    "nonever_a__dr_nyt_var_a1_xx1-x2_p_w0",
    "rcs_a__ipw_nev_uni_a0_xx1-x2_rc_w",
    "rcs_a__reg_nev_var_a0_xx1-x2_rc_w0_cl-cl",
    "small_a__ipw_nyt_var_a0_xxsep_p_w0",
    "stag_a__dr_nyt_uni_a0_xx1-x2_p_w_cl-cl",
    "stag_a__reg_nev_var_a0_xx1-x2_rc_w",
    "tvw_a__ipw_nev_var_a0_xx1-x2_p_w_fw-varying",
    "tvw_a__ipw_nev_var_a0_xx1-x2_p_w_fw-base_period",
    "unbal_a__ipw_nev_var_a0_xx1-x2_p_w_unb_cl-cl",
];

#[test]
fn golden_cases_agree() {
    for id in GOLDEN {
        let dataset = id.split("__").next().unwrap();
        let file = fs::read_to_string(root().join(format!("tests/golden/{dataset}.json"))).unwrap();
        let golden: Value = serde_json::from_str(&file).unwrap();
        let cases = golden["cases"].as_array().unwrap();
        let case = cases.iter().find(|c| c["id"] == id).unwrap_or_else(|| panic!("no case {id}"));
        compare(id, &golden, case, &parsed(&arguments(dataset, &golden["columns"], case)));
    }
}

/// The case as a command line.
fn arguments(dataset: &str, columns: &Value, case: &Value) -> Vec<&'static str> {
    let mut args: Vec<String> = vec!["att-gt".into(), data(dataset)];
    let mut option = |name: &str, value: &Value| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if !value.is_null() {
            args.extend([format!("--{name}"), text]);
        }
    };
    option("yname", &columns["outcome"]);
    option("tname", &columns["time"]);
    option("gname", &columns["group"]);
    option("idname", &columns["unit"]);
    option("weightsname", &case["weights"]);
    option("fix-weights", &case["fix_weights"]);
    option("clustervars", &case["cluster"]);
    option("anticipation", &case["anticipation"]);
    option("est-method", &case["method"]);
    if let Some(names) = case["covariates"].as_array() {
        let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
        option("xformla", &json!(format!("~ {}", names.join(" + "))));
    }
    for aggregate in case["aggregates"].as_array().unwrap() {
        let given = |key: &&str| !aggregate[*key].is_null();
        let options = ["min_e", "max_e", "balance_e", "na_rm"].into_iter().filter(given);
        let options: Vec<String> = options.map(|k| format!("{k}={}", aggregate[k])).collect();
        let kind = aggregate["type"].as_str().unwrap();
        option("aggregate", &json!(format!("{kind}:{}", options.join(","))));
    }
    for (field, flag) in [
        ("not_yet_treated", "--control-group=notyettreated"),
        ("universal", "--base-period=universal"),
        ("repeated_cross_sections", "--repeated-cross-sections"),
        ("unbalanced", "--allow-unbalanced-panel"),
    ] {
        if case[field] == true {
            args.push(flag.into());
        }
    }
    args.push("--format=json".into());
    args.into_iter().map(|a| &*a.leak()).collect()
}

/// The data with every field written out: a blank one repeats that of the row above.
fn data(dataset: &str) -> String {
    if dataset == "mpdta" {
        return MPDTA.into();
    }
    let source = fs::read_to_string(root().join(format!("tests/golden/{dataset}.csv"))).unwrap();
    let mut above: Vec<&str> = Vec::new();
    let mut out = String::new();
    for line in source.lines() {
        let fields = line.split(',').enumerate();
        above = fields.map(|(j, f)| if f.is_empty() { above[j] } else { f }).collect();
        out += &above.join(",");
        out.push('\n');
    }
    let path = temporary(&format!("{dataset}.csv"));
    fs::write(&path, out).unwrap();
    path
}

fn compare(id: &str, golden: &Value, case: &Value, got: &Value) {
    const TOLERANCE: f64 = 1e-6;
    let att = case["att"].as_array().unwrap();
    let largest = att.iter().filter_map(Value::as_f64).fold(0.0, |l: f64, a| l.max(a.abs()));
    let check =
        |what: &str, got: &Value, want: &Value, floor: f64| match (got.as_f64(), want.as_f64()) {
            (Some(g), Some(w)) => {
                let unit = g.abs().max(w.abs()).max(floor);
                assert!((g - w).abs() <= TOLERANCE * unit, "{id}, {what}: {g} against {w}");
            }
            (g, w) => assert_eq!(g, w, "{id}, {what}"),
        };
    let pair = |what: &str, got: &Value, att: &Value, se: &Value| {
        check(what, &got["att"], att, 1e-3 * largest);
        check(what, &got["se"], se, 0.0);
    };
    assert_eq!(got["n_units"], case["n"], "{id}");
    let grid = &golden["grids"][case["grid"].as_u64().unwrap() as usize];
    let cells = got["cells"].as_array().unwrap();
    assert_eq!(cells.len(), att.len(), "{id}");
    for (j, cell) in cells.iter().enumerate() {
        assert_eq!((&cell["group"], &cell["time"]), (&grid["group"][j], &grid["time"][j]), "{id}");
        pair(&format!("cell {j}"), cell, &att[j], &case["se"][j]);
    }
    check("wald", &got["wald"]["stat"], &case["wald"], 0.0);
    let aggregates = case["aggregates"].as_array().unwrap();
    for (got, want) in got["aggregates"].as_array().unwrap().iter().zip(aggregates) {
        assert_eq!(got["type"], want["type"], "{id}");
        assert_eq!(got["error"].is_null(), want["error"].is_null(), "{id}: {got}");
        if !want["error"].is_null() {
            continue;
        }
        pair("overall", &got["overall"], &want["att"], &want["se"]);
        let none = Vec::new();
        let rows = want["rows"].as_array().unwrap_or(&none);
        assert_eq!(got["rows"].as_array().unwrap().len(), rows.len(), "{id}");
        for (got, want) in got["rows"].as_array().unwrap().iter().zip(rows) {
            assert_eq!(got["at"].as_f64(), want[0].as_f64(), "{id}");
            pair("row", got, &want[1], &want[2]);
        }
    }
}
