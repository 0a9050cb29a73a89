//! `burn-did att-gt`, `aggregate` and `plot`: JSON, formats, files, messages and exit codes.

use std::fs;
use std::process::Output;

use serde_json::{Value, json};

use crate::run::*;

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
    let expected =
        ["about", "aggregates", "cells", "format", "kind", "notes", "result", "vcov", "warnings"];
    assert_eq!(keys(&document), expected);
    assert_eq!((&document["kind"], &document["format"]), (&json!("group_time"), &json!(2)));
    assert_eq!(document["warnings"], json!([]));
    let about = &document["about"];
    for (key, value) in [
        ("estimator", json!("att_gt")),
        ("backend", json!("ndarray")),
        ("precision", json!("f64")),
        ("n_units", json!(500)),
        ("n_rows", json!(2500)),
        ("band", json!("pointwise")),
    ] {
        assert_eq!(about[key], value, "{key}");
    }
    assert!((about["critical_value"].as_f64().unwrap() - 1.959_963_984_540_054).abs() < 1e-12);
    assert!(about["wald_p_value"].is_f64() && about["wald_df"].is_u64());
    let result = &document["result"];
    assert_eq!(keys(&result["timings"]), ["estimate", "inference", "ingest", "read", "total"]);
    assert!(result["timings"]["total"].as_f64().unwrap() > 0.0);
    assert_eq!(result["audit"]["periods"], json!([2003, 2004, 2005, 2006, 2007]));
    assert_eq!(result["audit"]["rows_in"], json!(2500));

    let cells = document["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 15);
    let fields = sorted([
        "group",
        "time",
        "estimate",
        "se",
        "ci_lower",
        "ci_upper",
        "p_value",
        "statistic",
        "status",
        "reason",
        "n_treated",
        "n_control",
        "largest_score_treated",
        "largest_score_control",
        "trimmed",
        "trimmed_share",
        "effective_control",
        "effective_control_sampling",
    ]);
    for cell in cells {
        assert_eq!(keys(cell), fields);
        assert!(cell["group"].is_i64() && cell["time"].is_i64());
    }
    let reference = &cells[0];
    assert_eq!((&reference["group"], &reference["time"]), (&json!(2004), &json!(2003)));
    assert_eq!(reference["status"], "reference");
    assert_eq!(reference["estimate"].as_f64(), Some(0.0));
    for missing in ["se", "ci_lower", "ci_upper", "p_value", "reason", "effective_control"] {
        assert!(reference[missing].is_null(), "{missing}");
    }
    let cell = &cells[1];
    assert_eq!(cell["status"], "ok");
    assert_eq!((&cell["n_treated"], &cell["n_control"]), (&json!(20), &json!(309)));
    let size = |key: &str| cell[key].as_f64().unwrap();
    assert!((size("effective_control_sampling") - 309.0).abs() < 1e-9);
    assert!(size("effective_control") > 1.0 && size("effective_control") < 309.0);
    assert!((cell["estimate"].as_f64().unwrap() + 0.014_529_9).abs() < 1e-5);

    let vcov = document["vcov"].as_array().unwrap();
    assert_eq!(vcov.len(), 15);
    let variance = vcov[1][1].as_f64().unwrap();
    assert!((variance.sqrt() - cell["se"].as_f64().unwrap()).abs() < 1e-15);

    let dynamic = &document["aggregates"][0];
    let expected =
        ["about", "asked", "format", "kind", "notes", "overall", "result", "rows", "warnings"];
    assert_eq!(keys(dynamic), expected);
    assert_eq!(dynamic["asked"], "dynamic:min_e=-1,max_e=2,balance_e=1,na_rm=true");
    // Group 2007 is not observed a period after its treatment.
    assert_eq!(dynamic["result"]["window"]["groups"], json!([2007]));
    let covariance = dynamic["result"]["vcov"].as_array().unwrap();
    assert_eq!(covariance.len(), dynamic["rows"].as_array().unwrap().len());
    for (key, value) in [
        ("type", json!("dynamic")),
        ("min_e", json!(-1)),
        ("max_e", json!(2)),
        ("balance_e", json!(1)),
        ("na_rm", json!(true)),
    ] {
        assert_eq!(dynamic["about"][key], value, "{key}");
    }
    for (row, at) in dynamic["rows"].as_array().unwrap().iter().zip([-1, 0, 1]) {
        assert_eq!(row["event_time"], json!(at));
        for key in ["estimate", "se", "ci_lower", "ci_upper", "p_value", "statistic"] {
            let has_error = row["status"] == "ok" || key == "estimate";
            assert_eq!(row[key].is_number(), has_error, "{row}");
            assert!(dynamic["overall"][key].is_f64(), "{key}");
        }
    }
    let simple = &document["aggregates"][1];
    assert_eq!((&simple["about"]["min_e"], &simple["rows"]), (&Value::Null, &json!([])));
}

