//! Alternating runs of this crate and its peers.

use super::agreement;
use super::case::{Case, Task};
use super::contestant::Contestant;
use super::run::{self, Record, Run};
use super::summary::{self, Summary};
use super::{Result, data, machine};

/// Runs a case: each run of a peer follows one of ours. A peer that fails or disagrees is not run again.
pub fn run(case: &Case, ours: &Contestant, peers: &[Contestant], runs: usize) -> Result<Summary> {
    let task = Task::new(case, Some(data::parquet(case)?));
    let keep = summary::kept_in(case)?;
    let _ = std::fs::remove_file(&keep);
    let (date, machine) = (machine::today(), machine::describe());
    let mut records: Vec<Record> = Vec::new();
    let mut one = |contestant: &Contestant, pair: &str, round: usize| -> Result<Option<Run>> {
        let outcome = contestant.run(&task);
        match &outcome {
            Ok(run) => println!("{:>4} {:12} {:10.4} s", case.name, contestant.name, run.seconds),
            Err(error) => println!("{:>4} {:12} {error}", case.name, contestant.name),
        }
        let (date, machine) = (date.clone(), machine.clone());
        let (case, pair, ours) = (case.name.clone(), pair.to_owned(), contestant.name == ours.name);
        let record = Record { case, pair, ours, round, date, machine, outcome };
        run::append(&keep, &record)?;
        records.push(record);
        Ok(records.last().and_then(|r| r.outcome.as_ref().ok()).cloned())
    };
    let mut standing: Vec<&Contestant> = peers.iter().collect();
    for round in 1..=runs {
        standing.retain(|peer| round <= peer.most_runs);
        if standing.is_empty() {
            one(ours, ours.name, round)?;
        }
        let mut agreed = Vec::new();
        for peer in standing {
            let Some(our_run) = one(ours, peer.name, round)? else {
                return Err(format!("case {}: this crate failed", case.name).into());
            };
            let peer_run = one(peer, peer.name, round)?;
            if peer_run.is_some_and(|run| agreement::compare(&our_run, &run, case).holds()) {
                agreed.push(peer);
            }
        }
        standing = agreed;
    }
    Summary::new(case, &records)
}
