//! Several estimators of one sample: each alone, what they are together, and what goes wrong.

use burn_did::backend::Cpu;
use burn_did::data::{self, Simulation};
use burn_did::joint_study::{StudyEstimator, Variation};
use burn_did::options::{Band, BasePeriod, ControlGroup, Words};
use burn_did::regression::Vcov;
use burn_did::{
    Aggregation, AttGt, DidWarning, EventStudy, JointStudy, JointStudyResult, SavedResult,
    SunAbraham,
};
use polars::prelude::*;

use crate::support::frames::{floats, map, with};

const CS: StudyEstimator = StudyEstimator::CallawaySantAnna;
const SA: StudyEstimator = StudyEstimator::SunAbraham;

/// The study of simulated data, without further options.
fn simulated() -> JointStudy<Cpu> {
    let config = JointStudy::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    config.build()
}

fn mpdta() -> JointStudy<Cpu> {
    let config = JointStudy::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    config.group("first.treat").build()
}

fn close(a: &EventStudy, b: &EventStudy, tolerance: f64) {
    assert_eq!(a.event_times(), b.event_times());
    for (a, b) in a.rows.iter().zip(&b.rows) {
        let (a, b) = (a.estimate, b.estimate);
        for (a, b) in [(a.estimate, b.estimate), (a.se, b.se), (a.ci_lower, b.ci_lower)] {
            let (a, b) = (a.unwrap_or(0.0), b.unwrap_or(0.0));
            assert!((a - b).abs() <= tolerance * (1.0 + a.abs()), "{a} {b}");
        }
    }
}

/// The entries of the joint covariance that belong to two estimators.
fn block(study: &JointStudyResult, first: StudyEstimator, second: StudyEstimator) -> Vec<Vec<f64>> {
    let range = |estimator| {
        let rows = study
            .estimators
            .iter()
            .map(|of| (of.estimator, of.event_study.as_ref().map_or(0, |study| study.rows.len())));
        let before = rows.clone().take_while(|(name, _)| *name != estimator).map(|(_, n)| n);
        let start: usize = before.sum();
        let length = rows.into_iter().find(|(name, _)| *name == estimator).unwrap().1;
        start..start + length
    };
    let columns = range(second);
    study.vcov[range(first)].iter().map(|row| row[columns.clone()].to_vec()).collect()
}

/// Clusters and treatments are numbered, too.
#[test]
fn numbers_that_stand_for_missing_values_are_those_of_the_data_alone() {
    let estimators = [CS, SA, StudyEstimator::Imputation, StudyEstimator::DidMultiplegt];
    let fit = |words: Option<[&str; 2]>| {
        let config = JointStudy::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
        let config = config.group("first.treat").estimators(estimators);
        config.maybe_missing_values(words).build().fit(data::mpdta()).unwrap()
    };
    // Neither number is in the data but for the code of the never-treated, which are so without a group as well.
    let (plain, named) = (fit(None), fit(Some(["0", "1"])));
    assert_eq!(named.settings.n_clusters, plain.settings.n_clusters);
    for estimator in estimators {
        let of = |study: &JointStudyResult| study.event_study(estimator).cloned().unwrap();
        close(&of(&named), &of(&plain), 1e-12);
    }
}

#[test]
fn each_estimator_has_the_numbers_that_it_has_alone() {
    let study = mpdta().fit(data::mpdta()).unwrap();
    let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").base_period(BasePeriod::Universal);
    let fit = config.control_group(ControlGroup::NotYetTreated).build().fit(data::mpdta()).unwrap();
    let alone = fit.aggregate(Aggregation::dynamic()).unwrap().event_study().unwrap();
    close(study.event_study(CS).unwrap(), &alone, 1e-13);
    let config = SunAbraham::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let config = config.group("first.treat").vcov(Vcov::cluster(["countyreal"]));
    let alone = config.build().fit(data::mpdta()).unwrap().event_study;
    close(study.event_study(SA).unwrap(), &alone, 1e-13);
    // The influence values give each estimator's own covariance.
    for estimator in StudyEstimator::WORDS.iter().map(|entry| entry.value) {
        let own = study.event_study(estimator).unwrap();
        let joint = block(&study, estimator, estimator);
        let largest = own.vcov.iter().flatten().fold(0.0, |most: f64, v| most.max(v.abs()));
        for (a, b) in own.vcov.iter().flatten().zip(joint.iter().flatten()) {
            assert!((a - b).abs() <= 1e-11 * largest, "{estimator}: {a} {b}");
        }
    }
}