#[test]
fn a_failed_aggregate_stands_in_its_place() {
    let asked = ["--aggregate", "dynamic:min_e=9", "--aggregate", "simple"];
    let json = burn_did(&mpdta(&[&asked[..], &["--format", "json"]].concat()));
    assert_eq!(json.status.code(), Some(1));
    let document: Value = serde_json::from_slice(&json.stdout).unwrap();
    let failed = &document["aggregates"][0];
    assert_eq!(keys(failed), ["asked", "code", "error"]);
    assert_eq!(failed["code"], "empty_window");
    assert_eq!(failed["asked"], "dynamic:min_e=9");
    assert!(failed["error"].as_str().unwrap().contains("no event time"));
    assert!(document["aggregates"][1]["overall"]["estimate"].is_f64());
    assert!(document.get("vcov").is_none());

    for format in ["table", "markdown", "latex", "csv", "json"] {
        let done = burn_did(&mpdta(&[&asked[..], &["--format", format]].concat()));
        assert_eq!(done.status.code(), Some(1), "{format}");
        let said = text(&done.stderr);
        assert!(said.starts_with("error: aggregate dynamic:min_e=9: no event time"), "{said}");
        assert!(
            text(&done.stdout).contains("imple") || text(&done.stdout).contains("Participating")
        );
    }
}

#[test]
fn failed_aggregates_are_said_of_quietly_too() {
    let asked = ["--aggregate", "dynamic:min_e=9", "--aggregate", "simple", "--quiet"];
    let done = burn_did(&mpdta(&asked));
    assert_eq!(done.status.code(), Some(1));
    assert!(text_of(&done).starts_with("error: aggregate dynamic:min_e=9: no event time"));
    let saved = temporary("partly.json");
    stdout(&mpdta(&["--save", &saved]));
    let both = ["--aggregate", "dynamic:max_e=-9", "--aggregate", "dynamic:min_e=9"];
    let done = burn_did(&[&["aggregate", &saved][..], &both].concat());
    assert_eq!((done.status.code(), text(&done.stdout)), (Some(1), ""));
    let message = text_of(&done);
    assert!(message.starts_with("error: aggregate dynamic:max_e=-9: no event time"), "{message}");
    assert!(message.contains("error: aggregate dynamic:min_e=9: no event time"), "{message}");
}

