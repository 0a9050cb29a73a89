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
    for words in ["Callaway-Sant'Anna", "Sun-Abraham", "Average", "p-value", "500 clusters"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let picture = std::fs::read_to_string(picture).unwrap();
    assert!(picture.contains("Callaway-Sant'Anna") || picture.contains("Callaway-Sant&apos;Anna"));
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
fn what_is_wrong_is_said() {
    let error = failure(2, &study(&["--estimators", "cs,borusyak"]));
    assert!(error.contains("borusyak") && error.contains("cs"), "{error}");
    let error = failure(1, &study(&["--clustervars", "state"]));
    assert!(error.contains("`state`"), "{error}");
}
