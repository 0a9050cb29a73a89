use super::*;
use crate::engine::cell::fixtures::rows;

fn term(stratum: usize, coefficients: &Coefficients) -> InfluenceTerm {
    let change = Outcome::Change { post: 1, base: 0 };
    InfluenceTerm::new(&rows(stratum), change, true, Some(&[0.0, 1.0]), coefficients)
}

/// `u / w` of a row with this outcome, `z = (1, x)` and odds, without a propensity score's influence.
fn influence(of: &Coefficients, d: f64, x: f64, q: f64) -> f64 {
    let dot = |v: &Option<Vec<f64>>| v.as_ref().map_or(0.0, |v| v[0] + x * v[1]);
    let residual = d - dot(&of.beta);
    residual * (of.c + dot(&of.b) - of.h * q) + dot(&of.e) + of.f + of.h_tau * q
}

#[test]
fn equal_rows_and_regressions_are_one_term() {
    let beta = Some(vec![1.0, 2.0]);
    let first =
        Coefficients { beta: beta.clone(), c: 1.0, b: Some(vec![1.0, 0.0]), ..Default::default() };
    let second = Coefficients { beta, f: 3.0, b: Some(vec![0.0, 4.0]), ..Default::default() };
    let mut sum = CombinedTerms::default();
    sum.add(1.0, &term(0, &first));
    sum.add(-0.5, &term(0, &second));
    sum.add(1.0, &term(1, &first));
    let terms = sum.into_terms();
    assert_eq!(terms.len(), 2);
    let expected = Coefficients { f: -1.5, b: Some(vec![1.0, -2.0]), ..first.clone() };
    assert_eq!(terms[0].coefficients, expected);
    assert_eq!((terms[1].stratum, &terms[1].coefficients), (1, &first));
}

#[test]
fn terms_that_differ_in_what_influence_is_not_linear_in_stay_apart() {
    let mut sum = CombinedTerms::default();
    let plain = Coefficients { c: 1.0, ..Default::default() };
    let with_beta = Coefficients { beta: Some(vec![1.0, 0.0]), ..plain.clone() };
    let with_score = Coefficients { h: 1.0, ..plain.clone() };
    for coefficients in [&plain, &with_beta, &with_score, &plain] {
        sum.add(1.0, &term(0, coefficients));
    }
    let scalars: Vec<_> = sum.into_terms().iter().map(|t| t.coefficients.c).collect();
    assert_eq!(scalars, [2.0, 1.0, 1.0]);
}

#[test]
fn only_influence_that_uses_the_score_carries_it() {
    assert_eq!(term(0, &Coefficients { c: 1.0, ..Default::default() }).gamma, None);
    let used = [
        Coefficients { h: 1.0, ..Default::default() },
        Coefficients { a: Some(vec![0.0, 1.0]), ..Default::default() },
    ];
    assert!(used.iter().all(|of| term(0, of).gamma == Some(vec![0.0, 1.0])));
}

#[test]
fn lowered_outcomes_have_the_same_influence() {
    let forms = [
        Coefficients { c: 2.0, f: 1.0, h: 0.5, h_tau: 0.25, ..Default::default() },
        Coefficients { c: 2.0, b: Some(vec![0.5, 1.0]), ..Default::default() },
        Coefficients { c: 2.0, beta: Some(vec![1.0, -1.0]), h: 1.0, ..Default::default() },
    ];
    for form in forms {
        let mut lowered = form.clone();
        lowered.lower(10.0);
        let (as_is, lower) = (influence(&form, 13.0, 0.5, 2.0), influence(&lowered, 3.0, 0.5, 2.0));
        assert!((as_is - lower).abs() < 1e-12, "{as_is} {lower}");
    }
}
