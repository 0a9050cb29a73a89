//! `burn-did pretrends`.

use std::fs;

use serde_json::json;

use crate::run::{failure, keys, mpdta, parsed, root, stdout, temporary};

/// The event study of He and Wang (2017), in the words of R `HonestDiD`.
fn study() -> String {
    root().join("tests/golden/pretrends.json").display().to_string()
}

#[test]
fn numbers_of_the_r_package_are_printed() {
    let table = stdout(&["pretrends", &study(), "--power", "0.5", "--slope", "0.05205871"]);
    assert!(table.contains("Slope 0.05207 (power 50%):"), "{table}");
    let linear = table.split("Slope 0.05206 (power 49.99%):").last().unwrap();
    // R prints 0.12084694 for the second effect, and integrates to 1e-3.
    for numbers in ["-0.0923", "-0.0556", "-0.0279", "0.0649", "0.1209", "0.1695", "0.2245"] {
        assert!(linear.contains(numbers), "{numbers} is not in\n{table}");
    }
}

#[test]
fn equivalence_is_at_the_level_of_the_test() {
    let said = |more: &[&str], level: &str| {
        let table = stdout(&[&["pretrends", &study()][..], more].concat());
        let words = format!("Equivalence before the reference period, at the level {level}:");
        assert!(table.contains(&words), "{table}");
    };
    said(&[], "5%");
    said(&["--alp", "0.1"], "10%");
}

#[test]
fn documents_have_the_keys_that_are_documented() {
    let document = parsed(&["pretrends", &study(), "--threshold", "0.3", "--format", "json"]);
    assert_eq!(
        keys(&document),
        [
            "about",
            "equivalence",
            "format",
            "kind",
            "notes",
            "periods",
            "power",
            "result",
            "warnings"
        ]
    );
    assert_eq!((&document["kind"], &document["format"]), (&json!("pretrends"), &json!(2)));
    let estimate = ["estimate", "se", "ci_lower", "ci_upper", "p_value", "statistic"];
    let with = |own: &[&'static str]| {
        let mut names = [&estimate[..], own].concat();
        names.sort_unstable();
        names
    };
    let power = ["alternative", "slope", "bayes_factor", "likelihood_ratio", "error"];
    assert_eq!(keys(&document["power"][0]), with(&power));
    let periods = ["alternative", "event_time", "violation", "after_passing"];
    assert_eq!(keys(&document["periods"][0]), with(&periods));
    let equivalence = ["of", "event_time", "smallest_threshold", "equivalence_p_value"];
    assert_eq!(keys(&document["equivalence"][0]), with(&equivalence));
    assert_eq!(document["about"]["passed"], json!(true));
}

#[test]
fn saved_fits_are_analysed() {
    let saved = temporary("pretrends-fit.json");
    stdout(&mpdta(&["--save", &saved]));
    let table = stdout(&["pretrends", &saved, "--test", "joint", "--threshold", "0.2"]);
    for words in [
        "Wald test",
        "the base period varies",
        "Violations of at most 0.2",
        "Event times: -4 to -2 before treatment, 0 to 3 after",
    ] {
        assert!(table.contains(words), "{table}");
    }
    let [picture, result] = [temporary("pretrends.svg"), temporary("pretrends-result.json")];
    let args = ["pretrends", &saved, "--aggregate", "dynamic:min_e=-3", "--format", "csv"];
    stdout(&[&args[..], &["--plot", &picture, "--save", &result]].concat());
    assert!(fs::read_to_string(&picture).unwrap().contains("Expected after passing the test"));
    let again = temporary("pretrends-again.svg");
    stdout(&["plot", &result, "--out", &again]);
    assert_eq!(fs::read_to_string(&picture).unwrap(), fs::read_to_string(&again).unwrap());
    for (format, words) in [("markdown", "| Violation"), ("latex", r"\toprule")] {
        assert!(stdout(&["pretrends", &saved, "--format", format]).contains(words));
    }
    assert!(failure(1, &["pretrends", &result]).contains("was saved by pretrends"));
}

#[test]
fn what_does_not_fit_is_refused() {
    let file = study();
    let refused = |code: i32, more: &[&str], words: &str| {
        let message = failure(code, &[&["pretrends", &file][..], more].concat());
        assert!(message.contains(words), "{message}");
    };
    refused(2, &["--power", "1"], "between 0 and 1");
    refused(2, &["--critical", "0"], "`critical`");
    refused(2, &["--violations", "1,2"], "the event times are -4, -3, -2, 0, 1, 2, 3");
    refused(2, &["--threshold=-1"], "`threshold`");
    refused(2, &["--aggregate", "dynamic"], "the file has an event study");
    refused(2, &["--aggregate", "group"], "must be dynamic");
}
