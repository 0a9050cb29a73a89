//! A study under many specifications: each alone, what they are together, and what goes wrong.

use burn_did::backend::Cpu;
use burn_did::data::{self, Simulation};
use burn_did::joint_study::{SampleFilter, StudyEstimator, Variation};
use burn_did::options::{Band, BasePeriod, ControlGroup, EstimationMethod};
use burn_did::{
    Aggregation, AttGt, EventStudy, Imputation, JointStudy, SavedResult, SpecificationCurve,
};
use polars::prelude::*;

use crate::support::frames::{floats, with};

const CS: StudyEstimator = StudyEstimator::CallawaySantAnna;
const SA: StudyEstimator = StudyEstimator::SunAbraham;
const BJS: StudyEstimator = StudyEstimator::Imputation;

fn mpdta(estimators: &[StudyEstimator]) -> JointStudy<Cpu> {
    let config = JointStudy::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
    config.group("first.treat").estimators(estimators.iter().copied()).build()
}

fn simulated(estimators: &[StudyEstimator]) -> JointStudy<Cpu> {
    let config = JointStudy::<Cpu>::builder().outcome("y").unit("id").time("period").group("group");
    config.estimators(estimators.iter().copied()).build()
}

fn read(text: &str) -> Vec<Variation> {
    Variation::read(text).unwrap()
}

/// Average effect and its standard error over these event times, of an estimator alone.
fn average(study: &EventStudy, times: &[f64], shift: f64) -> (f64, f64) {
    let at: Vec<usize> = times
        .iter()
        .map(|at| study.rows.iter().position(|row| row.at == at + shift).unwrap())
        .collect();
    let n = at.len() as f64;
    let value = at.iter().map(|i| study.rows[*i].estimate.estimate.unwrap()).sum::<f64>() / n;
    let pairs = at.iter().flat_map(|i| at.iter().map(move |j| study.vcov[*i][*j]));
    (value, pairs.sum::<f64>().sqrt() / n)
}

fn close(curve: &SpecificationCurve, index: usize, (value, se): (f64, f64)) {
    let of = &curve.specifications[index];
    let (got, error) = (of.estimate.estimate.unwrap(), of.estimate.se.unwrap());
    assert!((got - value).abs() < 1e-12, "{:?}: {got} {value}", of.specification);
    assert!((error - se).abs() < 1e-11 * se, "{:?}: {error} {se}", of.specification);
}

#[test]
fn each_specification_has_the_numbers_that_it_has_alone() {
    let mut config = mpdta(&[CS]);
    config.covariates = "~ lpop".into();
    let vary = read("control_group,est_method,base_period,anticipation");
    let curve = config.specification_curve(data::mpdta(), &vary).unwrap();
    assert_eq!((curve.specifications.len(), curve.n_combinations), (24, 24));
    // With anticipation the first cohort has no period before it.
    assert_eq!(curve.event_times, [0.0, 1.0]);
    for (index, of) in curve.specifications.iter().enumerate() {
        let of = &of.specification;
        let config = AttGt::<Cpu>::builder().outcome("lemp").unit("countyreal").time("year");
        let config = config.group("first.treat").covariates("~ lpop");
        let config = config.control_group(of.control_group.unwrap());
        let config = config.base_period(of.base_period.unwrap()).method(of.method.unwrap());
        let fit = config.anticipation(of.anticipation).build().fit(data::mpdta()).unwrap();
        let alone = fit.aggregate(Aggregation::dynamic()).unwrap().event_study().unwrap();
        close(&curve, index, average(&alone, &curve.event_times, 0.0));
    }
    let main = &curve.specifications[0].specification;
    assert_eq!(main.control_group, Some(ControlGroup::NotYetTreated));
    assert_eq!(main.base_period, Some(BasePeriod::Universal));
    assert_eq!(main.method, Some(EstimationMethod::DoublyRobust));
    // From event time 0 on the base period makes no difference, and nothing has no standard error.
    let same = curve.specifications.iter().filter(|of| of.same);
    assert_eq!(same.clone().count(), 2);
    assert!(same.clone().all(|of| of.difference.se.is_none()));
}

