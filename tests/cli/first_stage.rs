//! `burn-did imputation` and `burn-did two-stage`.

use serde_json::json;

use crate::run::{COLUMNS, MPDTA, failure, keys, parsed, stdout, temporary};

fn asked<'a>(command: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [command, MPDTA].into_iter().chain(COLUMNS).chain(more.iter().copied()).collect()
}

#[test]
fn imputation_has_every_format_and_a_picture_and_is_analysed() {
    let document = parsed(&asked("imputation", &["--format", "json"]));
    assert_eq!(
        keys(&document),
        ["about", "effects", "format", "kind", "notes", "result", "warnings"]
    );
    assert_eq!(document["effects"].as_array().map(Vec::len), Some(8));
    assert_eq!(document["about"]["n_treated"], json!(291));
    let [picture, again, saved] =
        [temporary("bjs.svg"), temporary("bjs-again.svg"), temporary("bjs.json")];
    stdout(&asked("imputation", &["--plot", &picture, "--save", &saved]));
    stdout(&["plot", &saved, "--out", &again]);
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    assert_eq!(read(&picture), read(&again));
    let honest = stdout(&["honest", &saved, "--mbar", "0.5,1"]);
    assert!(honest.contains("0.5") && honest.contains("jump at it"), "{honest}");
    let pretrends = stdout(&["pretrends", &saved]);
    for words in ["Power of the Test of Pre-Trends", "`burn-did sunab`"] {
        assert!(pretrends.contains(words), "{pretrends}");
    }
    let document = parsed(&["honest", &saved, "--m", "0", "--format", "json"]).to_string();
    assert!(document.contains("jump_at_treatment"), "{document}");
    let shown = stdout(&["compare", &saved, &saved, "--names", "A,B"]);
    assert!(shown.contains("Overall ATT") && shown.contains("Event time 0"), "{shown}");
}

#[test]
fn imputation_takes_the_options_of_stata() {
    let horizons = asked(
        "imputation",
        &["--horizon", "0,1", "--pretrends", "-2,-1", "--hbalance", "--groups", "--leave-out"],
    );
    let shown = stdout(&horizons);
    for words in ["By group:", "left out of the averages", "2006"] {
        assert!(shown.contains(words), "{words} is not in\n{shown}");
    }
    let csv = stdout(&asked("imputation", &["--pretrends", "none", "--format", "csv"]));
    assert!(!csv.contains("event_time,-1"), "{csv}");
    let by = stdout(&asked("imputation", &["--averaged-by", "event", "--cell-averages", "r"]));
    assert!(by.contains("Effects averaged by event time") && by.contains("didimputation"), "{by}");
    let factors = stdout(&asked(
        "imputation",
        &["--absorb", "first.treat,year", "--xformla", "~ lpop", "--wtr", "lpop", "--sum"],
    ));
    assert!(factors.contains("lemp ~ lpop | first.treat + year"), "{factors}");
    assert!(factors.contains("Averages with weights:"), "{factors}");
}

#[test]
fn two_stages_have_every_format_and_are_analysed() {
    let document = parsed(&asked("two-stage", &["--ref", "-1", "--groups", "--format", "json"]));
    assert_eq!(document["kind"], json!("two_stage"));
    assert_eq!(document["effects"].as_array().map(Vec::len), Some(11));
    let [picture, saved] = [temporary("gardner.svg"), temporary("gardner.json")];
    stdout(&asked("two-stage", &["--plot", &picture, "--save", &saved]));
    assert!(std::fs::read_to_string(&picture).unwrap().starts_with("<svg"));
    assert!(stdout(&["honest", &saved, "--mbar", "0.5,1"]).contains("0.5"));
    let shown = stdout(&asked("two-stage", &["--second-stage", "~ treat + treat:lpop"]));
    assert!(shown.contains("Second stage:") && shown.contains("treat:lpop"), "{shown}");
    let error = failure(1, &asked("two-stage", &["--second-stage", "~ nothing"]));
    assert!(error.contains("nothing"), "{error}");
}

#[test]
fn what_is_wrong_is_said() {
    let error = failure(2, &asked("imputation", &["--pretrends", "some"]));
    assert!(error.contains("-3,-2,-1"), "{error}");
    let error = failure(2, &asked("imputation", &["--horizon", "-1"]));
    assert!(error.contains("horizon") && error.contains("from 0 on"), "{error}");
    let error = failure(2, &asked("imputation", &["--sum"]));
    assert!(error.contains("--wtr"), "{error}");
    let renamed = COLUMNS.map(|word| if word == "lemp" { "lmep" } else { word });
    let error = failure(1, &[&["imputation", MPDTA], &renamed[..]].concat());
    assert!(error.contains("did you mean `lemp`"), "{error}");
}
