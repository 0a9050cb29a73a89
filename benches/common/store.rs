//! What was measured of each case, in a file beside `RESULTS.md`: a bench that runs some cases reports the others as they were measured before.

use std::collections::BTreeMap;

use super::case::Case;
use super::summary::{Line, Measured, Summary};
use super::{Result, bench_file};

/// By name and description of the case, so that a case that has become another one is not reported.
type Stored = BTreeMap<String, Measured>;

fn key(case: &Case) -> String {
    format!("{}: {}", case.name, case.describe())
}

fn read() -> Result<Stored> {
    let path = bench_file("results.json");
    match path.exists() {
        true => Ok(serde_json::from_str(&std::fs::read_to_string(path)?)?),
        false => Ok(Stored::new()),
    }
}

/// What was measured of these cases: the summaries, which are written down, and where a case or a contestant has none, what was written
/// before.
pub fn completed(cases: &[Case], summaries: Vec<Summary>) -> Result<Vec<Summary>> {
    let mut stored = read()?;
    for Summary { case, mut measured } in summaries {
        if let Some(known) = stored.remove(&key(&case)) {
            measured = if known.place.date > measured.place.date {
                known
            } else {
                with_others(measured, known)
            };
        }
        stored.insert(key(&case), measured);
    }
    std::fs::write(bench_file("results.json"), serde_json::to_string_pretty(&stored)? + "\n")?;
    let known = cases.iter().filter_map(|case| {
        Some(Summary { case: case.clone(), measured: stored.get(&key(case))?.clone() })
    });
    Ok(known.collect())
}

/// With the contestants of earlier runs that were not among these.
fn with_others(mut measured: Measured, earlier: Measured) -> Measured {
    let is_new = |line: &Line| measured.lines.iter().any(|own| own.contestant == line.contestant);
    let others: Vec<Line> = earlier.lines.into_iter().filter(|line| !is_new(line)).collect();
    measured.lines.extend(others.into_iter().map(|line| Line {
        earlier: line.earlier.or_else(|| Some(earlier.place.clone())),
        ..line
    }));
    measured
}
