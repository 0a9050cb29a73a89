//! The estimator of de Chaisemartin and D'Haultfœuille among others of one sample.

use burn_did::backend::Cpu;
use burn_did::data::{self, Simulation};
use burn_did::joint_study::{Agreement, StudyEstimator};
use burn_did::options::{Band, ControlGroup};
use burn_did::{DidMultiplegt, EventStudy, JointStudy, JointStudyResult};
use polars::prelude::*;

use crate::support::frames::{filter, floats, map, rows, with};

const CS: StudyEstimator = StudyEstimator::CallawaySantAnna;
const DCDH: StudyEstimator = StudyEstimator::DidMultiplegt;

fn simulated() -> JointStudy<Cpu> {
    let config = JointStudy::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    config.estimators([CS, DCDH]).build()
}

fn mpdta() -> JointStudy<Cpu> {
    let config = JointStudy::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    config.group("first.treat").estimators([CS, DCDH]).build()
}

/// The frame with the treatment that a unit has from the period of its group on.
fn treated(frame: &DataFrame) -> DataFrame {
    let both = floats(frame, "group").into_iter().zip(floats(frame, "period"));
    with(frame, "d", both.map(|(g, t)| f64::from(u8::from(g > 0.0 && t >= g))).collect::<Vec<_>>())
}

fn alone(frame: &DataFrame, study: &JointStudy<Cpu>) -> EventStudy {
    let config = DidMultiplegt::builder().outcome("y").unit("id").time("period").treatment("d");
    let config = config.effects(8).placebos(8).covariates(&*study.covariates);
    let config = config.maybe_weights(study.weights.clone());
    let config = config.only_never_switchers(study.control_group == ControlGroup::NeverTreated);
    config.maybe_cluster(study.cluster.clone()).build().fit(treated(frame)).unwrap().event_study()
}

/// Where the rows of an estimator stand in the joint covariance.
fn positions(study: &JointStudyResult, estimator: StudyEstimator) -> std::ops::Range<usize> {
    let before = study.estimators.iter().take_while(|of| of.estimator != estimator);
    let start = before.map(|of| of.event_study.as_ref().map_or(0, |of| of.rows.len())).sum();
    start..start + study.event_study(estimator).unwrap().rows.len()
}

fn agreement(study: &JointStudyResult) -> &Agreement {
    study.agreement.iter().find(|pair| pair.first == CS && pair.second == DCDH).unwrap()
}

/// Estimates, standard errors and the joint covariance are those of the estimator's own fit.
fn has_its_own_numbers(frame: &DataFrame, config: &JointStudy<Cpu>) {
    let study = config.fit(frame).unwrap();
    let (found, own) = (study.event_study(DCDH).unwrap(), alone(frame, config));
    assert_eq!(found.event_times(), own.event_times());
    let at = positions(&study, DCDH).start;
    for (i, (row, expected)) in found.rows.iter().zip(&own.rows).enumerate() {
        let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-12 * (1.0 + b.abs()),
            (a, b) => a == b,
        };
        let (got, own_row) = (row.estimate, expected.estimate);
        assert!(near(got.estimate, own_row.estimate), "{got:?} {own_row:?}");
        assert!(near(got.se, own_row.se), "{got:?} {own_row:?}");
        assert!(near(Some(study.vcov[at + i][at + i].sqrt()), Some(own_row.se.unwrap_or(0.0))));
        for (j, v) in own.vcov[i].iter().enumerate() {
            assert!((study.vcov[at + i][at + j] - v).abs() <= 1e-12 * (1.0 + v.abs()), "{i} {j}");
        }
    }
}

#[test]
fn it_has_the_numbers_that_it_has_alone() {
    let simulation = Simulation::builder().units(240).periods(7).clusters(40).weights(true);
    let simulation = simulation.heterogeneity(0.5).seed(21);
    let frame = simulation.build().frame();
    let mut config = simulated();
    has_its_own_numbers(&frame, &config);
    config.cluster = Some("cluster".into());
    has_its_own_numbers(&frame, &config);
    config.weights = Some("weight".into());
    has_its_own_numbers(&frame, &config);
    config.control_group = ControlGroup::NeverTreated;
    has_its_own_numbers(&frame, &config);
    let varying = floats(&frame, "x1").into_iter().zip(floats(&frame, "period"));
    let frame = with(&frame, "xt", varying.map(|(x, t)| x * t.sin()).collect::<Vec<_>>());
    config.covariates = "~ xt".into();
    has_its_own_numbers(&frame, &config);
}

