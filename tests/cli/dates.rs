//! Dates as periods, and periods with too many digits.

use std::fs;

use serde_json::json;

use crate::run::*;

/// A monthly panel of a year whose third and fourth cohorts are first treated in March and April.
fn monthly(name: &str, day: &str) -> String {
    let data = temporary(name);
    let mut csv = String::from("id,month,start,y\n");
    for unit in 0..60 {
        let start = ["", "2007-03", "2007-04"][unit % 3];
        let start = if start.is_empty() { String::new() } else { format!("{start}{day}") };
        for t in 1..=6 {
            let y = (unit * 31 + t * 17) % 23;
            csv += &format!("{unit},2007-{t:02}{day},{start},{y}\n");
        }
    }
    fs::write(&data, csv).unwrap();
    data
}

fn arguments<'a>(data: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let columns = ["--yname", "y", "--tname", "month", "--idname", "id", "--gname", "start"];
    ["att-gt", data].into_iter().chain(columns).chain(more.iter().copied()).collect()
}

#[test]
fn dates_of_a_csv_file_are_periods() {
    let saved = temporary("monthly.json");
    for (file, day) in [("days.csv", "-15"), ("months.csv", ""), ("times.csv", "-01T00:00:00Z")] {
        let data = monthly(file, day);
        let more = ["--frequency", "month", "--aggregate", "dynamic", "--aggregate", "group"];
        let more = [&more[..], &["--save", &saved, "--format", "json"]].concat();
        let document = parsed(&arguments(&data, &more));
        assert_eq!(document["about"]["frequency"], json!("month"));
        let cell = &document["cells"][0];
        assert_eq!((&cell["group"], &cell["time"]), (&json!("2007-03"), &json!("2007-02")));
        let [dynamic, group] = [0, 1].map(|a| &document["aggregates"][a]["rows"]);
        assert_eq!(
            (&dynamic[0]["event_time"], &group[1]["group"]),
            (&json!(-2), &json!("2007-04"))
        );
    }
    let table = stdout(&["aggregate", &saved, "--aggregate", "calendar"]);
    assert!(table.contains("2007-05"), "{table}");
    let csv = stdout(&["aggregate", &saved, "--aggregate", "group", "--format", "csv"]);
    assert!(csv.contains("rows,group,2007-04,"), "{csv}");
    let picture = temporary("monthly.svg");
    stdout(&["plot", &saved, "--out", &picture]);
    let svg = fs::read_to_string(&picture).unwrap();
    assert!(svg.contains("Group 2007-03") && svg.contains("2007-06"), "{svg}");
}

#[test]
fn dates_without_a_frequency_say_what_to_do() {
    let data = monthly("undated.csv", "-01");
    let message = failure(1, &arguments(&data, &[]));
    assert!(message.contains("`month` (time)") && message.contains("frequency"), "{message}");
    assert!(message.contains("hint: add --frequency month"), "{message}");
    let data = monthly("coarse.csv", "");
    let message = failure(1, &arguments(&data, &["--frequency", "day"]));
    assert!(message.contains("`month` (time) has `2007-01` in line 2 of"), "{message}");
    let message = failure(1, &mpdta(&["--frequency", "month"]));
    assert!(message.contains("`year` (time) has 2003 in line 2"), "{message}");
    let message = failure(1, &arguments(&monthly("years.csv", "-01"), &["--frequency", "year"]));
    assert!(message.contains("two rows for period 2007"), "{message}");
}

