//! Table 4 and figures 2 and 5: balance, and outcomes over time.

use serde_json::{Value, json};

use super::{COLUMNS, NAMES, WEIGHTED, files, near, number, published, rounds_to};
use crate::run::parsed;

/// The document of a look at data, weighted or not.
fn look(command: &str, file: &str, weighted: bool, more: &[&str]) -> Value {
    let fixed = ["--gname", "treat_year", "--format", "json", "--quiet"];
    let weights = WEIGHTED.iter().filter(|_| weighted).copied();
    let args: Vec<&str> = [&[command, file][..], &COLUMNS[2..], &fixed, more]
        .concat()
        .into_iter()
        .chain(weights)
        .collect();
    parsed(&args)
}

#[test]
fn table_4_has_the_balance_of_levels_and_of_changes() {
    let printed = &published()["table4"];
    for (rows, file, prefix) in
        [("levels_2013", &files().two, ""), ("changes_2014_2013", &files().spread, "d_")]
    {
        let names = NAMES.map(|name| format!("{prefix}{name}")).join(",");
        for (weighted, first) in [(false, 0), (true, 3)] {
            let document = look("balance", file, weighted, &["--xname", &names]);
            let found = document["balance"].as_array().unwrap();
            let levels: Vec<&Value> =
                found.iter().filter(|row| row["change"] == json!(false)).collect();
            assert_eq!(levels.len(), NAMES.len());
            for (row, printed) in levels.iter().zip(printed[rows].as_array().unwrap()) {
                assert_eq!((&row["group"], &row["time"]), (&json!("2014"), &json!("2013")));
                assert_eq!((&row["n_treated"], &row["n_control"]), (&json!(978), &json!(1222)));
                let keys = ["control_mean", "treated_mean", "estimate"];
                for (column, key) in keys.into_iter().enumerate() {
                    let what = format!("{rows}, {}, {key}, weighted {weighted}", printed[0]);
                    rounds_to(&what, &row[key], &printed[1][first + column], 2);
                }
            }
        }
    }
}

/// Weighted mean outcomes by cohort and year.
struct Means(Vec<(String, i64, f64)>);

impl Means {
    fn new(file: &str) -> Self {
        let document = look("means", file, true, &["--yname", "crude_rate_20_64"]);
        let rows = document["means"].as_array().unwrap().iter();
        Self(
            rows.map(|row| {
                let text = |key: &str| row[key].as_str().unwrap().to_owned();
                (text("group"), text("time").parse().unwrap(), number(&row["estimate"]))
            })
            .collect(),
        )
    }

    fn of(&self, group: &str, time: i64) -> f64 {
        let found = self.0.iter().find(|(own, year, _)| own == group && *year == time);
        found.unwrap_or_else(|| panic!("no mean of {group} in {time}")).2
    }
}

/// The lines of figure 2 are apart by what figure 3 shows.
#[test]
fn figure_2_has_the_means_whose_differences_are_figure_3() {
    let means = Means::new(&files().panel);
    assert_eq!(means.0.len(), 2 * 11);
    let printed = &published()["figure3"];
    let gap = |year: i64| means.of("2014", year) - means.of("never treated", year);
    for (event, att) in
        printed["event"].as_array().unwrap().iter().zip(printed["att"].as_array().unwrap())
    {
        let event = event.as_i64().unwrap();
        let difference = gap(2014 + event) - gap(2013);
        near(&format!("figure 3 at {event}"), &json!(difference), att, 0.001);
    }
    // Table 2 has two years of it.
    let printed = &published()["table2"]["weighted"];
    for (row, year) in [2013, 2014].into_iter().enumerate() {
        rounds_to("expansion", &json!(means.of("2014", year)), &printed["expansion"][row], 1);
        rounds_to("none", &json!(means.of("never treated", year)), &printed["none"][row], 1);
    }
}

/// The lines of figure 5, with those who are not yet treated pooled by their adults, are apart by what figure 8 averages.
#[test]
fn figure_5_has_the_means_whose_differences_are_averaged_in_figure_8() {
    let means = Means::new(&files().all);
    let cohorts = [2014, 2015, 2016, 2019];
    assert_eq!(means.0.len(), 5 * 11);
    let adults = super::adults();
    let share = |group: i64| adults.iter().find(|(own, _)| *own == group).unwrap().1;
    let name = |group: i64| if group == 0 { "never treated".to_owned() } else { group.to_string() };
    let att = |group: i64, time: i64| {
        let base = group - 1;
        let later = |other: &i64| *other == 0 || (*other > time.max(base) && *other != group);
        let others: Vec<i64> = cohorts.into_iter().chain([0]).filter(later).collect();
        let pooled = |year: i64| {
            let total: f64 = others.iter().map(|other| share(*other)).sum();
            let sum: f64 =
                others.iter().map(|other| share(*other) * means.of(&name(*other), year)).sum();
            sum / total
        };
        let own = |year: i64| means.of(&name(group), year);
        own(time) - own(base) - (pooled(time) - pooled(base))
    };
    let printed = &published()["figure8"];
    for (event, expected) in
        printed["event"].as_array().unwrap().iter().zip(printed["att"].as_array().unwrap())
    {
        let event = event.as_i64().unwrap();
        let shown: Vec<i64> =
            cohorts.into_iter().filter(|g| (2009..=2019).contains(&(g + event))).collect();
        let total: f64 = shown.iter().map(|g| share(*g)).sum();
        let sum: f64 = shown.iter().map(|g| share(*g) * att(*g, g + event)).sum();
        near(&format!("figure 8 at {event}"), &json!(sum / total), expected, 0.001);
    }
}
