//! `burn-did cont-did` and `burn-did npiv`.

use std::fs;

use serde_json::{Value, json};

use crate::golden::data;
use crate::run::{
    burn_did, deviation, failure, keys, parsed, root, sorted, stdout, temporary, text,
};

const COLUMNS: [&str; 10] =
    ["--yname", "Y", "--tname", "time_period", "--idname", "id", "--gname", "G", "--dname", "D"];

fn golden(dataset: &str) -> Vec<Value> {
    let path = root().join(format!("tests/golden/cont_did_{dataset}.json"));
    let golden: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    golden["cases"].as_array().unwrap().clone()
}

/// The options of a golden case.
fn options(case: &Value) -> Vec<String> {
    let mut out = Vec::new();
    for (key, option) in [
        ("target_parameter", "--target"),
        ("aggregation", "--aggregation"),
        ("degree", "--degree"),
        ("num_knots", "--num-knots"),
        ("control_group", "--control-group"),
        ("base_period", "--base-period"),
        ("dose_est_method", "--dose-method"),
    ] {
        if let Some(value) = case.get(key) {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            out.extend([option.to_owned(), value]);
        }
    }
    if let Some(doses) = case.get("dvals").and_then(Value::as_array) {
        let doses: Vec<String> = doses.iter().map(ToString::to_string).collect();
        out.extend(["--dvals".to_owned(), doses.join(",")]);
        if case.get("dose_est_method").is_some() {
            // As the reference: dimensions are compared at the doses that are shown, and not damped.
            out.extend(["--compare-at".to_owned(), doses.join(","), "--no-damping".to_owned()]);
        }
    }
    out
}

fn fit(dataset: &str, more: &[&str]) -> Value {
    let file = data(dataset);
    parsed(&[&["cont-did", &file][..], &COLUMNS, more, &["--format", "json"]].concat())
}

/// Names in alphabetical order.
fn by_name(value: &Value) -> Vec<&str> {
    let mut names = keys(value);
    names.sort_unstable();
    names
}

#[test]
fn golden_cases_by_the_command() {
    for dataset in ["cont_a", "cont2_a"] {
        for case in golden(dataset).iter().step_by(3) {
            let own = options(case);
            let own: Vec<&str> = own.iter().map(String::as_str).collect();
            let document = fit(dataset, &own);
            let id = &case["id"];
            if let Some(study) = case.get("event_study") {
                let rows = document["event_study"].as_array().unwrap();
                for row in study.as_array().unwrap() {
                    let ours =
                        rows.iter().find(|r| r["event_time"].as_f64() == row[0].as_f64()).unwrap();
                    assert!(deviation(&ours["estimate"], &row[1]) < 1e-8, "{id}");
                }
                continue;
            }
            assert_eq!(document["event_study"], Value::Null);
            for (table, theirs) in [("effects", "att_d"), ("slopes", "acrt_d")] {
                for (at, ours) in document[table].as_array().unwrap().iter().enumerate() {
                    for (key, theirs) in [("estimate", theirs), ("dose", "dose")] {
                        let off = deviation(&ours[key], &case[theirs][at]);
                        assert!(off < 1e-8, "{id}, {table}, {key}, {at}: off by {off:e}");
                    }
                }
            }
            for (row, theirs) in [(0, "overall_att"), (1, "overall_acrt")] {
                let ours = &document["overall"][row]["estimate"];
                assert!(deviation(ours, &case[theirs]) < 1e-8, "{id}");
            }
        }
    }
}