#[test]
fn rows_may_be_missing_and_units_always_treated() {
    let simulation = Simulation::builder().units(300).periods(6).attrition(0.1).seed(8).build();
    let frame = simulation.frame();
    has_its_own_numbers(&frame, &simulated());
    let study = simulated().fit(&frame).unwrap();
    let text = study.to_string();
    assert!(text.contains("without a row in the first treated period"), "{text}");
    // The study has no option that keeps such units.
    assert!(text.contains("left out by this estimator of the study"), "{text}");
    assert!(!text.contains("--allow-unbalanced-panel"), "{text}");
    let first = |g: f64| if g == 4.0 { 1.0 } else { g };
    let whole = Simulation::builder().units(300).periods(6).seed(8).build().frame();
    let study = simulated().fit(map(&whole, "group", first)).unwrap();
    assert!(agreement(&study).same);
    has_its_own_numbers(&map(&whole, "group", first), &simulated());
}

/// Without covariates, on balanced panels, effects are those of Callaway and Sant'Anna with the same comparison units.
#[test]
fn effects_are_those_of_callaway_and_santanna() {
    let is_the_same = |study: &JointStudyResult, after: &[f64]| {
        let pair = agreement(study);
        assert!(pair.same && pair.wald.is_none() && pair.difference.se.is_none(), "{pair:?}");
        assert_eq!(pair.event_times, after);
        assert!(study.to_string().contains("the same estimates"));
        let [cs, dcdh] = [CS, DCDH].map(|of| study.event_study(of).unwrap());
        for at in after {
            let value = |of: &EventStudy| {
                of.rows.iter().find(|row| row.at == *at).unwrap().estimate.estimate.unwrap()
            };
            assert!((value(cs) - value(dcdh)).abs() < 1e-12, "{at}");
        }
    };
    let simulation = Simulation::builder().units(200).periods(7).weights(true).heterogeneity(0.7);
    let frame = simulation.seed(13).build().frame();
    let mut config = simulated();
    config.weights = Some("weight".into());
    for control_group in [ControlGroup::NotYetTreated, ControlGroup::NeverTreated] {
        config.control_group = control_group;
        is_the_same(&config.fit(&frame).unwrap(), &[0.0, 1.0, 2.0, 3.0, 4.0]);
    }
    // Units may react a period before treatment.
    config.anticipation = 1;
    is_the_same(&config.fit(&frame).unwrap(), &[0.0, 1.0, 2.0, 3.0, 4.0]);
    // Nobody is never treated.
    let all = Simulation::builder().units(200).periods(7).never_treated(0.0).seed(14).build();
    is_the_same(&simulated().fit(all.frame()).unwrap(), &[0.0, 1.0]);
    is_the_same(&mpdta().fit(data::mpdta()).unwrap(), &[0.0, 1.0, 2.0, 3.0]);
    // Time is counted, not periods.
    let every_other = |column: &str, frame: &DataFrame| map(frame, column, |v| 2.0 * v);
    let frame = every_other("first.treat", &every_other("year", &data::mpdta()));
    is_the_same(&mpdta().fit(frame).unwrap(), &[0.0, 2.0, 4.0, 6.0]);
}

#[test]
fn the_same_effects_have_the_correlation_one() {
    // As many treated units as untreated ones: the corrections for their numbers are one factor, which Callaway and Sant'Anna do not have.
    const UNITS: usize = 30;
    let frame = Simulation::builder().units(120).periods(6).cohorts([4]).seed(31).build().frame();
    let (ids, groups) = (floats(&frame, "id"), floats(&frame, "group"));
    let mut of_kind = [Vec::new(), Vec::new()];
    for (id, group) in ids.iter().zip(groups) {
        let kind = &mut of_kind[usize::from(group > 0.0)];
        if kind.last() != Some(id) {
            kind.push(*id);
        }
    }
    let kept: Vec<f64> = of_kind.iter().flat_map(|ids| ids[..UNITS].to_vec()).collect();
    let frame = filter(&frame, "id", |id| kept.contains(&id));
    let study = simulated().fit(&frame).unwrap();
    let after = |estimator| {
        let rows = positions(&study, estimator).zip(&study.event_study(estimator).unwrap().rows);
        let after = rows.filter(|(_, row)| row.at >= 0.0).map(|(position, _)| position);
        after.collect::<Vec<usize>>()
    };
    let (cs, dcdh) = (after(CS), after(DCDH));
    assert_eq!((cs.len(), dcdh.len()), (3, 3));
    let factor = (UNITS as f64 / (UNITS as f64 - 1.0)).sqrt();
    for (i, a) in cs.iter().enumerate() {
        for (j, b) in cs.iter().enumerate() {
            let own = study.vcov[*a][*b];
            assert!((study.vcov[*a][dcdh[j]] - factor * own).abs() < 1e-12 * own.abs());
            assert!((study.vcov[dcdh[i]][dcdh[j]] - factor.powi(2) * own).abs() < 1e-12 * own);
        }
        let size = (study.vcov[*a][*a] * study.vcov[dcdh[i]][dcdh[i]]).sqrt();
        assert!((study.vcov[*a][dcdh[i]] / size - 1.0).abs() < 1e-12);
    }
    assert!(agreement(&study).same);
}

