//! What tables, pictures and messages say of the numbers beside which they stand.

use std::fs;

use serde_json::json;

use crate::run::*;

/// A panel of 90 units in eight periods of a kind, whose cohorts are first treated in the fourth and the sixth.
fn dated(kind: &str) -> (String, String) {
    let period = |t: usize| match kind {
        "quarter" => format!("20{:02}-Q{}", 10 + t / 4, 1 + t % 4),
        _ => format!("2010-{:02}", 1 + t),
    };
    let mut csv = String::from("id,period,start,y\n");
    for unit in 0..90 {
        let start = [None, Some(3), Some(5)][unit % 3];
        for t in 0..8 {
            let effect = if start.is_some_and(|start| t >= start) { 4 } else { 0 };
            let y = (unit * 31 + t * 17) % 23 + effect;
            csv += &format!("{unit},{},{},{y}\n", period(t), start.map_or(String::new(), period));
        }
    }
    let data = temporary(&format!("told-{kind}.csv"));
    fs::write(&data, csv).unwrap();
    (data, kind.to_owned())
}

fn fitted<'a>(
    command: &'a str,
    (data, kind): &'a (String, String),
    more: &[&'a str],
) -> Vec<&'a str> {
    let columns = ["--yname", "y", "--tname", "period", "--idname", "id", "--gname", "start"];
    let frequency = ["--frequency", kind];
    [&[command, data][..], &columns, &frequency, more].concat()
}

#[test]
fn event_times_of_two_calendars_are_told_apart() {
    let files = ["quarter", "month"].map(|kind| {
        let saved = temporary(&format!("told-{kind}.json"));
        stdout(&fitted("att-gt", &dated(kind), &["--save", &saved, "--quiet"]));
        saved
    });
    let side_by_side = ["compare", &files[0], &files[1], "--aggregate", "dynamic"];
    let table = stdout(&side_by_side);
    let says = "Event times count: quarters for told-quarter; months for told-month";
    assert!(table.contains(says), "{table}");
    let picture = temporary("told.svg");
    let drawn = burn_did(&[&side_by_side[..], &["--plot", &picture]].concat());
    let message = text(&drawn.stderr);
    assert_eq!(drawn.status.code(), Some(1));
    assert!(message.contains("`Quarters since first treatment` and"), "{message}");
}

#[test]
fn pictures_of_regressions_count_periods_of_the_calendar() {
    let data = dated("quarter");
    let picture = temporary("told-quarters.svg");
    for command in ["att-gt", "sunab", "imputation", "two-stage", "etwfe", "lpdid", "stacked"] {
        let window = match command {
            "stacked" => &["--kappa-pre", "2", "--kappa-post", "1"][..],
            "lpdid" => &["--window=-3,2"],
            _ => &[],
        };
        let average = if command == "att-gt" { &["--aggregate", "dynamic"][..] } else { &[] };
        let more = [window, average, &["--plot", &picture, "--quiet"]].concat();
        stdout(&fitted(command, &data, &more));
        let drawn = fs::read_to_string(&picture).unwrap();
        assert!(drawn.contains("Quarters since first treatment"), "{command}");
    }
}

#[test]
fn pre_trends_of_a_bootstrap_have_the_standard_errors_that_they_name() {
    let saved = ["analytic", "drawn"].map(|name| temporary(&format!("told-{name}.json")));
    let base = ["--base-period", "universal", "--quiet", "--save"];
    stdout(&mpdta(&[&base[..], &[&saved[0]]].concat()));
    stdout(&mpdta(&[&base[..], &[&saved[1], "--boot", "--seed", "1"]].concat()));
    let periods = saved.each_ref().map(|file| {
        parsed(&["pretrends", file, "--slope", "0.01", "--format", "json"])["periods"].clone()
    });
    for (analytic, drawn) in
        periods[0].as_array().unwrap().iter().zip(periods[1].as_array().unwrap())
    {
        for key in ["event_time", "estimate", "se", "ci_lower", "ci_upper"] {
            assert_eq!(analytic[key], drawn[key], "{key}");
        }
    }
}

