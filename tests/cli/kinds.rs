//! Saved results of every family side by side: doses, switching treatments and curves with group-time effects.

use std::collections::BTreeSet;
use std::fs;

use crate::compare::{Drawn, check_latex};
use crate::run::{failure, parsed, stdout, temporary};

/// Fits of simulated data, saved.
struct Saved {
    staggered: String,
    switching: String,
    /// Event study of doses.
    exposure: String,
    /// Curve of doses.
    doses: String,
    instrumented: String,
    plain: String,
}

impl Saved {
    fn new(test: &str) -> Self {
        let saved = |name: &str, simulate: &[&str], fit: &[&str]| {
            let data = temporary(&format!("kinds-{test}-{name}.parquet"));
            let file = temporary(&format!("kinds-{test}-{name}.json"));
            stdout(&[&["simulate"][..], simulate, &["--units", "600", "--out", &data]].concat());
            let (command, options) = fit.split_first().unwrap();
            let save = ["--save", &file, "--quiet"];
            stdout(&[&[*command, data.as_str()][..], options, &save].concat());
            file
        };
        let panel = ["--yname", "y", "--tname", "period", "--idname", "id"];
        let of = |command: &'static str, more: &[&'static str]| -> Vec<&'static str> {
            [command].into_iter().chain(panel).chain(more.iter().copied()).collect()
        };
        let doses = ["--gname", "group", "--dname", "dose"];
        let exposure = [&doses[..], &["--aggregation", "event_study"]].concat();
        let curve = [&doses[..], &["--dvals", "0.2,0.6,1"]].concat();
        let sieve = ["npiv", "--yname", "y", "--xname", "x", "--x-eval", "0.2,0.6,0.8"];
        let draws = [&sieve[..], &["--biters", "99"]].concat();
        let switching = ["--dname", "d", "--effects", "3", "--placebo", "2"];
        Self {
            staggered: saved("staggered", &["att-gt"], &of("att-gt", &["--gname", "group"])),
            switching: saved("switching", &["did-multiplegt"], &of("did-multiplegt", &switching)),
            exposure: saved("exposure", &["cont-did"], &of("cont-did", &exposure)),
            doses: saved("doses", &["cont-did"], &of("cont-did", &curve)),
            instrumented: saved("iv", &["npiv"], &[&draws[..], &["--wname", "w"]].concat()),
            plain: saved("plain", &["npiv"], &draws),
        }
    }
}

/// The first words of the rows of a table that have an estimate.
fn rows(table: &str) -> Vec<&str> {
    let is_row = |line: &&str| line.starts_with(' ') && line.trim_start().len() + 1 == line.len();
    table.lines().filter(is_row).filter_map(|line| line.trim_start().split("  ").next()).collect()
}

#[test]
fn event_studies_of_three_families_share_rows_and_a_picture() {
    let Saved { staggered, switching, exposure, .. } = Saved::new("events");
    let names = ["--names", "Staggered,Switching,Doses", "--aggregate", "dynamic"];
    let all = [&["compare", &staggered, &switching, &exposure][..], &names].concat();
    let document = parsed(&[&all[..], &["--format", "json"]].concat());
    let of = |model: usize| -> BTreeSet<String> {
        let rows = document["models"][model]["estimates"].as_array().unwrap();
        rows.iter().map(|row| row["term"].as_str().unwrap().to_owned()).collect()
    };
    let [first, second, third] = [0, 1, 2].map(of);
    for term in ["Event time -2", "Event time 0", "Event time 2"] {
        assert!([&first, &second, &third].iter().all(|terms| terms.contains(term)), "{term}");
    }
    // The reference period of switching treatments is no estimate.
    assert!(!second.contains("Event time -1") && second.contains("Average total effect"));
    let table = stdout(&all);
    let shown = rows(&table);
    let place = |row: &str| shown.iter().position(|shown| *shown == row).unwrap();
    assert!(place("Average total effect") < place("Event time -3"), "{table}");
    assert!(place("Event time -3") < place("Event time 3"), "{table}");
    check_latex("kinds-events", &stdout(&[&all[..], &["--format", "latex", "--stars"]].concat()));
    let drawn = Drawn::new("kinds-events", &all);
    for name in ["Staggered", "Switching", "Doses", "Reference period"] {
        assert_eq!(drawn.count(name), 1, "{name}: {:?}", drawn.words());
    }
    // Points of a family have its colour and shape, and each an interval: seven, five and a key.
    assert_eq!(drawn.shapes("circle", "#0072b2"), 7 + 1);
    // Five effects and placebos, and their key; the reference period is drawn as an outline.
    assert_eq!(drawn.shapes("rect", "#d55e00") + drawn.shapes("polygon", "#d55e00"), 5 + 1 + 1);
}

