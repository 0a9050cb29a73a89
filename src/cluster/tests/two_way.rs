//! Diagnostics of two-way fixed effects: the bits of a fit at home, and what is refused.

use polars::prelude::*;

use super::faults::{ASKED_AGAIN, Fault, reversed};
use super::fits::{Shared, assert_same};
use super::samples::shuffled;
use super::units::{assert_as_at_home, but, cluster, floats, shown, with};
use crate::base::error::DidError;
use crate::cluster::task::{Message, Reply, UnitAnswer};
use crate::cluster::wire::{decode, encode};
use crate::data::Simulation;
use crate::estimator::twfe::{Bacon, TwfeCells, TwfeRegression, TwfeWeights};

fn data(units: usize, attrition: f64) -> DataFrame {
    let of = Simulation::builder().units(units).periods(5).cohorts([2, 3, 4]).covariates(2);
    of.clusters(90).weights(true).attrition(attrition).build().frame()
}

fn bacon() -> Bacon {
    Bacon::builder().outcome("y").unit("id").time("period").group("group").build()
}

fn weights(regression: TwfeRegression) -> TwfeWeights {
    let named = TwfeWeights::builder().outcome("y").unit("id").time("period").group("group");
    named.regression(regression).build()
}

#[test]
fn decompositions() {
    let data = data(10_000, 0.0);
    let said = assert_as_at_home!("plain", bacon(), data);
    assert!(said.contains("n_clusters: 10000"), "{said:.2000}");
    let mut clustered = bacon();
    clustered.cluster = Some("cluster".into());
    let said = assert_as_at_home!("clustered", clustered, shuffled(&data));
    assert!(said.contains("n_clusters: 90"), "{said:.2000}");
}

#[test]
fn weights_on_effects() {
    let data = data(9_000, 0.1);
    for regression in [TwfeRegression::FeTr, TwfeRegression::FeS, TwfeRegression::FdTr] {
        let said = assert_as_at_home!("plain", weights(regression), data);
        assert!(said.contains("n_positive"), "{said:.2000}");
    }
    let mut weighted = weights(TwfeRegression::FdS);
    (weighted.weights, weighted.covariates) =
        (Some("weight".into()), vec!["x1".into(), "x2".into()]);
    assert_as_at_home!("weighted", weighted, shuffled(&data));
}

#[test]
fn what_is_wrong_is_said_as_at_home() {
    let balanced = data(300, 0.0);
    let lacking = but(&balanced, "y", 700, None);
    let said = assert_as_at_home!("missing", bacon(), lacking);
    assert!(said.contains("of balanced panels, and 1 of 300 units"), "{said}");
    let said = assert_as_at_home!("gap", weights(TwfeRegression::FeTr), lacking);
    assert!(said.contains("CohortsInPlaceOfUnits { units: 1 }"), "{said:.4000}");
    let said = assert_as_at_home!("group", bacon(), but(&balanced, "group", 13, Some(3.0)));
    assert!(said.contains("irreversible"), "{said}");
    let mut weighted = weights(TwfeRegression::FeTr);
    weighted.weights = Some("weight".into());
    let none = with(&balanced, "weight", vec![Some(0.0); balanced.height()]);
    let said = assert_as_at_home!("weights", weighted, none);
    assert!(said.contains("all weights are 0"), "{said}");
    let mut few = bacon();
    few.cluster = Some("one".into());
    let said =
        assert_as_at_home!("few", few, with(&balanced, "one", vec![Some(1.0); balanced.height()]));
    assert!(said.contains("`one`"), "{said}");
}

/// Units none of whose rows can be used are none, in files that are in the order of units and in others.
#[test]
fn units_without_usable_rows_are_none() {
    let balanced = data(300, 0.0);
    let ids = floats(&balanced, "id");
    let lost = |id: f64| id as usize % 50 == 7;
    let groups = floats(&balanced, "group").into_iter().zip(&ids);
    let groups = groups.map(|(group, id)| group.filter(|_| !lost(id.unwrap())).or(Some(f64::NAN)));
    let data = with(&balanced, "group", groups.collect());
    for data in [data.clone(), shuffled(&data)] {
        let said = assert_as_at_home!("decomposition", bacon(), data);
        assert!(said.contains("n_units: 294"), "{said:.2000}");
        assert_as_at_home!("weights", weights(TwfeRegression::FeTr), data);
    }
}

