//! The section of `RESULTS.md` on the cases.

use std::collections::BTreeSet;

use super::common::contestant::Contestant;
use super::common::machine;
use super::common::results::{digits, mebibytes, table};
use super::common::summary::{Line, Summary};

/// What the section says.
pub fn section(summaries: &[Summary]) -> String {
    let distinct = |of: fn(&Summary) -> &String| -> String {
        let values: BTreeSet<&String> = summaries.iter().map(of).collect();
        values.into_iter().cloned().collect::<Vec<_>>().join("; ")
    };
    let did = if Contestant::did().is_some() { "" } else { "R `did` was not installed.\n" };
    format!(
        "Machine: {}. Measured: {}. Build: {}.\n{did}\n\
         Every fit is in a fresh process, which loads the parquet file into the contestant's own kind of frame and makes a \
         small fit first; only the fit is timed. Seconds are medians over the runs, memory is the median of the largest \
         resident memory during the fit, with the frame and the interpreter in it, in MiB; `loaded` is what was resident \
         before. Ratios are medians over neighbouring runs of the contestant's value over this crate's: above 1, this crate \
         is faster or leaner. All estimates are doubly robust with a varying base period; draws are of Mammen's law and \
         come with uniform bands, which diff-diff has for event studies only.\n\n{}\n\
         Contestants whose estimates or standard errors are not this crate's get no ratio. Distances are the largest over \
         the cells: of effects relative to the larger of effect and standard error, of standard errors relatively (with \
         draws, both sides have simulation error).\n\n{}\n\
         Contestants:\n\n{}",
        distinct(|s| &s.machine),
        distinct(|s| &s.date),
        machine::build(),
        speeds(summaries),
        agreements(summaries),
        contestants(summaries),
    )
}

fn speeds(summaries: &[Summary]) -> String {
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
            ]
        })
    });
    table(&head, &rows.collect::<Vec<_>>())
}

fn agreements(summaries: &[Summary]) -> String {
    let head = ["case", "contestant", "effects", "standard errors", "verdict"];
    let rows = summaries.iter().flat_map(|summary| {
        summary.lines.iter().skip(1).map(|line| {
            let found = |of: fn(&super::common::agreement::Agreement) -> f64| {
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

fn contestants(summaries: &[Summary]) -> String {
    let runs =
        summaries.iter().flat_map(|s| &s.lines).filter_map(|line| line.example.as_ref().ok());
    let lines: BTreeSet<String> =
        runs.map(|r| format!("- {} {}: {}\n", r.contestant, r.version, r.settings)).collect();
    lines.into_iter().collect()
}
