//! [`Summary`]: medians of the runs of a case.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::agreement::{self, Agreement};
use super::bandwidth::Bandwidth;
use super::case::Case;
use super::run::{self, Place, Record, Run};
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
    /// What was measured.
    pub measured: Measured,
}

/// What was measured of a case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// Of the last runs.
    pub place: Place,
    /// Bandwidth of the machine's memory.
    pub bandwidth: Option<Bandwidth>,
    /// Seconds that reading the columns once takes at this bandwidth.
    pub floor: Option<f64>,
    /// The one that the others are compared with first.
    pub lines: Vec<Line>,
}

/// One contestant's runs of a case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Line {
    /// Name.
    pub contestant: String,
    /// Of a contestant that was not among the last runs.
    #[serde(default)]
    pub earlier: Option<Place>,
    /// Package, version and settings; none without runs.
    pub settings: Option<String>,
    /// Number of runs.
    pub runs: usize,
    /// Least, median and most seconds; none without runs.
    pub seconds: Option<[f64; 3]>,
    /// Median bytes when the frame was loaded, and at the peak of the fit.
    pub memory: Option<[f64; 2]>,
    /// Largest distances of effects and of standard errors from the first's.
    pub distances: Option<[f64; 2]>,
    /// Whether they agree, or why there is no run; empty of the first.
    pub verdict: String,
    /// Medians over neighbouring runs of the ratios to the first, if the two agree.
    pub ratios: Option<Ratios>,
}

/// A peer over the first.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
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
        let bytes = ours.iter().find_map(|r| Some(r.outcome.as_ref().ok()?.bytes)).unwrap_or(0);
        let floor = last.bandwidth.filter(|_| bytes > 0).map(|width| bytes as f64 / width.read);
        let measured =
            Measured { place: last.place.clone(), bandwidth: last.bandwidth, floor, lines };
        Ok(Self { case: case.clone(), measured })
    }
}

impl Measured {
    /// The first contestant's line.
    pub fn first(&self) -> Option<&Line> {
        self.lines.first()
    }
}

impl Line {
    /// Median over the runs, infinite without any.
    pub fn median_seconds(&self) -> f64 {
        self.seconds.map_or(f64::INFINITY, |[_, median, _]| median)
    }

    fn new(name: &str, own: &[&Record], before: &[&Record], case: &Case) -> Self {
        let runs: Vec<&Run> = own.iter().filter_map(|r| r.outcome.as_ref().ok()).collect();
        let said = |run: &&Run| format!("{} {}: {}", run.contestant, run.version, run.settings);
        let problem = || own.first().and_then(|r| r.outcome.clone().err()).unwrap_or_default();
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
        let settings = runs.first().map(said);
        let seconds = || runs.iter().map(|r| r.seconds);
        let of_runs = |of: fn(&Run) -> u64| median(runs.iter().map(|r| of(r) as f64));
        Self {
            contestant: name.to_owned(),
            earlier: None,
            verdict: match &settings {
                _ if before.is_empty() => String::new(),
                None => format!("failed: {}", problem()),
                Some(_) => agreement.map_or_else(|| "not compared".into(), |found| found.verdict()),
            },
            settings,
            runs: runs.len(),
            seconds: (!runs.is_empty()).then(|| {
                let least = seconds().fold(f64::INFINITY, f64::min);
                [least, median(seconds()), seconds().fold(0.0, f64::max)]
            }),
            memory: (!runs.is_empty())
                .then(|| [of_runs(|r| r.memory.loaded), of_runs(|r| r.memory.peak_fit)]),
            distances: agreement
                .map(|found| [found.att, found.se])
                .filter(|found| found.iter().all(|distance| distance.is_finite())),
            ratios,
        }
    }
}
