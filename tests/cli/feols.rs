//! Regressions with fixed effects on the command line.

use std::fs;

use polars::prelude::{ParquetReader, SerReader};
use serde_json::Value;

use crate::run::{burn_did, failure, keys, parsed, root, sorted, stdout, temporary};

const DATA: &str = "tests/golden/fepois.csv";

fn golden(name: &str) -> Value {
    let file = fs::read_to_string(root().join(format!("tests/golden/{name}.json"))).unwrap();
    serde_json::from_str(&file).unwrap()
}

fn near(id: &str, got: &Value, expected: &Value, allowed: f64) {
    let (got, expected) = (got.as_f64().unwrap(), expected.as_f64().unwrap());
    let off = (got - expected).abs() / got.abs().max(expected.abs());
    assert!(off <= allowed, "{id}: {got} is off {expected} by {off:.1e}");
}

fn compare(name: &str, family: &str) {
    let golden = golden(name);
    let data = format!("tests/golden/{}.csv", golden["dataset"].as_str().unwrap());
    for case in golden["cases"].as_array().unwrap() {
        let id = case["id"].as_str().unwrap();
        let mut args = vec!["feols", &data, case["formula"].as_str().unwrap(), "--format", "json"];
        args.extend(["--family", family, "--vcov", case["vcov"].as_str().unwrap()]);
        if let Some(weights) = case["weights"].as_str() {
            args.extend(["--weightsname", weights]);
        }
        if case["keep_singletons"] == true {
            args.push("--keep-singletons");
        }
        let document = parsed(&args);
        assert_eq!(
            (&document["about"]["n_rows"], &document["about"]["estimator"]),
            (&case["n"], &"feols".into()),
            "{id}"
        );
        let coefficients = document["coefficients"].as_array().unwrap();
        for (j, c) in coefficients.iter().enumerate() {
            near(id, &c["estimate"], &case["coef"][j], 1e-7);
            near(id, &c["se"], &case["se"][j], 1e-7);
        }
        assert_eq!(document["result"]["vcov"].as_array().unwrap().len(), coefficients.len());
    }
}

#[test]
fn golden_cases_agree() {
    compare("feols_fe3_a", "gaussian");
    compare("fepois", "poisson");
}

#[test]
fn the_document_has_the_keys_of_its_reference() {
    let document = parsed(&["feols", DATA, "y ~ x1 + sector | firm + year", "--format", "json"]);
    assert_eq!(
        keys(&document),
        ["about", "coefficients", "format", "kind", "notes", "result", "warnings"]
    );
    for key in
        ["estimator", "n_rows", "n_singletons", "df_k", "df_t", "r2", "r2_within", "iterations"]
    {
        assert!(!document["about"][key].is_null(), "{key}");
    }
    let coefficient =
        sorted(["term", "estimate", "se", "statistic", "p_value", "ci_lower", "ci_upper"]);
    assert_eq!(keys(&document["coefficients"][0]), coefficient);
    assert_eq!(document["about"]["dropped"], "sector");
    assert_eq!(document["result"]["dropped"], serde_json::json!(["sector"]));
    assert_eq!(document["result"]["solver"]["columns"].as_array().unwrap().len(), 3);
    assert!(document["warnings"][0].as_str().unwrap().contains("sector"));
}

#[test]
fn other_formats_plots_and_saved_results() {
    let picture = temporary("feols.svg");
    let saved = temporary("feols.json");
    let formula = "y ~ i(year, ref = 2003) + x1 | firm";
    let text = stdout(&[
        "feols",
        DATA,
        formula,
        "--vcov",
        "cluster:firm",
        "--plot",
        &picture,
        "--save",
        &saved,
    ]);
    assert!(
        text.contains("year::2004") && text.contains("clustered by firm (80 clusters)"),
        "{text}"
    );
    assert!(fs::read_to_string(picture).unwrap().starts_with("<svg"));
    assert!(fs::read_to_string(saved).unwrap().contains("\"year\""));
    assert!(stdout(&["feols", DATA, formula, "--format", "latex"]).contains("\\toprule"));
    assert!(stdout(&["feols", DATA, formula, "--format", "markdown"]).contains("| x1 |"));
    assert!(
        stdout(&["feols", DATA, formula, "--format", "csv", "--quiet"])
            .starts_with("term,estimate,se")
    );
}

#[test]
fn columns_are_written_without_their_fixed_effects() {
    let out = temporary("demean.parquet");
    let args = ["demean", DATA, "--columns", "y,`x1`", "--absorb", "firm,year", "--out", &out];
    let document = parsed(&args);
    let names = document["columns"].as_array().unwrap().iter().map(|column| &column["name"]);
    assert_eq!(names.collect::<Vec<_>>(), ["y", "x1"]);
    assert!(document["columns"][1]["stop"].is_string());
    let frame = ParquetReader::new(fs::File::open(out).unwrap()).finish().unwrap();
    assert_eq!((frame.height(), frame.get_column_names()[1].as_str()), (2_400, "x1"));
    let sum: f64 = frame.column("y").unwrap().f64().unwrap().iter().flatten().sum();
    let mean = sum / 2_400.0;
    assert!(mean.abs() < 1e-9, "{mean}");
}

