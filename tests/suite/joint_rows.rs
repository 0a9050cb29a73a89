//! Joint studies: rows without a group, shocks that all units have, differences that are equal or determine each other, and event studies with anticipation.

use burn_did::backend::Cpu;
use burn_did::data::{self, Simulation};
use burn_did::joint_study::{Agreement, StudyEstimator};
use burn_did::{Honest, JointStudy, JointStudyResult};

use crate::support::frames::{filter, floats, with};

const ALL: [StudyEstimator; 4] = [
    StudyEstimator::CallawaySantAnna,
    StudyEstimator::SunAbraham,
    StudyEstimator::Imputation,
    StudyEstimator::DidMultiplegt,
];

fn config() -> JointStudy<Cpu> {
    let config = JointStudy::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    config.estimators(ALL).build()
}

fn effects(study: &JointStudyResult) -> Vec<(f64, Option<f64>, Option<f64>)> {
    let rows = study.estimators.iter().flat_map(|of| &of.event_study.as_ref().unwrap().rows);
    rows.map(|row| (row.at, row.estimate.estimate, row.estimate.se)).collect()
}

fn pair(study: &JointStudyResult, first: StudyEstimator, second: StudyEstimator) -> &Agreement {
    let is_it = |pair: &&Agreement| (pair.first, pair.second) == (first, second);
    study.agreement.iter().find(is_it).unwrap()
}

#[test]
fn rows_without_a_group_are_left_out_by_all() {
    let frame = Simulation::builder().units(150).periods(6).cohorts([3, 5]).seed(3).build().frame();
    let (ids, groups) = (floats(&frame, "id"), floats(&frame, "group"));
    // Whole units, and some rows of others.
    let periods = floats(&frame, "period");
    let lost: Vec<bool> = ids
        .iter()
        .zip(&periods)
        .map(|(id, t)| id % 11.0 == 2.0 || id % 7.0 == 3.0 && *t == 2.0)
        .collect();
    let group = |(group, lost): (&f64, &bool)| if *lost { f64::NAN } else { *group };
    let without = with(&frame, "group", groups.iter().zip(&lost).map(group).collect());
    let removed = filter(&without, "group", |group| !group.is_nan());
    for anticipation in [0, 1] {
        let mut config = config();
        config.anticipation = anticipation;
        let [a, b] = [&without, &removed].map(|frame| config.fit(frame).unwrap());
        assert_eq!(effects(&a), effects(&b), "anticipation {anticipation}");
        for of in &a.estimators {
            let said =
                of.warnings.iter().any(|message| message.code.as_deref() == Some("dropped_rows"));
            assert!(said, "{}: {:?}", of.estimator, of.warnings);
        }
    }
}

#[test]
fn effects_that_are_the_same_are_no_part_of_a_test() {
    let study = JointStudy::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    let study = study.group("first.treat").estimators(ALL).build().fit(data::mpdta()).unwrap();
    let [cs, sa, _, dcdh] = ALL;
    // At event time 3 one cohort is left, which both compare with the same counties.
    let test = pair(&study, cs, sa);
    assert_eq!(test.event_times, [0.0, 1.0, 2.0, 3.0]);
    let wald = test.wald.unwrap();
    assert_eq!(wald.df, 3);
    assert!((wald.p_value - 0.644).abs() < 1e-3, "{}", wald.p_value);
    let wald = pair(&study, sa, dcdh).wald.unwrap();
    assert!((wald.p_value - 0.411).abs() < 1e-3, "{}", wald.p_value);
}

/// The law is that of Hotelling's T² with the clusters that contribute.
#[test]
fn few_clusters_reject_less_often() {
    let frame = Simulation::builder().units(120).periods(6).cohorts([3, 4]).seed(11);
    let frame = frame.build().frame();
    let clusters = floats(&frame, "id").iter().map(|id| id % 8.0).collect();
    let mut config = self::config();
    let units = config.fit(&frame).unwrap();
    config.cluster = Some("cluster".into());
    let few = config.fit(with(&frame, "cluster", clusters)).unwrap();
    for (study, clusters) in [(&units, 120), (&few, 8)] {
        let tests = study.agreement.iter().filter_map(|pair| pair.wald);
        assert!(tests.clone().count() > 2);
        for wald in tests {
            assert_eq!(wald.df2, Some(clusters - wald.df));
        }
    }
    let shown = few.to_string();
    assert!(shown.contains("4, 4  ") && shown.contains("p-value: Hotelling's T²"), "{shown}");
}