/// The joint covariance of the influence values that numerical derivatives in the log weights are.
fn has_the_covariance_of_derivatives(covariates: &str, estimators: &[StudyEstimator]) {
    // One cohort: the shares of cohorts, which regressions take as known, do not depend on the weights.
    let config = Simulation::builder().units(60).periods(5).cohorts([3]).weights(true);
    let frame = config.covariates(1).seed(5).build().frame();
    // Every cluster has treated and untreated units, so that the corrections for the numbers of both are one factor.
    let clusters: Vec<f64> = floats(&frame, "id").iter().map(|id| id % 6.0).collect();
    let frame = with(&frame, "cluster", clusters);
    let varying: Vec<f64> =
        floats(&frame, "x1").iter().zip(floats(&frame, "period")).map(|(x, t)| x * t).collect();
    let frame = with(&frame, "xt", varying);
    let mut config = simulated();
    config.covariates = covariates.into();
    config.estimators = estimators.to_vec();
    config.weights = Some("weight".into());
    config.cluster = Some("cluster".into());
    let study = config.fit(&frame).unwrap();
    let effects = |frame: &DataFrame| -> Vec<f64> {
        let study = config.fit(frame).unwrap();
        let rows = study.estimators.iter().flat_map(|of| &of.event_study.as_ref().unwrap().rows);
        rows.map(|row| row.estimate.estimate.unwrap_or(0.0)).collect()
    };
    let (units, weights) = (floats(&frame, "id"), floats(&frame, "weight"));
    let clusters = floats(&frame, "cluster");
    let mut by_cluster = vec![vec![0.0; study.vcov.len()]; 60];
    let mut all = units.clone();
    all.sort_by(f64::total_cmp);
    all.dedup();
    const STEP: f64 = 1e-4;
    for unit in all {
        let moved = |by: f64| -> Vec<f64> {
            let weight = |(id, w): (&f64, &f64)| if *id == unit { w * by.exp() } else { *w };
            effects(&with(&frame, "weight", units.iter().zip(&weights).map(weight).collect()))
        };
        let cluster = clusters[units.iter().position(|id| *id == unit).unwrap()] as usize;
        let (up, down) = (moved(STEP), moved(-STEP));
        for ((sum, up), down) in by_cluster[cluster].iter_mut().zip(up).zip(down) {
            *sum += (up - down) / (2.0 * STEP);
        }
    }
    let derived = |i: usize, j: usize| by_cluster.iter().map(|psi| psi[i] * psi[j]).sum::<f64>();
    let rows = study.event_study(CS).unwrap().rows.len();
    let last = study.vcov.len() - 1;
    // The regressions' corrections for small samples; Callaway and Sant'Anna have none.
    let factor = |i: usize| match derived(i, i) > 0.0 {
        true => study.vcov[i][i] / derived(i, i),
        false => 1.0,
    };
    for i in 0..=last {
        let limit = if i < rows { 1e-4 } else { 0.4 };
        assert!((factor(i) - 1.0).abs() < limit, "{i}: {}", factor(i));
    }
    for i in 0..=last {
        for j in 0..=last {
            let expected = derived(i, j) * (factor(i) * factor(j)).sqrt();
            let size = (study.vcov[i][i] * study.vcov[j][j]).sqrt();
            let got = study.vcov[i][j];
            assert!((got - expected).abs() <= 2e-5 * size, "{i} {j}: {got} {expected}");
        }
    }
}

#[test]
fn the_covariance_between_estimators_is_that_of_numerical_derivatives() {
    // The deviations of imputation's conservative standard errors are from averages by cluster, which are no derivatives.
    let all = StudyEstimator::WORDS.iter().map(|entry| entry.value);
    let all: Vec<StudyEstimator> = all.filter(|of| *of != StudyEstimator::Imputation).collect();
    has_the_covariance_of_derivatives("~ 1", &all);
}

