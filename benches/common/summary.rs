//! [`Summary`]: medians of the runs of a case.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::agreement::{self, Agreement};
use super::bandwidth::Bandwidth;
use super::case::Case;
use super::run::{self, Record, Run};
use super::statistics::median;
use super::{Result, work_folder};

/// The file of a case's raw runs, a line of JSON each.
pub fn kept_in(case: &Case) -> Result<PathBuf> {
    Ok(work_folder("runs")?.join(format!("{}-{}.jsonl", case.name, case.units)))
}

/// What the runs of a case say.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The case.
    pub case: Case,
    /// Days of the runs.
    pub date: String,
    /// Machine of the runs.
    pub machine: String,
    /// Bandwidth of its memory.
    pub bandwidth: Option<Bandwidth>,
    /// Seconds that reading the columns once takes at this bandwidth.
    pub floor: Option<f64>,
    /// The one that the others are compared with first.
    pub lines: Vec<Line>,
}

/// One contestant's runs of a case.
#[derive(Clone, Debug)]
pub struct Line {
    /// Name.
    pub contestant: String,
    /// A run, for what does not change; or why there is none.
    pub example: std::result::Result<Run, String>,
    /// Seconds of each run.
    pub seconds: Vec<f64>,
    /// Median bytes: frame loaded.
    pub loaded: f64,
    /// Median bytes: peak of the fit.
    pub peak_fit: f64,
    /// Comparison with the first; none for the first.
    pub agreement: Option<Agreement>,
    /// Medians over neighbouring runs of the ratios to the first, if the two agree.
    pub ratios: Option<Ratios>,
}

/// A peer over the first.
#[derive(Clone, Copy, Debug)]
pub struct Ratios {
    /// Of seconds.
    pub seconds: f64,
    /// Of the peak memory of the fit.
    pub peak_fit: f64,
}

impl Summary {
    /// The summary of the raw runs that were kept, if the case was run; a bench that was stopped may have left none but those that
    /// choose settings.
    pub fn kept(case: &Case) -> Result<Option<Self>> {
        let records = run::read(&kept_in(case)?)?;
        let counts = records.iter().any(|record| record.round > 0);
        counts.then(|| Self::new(case, &records)).transpose()
    }

    /// The summary of these runs.
    pub fn new(case: &Case, records: &[Record]) -> Result<Self> {
        let last = records.last().ok_or("no runs")?;
        let first = &records.iter().find(|r| r.round > 0).ok_or("no runs")?.contestant;
        let (ours, theirs): (Vec<&Record>, Vec<&Record>) =
            records.iter().filter(|r| r.round > 0).partition(|r| r.contestant == *first);
        let mut lines = vec![Line::new(first, &ours, &[], case)];
        let mut names: Vec<&str> = theirs.iter().map(|r| r.pair.as_str()).collect();
        let mut seen = BTreeSet::new();
        names.retain(|name| seen.insert(*name));
        for name in names {
            let own: Vec<&Record> = theirs.iter().filter(|r| r.pair == name).copied().collect();
            let before: Vec<&Record> = ours.iter().filter(|r| r.pair == name).copied().collect();
            lines.push(Line::new(name, &own, &before, case));
        }
        let bytes = lines[0].example.as_ref().map_or(0, |run| run.bytes);
        let floor = last.bandwidth.filter(|_| bytes > 0).map(|width| bytes as f64 / width.read);
        Ok(Self {
            case: case.clone(),
            date: last.date.clone(),
            machine: last.machine.clone(),
            bandwidth: last.bandwidth,
            floor,
            lines,
        })
    }
}

impl Line {
    /// Median over the runs.
    pub fn median_seconds(&self) -> f64 {
        median(self.seconds.iter().copied())
    }

    fn new(name: &str, own: &[&Record], before: &[&Record], case: &Case) -> Self {
        let runs: Vec<&Run> = own.iter().filter_map(|r| r.outcome.as_ref().ok()).collect();
        let example = runs.first().map_or_else(
            || Err(own.first().and_then(|r| r.outcome.clone().err()).unwrap_or_default()),
            |run| Ok((*run).clone()),
        );
        let pairs: Vec<(&Run, &Run)> = own
            .iter()
            .filter_map(|peer| {
                let before = before.iter().find(|r| r.round == peer.round)?;
                Some((before.outcome.as_ref().ok()?, peer.outcome.as_ref().ok()?))
            })
            .collect();
        let compared = pairs.iter().map(|(ours, peer)| agreement::compare(ours, peer, case));
        let agreement = compared.min_by_key(Agreement::holds);
        let ratio = |of: fn(&Run) -> f64| median(pairs.iter().map(|(a, b)| of(b) / of(a)));
        let ratios = agreement.filter(Agreement::holds).map(|_| Ratios {
            seconds: ratio(|r| r.seconds),
            peak_fit: ratio(|r| r.memory.peak_fit as f64),
        });
        Self {
            contestant: name.to_owned(),
            example,
            seconds: runs.iter().map(|r| r.seconds).collect(),
            loaded: median(runs.iter().map(|r| r.memory.loaded as f64)),
            peak_fit: median(runs.iter().map(|r| r.memory.peak_fit as f64)),
            agreement,
            ratios,
        }
    }
}
