use super::*;
use crate::engine::cell::fixtures::{rows, sample};
use crate::engine::cell::terms::Coefficients;
use crate::read::panel::Layout;

const CHANGE: Outcome = Outcome::Change { post: 1, base: 0 };

/// Strata 0 (treated), 1 and 2, whose stored changes are too low by 2, 1 and 5.
fn centred() -> (Sample, Side) {
    let mut sample = sample(Layout::Balanced, &[1.0, 2.0], &[2.0, f64::INFINITY, f64::INFINITY]);
    sample.offsets = vec![vec![1.0, 3.0], vec![0.0, 1.0], vec![1.0, 6.0]];
    let side = Side { outcome: CHANGE, treated: vec![rows(0)], control: vec![rows(1), rows(2)] };
    (sample, side)
}

/// Three rows of stratum 1 for each of stratum 2.
fn weight(rows: &StratumRows) -> Result<f64> {
    Ok([1.0, 3.0, 1.0][rows.stratum])
}

#[test]
fn arms_are_brought_to_the_mean_of_their_levels() {
    let (sample, side) = centred();
    let centre = Centre::new(&sample, &side, weight).unwrap();
    assert_eq!((centre.treated, centre.control), (2.0, (3.0 * 1.0 + 5.0) / 4.0));
    let lift = |stratum, treated| centre.lift(&sample, &rows(stratum), CHANGE, treated);
    assert_eq!((lift(0, true), lift(1, false), lift(2, false)), (0.0, -1.0, 3.0));
}

#[test]
fn equal_levels_need_no_weights() {
    let (mut sample, side) = centred();
    sample.offsets = vec![vec![0.0, 4.0]; 3];
    let none = |_: &StratumRows| Err(incomplete("not asked for".into()));
    let centre = Centre::new(&sample, &side, none).unwrap();
    assert_eq!((centre.treated, centre.control), (4.0, 4.0));
}

#[test]
fn lost_weights_are_an_error() {
    let (sample, side) = centred();
    let lost = |_: &StratumRows| Err(incomplete("no answer".into()));
    assert!(Centre::new(&sample, &side, lost).is_err());
}

#[test]
fn estimates_get_the_levels_back_and_influence_values_stay() {
    let (sample, side) = centred();
    let centres = [Centre::new(&sample, &side, weight).unwrap()];
    let sides = [side];
    let term = |stratum, c: f64| {
        let of = Coefficients { c, f: 0.5, ..Coefficients::default() };
        InfluenceTerm::new(&rows(stratum), CHANGE, stratum == 0, None, &of)
    };
    let terms = vec![term(0, 1.0), term(1, -0.25), term(2, -0.25)];
    let mut estimate = CellEstimate { att: 7.0, terms, ..CellEstimate::default() };
    restore(&mut estimate, &sample, &sides, &centres).unwrap();
    assert_eq!(estimate.att, 7.0 + 2.0 - 2.0);
    // A stored change of 0 is one of -1 and of 3 at the arm's level.
    let f: Vec<f64> = estimate.terms.iter().map(|t| t.coefficients.f).collect();
    assert_eq!(f, [0.5, 0.5 + 0.25, 0.5 - 0.75]);
}

#[test]
fn rows_that_no_side_has_are_an_error() {
    let (sample, side) = centred();
    let centres = [Centre::new(&sample, &side, weight).unwrap()];
    let level =
        InfluenceTerm::new(&rows(1), Outcome::Level(0), false, None, &Coefficients::default());
    let mut estimate = CellEstimate { terms: vec![level], ..CellEstimate::default() };
    assert!(restore(&mut estimate, &sample, &[side], &centres).is_err());
}
