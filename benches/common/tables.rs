//! Tables of summaries, for the reports.

use std::collections::{BTreeMap, BTreeSet};

use super::results::{digits, mebibytes, table};
use super::run::Place;
use super::summary::{Line, Measured, Summary};

/// Where and when the cases were measured, and of which build, a sentence; where these differ, a list that the tables refer to.
pub fn places(summaries: &[Summary]) -> String {
    match distinct(summaries).as_slice() {
        [] => "Not measured.".into(),
        [(machine, build)] => {
            let days: BTreeSet<&str> = all_places(summaries).map(|place| &*place.date).collect();
            let days: Vec<&str> = days.into_iter().collect();
            format!("Machine: {machine}. Measured: {}. Build: {build}.", days.join("; "))
        }
        several => {
            let line = |(number, (machine, build)): (usize, &(&str, &str))| {
                format!("\n- [{}] {machine}. Build: {build}.", number + 1)
            };
            let lines: String = several.iter().enumerate().map(line).collect();
            format!(
                "Measured on the day and in the place that the table says; the ratios of a contestant are to this crate's runs of the same day and place:\n{lines}\n"
            )
        }
    }
}

fn all_places(summaries: &[Summary]) -> impl Iterator<Item = &Place> {
    summaries.iter().flat_map(|Summary { measured, .. }| {
        let earlier = measured.lines.iter().filter_map(|line| line.earlier.as_ref());
        std::iter::once(&measured.place).chain(earlier)
    })
}

/// Machines and builds of the summaries.
fn distinct(summaries: &[Summary]) -> Vec<(&str, &str)> {
    let places = all_places(summaries).map(|place| (&*place.machine, &*place.build));
    places.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Seconds, memory, and ratios to the first contestant.
pub fn speeds(summaries: &[Summary]) -> String {
    let head = [
        "case",
        "measured",
        "contestant",
        "runs",
        "seconds",
        "least",
        "most",
        "loaded",
        "peak",
        "seconds ratio",
        "peak ratio",
        "floor",
    ];
    let places = distinct(summaries);
    let measured = |place: &Place| {
        let own = (&*place.machine, &*place.build);
        match places.iter().position(|place| *place == own) {
            Some(number) if places.len() > 1 => format!("{} [{}]", place.date, number + 1),
            _ => place.date.clone(),
        }
    };
    let rows = summaries.iter().flat_map(|summary| {
        summary.measured.lines.iter().enumerate().map(|(i, line)| {
            let case = match i {
                0 => format!("**{}** {}", summary.case.name, summary.case.describe()),
                _ => String::new(),
            };
            let place = if i == 0 { Some(&summary.measured.place) } else { line.earlier.as_ref() };
            let or_none = |value: Option<f64>, shown: fn(f64) -> String| {
                value.map_or_else(String::new, shown)
            };
            let seconds = |at: usize| or_none(line.seconds.map(|seconds| seconds[at]), digits);
            let memory = |at: usize| or_none(line.memory.map(|memory| memory[at]), mebibytes);
            vec![
                case,
                place.map_or_else(String::new, measured),
                line.contestant.clone(),
                line.runs.to_string(),
                seconds(1),
                seconds(0),
                seconds(2),
                memory(0),
                memory(1),
                or_none(line.ratios.map(|r| r.seconds), digits),
                or_none(line.ratios.map(|r| r.peak_fit), digits),
                floor(&summary.measured, line),
            ]
        })
    });
    table(&head, &rows.collect::<Vec<_>>())
}

/// The floor, which is of the last runs, as a share of the seconds of one of them.
fn floor(measured: &Measured, line: &Line) -> String {
    let floor = measured.floor.filter(|_| line.earlier.is_none());
    let share = floor.map(|floor| 100.0 * floor / line.median_seconds());
    let share = share.filter(|share| *share > 0.0);
    share.map_or_else(String::new, |share| format!("{} %", digits(share)))
}

/// Distances from the first contestant's numbers.
pub fn agreements(summaries: &[Summary]) -> String {
    let head = ["case", "contestant", "effects", "standard errors", "verdict"];
    let rows = summaries.iter().flat_map(|summary| {
        summary.measured.lines.iter().skip(1).map(|line| {
            let distance = |at: usize| {
                line.distances.map_or_else(String::new, |found| format!("{:.1e}", found[at]))
            };
            vec![
                summary.case.name.clone(),
                line.contestant.clone(),
                distance(0),
                distance(1),
                line.verdict.clone(),
            ]
        })
    });
    table(&head, &rows.collect::<Vec<_>>())
}

/// Versions and settings, a line each, with the cases they are of.
pub fn contestants(summaries: &[Summary]) -> String {
    let mut cases: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for summary in summaries {
        for settings in summary.measured.lines.iter().filter_map(|line| line.settings.as_ref()) {
            cases.entry(settings).or_default().push(&summary.case.name);
        }
    }
    let line =
        |(settings, cases): (&str, Vec<&str>)| format!("- {settings} ({})\n", cases.join(", "));
    cases.into_iter().map(line).collect()
}