#[test]
fn the_document_has_the_keys_that_are_documented() {
    let document = fit(
        "cont_a",
        &["--aggregation", "eventstudy", "--num-knots", "1", "--boot", "--biters", "100"],
    );
    let expected = sorted([
        "about",
        "effect_cells",
        "effects",
        "event_study",
        "event_study_overall",
        "format",
        "kind",
        "notes",
        "overall",
        "result",
        "slope_cells",
        "slopes",
        "warnings",
    ]);
    assert_eq!(by_name(&document), expected);
    assert_eq!(document["kind"], json!("cont_did"));
    let row = &document["effects"][0];
    let band = ["band_lower", "band_upper"].map(|end| row[end].as_f64().unwrap());
    let interval = ["ci_lower", "ci_upper"].map(|end| row[end].as_f64().unwrap());
    assert!(band[0] < interval[0] && interval[1] < band[1], "{row}");
    assert!(row["dose"].is_f64() && row["extrapolated"].is_u64(), "{row}");
    let parameters = document["overall"].as_array().unwrap().iter().map(|row| &row["parameter"]);
    assert_eq!(parameters.collect::<Vec<_>>(), ["ATT", "ACRT"]);
    assert!(document["about"]["critical_value_att"].as_f64().unwrap() > 1.96);
    assert_eq!(document["effects"].as_array().unwrap().len(), 50);
    assert_eq!(document["event_study"].as_array().unwrap().len(), 5);
    for cells in ["effect_cells", "slope_cells"] {
        let cell = &document[cells][0];
        assert!(cell["estimate"].is_f64() && cell["se"].is_f64() && cell["group"].is_u64());
    }
}

#[test]
fn doses_are_numbers_quantiles_or_a_grid() {
    let count =
        |doses: &str| fit("cont_a", &["--dvals", doses])["effects"].as_array().unwrap().len();
    assert_eq!((count("0.1,0.2"), count("quantiles:0.1:0.99:90"), count("grid:7")), (2, 90, 7));
    let file = data("cont_a");
    for bad in ["much", "grid:0", "grid:x", "quantiles:0.9:0.1:3", "0.1,,0.2"] {
        failure(2, &[&["cont-did", &file][..], &COLUMNS, &["--dvals", bad]].concat());
    }
}

#[test]
fn tables_files_and_pictures_are_written() {
    let file = data("cont_a");
    let (saved, picture) = (temporary("doses.json"), temporary("doses.svg"));
    let all =
        [&["cont-did", &file][..], &COLUMNS, &["--degree", "2", "--dvals", "0.2,0.5", "--quiet"]]
            .concat();
    let table = stdout(&[&all[..], &["--save", &saved, "--plot", &picture]].concat());
    assert!(table.contains("ACRT(d)") && table.contains("splines of degree 2"), "{table}");
    let fit = burn_did::ContDidResult::load(&saved).unwrap();
    assert_eq!(fit.dose.rows.len(), 2);
    assert!(fs::read_to_string(picture).unwrap().contains("ACRT(d)"));
    let csv = stdout(&[&all[..], &["--format", "csv"]].concat());
    assert!(csv.starts_with("table,parameter,estimate,se,"), "{csv}");
    let of = |table: &str| csv.lines().filter(|line| line.starts_with(table)).count();
    assert_eq!((of("overall,"), of("effects,"), of("slopes,")), (2, 2, 2), "{csv}");
    for format in ["markdown", "latex"] {
        assert!(stdout(&[&all[..], &["--format", format]].concat()).contains("ATT(d)"));
    }
    let study = stdout(&[&all[..], &["--aggregation", "eventstudy", "--target", "slope"]].concat());
    assert!(study.contains("ACRTs based on event-study"), "{study}");
}

/// Two event times of 0.4431 and 0.4432 are one to four digits, which only the event study says.
#[test]
fn warnings_of_the_event_study_are_said() {
    let regular = fs::read_to_string(data("cont_a")).unwrap();
    let irregular = |period: &str| match period {
        "1" => "0.1237".to_owned(),
        "2" => "0.7549".to_owned(),
        "3" => "1.198".to_owned(),
        "4" => "1.6412".to_owned(),
        never => never.to_owned(),
    };
    let mut lines = regular.lines();
    let mut csv = lines.next().unwrap().to_owned();
    for line in lines {
        let fields = line.split(',').enumerate();
        let fields = fields.map(|(j, f)| if j == 1 || j == 3 { irregular(f) } else { f.into() });
        csv += &format!("\n{}", fields.collect::<Vec<String>>().join(","));
    }
    let file = temporary("irregular.csv");
    fs::write(&file, csv).unwrap();
    let run = |more: &[&str]| {
        let all = [&["cont-did", &file][..], &COLUMNS, &["--dvals", "0.2"], more].concat();
        let done = burn_did(&all);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        done
    };
    let said = |text: &str| text.matches("not on a regular grid").count();
    let study = ["--aggregation", "eventstudy", "--format"];
    let document = run(&[&study[..], &["json"]].concat());
    let document: Value = serde_json::from_slice(&document.stdout).unwrap();
    let warnings = document["warnings"].to_string();
    assert!(said(&warnings) == 1 && warnings.contains("event study: "), "{warnings}");
    let csv = run(&[&study[..], &["csv"]].concat());
    assert_eq!(said(text(&csv.stderr)), 1, "{}", text(&csv.stderr));
    assert_eq!(said(text(&run(&[&study[..], &["csv", "--quiet"]].concat()).stderr)), 0);
    assert_eq!(said(text(&run(&["--format", "json"]).stdout)), 0);
}

