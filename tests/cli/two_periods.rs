//! `burn-did drdid` and `burn-did ddd`.

use std::fs;

use serde_json::{Value, json};

use crate::golden::data;
use crate::run::{burn_did, deviation, failure, keys, parsed, root, stdout, temporary, text};

const DRDID: [&str; 8] = ["--yname", "y", "--tname", "t", "--idname", "id", "--treatname", "d"];

fn golden(name: &str) -> Value {
    let path = root().join(format!("tests/golden/{name}.json"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn case<'a>(golden: &'a Value, id: &str) -> &'a Value {
    let cases = golden["cases"].as_array().unwrap();
    cases.iter().find(|c| c["id"] == id).unwrap_or_else(|| panic!("no case {id}"))
}

#[test]
fn every_estimator_name_gives_the_numbers_of_its_function() {
    let golden = golden("drdid_two_a");
    let file = data("two_a");
    let cases = golden["cases"].as_array().unwrap().iter();
    let cases: Vec<&Value> =
        cases.filter(|case| case["id"].as_str().unwrap().ends_with("_xx1-x2_w")).collect();
    assert_eq!(cases.len(), 13);
    for case in cases {
        let estimator = case["estimator"].as_str().unwrap();
        let options = ["--xformla", "~ x1 + x2", "--weightsname", "w", "--estimator", estimator];
        let document =
            parsed(&[&["drdid", &file][..], &DRDID, &options, &["--format", "json"]].concat());
        assert_eq!(
            (&document["about"]["estimator"], &document["about"]["function"]),
            (&json!("drdid"), &json!(estimator))
        );
        assert_eq!(document["effect"]["status"], json!("ok"));
        for (ours, theirs) in
            [("estimate", "att"), ("se", "se"), ("ci_lower", "lci"), ("ci_upper", "uci")]
        {
            let off = deviation(&document["effect"][ours], &case[theirs]);
            assert!(off < 2e-5, "{estimator}, {ours}: off by {off:.1e}");
        }
        let units = if estimator.ends_with("panel") { 800 } else { 1600 };
        assert_eq!(document["about"]["n_units"], json!(units));
    }
}

/// The effect of two periods stands beside averages of group-time effects, of which it is the simplest.
#[test]
fn the_effect_stands_beside_averages() {
    let file = data("two_a");
    let [drdid, att_gt] = ["beside-drdid.json", "beside-att-gt.json"].map(temporary);
    stdout(&[&["drdid", &file][..], &DRDID, &["--save", &drdid, "--quiet"]].concat());
    let mpdta = crate::run::mpdta(&["--save", &att_gt, "--quiet"]);
    stdout(&mpdta);
    let both = ["compare", &drdid, &att_gt, "--aggregate", "simple"];
    let table = stdout(&both);
    assert!(table.contains("\n Overall ATT "), "{table}");
    assert_eq!(stdout(&both[..2]).matches("\n ATT ").count(), 1);
    // A hint proposes nothing that was given.
    let bacon = temporary("beside-bacon.json");
    let columns = ["--yname", "lemp", "--tname", "year", "--idname", "countyreal"];
    let options = ["--gname", "first.treat", "--save", &bacon, "--quiet"];
    stdout(&[&["bacon", "src/data/mpdta.csv"], &columns[..], &options].concat());
    let plain = ["compare", &bacon, &att_gt];
    assert!(failure(2, &plain).contains("as in --aggregate dynamic"));
    let error = failure(2, &[&plain[..], &["--aggregate", "dynamic"]].concat());
    assert!(error.contains("`burn-did compare` of one file shows the rows"), "{error}");
}

/// A method has the name that Python and R give it, and the option that of the other commands.
#[test]
fn a_method_alone_is_that_of_a_panel_or_of_rows() {
    let file = data("two_a");
    let about = |more: &[&str]| {
        let options = ["--xformla", "~ x1", "--format", "json"];
        parsed(&[&["drdid", &file][..], &DRDID, &options, more].concat())
    };
    for (method, function) in [
        ("imp", "drdid_imp"),
        ("trad", "drdid"),
        ("reg", "reg_did"),
        ("std_ipw", "std_ipw_did"),
        ("ipw_horvitz_thompson", "ipw_did"),
        ("twfe", "twfe_did"),
    ] {
        let rows = ["--repeated-cross-sections", "--est-method", method];
        for (asked, of) in [(&rows[1..], "panel"), (&rows[..], "rc")] {
            let function = format!("{function}_{of}");
            let by_name = about(&["--estimator", &function]);
            assert_eq!(about(asked)["effect"], by_name["effect"], "{method} {of}");
            assert_eq!(about(asked)["about"]["function"], json!(function));
        }
    }
    let refused = failure(2, &[&["drdid", &file][..], &DRDID, &["--est-method", "ipw"]].concat());
    assert!(refused.contains("std_ipw"), "{refused}");
}

#[test]
fn two_periods_have_one_document_and_every_format() {
    let file = data("two_a");
    let run = |more: &[&str]| stdout(&[&["drdid", &file][..], &DRDID, more].concat());
    let saved = temporary("drdid.json");
    let document: Value =
        serde_json::from_str(&run(&["--format", "json", "--save", &saved])).unwrap();
    let expected = ["about", "effect", "format", "kind", "notes", "result", "warnings"];
    assert_eq!(keys(&document), expected);
    assert!(document["effect"]["effective_control"].as_f64().unwrap() > 1.0);
    let written: Value = serde_json::from_str(&fs::read_to_string(&saved).unwrap()).unwrap();
    assert_eq!(written, document);
    assert!(run(&[]).contains("Estimator: Improved Doubly Robust (drdid_imp_panel)"));
    assert!(run(&["--format", "markdown"]).contains("| ATT"));
    assert!(run(&["--format", "latex"]).contains(r"\toprule"));
    let csv = run(&["--format", "csv"]);
    assert!(csv.lines().nth(1).is_some_and(|row| row.contains(",ok,")), "{csv}");
    assert!(run(&["--repeated-cross-sections"]).contains("(drdid_imp_rc)"));
}

#[test]
fn an_effect_that_cannot_be_estimated_is_said_by_the_exit_status() {
    let file = data("two_a");
    let trimmed = ["--xformla", "~ x1", "--trim-level", "0.000001"];
    let done = burn_did(&[&["drdid", &file][..], &DRDID, &trimmed].concat());
    assert_eq!(done.status.code(), Some(1));
    let (table, said) = (text(&done.stdout), text(&done.stderr));
    assert!(said.contains("warning: the effect has no estimate: "), "{said}");
    assert!(table.contains("Warning: the effect has no estimate: "), "{table}");
}

#[test]
fn bootstraps_depend_on_type_and_seed() {
    let file = data("two_a");
    let se = |more: &[&str]| {
        let options = ["--xformla", "~ x1 + x2", "--boot", "--biters", "60", "--format", "json"];
        let document = parsed(&[&["drdid", &file][..], &DRDID, &options, more].concat());
        document["effect"]["se"].as_f64().unwrap()
    };
    let weighted = se(&["--seed", "1"]);
    assert_eq!(weighted, se(&["--seed", "1", "--boot-type", "weighted"]));
    assert_ne!(weighted, se(&["--seed", "2"]));
    assert_ne!(weighted, se(&["--seed", "1", "--boot-type", "multiplier"]));
}

#[test]
fn an_estimator_of_rows_can_be_clustered_by_unit() {
    let file = data("two_a");
    let run = |more: &[&str]| {
        let options = ["--estimator", "drdid_rc", "--xformla", "~ x1", "--format", "json"];
        parsed(&[&["drdid", &file][..], &DRDID, &options, more].concat())
    };
    let (plain, clustered) = (run(&[]), run(&["--clustervars", "id"]));
    assert_eq!(plain["effect"]["estimate"], clustered["effect"]["estimate"]);
    assert!(deviation(&plain["effect"]["se"], &clustered["effect"]["se"]) > 1e-3);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let file = data("two_a");
    let message = failure(
        2,
        &[
            &["drdid", &file][..],
            &DRDID,
            &["--repeated-cross-sections", "--estimator", "drdid_panel"],
        ]
        .concat(),
    );
    assert!(message.contains("panel estimator"), "{message}");
    let message = failure(2, &[&["drdid", &file][..], &DRDID, &["--estimator", "did"]].concat());
    assert!(message.contains("drdid_imp_rc1"), "{message}");
    let named = ["--yname", "y", "--tname", "t", "--idname", "id", "--treatname", "x1"];
    let message = failure(1, &[&["drdid", &file][..], &named].concat());
    assert!(message.contains("`x1` (treatment) must be 0 or 1"), "{message}");
}

const DDD: [&str; 10] = [
    "--yname",
    "y",
    "--tname",
    "time",
    "--idname",
    "id",
    "--gname",
    "state",
    "--pname",
    "partition",
];

#[test]
fn a_triple_difference_has_one_cell_and_three_comparisons() {
    let file = data("ddd2p_a");
    let golden = golden("ddd_ddd2p_a");
    let case = case(&golden, "ddd2p_a__ddd_dr_2p_2p_xcov1-cov2-cov3-cov4_p_w0");
    let covariates = ["--xformla", "~ cov1 + cov2 + cov3 + cov4", "--format", "json"];
    let document = parsed(&[&["ddd", &file][..], &DDD, &covariates].concat());
    assert_eq!(document["about"]["estimator"], json!("ddd"));
    let [cell] = document["cells"].as_array().unwrap().as_slice() else { panic!("one cell") };
    assert!(deviation(&cell["estimate"], &case["att"]) < 1e-6);
    assert!(deviation(&cell["se"], &case["se"]) < 1e-6);
    let did = |name: &str| document["result"]["comparisons"][0][name].as_f64().unwrap();
    let att = cell["estimate"].as_f64().unwrap();
    assert!(
        (did("treated_ineligible") + did("untreated_eligible") - did("untreated_ineligible") - att)
            .abs()
            < 1e-9 * att.abs()
    );
    let table = stdout(&[&["ddd", &file][..], &DDD].concat());
    for part in
        ["by Triple Differences", "Eligibility: partition", "DiD with untreated and eligible"]
    {
        assert!(table.contains(part), "{table}");
    }
}

const STAGGERED: [&str; 8] = ["--yname", "y", "--tname", "t", "--idname", "id", "--gname", "g"];

#[test]
fn units_with_missing_periods_are_kept_as_r_keeps_them() {
    let file = data("ddd_oracle_unbalanced");
    let options = ["--pname", "q", "--xformla", "~ x1 + x2", "--control-group", "notyettreated"];
    let cells = |more: &[&str]| {
        let given = [&["ddd", &file][..], &STAGGERED, &options, more, &["--format", "json"]];
        parsed(&given.concat())["cells"].clone()
    };
    let kept = cells(&["--allow-unbalanced-panel"]);
    assert_eq!(kept, cells(&["--unbalanced", "rows"]));
    assert_ne!(kept, cells(&["--unbalanced", "pairs"]));
    let golden = golden("ddd_oracle");
    let wanted = &case(&golden, "unbalanced_dr_x1-x2_nyt_var_rows")["cells"];
    for (cell, want) in kept.as_array().unwrap().iter().zip(wanted.as_array().unwrap()) {
        assert_eq!((&cell["group"], &cell["time"]), (&want[0], &want[1]));
        assert!(deviation(&cell["estimate"], &want[2]) < 1e-6, "{cell} against {want}");
    }
}

#[test]
fn cross_sections_have_no_units_that_lack_periods() {
    let file = data("ddd_oracle_sections");
    let cells = |more: &[&str]| {
        let columns = ["--yname", "y", "--tname", "t", "--gname", "g", "--pname", "q"];
        let options = ["--repeated-cross-sections", "--format", "json"];
        parsed(&[&["ddd", &file][..], &columns, &options, more].concat())["cells"].clone()
    };
    assert_eq!(cells(&["--allow-unbalanced-panel"]), cells(&[]));
}

#[test]
fn groups_are_weighted_by_eligible_units_or_by_all() {
    let (file, saved) = (data("ddd_shares"), temporary("ddd_shares.json"));
    let columns =
        ["--yname", "y", "--tname", "t", "--idname", "id", "--gname", "g", "--pname", "q"];
    let average = |more: &[&str]| {
        let options = ["--est-method", "reg", "--aggregate", "group", "--format", "json"];
        let given = [&["ddd", &file][..], &columns, &options, more].concat();
        parsed(&given)["aggregates"][0]["overall"]["estimate"].as_f64().unwrap()
    };
    // ModernDiD 0.4.1.
    assert!((average(&["--save", &saved]) - 4.301_124_708_36).abs() < 1e-9);
    assert!((average(&["--shares-of", "eligible"]) - 4.301_124_708_36).abs() < 1e-9);
    assert!((average(&["--shares-of", "all"]) - 4.301_124_708_36).abs() > 1.0);
    let table = stdout(&["aggregate", &saved, "--aggregate", "group"]);
    assert!(table.contains("4.3011") && table.contains("Group Shares: Eligible Units"), "{table}");
}

#[test]
fn staggered_triple_differences_aggregate_save_and_draw() {
    let file = data("dddlong_a");
    let (saved, picture) = (temporary("ddd.json"), temporary("ddd.png"));
    let options = [
        "--pname",
        "part",
        "--control-group",
        "notyettreated",
        "--aggregate",
        "dynamic",
        "--format",
        "json",
        "--save",
        &saved,
        "--plot",
        &picture,
    ];
    let document = parsed(&[&["ddd", &file][..], &STAGGERED, &options].concat());
    let golden = golden("ddd_dddlong_a");
    let case = case(&golden, "dddlong_a__ddd_reg_nyt_var_x0_p_w0");
    for (cell, (att, se)) in document["cells"]
        .as_array()
        .unwrap()
        .iter()
        .zip(case["att"].as_array().unwrap().iter().zip(case["se"].as_array().unwrap()))
    {
        assert!(deviation(&cell["estimate"], att) < 1e-9 && deviation(&cell["se"], se) < 1e-9);
    }
    let comparisons = document["result"]["comparisons"].as_array().unwrap();
    let weight = |c: &Value| c["weight"].as_f64().unwrap();
    let of_cell = |c: &&Value| c["group"] == json!(3) && c["time"] == json!(3);
    let weights: Vec<f64> = comparisons.iter().filter(of_cell).map(weight).collect();
    assert_eq!(weights.len(), 2);
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(fs::metadata(&picture).unwrap().len() > 1000);
    let again = parsed(&["aggregate", &saved, "--aggregate", "dynamic", "--format", "json"]);
    let own = &document["aggregates"][0]["overall"]["se"];
    assert!(deviation(&again["overall"]["se"], own) < 1e-12);
}
