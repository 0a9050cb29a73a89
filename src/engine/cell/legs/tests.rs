use super::*;
use crate::engine::cell::fixtures::{rows, sample};
use crate::read::panel::Layout;

const CONSUMERS: Consumers = Consumers { clusters: None, multipliers: None, keep_rows: false };

/// Treated stratum 0 and comparison stratum 2; stratum 1 is another group.
fn three_cohorts() -> Sample {
    sample(Layout::Balanced, &[1.0, 2.0, 3.0], &[2.0, 3.0, f64::INFINITY])
}

/// A doubly robust estimate of the change from period 0 to this one.
fn estimate(post: usize) -> CellEstimate {
    let gamma = [-1.0, 0.5];
    let outcome = Outcome::Change { post, base: 0 };
    let (beta, a) = (Some(vec![1.0, 2.0]), Some(vec![0.1, 0.2]));
    let treated = Coefficients {
        c: 0.1,
        f: -0.2,
        beta: beta.clone(),
        a: a.clone(),
        ..Coefficients::default()
    };
    let b = Some(vec![0.3, 0.4]);
    let control = Coefficients { h: 0.1, h_tau: 0.05, beta, b, a, ..Coefficients::default() };
    let terms = vec![
        InfluenceTerm::new(&rows(0), outcome, true, Some(&gamma), &treated),
        InfluenceTerm::new(&rows(2), outcome, false, Some(&gamma), &control),
    ];
    CellEstimate { terms, ..CellEstimate::default() }
}

#[test]
fn equal_linear_predictors_are_formed_once() {
    let (sample, first, second) = (three_cohorts(), estimate(1), estimate(2));
    let cells = [Some(&first), None, Some(&second)].into_iter();
    let pass = influence_pass(&sample, cells, SharesOf::Eligible, CONSUMERS, Precision::F64, 0.995);
    // Three cells and two groups.
    assert_eq!(pass.columns, 5);
    let control = &pass.strata[2];
    // β, b, a and γ, shared by both columns.
    assert_eq!((control.dots.len(), control.props.as_slice()), (4, &[3][..]));
    let columns: Vec<usize> = control.columns.iter().map(|c| c.column).collect();
    assert_eq!(columns, [0, 2]);
    let leg = &control.columns[1].legs[0];
    assert_eq!((leg.post, leg.base, leg.treated), (2, Some(0), false));
    assert_eq!(
        (leg.beta, leg.b, leg.e, leg.a, leg.prop),
        (Some(0), Some(1), None, Some(2), Some(0))
    );
    assert_eq!((leg.c, leg.f, leg.h, leg.h_tau), (0.0, 0.0, 0.1, 0.05));
    assert!(pass.strata[1].columns.is_empty());
}

#[test]
fn groups_have_a_column_for_their_shares() {
    let sample = three_cohorts();
    let pass = influence_pass(
        &sample,
        [None].into_iter(),
        SharesOf::Eligible,
        CONSUMERS,
        Precision::F64,
        0.995,
    );
    let columns: Vec<_> = pass.strata.iter().map(|s| s.share.map(|s| s.column)).collect();
    assert_eq!(columns, [Some(1), Some(2), None]);
    assert_eq!(pass.strata[0].share.map(|s| s.scale), Some(1.0 / 30.0));
}

#[test]
fn single_precision_has_a_column_of_ones() {
    let (sample, cell) = (three_cohorts(), estimate(1));
    let pass = influence_pass(
        &sample,
        [Some(&cell)].into_iter(),
        SharesOf::Eligible,
        CONSUMERS,
        Precision::F32,
        0.995,
    );
    assert_eq!(pass.columns, 4);
    let ones = pass.strata[0].columns.last().unwrap();
    assert_eq!((ones.column, &ones.legs), (3, &vec![Leg { f: 1.0, ..Leg::default() }]));
    assert!(pass.strata[1].columns.is_empty());
}

#[test]
fn rows_of_two_terms_have_two_legs_in_one_column() {
    let sample = three_cohorts();
    let level = |column: usize, c: f64| {
        let of = Coefficients { c, ..Coefficients::default() };
        InfluenceTerm::new(&rows(0), Outcome::Level(column), true, None, &of)
    };
    let cell =
        CellEstimate { terms: vec![level(0, -1.0), level(1, 1.0)], ..CellEstimate::default() };
    let pass = influence_pass(
        &sample,
        [Some(&cell)].into_iter(),
        SharesOf::Eligible,
        CONSUMERS,
        Precision::F64,
        0.995,
    );
    let [column] = pass.strata[0].columns.as_slice() else { panic!("one column") };
    let legs: Vec<_> = column.legs.iter().map(|leg| (leg.post, leg.base, leg.c)).collect();
    assert_eq!(legs, [(0, None, -1.0), (1, None, 1.0)]);
}

#[test]
fn rows_are_kept_as_outcome_covariate_and_weight() {
    let pass = rows_pass(&three_cohorts(), &rows(1), Outcome::Change { post: 2, base: 0 });
    assert_eq!((pass.columns, pass.consumers), (3, Consumers { keep_rows: true, ..CONSUMERS }));
    let plain = Leg { post: 2, base: Some(0), treated: true, ..Leg::default() };
    let legs = [
        Leg { c: 1.0, ..plain.clone() },
        Leg { e: Some(0), ..plain.clone() },
        Leg { f: 1.0, w: Weight::Column(0), ..plain },
    ];
    let column = |(column, leg): (usize, Leg)| PlanColumn { column, legs: vec![leg] };
    let own = StratumPlan {
        dots: vec![Dot { x: 0, v: vec![0.0, 1.0] }],
        columns: legs.into_iter().enumerate().map(column).collect(),
        ..StratumPlan::default()
    };
    assert_eq!(pass.strata, [StratumPlan::default(), own, StratumPlan::default()]);
}