#[test]
fn what_is_wrong_is_said() {
    for (code, args, expected) in [
        (2, &["feols", DATA, "y ~ x1 | f[x]"][..], "`[` at character 11"),
        (2, &["feols", DATA, "y x1 | firm"], "`x1` at character 3"),
        (1, &["feols", DATA, "y ~ x9 | firm"], "column `x9` (regressor)"),
        (1, &["feols", DATA, "y ~ sector | firm"], "no regressor is left"),
        (1, &["feols", DATA, "x1 ~ x2", "--family", "poisson"], "outcomes of zero or more"),
        (1, &["feols", DATA, "y ~ x1", "--vcov", "cluster:`a,b`"], "column `a,b` (cluster)"),
        (2, &["demean", DATA, "--columns", "y", "--absorb", "firm", "--out", "a.csv"], "parquet"),
        (2, &["feols", DATA, "y ~ x1", "--memory-budget", "1GiB"], "--memory-budget"),
        (2, &["feols", DATA, "y ~ x1", "--plot", "a.svg"], "the formula has none"),
    ] {
        if args.contains(&"--plot") {
            let done = burn_did(args);
            assert_eq!(done.status.code(), Some(code));
            continue;
        }
        let message = failure(code, args);
        assert!(message.contains(expected), "{args:?}: {message}");
    }
    for (option, value, expected) in [
        ("--vcov", "heteroskedastic", "must be iid, hetero, hc2, hc3"),
        ("--vcov", "robust", "must be hetero (HC1), hc2 or hc3"),
        ("--vcov", "cluster", "as in cluster:firm"),
        ("--vcov", "cluster:a,b,c", "one factor of clusters or two"),
        ("--ssc", "k_fixef=some", "none, nonnested, full"),
        ("--ssc", "adj=true", "must be k_adj, k_fixef"),
        ("--family", "tobit", "gaussian"),
    ] {
        let message = failure(2, &["feols", DATA, "y ~ x1", option, value]);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn clusters_by_another_name_are_hinted_at() {
    let done = burn_did(&["feols", DATA, "y ~ x1", "--cluster", "firm"]);
    assert_eq!(done.status.code(), Some(2));
    let message = std::str::from_utf8(&done.stderr).unwrap();
    assert!(
        message.contains("hint: clusters are part of --vcov, as in --vcov cluster:firm"),
        "{message}"
    );
}

/// Two series of one `i()`, none of which has a reference.
#[test]
fn all_series_of_an_interaction_are_drawn() {
    let picture = temporary("series.svg");
    let formula = "lemp ~ 0 + i(year, i.treat)";
    stdout(&["feols", "src/data/mpdta.csv", formula, "--plot", &picture, "--quiet"]);
    let drawn = fs::read_to_string(&picture).unwrap();
    assert!(drawn.contains("treat = 0") && drawn.contains("treat = 1"), "{drawn}");
    assert!(!drawn.contains("eference") && drawn.contains("Coefficient"), "{drawn}");
    let formula = "lemp ~ i(year, treat, ref = 2003) | countyreal + year";
    stdout(&["feols", "src/data/mpdta.csv", formula, "--plot", &picture, "--quiet"]);
    assert!(fs::read_to_string(&picture).unwrap().contains("After the reference"));
}

/// Print has names in words, standard errors under estimates and one head over an interval.
#[test]
fn printed_tables_are_as_in_print() {
    let formula = "lemp ~ i(year, treat, ref = 2003) | countyreal + year";
    let run = |format: &str| {
        stdout(&["feols", "src/data/mpdta.csv", formula, "--format", format, "--quiet"])
    };
    let (latex, markdown) = (run("latex"), run("markdown"));
    assert!(latex.contains("year = 2004 $\\times$ treat & "), "{latex}");
    assert!(
        latex
            .contains("\\caption{Least Squares with Fixed Effects: lemp}\n\\label{tab:feols-lemp}")
    );
    assert!(markdown.contains("| year = 2004 × treat | "), "{markdown}");
    for text in [&latex, &markdown] {
        assert!(
            text.contains("p-value") && !text.contains("Solver") && !text.contains("Std. Error ")
        );
        assert!(text.contains("95\\% CI") || text.contains("| 95% CI |"), "{text}");
    }
    assert!(run("csv").starts_with("term,estimate,se,"));
    assert!(run("table").contains("95% CI from"));
}

#[test]
fn saved_regressions_are_drawn_and_judged() {
    let (saved, picture) = (temporary("event.json"), temporary("event.svg"));
    let formula = "lemp ~ i(year, treat, ref = 2003) | countyreal + year";
    stdout(&["feols", "src/data/mpdta.csv", formula, "--save", &saved, "--quiet"]);
    stdout(&["plot", &saved, "--out", &picture, "--title", "Minimum wage"]);
    assert!(fs::read_to_string(&picture).unwrap().contains("Minimum wage"));
    let message = failure(2, &["plot", &saved, "--out", &picture, "--aggregate", "dynamic"]);
    assert!(message.contains("--aggregate"), "{message}");
    let formula = "lemp ~ i(year, treat, ref = 2005) | countyreal + year";
    stdout(&["feols", "src/data/mpdta.csv", formula, "--save", &saved, "--quiet"]);
    let robust =
        parsed(&["honest", &saved, "--mbar", "0,1", "--event-time", "2006", "--format", "json"]);
    assert_eq!(robust["intervals"].as_array().unwrap().len(), 2);
    stdout(&["feols", DATA, "y ~ x1 | firm", "--save", &saved, "--quiet"]);
    let message = failure(2, &["plot", &saved, "--out", &picture]);
    assert!(message.contains("no i()"), "{message}");
}
