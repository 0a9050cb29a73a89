//! What engines that lose executors may do to their answers, and what becomes of it.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::fits::{Shared, assert_same, local, remote};
use crate::base::error::Result;
use crate::cluster::engine::{Engine, OnAnswer};
use crate::cluster::threads::ThreadWorkers;
use crate::data::Simulation;
use crate::engine::backend::Cpu;
use crate::engine::pass::TILE;
use crate::estimator::AttGt;

/// What becomes of the answers to tasks in the n-th map of a fit: their numbers and bytes.
pub(super) type Fault = fn(usize, Vec<(usize, Vec<u8>)>) -> Vec<(usize, Vec<u8>)>;

/// Answers that are lost, doubled, spoilt, or of another task, which are asked for again.
pub(super) const ASKED_AGAIN: [Fault; 4] = [
    |map, mut answers| {
        answers.truncate(if map % 2 == 0 { 1 } else { answers.len() });
        answers
    },
    |_, answers| answers.iter().cloned().chain(answers.clone()).collect(),
    |map, mut answers| {
        if map % 2 == 0 {
            answers[0].1[9] ^= 4;
        }
        answers
    },
    |map, mut answers| {
        if map % 2 == 0 && answers.len() > 1 {
            let (first, last) = (answers[0].0, answers[answers.len() - 1].0);
            answers[0].0 = last;
            answers.last_mut().unwrap().0 = first;
        }
        answers
    },
];

/// All answers arrive, the last first.
pub(super) fn reversed(_: usize, mut answers: Vec<(usize, Vec<u8>)>) -> Vec<(usize, Vec<u8>)> {
    answers.reverse();
    answers
}

/// An engine that does something to its answers.
pub(super) struct Faulty {
    engine: ThreadWorkers,
    fault: Fault,
    maps: AtomicUsize,
}

impl Faulty {
    pub fn new(engine: ThreadWorkers, fault: Fault) -> Self {
        Self { engine, fault, maps: AtomicUsize::new(0) }
    }
}

impl Engine for Faulty {
    fn workers(&self) -> Result<usize> {
        self.engine.workers()
    }

    fn map(
        &self,
        stage: &'static str,
        tasks: &[Vec<u8>],
        on_answer: &mut OnAnswer<'_>,
    ) -> Result<()> {
        let mut answers = Vec::new();
        self.engine.map(stage, tasks, &mut |number, bytes| {
            answers.push((number, bytes));
            ControlFlow::Continue(())
        })?;
        let number = self.maps.fetch_add(1, Ordering::Relaxed);
        let _ = (self.fault)(number, answers)
            .into_iter()
            .try_for_each(|(number, bytes)| on_answer(number, bytes));
        Ok(())
    }
}

fn fit() -> (AttGt<Cpu>, Simulation) {
    let estimator = AttGt::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .group("group")
        .covariates("~ x1")
        .build();
    let data = Simulation::builder().units(27_000).periods(4).cohorts([3, 4]).covariates(2).build();
    (estimator, data)
}

/// An engine that loses, doubles, cuts, damages or exchanges some answers in every other map is asked again.
#[test]
fn what_is_lost_or_damaged_on_the_way_is_asked_for_again() {
    let (estimator, data) = fit();
    let data = data.frame();
    let here = local(&estimator, &data, TILE);
    assert!(here.contains("Estimated"));
    let shared = Shared::new(&data, 2, 20_000);
    let faults: [Fault; 6] = [
        |map, mut answers| {
            answers.truncate(if map % 2 == 0 { answers.len() / 2 } else { answers.len() });
            answers
        },
        |map, answers| if map % 2 == 0 { Vec::new() } else { answers },
        |_, mut answers| {
            answers.extend(answers.clone());
            answers
        },
        |map, answers| {
            let cut = |bytes: &[u8]| if map % 2 == 0 { bytes.len() / 2 } else { bytes.len() };
            answers.into_iter().map(|(n, b)| (n, b[..cut(&b)].to_vec())).collect()
        },
        |map, mut answers| {
            if map % 2 == 0 {
                answers[0].1[9] ^= 4;
            }
            answers
        },
        |map, mut answers| {
            // Each task gets its neighbour's answer, or one that is not a task's.
            if map % 2 == 0 {
                let count = answers.len();
                for (number, _) in &mut answers {
                    *number = (*number + 1) % (count + 1);
                }
            }
            answers
        },
    ];
    for (number, fault) in faults.into_iter().enumerate() {
        let there = remote(&estimator, &shared, (3, 20_000, TILE), fault);
        assert_same(&number.to_string(), &here, &there);
    }
}

#[test]
fn what_never_comes_is_an_error_and_no_number() {
    let (estimator, data) = fit();
    let shared = Shared::new(&data.frame(), 2, 20_000);
    let faults: [(&str, Fault); 4] = [
        ("nothing came back", |_, _| Vec::new()),
        ("cannot be read", |_, answers| {
            answers.into_iter().map(|(n, b)| (n, b[..b.len() / 2].to_vec())).collect()
        }),
        ("no answer after", |_, mut answers| {
            answers.pop();
            answers
        }),
        ("answered another question", |_, mut answers| {
            let count = answers.len();
            for (number, _) in &mut answers {
                *number = (*number + 1) % count;
            }
            answers
        }),
    ];
    for (problem, fault) in faults {
        let result = remote(&estimator, &shared, (3, 20_000, TILE), fault);
        assert!(result.contains(problem), "{problem}: {result:.300}");
        assert!(result.starts_with("the partial results of the sample"), "{result:.300}");
    }
}