#[test]
fn covariates_are_in_the_covariance_between_estimators() {
    // What R's `DIDmultiplegtDYN` adds for the coefficients of controls is no derivative: it enlarges their residuals cell by cell, and takes
    // the coefficients themselves from every unit's sum.
    let taken = [CS, SA, StudyEstimator::Stacked, StudyEstimator::LocalProjections];
    has_the_covariance_of_derivatives("~ xt", &taken);
}

#[test]
fn estimators_that_are_the_same_are_said_to_be() {
    // With one cohort and no covariates both are the difference in differences of means.
    let frame = Simulation::builder().units(80).periods(5).cohorts([3]).seed(9).build().frame();
    let study = simulated().fit(&frame).unwrap();
    let pair = &study.agreement[0];
    assert!(pair.same && pair.wald.is_none() && pair.difference.se.is_none(), "{pair:?}");
    assert_eq!(pair.event_times, [0.0, 1.0, 2.0]);
    assert!(study.to_string().contains("the same estimates"));
}

#[test]
fn averages_and_tests_are_over_event_times_that_both_have() {
    let mut config = mpdta();
    (config.min_e, config.max_e) = (Some(-2.0), Some(1.0));
    let study = config.fit(data::mpdta()).unwrap();
    assert_eq!(study.event_times, [0.0, 1.0]);
    let rows = &study.event_study(CS).unwrap().rows;
    assert_eq!(rows.iter().map(|row| row.at).collect::<Vec<_>>(), [-2.0, -1.0, 0.0, 1.0]);
    let mean = rows[2..].iter().map(|row| row.estimate.estimate.unwrap()).sum::<f64>() / 2.0;
    let average = study.estimators[0].average;
    assert!((average.estimate.unwrap() - mean).abs() < 1e-15);
    let v = block(&study, CS, CS);
    let se = ((v[2][2] + v[3][3] + 2.0 * v[2][3]) / 4.0).sqrt();
    assert!((average.se.unwrap() - se).abs() < 1e-14);
    let pair = &study.agreement[0];
    let difference = average.estimate.unwrap() - study.estimators[1].average.estimate.unwrap();
    assert!((pair.difference.estimate.unwrap() - difference).abs() < 1e-15);
    assert_eq!(pair.wald.unwrap().df, 2);
}

#[test]
fn bands_cover_all_effects_and_results_are_loaded_again() {
    let mut config = mpdta();
    config.band = Band::Uniform;
    let study = config.fit(data::mpdta()).unwrap();
    assert!(study.critical_value > 2.5 && study.band == Band::Uniform);
    for row in study.estimators.iter().flat_map(|of| &of.event_study.as_ref().unwrap().rows) {
        let of = row.estimate;
        if let (Some(value), Some(se)) = (of.estimate, of.se) {
            assert!((of.band_upper.unwrap() - value - study.critical_value * se).abs() < 1e-14);
        }
    }
    let json = study.to_json().unwrap();
    assert!(
        matches!(SavedResult::from_json(&json).unwrap(), SavedResult::JointStudy(s) if *s == study)
    );
}

#[test]
fn the_order_of_rows_and_names_of_clusters_do_not_matter() {
    let config = Simulation::builder().units(120).periods(6).clusters(24).seed(3);
    let frame = config.build().frame();
    let mut study = simulated();
    study.cluster = Some("cluster".into());
    let first = study.fit(&frame).unwrap();
    let turned = frame.reverse();
    let named: Vec<String> =
        floats(&turned, "cluster").iter().map(|c| format!("c{:03}", *c as i64)).collect();
    let second = study.fit(with(&turned, "cluster", named)).unwrap();
    assert_eq!(first.vcov, second.vcov);
    assert_eq!(first.agreement, second.agreement);
}

#[test]
fn tests_of_more_event_times_than_clusters_are_said_to_be_singular() {
    let frame = Simulation::builder().units(120).periods(6).seed(3).build().frame();
    let third = floats(&frame, "id").iter().map(|id| id % 3.0).collect::<Vec<f64>>();
    let mut study = simulated();
    study.cluster = Some("third".into());
    let few = study.fit(with(&frame, "third", third)).unwrap();
    assert!(few.agreement.iter().any(|pair| pair.wald.is_none() && !pair.same));
    assert!(few.to_string().contains("singular: differences at some event times"), "{few}");
    let units = simulated().fit(&frame).unwrap();
    assert!(!units.to_string().contains("singular: "), "{units}");
}