/// Rows of these estimators count later than the data.
#[test]
fn errors_with_anticipation_say_that_periods_are_later() {
    let frame = Simulation::builder().units(60).periods(6).cohorts([3, 4]).seed(11);
    let frame = frame.build().frame();
    let twice = frame.vstack(&frame.slice(3, 1)).unwrap();
    let period = floats(&frame, "period")[3];
    let mut config = self::config();
    config.anticipation = 1;
    for (estimator, said) in [
        (StudyEstimator::Imputation, format!("period {} (column", period + 1.0)),
        (StudyEstimator::LocalProjections, format!("such as 1 in {}", period + 1.0)),
    ] {
        config.estimators = vec![estimator];
        let error = config.fit(&twice).unwrap_err().to_string();
        assert!(error.contains(&said), "{error}");
        assert!(error.contains("in this message are 1 larger than in the data"), "{error}");
    }
}

#[test]
fn differences_that_determine_each_other_have_no_test() {
    let config = Simulation::builder().units(120).periods(7).cohorts([3, 4]).seed(11);
    let frame = config.build().frame();
    // Contributions of three clusters have rank three at most, and effects differ at four event times.
    let clusters = floats(&frame, "id").iter().map(|id| id % 3.0).collect();
    let frame = with(&frame, "cluster", clusters);
    let mut config = self::config();
    config.cluster = Some("cluster".into());
    let study = config.fit(&frame).unwrap();
    for pair in &study.agreement {
        let differing = pair.event_times.len();
        if let Some(wald) = &pair.wald {
            assert!(wald.df <= 3 && differing > 0, "{} and {}: {wald:?}", pair.first, pair.second);
        }
    }
    let [_, sa, imputation, _] = ALL;
    assert_eq!(pair(&study, sa, imputation).wald, None);
}

#[test]
fn analyses_take_the_event_times_that_are_shown() {
    let config = Simulation::builder().units(200).periods(7).cohorts([4, 5]).seed(2);
    let frame = config.build().frame();
    let mut config = self::config();
    (config.anticipation, config.min_e, config.max_e) = (1, Some(-3.0), Some(1.0));
    let study = config.fit(&frame).unwrap();
    let imputed = study.event_study(StudyEstimator::Imputation).unwrap();
    let shown = |at: &f64| imputed.rows.iter().any(|row| row.at == *at);
    let honest = imputed.honest(Honest::relative_magnitude().m_bar([0.5])).unwrap();
    let taken = honest.study.event_times();
    assert!(!taken.is_empty() && taken.iter().all(shown), "{taken:?}");
}

/// What all units have in common in a period tells nothing of the treatment, and nothing of how estimators differ.
#[test]
fn shocks_that_all_units_have_change_no_standard_error() {
    let frame = Simulation::builder().units(300).periods(8).cohorts([3, 4, 5]).build().frame();
    let shocks = [0.0, 7.0, -4.0, 9.0, -8.0, 3.0, 6.0, -9.0, 5.0];
    let periods = floats(&frame, "period");
    let outcomes = floats(&frame, "y").into_iter().zip(&periods);
    let shocked: Vec<f64> = outcomes.map(|(y, period)| y + shocks[*period as usize]).collect();
    let [plain, shocked] = [frame.clone(), with(&frame, "y", shocked)].map(|frame| {
        let all = JointStudy::<Cpu>::builder().outcome("y").unit("id").time("period");
        let study = all.group("group").build().fit(&frame).unwrap();
        assert_eq!(study.estimators.iter().filter(|of| of.event_study.is_some()).count(), 8);
        study
    });
    for (before, after) in effects(&plain).into_iter().zip(effects(&shocked)) {
        let near = |a: Option<f64>, b: Option<f64>| {
            (a.unwrap_or(0.0) - b.unwrap_or(0.0)).abs() < 1e-9 * (1.0 + a.unwrap_or(0.0).abs())
        };
        let is_near = near(before.1, after.1) && near(before.2, after.2);
        assert!(before.0 == after.0 && is_near, "{before:?} {after:?}");
    }
    for (a, b) in plain.agreement.iter().zip(&shocked.agreement) {
        let (before, after) = (a.difference.se.unwrap_or(0.0), b.difference.se.unwrap_or(0.0));
        let pair = format!("{} and {}", a.first.name(), a.second.name());
        assert!((before - after).abs() < 1e-9, "{pair}: {before} {after}");
    }
}
