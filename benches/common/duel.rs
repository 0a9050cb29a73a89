//! Alternating runs of this crate and its peers.

use super::agreement;
use super::bandwidth::{self, Bandwidth};
use super::case::{Case, Task};
use super::contestant::Contestant;
use super::run::{self, Place, Record, Run};
use super::summary;
use super::{Result, data, machine};

/// Runs a case: each run of a peer follows one of `ours`. A peer that fails or disagrees is not run again.
pub fn run(case: &Case, ours: &Contestant, peers: &[Contestant], runs: usize) -> Result<()> {
    let book = Book::open(case)?;
    let tuned: Result<Vec<Contestant>> = peers.iter().map(|peer| book.tuned(peer)).collect();
    let mut standing = tuned?;
    for round in 1..=runs {
        standing.retain(|peer| round <= peer.most_runs);
        if standing.is_empty() {
            book.run(ours, ours.name, round)?;
        }
        let mut agreed = Vec::new();
        for peer in standing {
            let Some(our_run) = book.run(ours, peer.name, round)? else {
                return Err(format!("case {}: {} failed", case.name, ours.name).into());
            };
            let peer_run = book.run(&peer, peer.name, round)?;
            if peer_run.is_some_and(|run| agreement::compare(&our_run, &run, case).holds()) {
                agreed.push(peer);
            }
        }
        standing = agreed;
    }
    Ok(())
}

/// A case in progress, and the file that keeps its runs.
struct Book {
    task: Task,
    path: std::path::PathBuf,
    place: Place,
    bandwidth: Bandwidth,
}

impl Book {
    fn open(case: &Case) -> Result<Self> {
        let task = Task::new(case, Some(data::parquet(case)?));
        let path = summary::kept_in(case)?;
        if path.exists() {
            std::fs::remove_file(&path)?;
        }
        let (date, machine, build) = (machine::today(), machine::describe(), machine::build());
        let place = Place { date, machine, build };
        Ok(Self { task, path, place, bandwidth: bandwidth::measure() })
    }

    /// One fit, kept; nothing if it failed.
    fn run(&self, contestant: &Contestant, pair: &str, round: usize) -> Result<Option<Run>> {
        let case = &self.task.case.name;
        let outcome = contestant.run(&self.task);
        match &outcome {
            Ok(run) => println!("{case:>8} {:16} {:10.4} s", contestant.name, run.seconds),
            Err(error) => println!("{case:>8} {:16} {error}", contestant.name),
        }
        let found = outcome.clone().ok();
        let record = Record {
            case: case.clone(),
            contestant: contestant.name.into(),
            pair: pair.into(),
            round,
            place: self.place.clone(),
            bandwidth: Some(self.bandwidth),
            outcome,
        };
        run::append(&self.path, &record)?;
        Ok(found)
    }

    /// The peer with the faster of OpenBLAS's default number of threads and one.
    ///
    /// More threads are faster on an idle machine with large matrices, and several times slower when cores are shared.
    fn tuned(&self, peer: &Contestant) -> Result<Contestant> {
        if !peer.uses_blas {
            return Ok(peer.clone());
        }
        let single = peer.clone().with_blas_threads(1);
        let seconds = |contestant: &Contestant| -> Result<f64> {
            let run = self.run(contestant, contestant.name, 0)?;
            Ok(run.map_or(f64::INFINITY, |run| run.seconds))
        };
        let of_default = seconds(peer)?;
        // What fails or takes too long is not tried the other way, too.
        let of_single = if of_default.is_finite() { seconds(&single)? } else { f64::INFINITY };
        Ok(if of_single < of_default { single } else { peer.clone() })
    }
}