/// Within the pool one thread makes all fits, outside of it some are made at once.
#[test]
fn fits_at_once_have_the_bits_of_fits_one_after_another() {
    let df = Simulation::builder().units(1_500).periods(6).seed(5).build().frame();
    let config = simulated();
    let at_once = config.fit(&df).unwrap();
    assert!(at_once.settings.n_rows > 5_000);
    assert!(rayon::scope(|_| config.fit(&df).unwrap()) == at_once);
    let vary = Variation::read("control_group,base_period").unwrap();
    let at_once = config.specification_curve(&df, &vary).unwrap();
    assert!(rayon::scope(|_| config.specification_curve(&df, &vary).unwrap()) == at_once);
}

#[test]
fn one_that_cannot_estimate_says_why_and_the_others_go_on() {
    // Everybody is treated in the end; never-treated comparison units there are none.
    let frame =
        Simulation::builder().units(90).periods(5).never_treated(0.0).seed(2).build().frame();
    let mut config = simulated();
    config.control_group = ControlGroup::NeverTreated;
    config.covariates = "~ nothing".into();
    let error = config.fit(&frame).unwrap_err().to_string();
    assert!(error.contains("nothing"), "{error}");
    config.covariates = "~ 1".into();
    config.max_e = Some(0.0);
    let study = config.fit(&frame).unwrap();
    for of in &study.estimators {
        assert_eq!(of.failure.is_some(), of.event_study.is_none());
    }
    config.estimators = vec![CS, CS];
    assert!(config.fit(&frame).unwrap_err().to_string().contains("`cs` twice"));
    config.estimators.clear();
    let error = config.fit(&frame).unwrap_err().to_string();
    assert!(StudyEstimator::WORDS.iter().all(|entry| error.contains(entry.word)), "{error}");
    config.estimators = vec![CS];
    (config.min_e, config.max_e) = (Some(3.0), Some(1.0));
    assert!(config.fit(&frame).unwrap_err().to_string().contains("min_e"));
}

/// Some estimators count periods, others time: of periods that are two years apart all have the effects of yearly ones, at twice the event time.
#[test]
fn event_times_count_time_for_all_estimators() {
    let yearly = data::mpdta();
    let every_other = |column: &str, frame: &DataFrame| map(frame, column, |year| 2.0 * year);
    let frame = every_other("first.treat", &every_other("year", &yearly));
    let mut config = mpdta();
    for window in [None, Some((-2.0, 1.0))] {
        (config.min_e, config.max_e) = window.unzip();
        let expected = config.fit(&yearly).unwrap();
        (config.min_e, config.max_e) = window.map(|(min, max)| (2.0 * min, 2.0 * max)).unzip();
        let found = config.fit(&frame).unwrap();
        for (of, yearly) in found.estimators.iter().zip(&expected.estimators) {
            let name = of.estimator;
            let [study, yearly] = [of, yearly].map(|of| match &of.event_study {
                Some(study) => study,
                None => panic!("{name}, {window:?}: {:?}", of.failure),
            });
            let twice: Vec<f64> = yearly.event_times().iter().map(|at| 2.0 * at).collect();
            assert_eq!(study.event_times(), twice, "{name}");
            for (a, b) in study.rows.iter().zip(&yearly.rows) {
                let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
                    (Some(a), Some(b)) => (a - b).abs() <= 1e-12 * (1.0 + b.abs()),
                    (a, b) => a == b,
                };
                let same = near(a.estimate.estimate, b.estimate.estimate)
                    && near(a.estimate.se, b.estimate.se);
                assert!(same, "{name} at {}: {a:?} {b:?}", a.at);
            }
        }
        for (a, b) in found.agreement.iter().zip(&expected.agreement) {
            assert_eq!(a.same, b.same);
            let p_value = |wald: &Option<burn_did::Wald>| wald.as_ref().map(|wald| wald.p_value);
            assert_eq!(p_value(&a.wald).is_some(), p_value(&b.wald).is_some());
            for (a, b) in p_value(&a.wald).into_iter().zip(p_value(&b.wald)) {
                assert!((a - b).abs() < 1e-9);
            }
        }
    }
}