#[test]
fn never_treated_is_empty_or_zero_among_dates() {
    let data = monthly("never.csv", "");
    let csv = fs::read_to_string(&data).unwrap();
    let written = |word: &str| {
        let path = temporary("never_as.csv");
        fs::write(&path, csv.replace(",,", &format!(",{word},"))).unwrap();
        path
    };
    let asked = ["--frequency", "month", "--format", "json"];
    let expected = parsed(&arguments(&data, &asked))["cells"].clone();
    for word in ["0", "Inf"] {
        assert_eq!(parsed(&arguments(&written(word), &asked))["cells"], expected, "{word}");
    }
    for word in ["never", "-1"] {
        let path = written(word);
        let message = failure(1, &arguments(&path, &asked));
        assert!(message.contains(&format!("`start` (group) has `{word}` in line 2")), "{message}");
        let remedy = format!("start={word}");
        assert!(message.contains("leave the field empty"), "{message}");
        assert!(message.contains(&format!("`--na {remedy}`")), "{message}");
        let named = parsed(&arguments(&path, &[&asked[..], &["--na", &remedy]].concat()));
        assert_eq!(named["cells"], expected, "{word}");
    }
    let coarse = failure(1, &arguments(&data, &["--frequency", "day"]));
    assert!(!coarse.contains("never treated"), "{coarse}");
    let far = parsed(&arguments(&written("9999-12"), &asked));
    let far = far["warnings"].to_string();
    assert!(far.contains("far after the last period 2007-06"), "{far}");
    let table = stdout(&arguments(&written("9999-12"), &asked[..2]));
    assert!(table.contains("leave it empty") && !table.contains("write 0"), "{table}");
}

#[test]
fn fractional_months_are_event_times_of_whole_steps() {
    let data = temporary("fractional.csv");
    let mut csv = String::from("id,month,start,y\n");
    let at = |t: usize| format!("{:.2}", 2007.0 + t as f64 / 12.0);
    for unit in 0..60 {
        let start = [String::new(), at(3), at(4)][unit % 3].clone();
        for t in 1..=6 {
            csv += &format!("{unit},{},{start},{}\n", at(t), (unit * 31 + t * 17) % 23);
        }
    }
    fs::write(&data, csv).unwrap();
    let more = ["--aggregate", "dynamic:min_e=-0.08,max_e=0.17", "--format", "json"];
    let document = parsed(&arguments(&data, &more));
    let rows = document["aggregates"][0]["rows"].as_array().unwrap();
    let at: Vec<f64> = rows.iter().map(|r| r["event_time"].as_f64().unwrap()).collect();
    assert_eq!(at, [-1.0 / 12.0, 0.0, 1.0 / 12.0, 2.0 / 12.0]);
}

/// Months, quarters and days as numbers, which are counted by their digits unless a frequency says what they are.
#[test]
fn dates_in_digits_are_counted_by_the_calendar() {
    let data = temporary("digits.csv");
    let periods = |frequency: &str| match frequency {
        "month" => ["200711", "200712", "200801", "200802"],
        "quarter" => ["20073", "20074", "20081", "20082"],
        _ => ["20071230", "20071231", "20080101", "20080102"],
    };
    let written = |names: [&str; 4]| {
        let mut csv = String::from("id,month,start,y\n");
        for unit in 0..60 {
            let start = ["0", names[2], names[3]][unit % 3];
            for (t, name) in names.iter().enumerate() {
                csv += &format!("{unit},{name},{start},{}\n", (unit * 31 + t * 17) % 23);
            }
        }
        std::fs::write(&data, csv).unwrap();
    };
    let fit = |more: &[&str]| {
        let shown = ["--format", "json", "--aggregate", "dynamic"];
        parsed(&arguments(&data, &[&shown[..], more].concat()))
    };
    written(["1", "2", "3", "4"]);
    let counted = fit(&[]);
    for frequency in ["month", "quarter", "day"] {
        written(periods(frequency));
        let by_calendar = fit(&["--frequency", frequency]);
        let numbers = |document: &serde_json::Value| {
            let cells = document["cells"].as_array().unwrap().clone();
            cells.iter().map(|cell| cell["estimate"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(numbers(&by_calendar), numbers(&counted), "{frequency}");
        assert_eq!(by_calendar["aggregates"][0]["rows"], counted["aggregates"][0]["rows"]);
        let said = text(&burn_did(&arguments(&data, &[])).stderr).to_owned();
        let says = format!("look like {frequency}s and are counted as numbers");
        assert!(said.contains(&says), "{said}");
        assert!(said.contains(&format!("`frequency` (`--frequency {frequency}`)")), "{said}");
    }
    let coarse = failure(1, &arguments(&data, &["--frequency", "month"]));
    assert!(coarse.contains("two rows for period 2007-12"), "{coarse}");
    written(periods("month"));
    let fine = failure(1, &arguments(&data, &["--frequency", "day"]));
    assert!(fine.contains("has 200711 in line 2"), "{fine}");
}