#[test]
fn draws_of_units_and_sensitivity_by_the_command() {
    let file = data("cont_a");
    let saved = temporary("doses_drawn.json");
    let all = [&["cont-did", &file][..], &COLUMNS, &["--dvals", "0.2,0.5", "--quiet"]].concat();
    let drawn = ["--boot", "--boot-type", "empirical", "--biters", "50", "--seed", "3"];
    let table = stdout(&[&all[..], &drawn, &["--save", &saved]].concat());
    assert!(table.contains("empirical bootstrap (50 draws of units, seed 3)"), "{table}");
    assert_eq!(table, stdout(&[&all[..], &drawn].concat()));
    let other = stdout(&[&all[..], &drawn[..6], &["4"]].concat());
    assert_ne!(table, other);
    assert_eq!(
        burn_did::ContDidResult::load(&saved).unwrap().at(&[0.2, 0.5]).unwrap().rows.len(),
        2
    );
    let refused = failure(2, &[&all[..], &["--boot-type", "empirical"]].concat());
    assert!(refused.contains("--boot\n"), "{refused}");
    let honest = parsed(&["honest", &saved, "--mbar", "0.5,1", "--format", "json"]);
    assert_eq!(honest["intervals"].as_array().unwrap().len(), 2);
}

#[test]
fn what_is_wrong_with_doses_is_said() {
    let file = data("cont_a");
    let error =
        failure(1, &[&["cont-did", &file][..], &COLUMNS, &["--dose-method", "cck"]].concat());
    assert!(error.contains("two groups") || error.contains("two of each"), "{error}");
    let options = [
        "cont-did",
        &file,
        "--yname",
        "Y",
        "--tname",
        "time_period",
        "--idname",
        "id",
        "--dname",
        "Z",
    ];
    assert!(failure(1, &options).contains("`Z` (dose)"));
    // The column has its dose in all periods, so every treated unit is treated from the first.
    let derived = [
        "cont-did",
        &file,
        "--yname",
        "Y",
        "--tname",
        "time_period",
        "--idname",
        "id",
        "--dname",
        "D",
    ];
    let said = failure(1, &derived);
    assert!(said.contains("`D`") && said.contains("first period"), "{said}");
}

#[test]
fn functions_by_the_command() {
    let file = data("cont2_a");
    let options = [
        "npiv",
        &file,
        "--yname",
        "Y",
        "--xname",
        "D",
        "--j-x-segments",
        "2",
        "--x-eval",
        "grid:4",
    ];
    let document = parsed(&[&options[..], &["--format", "json"]].concat());
    assert_eq!(document["kind"], json!("npiv"));
    assert_eq!(document["function"].as_array().unwrap().len(), 4);
    assert_eq!(document["derivative"].as_array().unwrap().len(), 4);
    assert_eq!(document["result"]["choice"], Value::Null);
    assert_eq!(document["about"]["x_segments"], json!(2));
    assert!(document["about"]["critical_value"].as_f64().unwrap() > 1.96);
    let picture = temporary("npiv.png");
    let done = burn_did(&[&options[..], &["--plot", &picture]].concat());
    assert_eq!(text(&done.stderr), "");
    assert!(fs::metadata(picture).unwrap().len() > 10_000);
    assert!(
        failure(1, &["npiv", &file, "--yname", "Y", "--xname", "nothing"]).contains("`nothing`")
    );
    assert!(
        failure(2, &["npiv", &file, "--yname", "Y", "--xname", "D", "--deriv-index", "0"])
            .contains("--deriv-index")
    );
    let alone = ["--wname", "Z", "--k-w-segments", "4"];
    let refused =
        failure(2, &[&["npiv", &file, "--yname", "Y", "--xname", "D"][..], &alone].concat());
    assert!(refused.contains("--j-x-segments"), "{refused}");
}