#[test]
fn anticipation_moves_the_first_treated_period_of_estimators_without_the_option() {
    let frame = Simulation::builder().units(150).periods(7).seed(4).build().frame();
    let vary = [Variation::Anticipation(vec![0, 1])];
    let curve = simulated(&[BJS]).specification_curve(&frame, &vary).unwrap();
    let earlier: Vec<f64> = floats(&frame, "group")
        .iter()
        .map(|g| if *g > 0.0 && g.is_finite() { g - 1.0 } else { *g })
        .collect();
    let config = Imputation::builder().outcome("y").unit("id").time("period").group("group");
    let alone = config.build().fit(with(&frame, "group", earlier)).unwrap().event_study();
    close(&curve, 1, average(&alone, &curve.event_times, 1.0));
    // The joint study has the option, too.
    let mut config = simulated(&[BJS]);
    config.anticipation = 1;
    let study = config.fit(&frame).unwrap();
    let rows = &study.event_study(BJS).unwrap().rows;
    for (row, own) in rows.iter().zip(&alone.rows) {
        assert_eq!((row.at, row.estimate), (own.at - 1.0, own.estimate));
    }
    assert!(study.to_string().contains("Anticipation Periods: 1"));
}

#[test]
fn differences_are_those_of_the_joint_study() {
    let both = mpdta(&[CS, SA, BJS]);
    let study = both.fit(data::mpdta()).unwrap();
    let curve = both.specification_curve(data::mpdta(), &read("anticipation=0")).unwrap();
    for (index, of) in study.estimators.iter().enumerate() {
        close(&curve, index, (of.average.estimate.unwrap(), of.average.se.unwrap()));
    }
    let pair = study.agreement[0].difference;
    let difference = curve.specifications[1].difference;
    assert!((pair.estimate.unwrap() + difference.estimate.unwrap()).abs() < 1e-13);
    assert!((pair.se.unwrap() - difference.se.unwrap()).abs() < 1e-13);
    // The covariance is in the curve, too.
    let v = &curve.vcov;
    let se = (v[0][0] + v[1][1] - 2.0 * v[0][1]).sqrt();
    assert!((se - difference.se.unwrap()).abs() < 1e-12);
}

#[test]
fn estimates_without_a_standard_error_have_a_reason() {
    let frame = Simulation::builder().units(150).periods(7).seed(4).build().frame();
    let constant = with(&frame, "y", vec![0.1; frame.height()]);
    let curve = simulated(&[CS]).specification_curve(&constant, &read("anticipation=0,1"));
    let reason = curve.unwrap_err().to_string();
    assert!(reason.contains("there is no effect with a standard error"), "{reason}");
}

#[test]
fn filters_leave_out_rows_and_influence_stays_with_its_cluster() {
    let frame = Simulation::builder().units(200).periods(6).cohorts([3, 5]).seed(7).build().frame();
    let half: Vec<f64> = floats(&frame, "id").iter().map(|id| f64::from(*id < 100.0)).collect();
    let other: Vec<f64> = half.iter().map(|half| 1.0 - half).collect();
    let frame = with(&with(&frame, "half", half), "other", other);
    let mut config = simulated(&[CS]);
    config.max_e = Some(1.0);
    let vary = read("sample=all,half,other,without:3");
    let curve = config.specification_curve(&frame, &vary).unwrap();
    let n: Vec<usize> = curve.specifications.iter().map(|of| of.n_clusters.unwrap()).collect();
    assert_eq!((n[0], n[1] + n[2]), (200, 200));
    assert!(n[3] < 200);
    // Halves share no unit.
    let v = &curve.vcov;
    assert!(v[1][2].abs() < 1e-18 && v[0][1] > 0.0, "{v:?}");
    let lazy = frame.clone();
    let keep = floats(&lazy, "half").iter().map(|half| *half == 1.0).collect::<Vec<bool>>();
    let part = lazy.filter(&BooleanChunked::from_slice("keep".into(), &keep)).unwrap();
    let alone = config.specification_curve(&part, &read("anticipation=0")).unwrap();
    let se = |curve: &SpecificationCurve, at: usize| curve.specifications[at].estimate.se.unwrap();
    assert!((se(&curve, 1) - se(&alone, 0)).abs() < 1e-13);
    let all = config.specification_curve(&frame, &[Variation::Sample(Vec::new())]).unwrap();
    let samples: Vec<String> =
        all.specifications.iter().map(|of| of.specification.sample.to_string()).collect();
    assert_eq!(samples, ["all", "without:3", "without:5"]);
    assert_eq!(all.specifications[1].estimate, curve.specifications[3].estimate);
}

#[test]
fn a_choice_that_an_estimator_does_not_have_is_no_specification_of_its_own() {
    let mut config = mpdta(&[CS, SA]);
    config.covariates = "~ lpop".into();
    config.band = Band::Uniform;
    let vary = read("control_group,base_period,est_method,covariates");
    let curve = config.specification_curve(data::mpdta(), &vary).unwrap();
    assert_eq!(curve.n_combinations, 48);
    assert_eq!(curve.specifications.len(), 24 + 2);
    let text = curve.to_string();
    assert!(text.contains("26 of 26 estimated, from 48 combinations"), "{text}");
    assert!(text.contains("All specifications together"), "{text}");
    let tests = curve.tests.unwrap();
    assert_eq!(tests.n, 26);
    assert!(tests.largest_p_value < 0.2 && tests.difference.is_some(), "{tests:?}");
    assert!(curve.critical_value > 1.96);
    let json = curve.to_json().unwrap();
    let loaded = SavedResult::from_json(&json).unwrap();
    assert!(matches!(loaded, SavedResult::SpecificationCurve(of) if *of == curve));
    let frame = curve.to_dataframe().unwrap();
    assert_eq!(frame.height(), 26);
}