/// A picture of something else than was asked for is none.
#[test]
fn warnings_of_aggregates_stand_beside_csv() {
    let saved = temporary("ignored.json");
    stdout(&mpdta(&["--save", &saved]));
    let asked = ["--aggregate", "calendar:max_e=1", "--format", "csv"];
    for args in [mpdta(&asked), [&["aggregate", &saved][..], &asked].concat()] {
        let done = burn_did(&args);
        assert_eq!(done.status.code(), Some(0));
        assert!(text_of(&done).starts_with("warning: ") && text_of(&done).contains("max_e"));
    }
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
    let done = burn_did(&args);
    assert_eq!(done.status.code(), Some(1), "{}", text(&done.stderr));
    let document: Value = serde_json::from_slice(&done.stdout).unwrap();
    let cell = &document["cells"][0];
    assert_eq!((&cell["group"], &cell["status"]), (&json!(3), &json!("overlap")));
    assert!(cell["reason"].as_str().unwrap().contains("overlap"));
    assert!(cell["estimate"].is_null() && cell["se"].is_null());
    assert!(document["vcov"][0].as_array().unwrap().iter().all(Value::is_null));
    assert!(document["aggregates"][0]["error"].as_str().unwrap().contains("na_rm"));
    assert!(document["aggregates"][1]["overall"]["estimate"].is_f64());
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
    assert!(rows[0].starts_with("table,group,time,estimate,se,ci_lower,ci_upper,"));
    assert!(rows[0].ends_with(",type,event_time,left_out,note"), "{}", rows[0]);
    assert!(rows[1].starts_with("cells,2004,2004,-0.0105"), "{}", rows[1]);
    assert!(rows[13].starts_with("rows,,,0.0305") && rows[13].ends_with(",dynamic,-3,0,"));
    assert!(rows[20].starts_with("overall,,,") && rows[20].ends_with(",dynamic,,0,"));
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
        "--format",
        "json",
    ];
    let boot = ["--boot", "--biters", "500", "--save", &saved];
    let fit = parsed(&mpdta(&[&asked[..], &boot].concat()));
    assert_eq!(fit["warnings"], json!([]));
    let again = parsed(&[&["aggregate", &saved], &asked[..]].concat());
    assert_close(&again, &fit["aggregates"], SAVED);
    for key in ["estimator", "backend", "precision", "n_units", "n_rows"] {
        assert_eq!(again[0]["about"][key], fit["about"][key], "{key}");
    }
    let width = |row: &Value| row["ci_upper"].as_f64().unwrap() - row["ci_lower"].as_f64().unwrap();
    let narrow =
        parsed(&[&["aggregate", &saved, "--no-cband", "--alp", "0.1"], &asked[..]].concat());
    assert!(width(&narrow[0]["rows"][0]) < width(&again[0]["rows"][0]));
    let study = temporary("average.json");
    fs::write(&study, stdout(&["aggregate", &saved, "--aggregate", "dynamic", "--format", "json"]))
        .unwrap();
    assert!(stdout(&["honest", &study, "--mbar", "1"]).contains("Original"));
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
fn bad_command_lines_exit_with_2() {
    let bad = |more: &[&str], expected: &str| {
        let message = failure(2, &mpdta(more));
        assert!(message.contains(expected), "{message}");
    };
    bad(&["--frobnicate"], "--frobnicate");
    bad(&["--aggregate", "weekly"], "must be simple, dynamic, group, calendar");
    bad(&["--aggregate", "dynamic:e=1"], "min_e, max_e, balance_e or na_rm");
    bad(&["--aggregate", "dynamic:min_e=low"], "`min_e` must be a number");
    bad(&["--aggregate", "dynamic:balance_e=-1"], "`balance_e` must be a whole number");
    bad(&["--aggregate", "dynamic:na_rm"], "with its value");
    bad(&["--control-group", "everyone"], "never_treated");
    bad(&["--anticipation", "-1"], "--anticipation");
    bad(&["--alp", "1.5"], "between 0 and 1");
    bad(&["--xformla", "~ poly(lpop, 2)"], "poly()");
    bad(
        &["--clustervars", "countyreal,lpop,treat"],
        "at most one cluster variable beyond the unit",
    );
    bad(&["--cband", "--no-cband"], "cannot be used with");
    bad(&["--plot", "es.gif"], ".png, .svg or .pdf");
    bad(&["--title", "Effects"], "--plot");
    bad(&["--plot", "es.svg", "--colours", "red,blue"], "six hexadecimal digits");
    bad(&["--plot", "es.svg", "--colours", "#000000"], "two or three");
    bad(&["--plot", "es.svg", "--text-scale", "9"], "between 1/3 and 5");
    bad(&["--plot", "es.svg", "--style", "dots"], "points, line, ribbon, bars");
    bad(&["--memory-budget", "lots"], "expected bytes");
    bad(&["--boot", "--biters", "1"], "at least 2");
    for idle in ["--biters=9", "--seed=1", "--multiplier=webb"] {
        bad(&[idle], "--boot\n");
    }
    bad(&["--device", "1"], "cpu backend");
    bad(&["--vcov"], "--format json");
    let message = failure(2, &["att-gt", MPDTA, "--tname", "year", "--gname", "first.treat"]);
    assert!(message.contains("--yname"), "{message}");
    let message = failure(2, &[&["att-gt", MPDTA], &COLUMNS[..4], &COLUMNS[6..]].concat());
    assert!(message.contains("hint: name the unit column by --idname"), "{message}");
    assert!(failure(2, &["aggregate", "fit.json"]).contains("--aggregate"));
}

