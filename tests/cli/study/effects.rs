//! Table 7 and figures 3, 4 and 6 to 9: group-time effects and their averages.

use serde_json::{Value, json};

use super::{COLUMNS, COVARIATES, WEIGHTED, adults, files, near, number, published, rounds_to};
use crate::run::{parsed, stdout, temporary};

/// What the figures can be read to.
const READ: f64 = 0.004;

/// Share that standard errors may differ by from those of a bootstrap of some thousand draws.
const DRAWN: f64 = 0.03;

/// Arguments of weighted effects with a universal base period.
fn arguments<'a>(file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let fixed = ["--gname", "treat_year", "--base-period", "universal", "--quiet"];
    [&["att-gt", file][..], &COLUMNS, &fixed, more].concat()
}

fn fit(file: &str, more: &[&str]) -> Value {
    parsed(&[&arguments(file, more)[..], &["--format", "json"]].concat())
}

/// The cell of a group and a year.
fn cell(document: &Value, group: i64, time: i64) -> &Value {
    let cells = document["cells"].as_array().unwrap();
    let is = |cell: &&Value| cell["group"] == json!(group) && cell["time"] == json!(time);
    cells.iter().find(is).unwrap_or_else(|| panic!("no cell ({group}, {time})"))
}

/// The event study and its average from event time 0 on, against a figure.
fn agrees_with_figure(figure: &str, document: &Value, allowed: f64) {
    let printed = &published()[figure];
    let study = &document["aggregates"][0];
    let rows = study["rows"].as_array().unwrap();
    let events = printed["event"].as_array().unwrap();
    for (event, att) in events.iter().zip(printed["att"].as_array().unwrap()) {
        let row = rows.iter().find(|row| row["event_time"].as_f64() == event.as_f64()).unwrap();
        near(&format!("{figure} at {event}"), &row["estimate"], att, allowed);
    }
    rounds_to(figure, &study["overall"]["estimate"], &printed["overall_0_5"][0], 2);
    // Published standard errors are drawn.
    let drawn = &printed["overall_0_5"][1];
    near(figure, &study["overall"]["se"], drawn, DRAWN * number(drawn));
}

const WINDOW: [&str; 2] = ["--aggregate", "dynamic:min_e=-5,max_e=5"];

/// Published standard errors and bands are those of a bootstrap with Rademacher's multipliers, which are the default.
const DRAWS: [&str; 3] = ["--boot", "--biters", "25000"];

const NOT_YET: [&str; 2] = ["--control-group", "notyettreated"];

#[test]
fn table_7_has_three_estimators_with_covariates() {
    for (key, weights) in [("unweighted", &[][..]), ("weighted", &WEIGHTED[..])] {
        let printed = &published()["table7"][key];
        for (column, method) in ["reg", "ipw", "dr"].iter().enumerate() {
            let options = ["--est-method", method, "--xformla", COVARIATES];
            let document = fit(&files().two, &[&options[..], weights, &DRAWS].concat());
            let found = cell(&document, 2014, 2014);
            let what = format!("{key}, {method}");
            rounds_to(&what, &found["estimate"], &printed[column][0], 2);
            let drawn = &printed[column][1];
            near(&what, &found["se"], drawn, DRAWN * number(drawn));
        }
    }
}

/// Scores near one of treated counties are no reason to refuse the weighted fit, and what the weights do is said.
#[test]
fn weighted_estimates_are_those_of_drdid_and_tell_of_their_weights() {
    let exact = &published()["table7"]["weighted_exact_by_DRDID"];
    for (column, method, name) in [(1, "ipw", "std_ipw_did_panel"), (2, "dr", "drdid_panel")] {
        let drdid = |more: &[&str]| {
            let options = ["--xformla", COVARIATES, "--format", "json", "--quiet"];
            let fixed = ["drdid", &files().two, "--treatname", "Treat", "--estimator", name];
            parsed(&[&fixed[..], &COLUMNS, &WEIGHTED, &options, more].concat())
        };
        let two = drdid(&[])["effect"].clone();
        let group_time = fit(
            &files().two,
            &[&["--est-method", method, "--xformla", COVARIATES][..], &WEIGHTED].concat(),
        );
        let found = cell(&group_time, 2014, 2014);
        near(name, &two["estimate"], &exact[column][0], 5.1e-5);
        let drawn = drdid(&[&DRAWS[..], &["--boot-type", "multiplier"]].concat());
        near(name, &drawn["effect"]["se"], &exact[column][1], DRAWN * number(&exact[column][1]));
        for key in ["estimate", "se"] {
            near(method, &found[key], &two[key], 1e-9);
        }
        for document in [found, &two] {
            assert_eq!(document["n_control"], json!(1222), "{method}");
            let overlap = document;
            assert!(number(&overlap["largest_score_treated"]) > 0.999, "{method}: {overlap}");
            assert_eq!(overlap["trimmed"], json!(3), "{method}");
            let share = number(&overlap["trimmed_share"]);
            assert!(share > 0.0 && share < 1e-3, "{method}: {share}");
            let [scored, sampling] = ["effective_control", "effective_control_sampling"]
                .map(|key| number(&overlap[key]));
            assert!(scored < sampling && sampling < 1222.0, "{method}: {scored} {sampling}");
        }
        let warnings = group_time["warnings"].to_string();
        assert!(warnings.contains("trimmed in 1 cell,"), "{warnings}");
        assert!(warnings.contains("covariates change over time"), "{warnings}");
    }
}