#[test]
fn subsets_are_of_the_terms_of_the_formula() {
    let frame = Simulation::builder().units(200).covariates(2).seed(1).build().frame();
    let mut config = simulated(&[CS]);
    config.covariates = "~ x1 + log(abs(x2) + 1)".into();
    let curve = config.specification_curve(&frame, &read("covariates")).unwrap();
    let formulas: Vec<&str> =
        curve.specifications.iter().map(|of| of.specification.covariates.as_str()).collect();
    assert_eq!(formulas, ["~ x1 + log(abs(x2) + 1)", "~ x1", "~ log(abs(x2) + 1)", "~ 1"]);
    let given = read("covariates=~1,~x1");
    let replaced = |curve: &SpecificationCurve| {
        let own = "`~ x1 + log(abs(x2) + 1)` is none of them";
        curve.warnings.iter().any(|warning| warning.to_string().contains(own))
    };
    assert!(!replaced(&curve));
    let curve = config.specification_curve(&frame, &given).unwrap();
    assert_eq!(curve.specifications.len(), 2);
    assert!(replaced(&curve));
    let given = read("covariates=~1, ~ 1 + x1+log(abs(x2) + 1)");
    assert!(!replaced(&config.specification_curve(&frame, &given).unwrap()));
}

#[test]
fn one_that_cannot_be_estimated_says_why_and_the_others_go_on() {
    let frame = Simulation::builder().units(200).periods(6).seed(2).build().frame();
    let mut config = simulated(&[CS, StudyEstimator::Stacked]);
    config.max_e = Some(0.0);
    // Stacks take columns, and no expressions.
    let curve = config.specification_curve(&frame, &read("covariates=~1,~I(x1^2)")).unwrap();
    let failed: Vec<_> = curve.specifications.iter().filter(|of| of.failure.is_some()).collect();
    assert_eq!((failed.len(), failed[0].specification.estimator), (1, StudyEstimator::Stacked));
    assert_eq!(failed[0].specification.covariates, "~I(x1^2)");
    assert!(failed[0].estimate.estimate.is_none() && failed[0].n_rows.is_none());
    let text = curve.to_string();
    assert!(text.contains("3 of 4 estimated") && text.contains("no estimate:"), "{text}");
    assert!(text.contains("at which all that are estimated have an effect"), "{text}");
    assert!(curve.vcov[3].iter().all(|v| *v == 0.0), "{:?}", curve.vcov);
    // The first that ran is the main one.
    let curve = config.specification_curve(&frame, &read("covariates=~nothing^2,~1"));
    assert!(curve.is_err());
    config.estimators = vec![StudyEstimator::Stacked, CS];
    let curve = config.specification_curve(&frame, &read("covariates=~I(x1^2),~1")).unwrap();
    assert_eq!((curve.main, curve.specifications[0].failure.is_some()), (1, true));
}

#[test]
fn what_cannot_be_varied_is_an_error() {
    let config = mpdta(&[CS]);
    let error = |vary: &[Variation]| {
        config.specification_curve(data::mpdta(), vary).unwrap_err().to_string()
    };
    assert!(error(&[]).contains("at least one choice"));
    assert!(error(&read("covariates")).contains("terms to vary"));
    assert!(error(&read("anticipation,anticipation=2")).contains("twice"));
    assert!(error(&read("anticipation=2,2")).contains("twice"));
    assert!(error(&read("sample=nothing")).contains("nothing"));
    assert!(error(&read("covariates=~nothing")).contains("nothing"));
    assert!(
        error(&[Variation::Sample(vec![SampleFilter::Without("1999".into())])]).contains("1999")
    );
    for wrong in ["borders", "anticipation=-1", "control_group=some", "est_method,12"] {
        let error = Variation::read(wrong).unwrap_err().to_string();
        assert!(error.contains("vary"), "{wrong}: {error}");
    }
    // More covariates than have a table of their subsets.
    let mut many = mpdta(&[CS]);
    let terms: Vec<String> = (0..40).map(|i| format!("x{i}")).collect();
    many.covariates = format!("~ {}", terms.join(" + "));
    let error = many.specification_curve(data::mpdta(), &read("covariates")).unwrap_err();
    assert_eq!(error.code(), "memory");
}