/// Columns of the files in `tests/golden/doses`.
const SHORT: [&str; 10] =
    ["--yname", "y", "--tname", "t", "--idname", "id", "--gname", "g", "--dname", "d"];

fn fit_file(name: &str, more: &[&str]) -> Value {
    let file = root().join(format!("tests/golden/doses/{name}.csv")).display().to_string();
    parsed(&[&["cont-did", &file][..], &SHORT, more, &["--format", "json"]].concat())
}

#[test]
fn shares_and_corrected_errors_are_options() {
    let curve = ["--degree", "2", "--dvals", "0.8"];
    let se = |more: &[&str]| {
        let document = fit_file("shares", &[&curve[..], more].concat());
        document["effects"][0]["se"].as_f64().unwrap()
    };
    let (estimated, fixed) = (se(&[]), se(&["--shares", "fixed"]));
    assert!((estimated - 0.2065).abs() < 5e-5 && (fixed - 0.1135).abs() < 5e-5);
    assert_eq!(se(&["--shares", "estimated"]), estimated);
    assert!(se(&["--curve-errors", "hc1"]) > estimated);
    let refused = ["--dose-method", "cck", "--curve-errors", "hc1"];
    let file = data("cont2_a");
    let refused = failure(2, &[&["cont-did", &file][..], &COLUMNS, &refused].concat());
    assert!(refused.contains("curve_errors") && refused.contains("hc0"), "{refused}");
}

/// A saturated curve has no standard errors, in any format, and says why.
#[test]
fn what_has_no_standard_error_is_null_and_said() {
    let document = fit_file("edge_treated_4", &["--dvals", "0.3,0.5"]);
    for table in ["effects", "slopes"] {
        for row in document[table].as_array().unwrap() {
            assert!(row["estimate"].is_f64());
            assert!(row["se"].is_null() && row["ci_lower"].is_null());
        }
    }
    assert!(document["warnings"].to_string().contains("no standard error"));
    let level = fit_file("edge_few_doses_deg3", &["--dvals", "0.5"]);
    assert!((level["overall"][0]["estimate"].as_f64().unwrap() - 0.9245).abs() < 5e-5);
    assert!(level["warnings"].to_string().contains("group 3 has average effects but no curve"));
}

/// The dimension does not depend on the doses that are shown; that of the reference does.
#[test]
fn dimensions_are_compared_where_they_are_asked_to_be() {
    let overall = |more: &[&str]| {
        let document = fit("cont2_a", &[&["--dose-method", "cck"][..], more].concat());
        document["overall"][1]["estimate"].as_f64().unwrap()
    };
    let ten = "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9";
    assert_eq!(overall(&[]), overall(&["--dvals", ten]));
    assert_eq!(overall(&[]), overall(&["--dvals", "0.5"]));
    let reference = overall(&["--dvals", "0.5", "--compare-at", ten, "--no-damping"]);
    assert!((reference - 1.373_495_606_047).abs() < 1e-9, "{reference}");
}

#[test]
fn options_of_other_estimators_are_answered() {
    let file = data("cont2_a");
    let refused = |more: &[&str]| failure(2, &[&["cont-did", &file][..], &COLUMNS, more].concat());
    let covariates = refused(&["--xformla", "~ x"]);
    assert!(covariates.contains("a continuous treatment has no covariates"), "{covariates}");
    let sections = refused(&["--repeated-cross-sections"]);
    assert!(sections.contains("a continuous treatment needs a panel"), "{sections}");
}