/// Months as decimals of a year, whose differences have other digits for each estimator.
#[test]
fn event_times_of_a_grid_are_equal_for_all_estimators() {
    let config = Simulation::builder().units(200).periods(8).cohorts([4, 5, 6]).seed(7);
    let months = config.build().frame();
    let decimal = |month: f64| if month > 0.0 { 2000.0 + month / 12.0 } else { month };
    let decimals = map(&map(&months, "period", decimal), "group", decimal);
    let [by_month, by_decimal] = [&months, &decimals].map(|frame| simulated().fit(frame).unwrap());
    let of_year = |times: &[f64]| times.iter().map(|at| at / 12.0).collect::<Vec<_>>();
    assert_eq!(by_decimal.event_times, of_year(&by_month.event_times));
    for (a, b) in by_decimal.agreement.iter().zip(&by_month.agreement) {
        assert_eq!(a.event_times, of_year(&b.event_times), "{} {}", a.first, a.second);
        assert_eq!(a.wald.map(|wald| wald.df), b.wald.map(|wald| wald.df));
    }
    let of_both = by_decimal.estimators.iter().zip(&by_month.estimators);
    for (a, b) in of_both {
        let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-9,
            (a, b) => a == b,
        };
        assert!(near(a.average.estimate, b.average.estimate), "{}: {a:?} {b:?}", a.estimator);
        assert!(near(a.average.se, b.average.se), "{}: {a:?} {b:?}", a.estimator);
    }
    // A window is written with as many digits as people write.
    let mut window = simulated();
    (window.min_e, window.max_e) = (Some(-0.16667), Some(0.083333));
    for of in &window.fit(&decimals).unwrap().estimators {
        let times = of.event_study.as_ref().map(EventStudy::event_times).unwrap_or_default();
        // Regressions of Wooldridge have no effects before treatment.
        let first = if of.estimator == StudyEstimator::Etwfe { 0.0 } else { -2.0 / 12.0 };
        let ends = (times.first(), times.last());
        assert_eq!(ends, (Some(&first), Some(&(1.0 / 12.0))), "{}", of.estimator);
    }
}

/// A stack keeps every cohort, so that its window ends with the data of the last one.
#[test]
fn a_short_window_of_one_estimator_does_not_cut_the_averages_of_all() {
    let study = mpdta().fit(data::mpdta()).unwrap();
    assert_eq!(study.event_times, [0.0, 1.0, 2.0, 3.0]);
    for of in &study.estimators {
        let is_short = of.estimator == StudyEstimator::Stacked;
        assert_eq!(of.average.estimate.is_none(), is_short, "{}", of.estimator);
    }
    let table = study.to_string();
    assert!(
        table.contains("event times 0, 1, 2, 3, each counting alike; not of Stacked"),
        "{table}"
    );
    let mut stacked = mpdta();
    stacked.estimators = vec![CS, StudyEstimator::Stacked];
    let vary = Variation::read("control_group").unwrap();
    let curve = stacked.specification_curve(data::mpdta(), &vary).unwrap();
    assert_eq!(curve.event_times, [0.0, 1.0, 2.0, 3.0]);
    for of in &curve.specifications {
        let is_short = of.specification.estimator == StudyEstimator::Stacked;
        assert_eq!(of.failure.is_some(), is_short);
        let why = of.failure.as_ref().map_or("", |failure| &failure.message);
        assert!(!is_short || why.contains("at event time 0 only"), "{why}");
    }
}

#[test]
fn estimators_that_count_periods_refuse_groups_between_them() {
    let every_other = |column: &str, frame: &DataFrame| map(frame, column, |year| 2.0 * year);
    let frame = every_other("first.treat", &every_other("year", &data::mpdta()));
    let frame = map(&frame, "first.treat", |group| if group == 4012.0 { 4011.0 } else { group });
    let study = mpdta().fit(&frame).unwrap();
    for of in &study.estimators {
        let counts_periods = matches!(
            of.estimator,
            StudyEstimator::LocalProjections
                | StudyEstimator::Stacked
                | StudyEstimator::DidMultiplegt
        );
        let message = of.failure.as_ref().map_or("", |failure| &failure.message);
        assert_eq!(message.contains("period 4011 is between"), counts_periods, "{message}");
    }
}