#[test]
fn covariates_that_do_not_change_explain_nothing_and_are_named() {
    let frame = Simulation::builder().units(150).periods(6).seed(17).build().frame();
    let mut config = simulated();
    let without = config.fit(&frame).unwrap();
    config.covariates = "~ x1".into();
    let study = config.fit(&frame).unwrap();
    let [a, b] = [&study, &without].map(|study| study.event_study(DCDH).unwrap().coefficients());
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12), "{a:?} {b:?}");
    assert!(study.to_string().contains("dCDH: the control `x1` has no coefficient"), "{study}");
}

#[test]
fn the_window_and_the_band_hold_for_it() {
    let frame = Simulation::builder().units(200).periods(9).cohorts([5, 6]).seed(3).build().frame();
    let mut config = simulated();
    // Farther back than after: placebos need as many effects, which are not shown.
    (config.min_e, config.max_e, config.band) = (Some(-4.0), Some(0.0), Band::Uniform);
    let study = config.fit(&frame).unwrap();
    let found = study.event_study(DCDH).unwrap();
    assert_eq!(found.event_times(), [-4.0, -3.0, -2.0, 0.0]);
    let last = found.rows.last().unwrap().estimate;
    let half = study.critical_value * last.se.unwrap();
    assert!((last.band_upper.unwrap() - last.estimate.unwrap() - half).abs() < 1e-14);
    let units = "the units of the event time that is as far after -1: at -2 those of 0";
    assert!(study.to_string().contains(units), "{study}");
}

#[test]
fn what_it_cannot_estimate_has_its_reason() {
    let failure = |frame: &DataFrame, config: &JointStudy<Cpu>| {
        let study = config.fit(frame).unwrap();
        assert!(study.event_study(CS).is_some() && study.event_study(DCDH).is_none());
        study.estimators[1].failure.clone().unwrap().message
    };
    let later = |by: f64| move |v: f64| if v >= 2006.0 { v + by } else { v };
    let uneven = map(&data::mpdta(), "year", later(1.0));
    let reason = failure(&map(&uneven, "first.treat", later(1.0)), &mpdta());
    assert!(reason.contains("`year` are not evenly spaced"), "{reason}");
    let every_other = |column: &str, frame: &DataFrame| map(frame, column, |v| 2.0 * v);
    let frame = every_other("first.treat", &every_other("year", &data::mpdta()));
    let between = |g: f64| if g == 4014.0 { 4013.0 } else { g };
    let reason = failure(&map(&frame, "first.treat", between), &mpdta());
    assert!(reason.contains("4013 is between two periods"), "{reason}");
    // Rows of one unit name two groups.
    let mut config = simulated();
    config.estimators = vec![DCDH];
    let frame = Simulation::builder().units(60).periods(5).seed(2).build().frame();
    let mut groups = floats(&frame, "group");
    groups[1] = groups[0] + 3.0;
    let error = config.fit(with(&frame, "group", groups)).unwrap_err();
    assert!(error.to_string().contains("`group`"), "{error}");
    // Nobody is compared with, and there is no column of treatments.
    let error = config.fit(with(&frame, "group", vec![3.0; frame.height()])).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("column `group`") && text.contains("comparison unit"), "{text}");
    // Two rows of one unit and period.
    let order: Vec<usize> = (0..frame.height()).chain([0]).collect();
    let study = config.fit(rows(&frame, &order)).unwrap();
    assert!(study.to_string().contains("2 rows were averaged"), "{study}");
}