#[test]
fn cross_sections_have_no_panel_to_balance() {
    let cells = |more: &[&str]| {
        let given = [&["att-gt", MPDTA][..], &COLUMNS, more, &["--format", "json"]];
        parsed(&given.concat())["cells"].clone()
    };
    let sections = ["--repeated-cross-sections"];
    let both = ["--repeated-cross-sections", "--allow-unbalanced-panel"];
    assert_eq!(cells(&both), cells(&sections));
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
    assert!(columns(&text, "lemp").contains("column `lemp` (outcome) holds"));
    fs::write(&text, "countyreal,year,first.treat,lemp\n1,2003,0,1\n1,2003,0,2\n").unwrap();
    assert!(columns(&text, "lemp").contains("`burn-did panel deduplicate` keeps one"));
    let rows = "1,2003,0,1\n2,2004,0,2\n3,2003,2004,1\n4,2004,2004,3\n";
    fs::write(&text, format!("countyreal,year,first.treat,lemp\n{rows}")).unwrap();
    let message = columns(&text, "lemp");
    assert!(message.contains("hint: `att-gt` and `ddd` keep units"), "{message}");
    assert!(message.contains("otherwise add --repeated-cross-sections"), "{message}");
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
    assert_eq!(cells(&["--clusters", "lpop", "--clusters", "countyreal"]), clustered);
    // Rows that are units of their own can be clustered by what would be the unit of a panel.
    let rows = ["--repeated-cross-sections", "--clustervars"];
    assert_ne!(cells(&[&rows[..], &["countyreal"]].concat()), cells(&rows[..1]));
}

#[test]
fn bands_follow_the_options() {
    let critical = |more: &[&str]| {
        let document = parsed(&mpdta(&[more, &["--format", "json"]].concat()));
        document["about"]["critical_value"].as_f64().unwrap()
    };
    assert!((critical(&[]) - 1.96).abs() < 0.001);
    assert!(critical(&["--cband"]) > 2.5);
    assert!(critical(&["--boot", "--biters", "2000"]) > 2.5);
    assert!((critical(&["--boot", "--no-cband", "--alp", "0.1"]) - 1.645).abs() < 0.001);
    let seeded = |seed| critical(&["--boot", "--seed", seed, "--multiplier", "webb"]);
    assert_eq!(seeded("1"), seeded("1"));
    assert_ne!(seeded("1"), seeded("2"));
}

/// Influence values by unit, as files: their sums of squares are the standard errors.
#[test]
fn influence_values_are_written_by_unit() {
    use burn_did::audit::InfluenceFiles;
    use polars::prelude::*;

    let directory = temporary("influence");
    let _ = fs::remove_dir_all(&directory);
    let document = parsed(&mpdta(&["--influence", &directory, "--format", "json"]));
    let path = std::path::Path::new(&directory).join("00000.parquet");
    let rows = ParquetReader::new(fs::File::open(&path).unwrap()).finish().unwrap();
    let names: Vec<&str> = rows.get_column_names().into_iter().map(|n| n.as_str()).collect();
    assert_eq!(names[..2], ["unit", "att(2004,2004)"]);
    assert_eq!((rows.height(), rows.width()), (500, 13));
    let psi = rows.column("att(2006,2007)").unwrap().f64().unwrap();
    let squares: f64 = psi.iter().flatten().map(|psi| psi * psi).sum();
    let cells = document["cells"].as_array().unwrap();
    let cell = cells.iter().find(|c| (&c["group"], &c["time"]) == (&json!(2006), &json!(2007)));
    let se = cell.unwrap()["se"].as_f64().unwrap();
    assert!((squares.sqrt() / 500.0 - se).abs() < 1e-12);
    for file in [&directory, path.to_str().unwrap()] {
        let said = failure(1, &["aggregate", file, "--aggregate", "dynamic"]);
        assert!(["influence values", "--save FILE"].iter().all(|w| said.contains(w)), "{said}");
    }
    // Nothing is mixed with what is there.
    let again = failure(1, &mpdta(&["--influence", &directory]));
    assert!(again.contains("influence: has files already"), "{again}");
    assert!(InfluenceFiles::make_room(&directory).is_err());
}