/// What needs the rows of all units in one memory.
#[test]
fn rows_in_memory_are_refused() {
    let shared = Shared::new(&data(300, 0.0), 2, 1 << 20);
    let mut controlled = bacon();
    controlled.covariates = vec!["x1".into()];
    let error = controlled.fit_cluster(&cluster(&shared, 2, reversed), shared.path()).unwrap_err();
    assert!(matches!(error, DidError::Config { option: "covariates", .. }), "{error}");
    assert!(error.to_string().contains("without controls, or on one machine"), "{error}");
    let mut of_units = weights(TwfeRegression::FeTr);
    of_units.cells = TwfeCells::Unit;
    let error = of_units.fit_cluster(&cluster(&shared, 2, reversed), shared.path()).unwrap_err();
    assert!(matches!(error, DidError::Config { option: "cells", .. }), "{error}");
    assert!(error.to_string().contains("take cells of cohorts"), "{error}");
}

/// Answers in which a worker has changed something.
fn changed(answers: Vec<(usize, Vec<u8>)>, change: fn(&mut UnitAnswer)) -> Vec<(usize, Vec<u8>)> {
    let change = |bytes: &Vec<u8>| {
        let mut message: Message = decode(bytes).unwrap();
        if let Ok(Reply::Units(answer)) = &mut message.outcome {
            change(answer);
        }
        encode(&message).unwrap()
    };
    answers.iter().map(|(number, bytes)| (*number, change(bytes))).collect()
}

/// Answers of the shards among each other, each as one to its own question.
fn exchanged(answers: Vec<(usize, Vec<u8>)>) -> Vec<(usize, Vec<u8>)> {
    let mut messages: Vec<Message> =
        answers.iter().map(|(_, bytes)| decode(bytes).unwrap()).collect();
    let mut outcomes: Vec<_> = messages.iter().map(|message| message.outcome.clone()).collect();
    if outcomes.iter().all(|outcome| matches!(outcome, Ok(Reply::Units(_)))) {
        outcomes.rotate_left(1);
    }
    for (message, outcome) in messages.iter_mut().zip(outcomes) {
        message.outcome = outcome;
    }
    answers.iter().zip(&messages).map(|((n, _), message)| (*n, encode(message).unwrap())).collect()
}

/// Counts that cannot be, sums by cluster where there are none, numbers that are none, and what another shard has: no number comes of it.
#[test]
fn workers_that_answer_something_else_are_not_believed() {
    let shared = Shared::new(&data(1_000, 0.0), 3, 1 << 20);
    let lies: [(&str, Fault); 6] = [
        ("other units", |_, answers| {
            changed(answers, |answer| {
                if let UnitAnswer::Overview(overview, _) = answer {
                    overview.rows += 1;
                }
            })
        }),
        ("other units", |_, answers| {
            changed(answers, |answer| {
                if let UnitAnswer::Overview(_, units) = answer {
                    *units += 100_000;
                }
            })
        }),
        ("other units", |_, answers| {
            changed(answers, |answer| {
                if let UnitAnswer::Overview(overview, _) = answer {
                    overview.found.groups.pop();
                }
            })
        }),
        ("other units", |_, answers| {
            changed(answers, |answer| {
                if let UnitAnswer::Squares(sums) = answer {
                    sums.units -= 1;
                }
            })
        }),
        ("overflow", |_, answers| {
            changed(answers, |answer| {
                if let UnitAnswer::Overview(overview, _) = answer {
                    overview.found.cells.at_mut(0, 0).sums[0].add(f64::NAN, 1.0);
                }
            })
        }),
        ("other units", |_, answers| exchanged(answers)),
    ];
    for (number, (problem, lie)) in lies.into_iter().enumerate() {
        let said = shown(bacon().fit_cluster(&cluster(&shared, 3, lie), shared.path()));
        assert!(said.contains(problem), "lie {number}: {said:.1000}");
    }
    // By cluster, where none was asked for.
    let by_cluster: Fault = |_, answers| {
        changed(answers, |answer| {
            if let UnitAnswer::Squares(sums) = answer {
                *sums = crate::engine::by_unit::ClusterSums::example(sums.units);
            }
        })
    };
    let said = shown(bacon().fit_cluster(&cluster(&shared, 3, by_cluster), shared.path()));
    assert!(said.contains("other units"), "{said:.1000}");
}

/// Answers that are lost, doubled or of another task are asked for again.
#[test]
fn faults_change_nothing() {
    let data = data(2_000, 0.0);
    let here = shown(bacon().fit(&data));
    let shared = Shared::new(&data, 4, 1 << 20);
    for (number, fault) in ASKED_AGAIN.into_iter().enumerate() {
        let there = bacon().fit_cluster(&cluster(&shared, 3, fault), shared.path());
        assert_same(&format!("fault {number}"), &here, &shown(there));
    }
}