#[test]
fn every_estimator_says_that_a_treatment_status_is_no_group() {
    let text = fs::read_to_string(root().join(MPDTA)).unwrap();
    let mut csv = String::from("year,countyreal,lpop,lemp,first.treat\n");
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let status = u8::from(fields[4] != "0");
        csv += &format!("{},{},{},{},{status}\n", fields[0], fields[1], fields[2], fields[3]);
    }
    let data = temporary("told-status.csv");
    fs::write(&data, csv).unwrap();
    for command in [
        "att-gt",
        "sunab",
        "imputation",
        "two-stage",
        "etwfe",
        "lpdid",
        "stacked",
        "bacon",
        "twfe-weights",
        "study",
        "balance",
    ] {
        let window = match command {
            "stacked" => &["--kappa-pre", "1", "--kappa-post", "1"][..],
            "lpdid" => &["--window=-2,1"],
            _ => &[],
        };
        let covariates = if command == "balance" { &["--covariates", "lpop"][..] } else { &[] };
        let message = failure(1, &[&[command, &data][..], &COLUMNS, window, covariates].concat());
        assert!(
            message.contains("`first.treat` (group) holds only 0 and 1"),
            "{command}: {message}"
        );
    }
}

#[test]
fn dropped_rows_name_their_columns() {
    let data = temporary("told-nan.csv");
    let text = fs::read_to_string(root().join(MPDTA)).unwrap();
    fs::write(&data, text.replace(",2007,1", ",NaN,1")).unwrap();
    let groups: Vec<&str> = text.lines().filter(|line| line.contains(",2007,1")).collect();
    assert!(!groups.is_empty());
    let table = stdout(&[&["att-gt", &data][..], &COLUMNS].concat());
    let says = format!(
        "dropped {} rows with missing or infinite values ({0} for `first.treat`)",
        groups.len()
    );
    assert!(table.contains(&says), "{table}");
}

#[test]
fn letters_without_a_shape_are_said() {
    let saved = temporary("told-letters.json");
    stdout(&mpdta(&["--aggregate", "dynamic", "--save", &saved, "--quiet"]));
    let drawn = |name: &str, title: &str| {
        let picture = temporary(name);
        let drawn = burn_did(&["plot", &saved, "--out", &picture, "--title", title]);
        assert!(drawn.status.success());
        text(&drawn.stderr).to_owned()
    };
    assert!(
        drawn("told.png", "\u{4e2d}\u{6587} caf\u{e9}").contains("lacks \u{4e2d}\u{6587}, drawn")
    );
    assert_eq!(drawn("told.png", "caf\u{e9}"), "");
    assert_eq!(drawn("told.svg", "\u{4e2d}\u{6587}"), "");
}

#[test]
fn outcomes_that_do_not_vary_are_why_there_is_no_standard_error() {
    let mut csv = String::from("id,t,g,y\n");
    for unit in 0..40 {
        let group = [0, 3][unit % 2];
        for t in 1..=4 {
            csv += &format!("{unit},{t},{group},{}\n", u8::from(group > 0 && t >= group));
        }
    }
    let data = temporary("told-constant.csv");
    fs::write(&data, csv).unwrap();
    let columns = ["--yname", "y", "--tname", "t", "--idname", "id", "--gname", "g"];
    let table = stdout(&[&["att-gt", &data][..], &columns].concat());
    let says = "3 estimates have no standard error: the outcomes compared do not vary";
    assert!(table.contains(says), "{table}");
}

#[test]
fn the_first_effect_of_coefficients_by_year_is_the_first_after_the_reference() {
    let saved = temporary("told-years.json");
    let formula = "lemp ~ i(year, treat, ref = 2005) | countyreal + year";
    stdout(&["feols", MPDTA, formula, "--vcov", "cluster:countyreal", "--save", &saved, "--quiet"]);
    let of = |more: &[&str]| {
        parsed(&[&["honest", &saved, "--mbar", "0.5", "--format", "json"][..], more].concat())
    };
    assert_eq!(of(&[])["intervals"], of(&["--event-time", "2006"])["intervals"]);
    let table = stdout(&["honest", &saved, "--mbar", "0.5"]);
    assert!(table.contains("effect at event time 2006"), "{table}");
}