#[test]
fn messages_are_about_the_columns_of_the_data() {
    let frame = data::mpdta();
    let mut config = mpdta();
    config.cluster = Some("cl".into());
    config.estimators = vec![CS];
    let error = |cl: Vec<f64>| config.fit(with(&frame, "cl", cl)).unwrap_err().to_string();
    let changing = error(floats(&frame, "year"));
    assert!(changing.contains("`cl` (cluster) changes over time"), "{changing}");
    let one = error(vec![1.0; frame.height()]);
    assert!(one.contains("`cl` (cluster) has 1 cluster"), "{one}");
    // Event studies name the column, not the codes of its values.
    let several = map(&frame, "countyreal", |county| (county % 40.0).floor());
    config.estimators = StudyEstimator::WORDS.iter().map(|entry| entry.value).collect();
    let study = config.fit(with(&frame, "cl", floats(&several, "countyreal"))).unwrap();
    for of in &study.estimators {
        let text = of.event_study.as_ref().unwrap().to_json().unwrap();
        assert!(!text.contains("cluster_code"), "{text}");
        let names_it = text.contains("clustered by cl") || text.contains("\"cluster\": \"cl\"");
        assert!(names_it, "{}: {text}", of.estimator);
    }
    // So do warnings.
    let gaps = map(&frame, "countyreal", |c| if c % 7.0 == 0.0 { f64::NAN } else { c % 40.0 });
    let study = config.fit(with(&frame, "cl", floats(&gaps, "countyreal"))).unwrap();
    for of in &study.estimators {
        let said: Vec<String> = of.warnings.iter().map(ToString::to_string).collect();
        let said = said.join("; ");
        assert!(said.contains("for `cl`)") && !said.contains("cluster_code"), "{said}");
    }
    // Nothing varies, and there are as many clusters as units.
    let constant = with(&frame, "lemp", vec![1.0; frame.height()]);
    config.cluster = None;
    config.estimators = vec![StudyEstimator::Imputation, StudyEstimator::Etwfe];
    let study = config.fit(&constant).unwrap();
    assert_eq!(study.settings.n_clusters, 500);
    let few = |warning: &DidWarning| matches!(warning, DidWarning::FewClusters { .. });
    assert!(!study.warnings.iter().any(few), "{:?}", study.warnings);
    // Without standard errors nothing is compared.
    let text = study.to_string();
    assert!(text.contains("not defined: at no event time"), "{text}");
    assert!(!text.contains("singular: differences"), "{text}");
}

/// What is empty in the table has its reason there, in the frame and in the result.
#[test]
fn empty_cells_have_reasons() {
    let study = mpdta().fit(data::mpdta()).unwrap();
    let missing = study.missing_effects();
    let of = |estimator: StudyEstimator| -> Vec<f64> {
        missing.iter().filter(|m| m.estimator == estimator).map(|m| m.event_time).collect()
    };
    assert_eq!(of(StudyEstimator::CallawaySantAnna), [] as [f64; 0]);
    assert_eq!(of(StudyEstimator::Imputation), [-4.0]);
    assert_eq!(of(StudyEstimator::Etwfe), [-4.0, -3.0, -2.0, -1.0]);
    assert_eq!(of(StudyEstimator::Stacked), [-4.0, -3.0, -2.0, 1.0, 2.0, 3.0]);
    let table = study.to_string();
    for line in [
        "No effect of Imputation at -4: before treatment it compares the others with the earliest event time",
        "No effect of Stacked at 6 event times from -4 to 3: its stacks have",
    ] {
        assert!(table.contains(line), "{table}");
    }
    let csv = study.to_csv().unwrap();
    assert_eq!(csv.matches("no_estimate").count(), missing.len(), "{csv}");
    for effect in &missing {
        assert!(csv.contains(effect.reason) && table.contains(effect.reason), "{}", effect.reason);
    }
    let mut never = mpdta();
    never.control_group = ControlGroup::NeverTreated;
    let missing = never.fit(data::mpdta()).unwrap().missing_effects();
    assert!(!missing.iter().any(|m| m.estimator == StudyEstimator::Etwfe && m.event_time < -1.0));
}