#[test]
fn figure_3_is_the_event_study_without_covariates() {
    let document = fit(&files().panel, &[&WEIGHTED[..], &WINDOW].concat());
    agrees_with_figure("figure3", &document, 0.001);
}

/// The bands are of all event times, of which figure 8 shows some.
#[test]
fn uniform_bands_have_the_published_critical_values() {
    for (figure, file, more) in
        [("figure3", &files().panel, &[][..]), ("figure8", &files().all, &NOT_YET[..])]
    {
        let study = ["--aggregate", "dynamic"];
        let document = fit(file, &[&WEIGHTED[..], &study, &DRAWS, more].concat());
        let critical = &document["aggregates"][0]["about"]["critical_value"];
        near(figure, critical, &published()[figure]["critical_value"], 0.035);
    }
}

#[test]
fn figure_4_has_every_point_of_three_estimators() {
    for method in ["reg", "ipw", "dr"] {
        let options = ["--est-method", method, "--xformla", COVARIATES];
        let document = fit(&files().panel, &[&options[..], &WEIGHTED, &WINDOW].concat());
        let rows = document["aggregates"][0]["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 11, "{method}");
        assert!(rows.iter().all(|row| row["estimate"].is_number()), "{method}");
        let printed = &published()["figure4"]["e=0"][method];
        if !printed.is_null() {
            near(method, &rows[5]["estimate"], printed, 2.0 * READ);
        }
    }
}

/// Figures 6 and 7 show the cells whose averages by event time are figure 8.
#[test]
fn figures_6_and_7_have_the_cells_that_figure_8_averages() {
    let document = fit(&files().all, &[&WEIGHTED[..], &NOT_YET].concat());
    let cells = document["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 44);
    let shares = adults();
    let share_of = |group: f64| shares.iter().find(|(g, _)| *g as f64 == group).unwrap().1;
    let printed = &published()["figure8"];
    for event in -5..=5i64 {
        let of_event: Vec<&Value> = cells
            .iter()
            .filter(|cell| number(&cell["time"]) - number(&cell["group"]) == event as f64)
            .collect();
        let total: f64 = of_event.iter().map(|cell| share_of(number(&cell["group"]))).sum();
        let weighted = |cell: &&Value| share_of(number(&cell["group"])) * number(&cell["estimate"]);
        let average = of_event.iter().map(weighted).sum::<f64>() / total;
        let expected = &printed["att"][usize::try_from(event + 5).unwrap()];
        near(&format!("figure 8 at {event}"), &json!(average), expected, 0.001);
    }
}

#[test]
fn figure_8_is_the_staggered_event_study_without_covariates() {
    let document = fit(&files().all, &[&WEIGHTED[..], &NOT_YET, &WINDOW].concat());
    agrees_with_figure("figure8", &document, 0.001);
}

#[test]
fn figure_9_is_the_staggered_event_study_with_covariates() {
    let options = ["--est-method", "dr", "--xformla", COVARIATES];
    let document = fit(&files().all, &[&options[..], &WEIGHTED, &NOT_YET, &WINDOW].concat());
    let printed = published();
    for (key, expected) in printed["figure9_cells_by_csdid_0.4.3"].as_object().unwrap() {
        let mut parts = key.split(',').map(|part| part.parse().unwrap());
        let found = cell(&document, parts.next().unwrap(), parts.next().unwrap());
        near(key, &found["estimate"], &expected[0], 1e-6);
        if !expected[1].is_null() {
            near(&format!("s.e. of {key}"), &found["se"], &expected[1], 1e-6);
        }
    }
    // At event time 0 by what the carried covariates of 2018 do to the cohort of 2019.
    agrees_with_figure("figure9", &document, 0.03);
    let study = document["aggregates"][0]["rows"].as_array().unwrap();
    for (row, expected) in study.iter().zip(printed["figure9"]["att"].as_array().unwrap()) {
        if row["event_time"] != json!(0.0) && row["event_time"] != json!(0) {
            near(&format!("figure 9 at {}", row["event_time"]), &row["estimate"], expected, READ);
        }
    }
}

#[test]
fn the_effect_of_the_first_year_is_not_robust() {
    let saved = temporary("study-honest.json");
    stdout(&arguments(&files().panel, &[&WEIGHTED[..], &["--save", &saved]].concat()));
    // On a grid of 100 points, as the interval that it is compared with.
    let window = ["--aggregate", "dynamic:min_e=-5,max_e=0", "--mbar", "0", "--grid-points", "100"];
    let document =
        parsed(&[&["honest", &saved][..], &window, &["--format", "json", "--quiet"]].concat());
    let robust = &document["intervals"][0];
    near("lower end", &robust["ci_lower"], &json!(-5.11), 0.02);
    near("upper end", &robust["ci_upper"], &json!(0.30), 0.02);
}
