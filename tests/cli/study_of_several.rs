//! `burn-did study`.

use super::run::{MPDTA, failure, parsed, stdout, temporary};

const COLUMNS: [&str; 10] = [
    "study",
    MPDTA,
    "--yname",
    "lemp",
    "--tname",
    "year",
    "--idname",
    "countyreal",
    "--gname",
    "first.treat",
];

fn study<'a>(more: &[&'a str]) -> Vec<&'a str> {
    COLUMNS.into_iter().chain(more.iter().copied()).collect()
}

#[test]
fn several_estimators_stand_side_by_side_with_their_differences() {
    let picture = temporary("several.svg");
    let text = stdout(&study(&["--max-e", "2", "--plot", &picture]));
    let shown = ["Callaway-Sant'Anna", "Sun-Abraham", "dCDH", "Average", "p-value", "500 clusters"];
    for words in shown {
        assert!(text.contains(words), "{words}: {text}");
    }
    let picture = std::fs::read_to_string(picture).unwrap();
    assert!(picture.contains("Callaway-Sant'Anna") || picture.contains("Callaway-Sant&apos;Anna"));
    let note = "effects of Imputation and Two-stage are not relative to event time -1";
    assert!(picture.contains(note) && picture.contains("Effect (lemp)"), "{picture}");
    let saved = temporary("several.json");
    let arguments = ["--estimators", "sa,cs", "--cband", "--save", &saved, "--format", "json"];
    let document = parsed(&study(&arguments));
    assert_eq!(document["kind"], "joint_study");
    assert_eq!(document["result"]["estimators"][0]["estimator"], "sa");
    assert!(document["about"]["critical_value"].as_f64().unwrap() > 2.5);
    let again = temporary("several-again.svg");
    stdout(&["plot", &saved, "--out", &again]);
    assert!(std::fs::read_to_string(again).unwrap().starts_with("<svg"));
}

#[test]
fn choices_are_varied_and_drawn() {
    let (picture, saved) = (temporary("curve.svg"), temporary("curve.json"));
    let vary = ["--vary", "control_group,est_method,covariates", "--xformla", "~ lpop"];
    let text = stdout(&study(&[&vary[..], &["--plot", &picture, "--save", &saved]].concat()));
    for words in ["Specification Curve", "combinations", "(main)", "Largest |t|", "500 clusters"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let picture = std::fs::read_to_string(picture).unwrap();
    for words in ["Comparison units", "never treated", "lpop", "Main specification"] {
        assert!(picture.contains(words), "{words}");
    }
    let some = ["--estimators", "cs", "--vary", "anticipation=0,1,sample=all,without:2004"];
    let document = parsed(&study(&[&some[..], &["--format", "json"]].concat()));
    assert_eq!(document["kind"], "specification_curve");
    assert_eq!(document["specifications"].as_array().unwrap().len(), 4);
    assert_eq!(document["specifications"][1]["sample"], "all");
    assert_eq!(document["about"]["n_combinations"], 4);
    let table = stdout(&["compare", &saved, &saved, "--names", "one,other"]);
    assert!(table.contains("Callaway-Sant'Anna"), "{table}");
    let error = failure(2, &study(&["--vary", "control_group,borders"]));
    assert!(error.contains("borders") && error.contains("est_method"), "{error}");
    let error = failure(2, &study(&["--vary", "covariates"]));
    assert!(error.contains("terms to vary"), "{error}");
}

#[test]
fn what_is_wrong_is_said() {
    let error = failure(2, &study(&["--estimators", "cs,borusyak"]));
    assert!(error.contains("borusyak") && error.contains("cs"), "{error}");
    let error = failure(1, &study(&["--clustervars", "state"]));
    assert!(error.contains("`state`"), "{error}");
}