#[test]
fn curves_of_doses_and_of_regressors_are_rows_of_their_own() {
    let Saved { doses, instrumented, plain, exposure, staggered, .. } = Saved::new("curves");
    let all = ["compare", &doses, &instrumented, &plain, "--names", "Doses,IV,Regression"];
    let table = stdout(&all);
    let expected = [
        "Overall ATT",
        "Overall ACRT",
        "ATT(0.2)",
        "ATT(0.6)",
        "ATT(1)",
        "ACRT(0.2)",
        "ACRT(0.6)",
        "ACRT(1)",
        "h(0.2)",
        "h(0.6)",
        "h(0.8)",
        "Derivative(0.2)",
        "Derivative(0.6)",
        "Derivative(0.8)",
    ];
    let shown = rows(&table);
    let found: Vec<&str> =
        shown.into_iter().filter(|row| expected.iter().any(|known| known == row)).collect();
    assert_eq!(found, expected, "{table}");
    for fact in ["Segments", "Interior knots", "Degree"] {
        assert!(table.contains(fact), "{fact}: {table}");
    }
    for more in [&["--format", "latex"][..], &["--format", "latex", "--siunitx", "--below", "ci"]] {
        check_latex("kinds-curves", &stdout(&[&all[..], more].concat()));
    }
    let csv = stdout(&[&all[..], &["--format", "csv"]].concat());
    assert_eq!(csv.lines().count(), 1 + 8 + 6 + 6);
    // What two results do not have in common is refused, and what cannot be drawn is named.
    let message = failure(2, &["compare", &doses, &instrumented, "--names", "a,b"]);
    assert!(message.contains("a row in common"), "{message}");
    let picture = temporary("kinds-refused.svg");
    let done = crate::run::burn_did(&["compare", &instrumented, &plain, "--plot", &picture]);
    let message = crate::run::text(&done.stderr);
    assert_eq!(done.status.code(), Some(1));
    assert!(message.contains("no effects by event time, group or period"), "{message}");
    // A curve of doses is drawn beside others by its event study.
    let beside = ["compare", &staggered, &exposure, "--names", "a,b", "--aggregate", "dynamic"];
    assert_eq!(Drawn::new("kinds-beside", &beside).count("b"), 1);
}

/// Months as decimals of a year: short where people read them, with all digits where programs do.
#[test]
fn fractions_of_years_are_short_in_print_and_whole_in_files() {
    let mut csv = String::from("id,t,g,y\n");
    for unit in 0..90 {
        let month = [3, 5, 0][unit % 3];
        let group = if month == 0 { 0.0 } else { 2000.0 + f64::from(month) / 12.0 };
        for k in 0..8 {
            let time = 2000.0 + f64::from(k) / 12.0;
            let noise = ((37 * unit + 101 * k as usize + unit * k as usize) % 17) as f64 / 10.0;
            let effect = f64::from(u8::from(month > 0 && k >= month));
            csv += &format!("{unit},{time},{group},{}\n", noise + effect);
        }
    }
    let [file, saved, cells, study, rollout] =
        ["decimals.csv", "decimals.json", "decimals-gt.svg", "decimals.svg", "decimals-pv.svg"]
            .map(temporary);
    fs::write(&file, csv).unwrap();
    let columns = ["--tname", "t", "--idname", "id", "--gname", "g"];
    let fit = [&["att-gt", &file, "--yname", "y"][..], &columns].concat();
    let table = stdout(&[&fit[..], &["--plot", &cells, "--save", &saved]].concat());
    assert!(table.contains(" 2000.41667") && !table.contains("2000.416666"), "{table}");
    let dynamic = [&fit[..], &["--aggregate", "dynamic"]].concat();
    for format in ["table", "markdown", "latex"] {
        let table = stdout(&[&dynamic[..], &["--format", format, "--plot", &study]].concat());
        assert!(table.contains("0.08333") && !table.contains("0.083333"), "{table}");
    }
    let csv = stdout(&[&dynamic[..], &["--format", "csv"]].concat());
    assert!(csv.contains(",0.0833333333"), "{csv}");
    let compared = stdout(&["compare", &saved, "--aggregate", "dynamic"]);
    assert!(compared.contains("Event time -0.08333 "), "{compared}");
    let drawn = |file: &String| fs::read_to_string(file).unwrap();
    assert!(drawn(&cells).contains("Group 2000.41667"));
    assert!(drawn(&study).contains("Time since first treatment"));
    let look = [&["panelview", &file][..], &columns, &["--plot", &rollout]].concat();
    assert!(stdout(&look).contains("2000.41667"));
    assert!(drawn(&rollout).contains("2000.08333") && !drawn(&rollout).contains("2000.08333333"));
}

#[test]
fn doses_have_as_many_digits_in_a_comparison_as_in_their_own_table() {
    let [data, saved] = ["kinds-digits.parquet", "kinds-digits.json"].map(temporary);
    stdout(&["simulate", "cont-did", "--units", "600", "--out", &data]);
    let columns = ["--yname", "y", "--tname", "period", "--idname", "id", "--gname", "group"];
    let fit = [&["cont-did", &data][..], &columns, &["--dname", "dose", "--quiet"]].concat();
    let own = stdout(&[&fit[..], &["--save", &saved]].concat());
    let compared = stdout(&["compare", &saved]);
    let names = rows(&compared).into_iter().filter_map(|row| row.strip_prefix("ATT("));
    let doses: Vec<&str> = names.filter_map(|row| row.strip_suffix(')')).collect();
    assert!(doses.len() > 10, "{compared}");
    assert!(doses.iter().all(|dose| dose.len() <= 9 && own.contains(dose)), "{doses:?}");
}