#[test]
fn averages_of_doses_need_no_other_program() {
    let data = crate::golden::data("cont_a");
    let saved = temporary("told-doses.json");
    let columns = [
        "--yname",
        "Y",
        "--tname",
        "time_period",
        "--idname",
        "id",
        "--dname",
        "D",
        "--gname",
        "G",
    ];
    stdout(&[&["cont-did", &data][..], &columns, &["--save", &saved, "--quiet"]].concat());
    let overall = |more: &[&str]| {
        let group = ["aggregate", &saved, "--aggregate", "group", "--format", "json"];
        parsed(&[&group[..], more].concat())["overall"].clone()
    };
    let document = parsed(&[&["cont-did", &data][..], &columns, &["--format", "json"]].concat());
    let [level, slope] = ["level", "slope"].map(|target| overall(&["--target-parameter", target]));
    assert_eq!(overall(&[]), level);
    assert!(level != slope);
    let close = |a: &serde_json::Value, b: &serde_json::Value| {
        assert!((a.as_f64().unwrap() - b.as_f64().unwrap()).abs() < 1e-12, "{a} {b}");
    };
    close(&level["estimate"], &document["overall"][0]["estimate"]);
    close(&slope["estimate"], &document["overall"][1]["estimate"]);
    let of_groups = temporary("told-groups.json");
    stdout(&mpdta(&["--save", &of_groups, "--quiet"]));
    let refused = ["aggregate", &of_groups, "--aggregate", "group", "--target-parameter", "slope"];
    assert!(failure(2, &refused).contains("--target-parameter is for a result of cont-did"));
}

#[test]
fn a_missing_feature_is_named() {
    let message = failure(2, &mpdta(&["--cluster", "df://localhost:50050"]));
    if !cfg!(feature = "ballista") {
        assert!(message.contains("needs a build with the feature `ballista`"), "{message}");
        assert!(failure(2, &["cluster"]).contains("feature `ballista`"));
    }
}

#[test]
fn instruments_have_more_segments_than_regressors() {
    let mut csv = String::from("y,x,w\n");
    for row in 0..400 {
        let (x, noise) = (f64::from(row) / 400.0, f64::from(row * 37 % 101) / 101.0);
        csv += &format!("{},{x},{}\n", (3.0 * x).sin() + noise, (x + noise) / 2.0);
    }
    let data = temporary("told-sieve.csv");
    fs::write(&data, csv).unwrap();
    let npiv = ["npiv", &data, "--yname", "y", "--xname", "x", "--wname", "w", "--format", "json"];
    let segments = |more: &[&str]| {
        let all = [&npiv[..], &["--biters", "50", "--j-x-segments", "2"], more].concat();
        parsed(&all)["result"]["w_segments"].clone()
    };
    assert_eq!(segments(&[]), json!(8));
    assert_eq!(segments(&["--k-w-smooth", "1"]), json!(4));
    assert_eq!(segments(&["--k-w-segments", "3"]), json!(3));
}

#[test]
fn a_second_stage_that_contradicts_the_groups_is_said() {
    let mut csv = String::from("id,t,g,y,post,later\n");
    for unit in 0..40 {
        let group = [0, 3][unit % 2];
        for t in 1..=5 {
            let treated = |from: i32| u8::from(group > 0 && t >= from);
            let y = (unit * 31 + t as usize * 17) % 23;
            csv += &format!("{unit},{t},{group},{y},{},{}\n", treated(3), treated(4));
        }
    }
    let data = temporary("told-second.csv");
    fs::write(&data, csv).unwrap();
    let columns = ["--yname", "y", "--tname", "t", "--idname", "id", "--gname", "g"];
    let table = |formula: &str| {
        stdout(&[&["two-stage", &data][..], &columns, &["--second-stage", formula]].concat())
    };
    let says = "`later` of the second stage is 0 in 20 rows that are treated by their groups";
    assert!(table("~ later").contains(says));
    assert!(!table("~ post").contains("of the second stage is 0"));
}

#[test]
fn mistakes_are_told_with_what_there_is() {
    let saved = temporary("told-window.json");
    stdout(&mpdta(&["--save", &saved, "--quiet"]));
    let failed = burn_did(&["aggregate", &saved, "--aggregate", "dynamic:min_e=9"]);
    let message = text(&failed.stderr);
    assert!(message.contains("(`min_e` = 9); event times are -3 to 3"), "{message}");
    let message = failure(2, &mpdta(&["--boot", "--biters", "1"]));
    assert!(message.contains("--biters must be at least 2"), "{message}");
    let message = failure(2, &["feols", MPDTA, "lemp ~ sunab(first.treat, year) | countyreal"]);
    assert!(message.contains("an estimator of its own here"), "{message}");
    let message = failure(2, &["feols", MPDTA, "lemp"]);
    assert!(message.contains("as in `y ~ x`"), "{message}");
}
