//! Golden cases of R `did` on the command line.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::run::{MPDTA, burn_did, root, temporary, text};

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
        let done = burn_did(&arguments(dataset, &golden["columns"], case));
        // An aggregate that cannot be formed is the exit status.
        let all = case["aggregates"].as_array().unwrap().iter().all(|a| a["error"].is_null());
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(i32::from(!all)), "{id}: {said}");
        compare(id, &golden, case, &serde_json::from_slice(&done.stdout).unwrap());
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

/// The data with every field written out, once for all tests: a blank field repeats that of the row above.
pub fn data(dataset: &str) -> String {
    static WRITTEN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    if dataset == "mpdta" {
        return MPDTA.into();
    }
    let mut written = WRITTEN.lock().unwrap();
    written.entry(dataset.to_owned()).or_insert_with(|| write(dataset)).clone()
}

fn write(dataset: &str) -> String {
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
    let place =
        |row: &Value| ["event_time", "group", "time"].iter().find_map(|key| row[*key].as_f64());
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
        check(what, &got["estimate"], att, 1e-3 * largest);
        check(what, &got["se"], se, 0.0);
    };
    assert_eq!(got["about"]["n_units"], case["n"], "{id}");
    let grid = &golden["grids"][case["grid"].as_u64().unwrap() as usize];
    let cells = got["cells"].as_array().unwrap();
    assert_eq!(cells.len(), att.len(), "{id}");
    for (j, cell) in cells.iter().enumerate() {
        assert_eq!((&cell["group"], &cell["time"]), (&grid["group"][j], &grid["time"][j]), "{id}");
        pair(&format!("cell {j}"), cell, &att[j], &case["se"][j]);
    }
    check("wald", &got["about"]["wald_stat"], &case["wald"], 0.0);
    let aggregates = case["aggregates"].as_array().unwrap();
    for (got, want) in got["aggregates"].as_array().unwrap().iter().zip(aggregates) {
        assert_eq!(got["error"].is_null(), want["error"].is_null(), "{id}: {got}");
        if !want["error"].is_null() {
            continue;
        }
        assert_eq!(got["about"]["type"], want["type"], "{id}");
        pair("overall", &got["overall"], &want["att"], &want["se"]);
        let none = Vec::new();
        let rows = want["rows"].as_array().unwrap_or(&none);
        // R leaves out event times of which it estimates no cell.
        let estimated = |row: &&Value| row["status"] != "no_estimate";
        let found: Vec<&Value> = got["rows"].as_array().unwrap().iter().filter(estimated).collect();
        assert_eq!(found.len(), rows.len(), "{id}");
        for (got, want) in found.into_iter().zip(rows) {
            assert_eq!(place(got), want[0].as_f64(), "{id}");
            pair("row", got, &want[1], &want[2]);
        }
    }
}
