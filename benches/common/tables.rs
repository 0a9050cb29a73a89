//! Tables of summaries, for the reports.

use std::collections::{BTreeMap, BTreeSet};

use super::agreement::Agreement;
use super::results::{digits, mebibytes, table};
use super::summary::{Line, Summary};

/// Seconds, memory, and ratios to the first contestant.
pub fn speeds(summaries: &[Summary]) -> String {
    let head = [
        "case",
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
    let rows = summaries.iter().flat_map(|summary| {
        summary.lines.iter().enumerate().map(move |(i, line)| {
            let case = if i > 0 {
                String::new()
            } else {
                format!("**{}** {}", summary.case.name, summary.case.describe())
            };
            let least = line.seconds.iter().copied().fold(f64::INFINITY, f64::min);
            let most = line.seconds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let ratio = |value: Option<f64>| value.map_or_else(String::new, digits);
            vec![
                case,
                line.contestant.clone(),
                line.seconds.len().to_string(),
                digits(line.median_seconds()),
                digits(least),
                digits(most),
                mebibytes(line.loaded),
                mebibytes(line.peak_fit),
                ratio(line.ratios.map(|r| r.seconds)),
                ratio(line.ratios.map(|r| r.peak_fit)),
                floor(summary, line),
            ]
        })
    });
    table(&head, &rows.collect::<Vec<_>>())
}

/// The floor as a share of the seconds.
fn floor(summary: &Summary, line: &Line) -> String {
    let share = summary.floor.map(|floor| 100.0 * floor / line.median_seconds());
    let share = share.filter(|share| share.is_finite());
    share.map_or_else(String::new, |share| format!("{} %", digits(share)))
}

/// Distances from the first contestant's numbers.
pub fn agreements(summaries: &[Summary]) -> String {
    let head = ["case", "contestant", "effects", "standard errors", "verdict"];
    let rows = summaries.iter().flat_map(|summary| {
        summary.lines.iter().skip(1).map(|line| {
            let found = |of: fn(&Agreement) -> f64| {
                line.agreement.map_or_else(String::new, |a| format!("{:.1e}", of(&a)))
            };
            vec![
                summary.case.name.clone(),
                line.contestant.clone(),
                found(|a| a.att),
                found(|a| a.se),
                verdict(line),
            ]
        })
    });
    table(&head, &rows.collect::<Vec<_>>())
}

fn verdict(line: &Line) -> String {
    match (&line.example, line.agreement) {
        (Err(error), _) => format!("failed: {error}"),
        (Ok(_), None) => "not compared".into(),
        (Ok(_), Some(found)) if found.holds() => match found.tolerance.convention {
            "" => "agrees".into(),
            convention => format!("agrees but for a convention: {convention}"),
        },
        (Ok(_), Some(found)) => format!(
            "DISAGREES: allowed {:.1e} and {:.1e}, {} cells without counterpart",
            found.tolerance.att, found.tolerance.se, found.unmatched
        ),
    }
}

/// Versions and settings, a line each, with the cases they are of.
pub fn contestants(summaries: &[Summary]) -> String {
    let mut cases: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for summary in summaries {
        for run in summary.lines.iter().filter_map(|line| line.example.as_ref().ok()) {
            let settings = format!("{} {}: {}", run.contestant, run.version, run.settings);
            cases.entry(settings).or_default().push(&summary.case.name);
        }
    }
    let line =
        |(settings, cases): (String, Vec<&str>)| format!("- {settings} ({})\n", cases.join(", "));
    cases.into_iter().map(line).collect()
}

/// Distinct machines or days of the summaries.
pub fn distinct(summaries: &[Summary], of: fn(&Summary) -> &String) -> String {
    let values: BTreeSet<&String> = summaries.iter().map(of).collect();
    values.into_iter().cloned().collect::<Vec<_>>().join("; ")
}
