//! Every golden case through the loopback engine, and samples of several segments a stratum: equal bits.

use std::fmt::Debug;

use polars::prelude::DataFrame;

use super::loopback::{Fault, Loopback, reversed};
use crate::backend::Cpu;
use crate::data::{Simulation, TripleSimulation, TwoPeriodSimulation};
use crate::error::Result;
use crate::estimator::through::Through;
use crate::estimator::{AttGt, Ddd, Drdid};
use crate::options::{Bootstrap, DrdidMethod, Multiplier, Precision, Resampling, UnbalancedPanel};
use crate::pass::{SEGMENT, TILE};
use crate::source::{HostStrata, LocalOptions, LocalStrata};

#[path = "../../../tests/support/mod.rs"]
mod support;

use support::frames::golden_data;
use support::{ddd, drdid, golden};

/// Workers that the segments are dealt out to.
const WORKERS: [usize; 3] = [1, 3, 7];

/// A result to the last bit, but for its timings; or the error.
fn shown<T: Debug>(result: Result<T>) -> String {
    match result {
        Ok(result) => format!("{result:?}"),
        Err(error) => error.to_string(),
    }
}

fn local<E: Through>(estimator: &E, data: &DataFrame, length: usize) -> String {
    let devices = [Default::default()];
    shown(estimator.through(data, |strata| {
        let host = HostStrata::with_segments(strata, length);
        LocalStrata::<Cpu>::new(host, &devices, LocalOptions::default())
    }))
}

fn looped<E: Through>(
    estimator: &E,
    data: &DataFrame,
    length: usize,
    workers: usize,
    fault: Fault,
) -> String {
    shown(estimator.through(data, |strata| Loopback::new(strata, length, workers, fault)))
}

fn assert_equal<E: Through>(name: &str, estimator: &E, data: &DataFrame, length: usize) {
    let here = local(estimator, data, length);
    for workers in WORKERS {
        let there = looped(estimator, data, length, workers, reversed);
        assert!(here == there, "{name}, {workers} workers:\n{here}\n{there}");
    }
}

#[test]
fn golden_cases_of_staggered_adoption() {
    for name in golden::DATASETS {
        let (set, data) = (golden::Dataset::load(name), golden_data(name));
        for case in &set.cases {
            let estimator = set.spec(case).estimator::<Cpu>(Precision::F64);
            assert_equal(&case.id, &estimator, &data, SEGMENT);
        }
    }
}

#[test]
fn golden_cases_of_two_periods() {
    for name in drdid::DATASETS {
        let set = drdid::Dataset::load(name);
        let data = golden_data(&set.dataset);
        for case in &set.cases {
            let estimator = set.estimator::<Cpu>(case, Precision::F64);
            assert_equal(&case.id, &estimator, &data, SEGMENT);
        }
    }
}

#[test]
fn golden_cases_of_triple_differences() {
    for name in ddd::DATASETS.into_iter().chain(["oracle"]) {
        let set = ddd::Dataset::load(name);
        for case in &set.cases {
            let data = golden_data(case.data.as_deref().unwrap_or(&set.dataset));
            let estimator = set.estimator::<Cpu>(case, Precision::F64);
            assert_equal(&case.id, &estimator, &data, SEGMENT);
        }
    }
}

/// Three cohorts of two to three tiles each, with weights and clusters.
fn staggered() -> Simulation {
    Simulation::builder().units(27_000).periods(4).cohorts([3, 4]).covariates(2).build()
}

#[test]
fn several_segments_of_a_stratum() {
    let bootstrap = Bootstrap::draws(40).seed(5).multiplier(Multiplier::Mammen);
    let base = || {
        let named = AttGt::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
        named.covariates("~ x1 + x2").bootstrap(bootstrap).keep_influence(true)
    };
    let plain = staggered().frame();
    assert_equal("bootstrap", &base().build(), &plain, TILE);
    let data = Simulation { clusters: 90, weights: true, ..staggered() }.frame();
    let clustered = base().weights("weight").cluster("cluster").build();
    assert_equal("clusters", &clustered, &data, TILE);
    let data = Simulation { attrition: 0.1, weights: true, ..staggered() }.frame();
    let unbalanced = base().weights("weight").allow_unbalanced_panel(true).build();
    assert_equal("unbalanced", &unbalanced, &data, 2 * TILE);
    let data = Simulation { repeated_cross_sections: true, ..staggered() }.frame();
    let mut sections = base().build();
    (sections.unit, sections.repeated_cross_sections) = (None, true);
    assert_equal("sections", &sections, &data, TILE);
}

#[test]
fn several_segments_of_two_periods_and_triple_differences() {
    let data = TwoPeriodSimulation::builder().units(20_000).weights(true).build().frame();
    for resampling in [Resampling::Weighted, Resampling::Multiplier] {
        let estimator = Drdid::<Cpu>::builder()
            .outcome("y")
            .unit("id")
            .time("period")
            .treatment("treated")
            .covariates("~ x1 + x2")
            .weights("weight")
            .method(DrdidMethod::DoublyRobustImproved)
            .bootstrap(Bootstrap::draws(20).seed(3))
            .resampling(resampling)
            .keep_influence(true)
            .build();
        assert_equal("two periods", &estimator, &data, TILE);
    }
    let simulation = TripleSimulation::builder().units(40_000).periods(3).cohorts([2, 3]);
    let data = simulation.attrition(0.05).build().frame();
    let estimator = Ddd::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .group("group")
        .eligible("eligible")
        .covariates("~ x1 + x2")
        .unbalanced(UnbalancedPanel::Pairs)
        .bootstrap(Bootstrap::draws(20).seed(3))
        .keep_influence(true)
        .build();
    assert_equal("triple differences", &estimator, &data, TILE);
}

/// What an engine that loses executors may do to its answers.
#[test]
fn faulty_answers_are_errors_and_no_numbers() {
    let estimator = AttGt::<Cpu>::builder()
        .outcome("y")
        .unit("id")
        .time("period")
        .group("group")
        .covariates("~ x1")
        .build();
    let data = staggered().frame();
    let faults: [(&str, Fault); 6] = [
        ("did not answer", |mut messages| {
            messages.pop();
            messages
        }),
        ("did not answer", |_| Vec::new()),
        ("answered twice", |mut messages| {
            messages.extend(messages.last().cloned());
            messages
        }),
        ("cannot be read", |messages| {
            messages.into_iter().map(|m| m[..m.len() / 2].to_vec()).collect()
        }),
        ("cannot be read", |mut messages| {
            messages[0][9] ^= 4;
            messages
        }),
        ("answered another question", |mut messages| {
            use std::sync::Mutex;
            static EARLIER: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());
            std::mem::swap(&mut messages, &mut EARLIER.lock().expect("one thread"));
            messages
        }),
    ];
    assert!(local(&estimator, &data, TILE).contains("Estimated"));
    for (number, (problem, fault)) in faults.into_iter().enumerate() {
        let result = looped(&estimator, &data, TILE, 3, fault);
        let first = number == 5 && result.contains("did not answer");
        assert!(result.contains(problem) || first, "{number}: {result:.300}");
        assert!(result.starts_with("the parts of the sample"), "{result:.300}");
    }
}
