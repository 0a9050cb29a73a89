use super::*;
use crate::engine::cell::fixtures::rows;
use crate::engine::cell::sides::Outcome;
use crate::engine::cell::terms::{Coefficients, InfluenceTerm};
use crate::engine::cell::triple::plan::CohortComparison;

const NEVER: f64 = f64::INFINITY;

/// An estimate with influence `c` on the treated stratum 0, and `-c` on a comparison stratum.
fn component(att: f64, c: f64, control: usize) -> CellEstimate {
    let outcome = Outcome::Change { post: 1, base: 0 };
    let term = |stratum, c| {
        let of = Coefficients { c, ..Coefficients::default() };
        InfluenceTerm::new(&rows(stratum), outcome, stratum == 0, None, &of)
    };
    CellEstimate { att, terms: vec![term(0, c), term(control, -c)], ..CellEstimate::default() }
}

/// Own ineligible units, then eligible and ineligible units of cohorts 3 and never.
fn estimates() -> Vec<CellResult<CellEstimate>> {
    let of = [(10.0, 1), (4.0, 2), (1.0, 3), (6.0, 4), (2.0, 5)];
    of.map(|(att, control)| Ok(component(att, 0.1 * control as f64, control))).into()
}

fn components() -> Components {
    let comparison =
        |group, eligible| CohortComparison { group, eligible, ineligible: eligible + 1 };
    let comparisons = vec![comparison(3.0, 1), comparison(NEVER, 3)];
    Components { own: 0, comparisons, missing: Vec::new() }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

#[test]
fn weights_have_the_smallest_variance() {
    let independent = smallest_variance(&[1.0, 0.0, 0.0, 4.0], 2).unwrap();
    assert!(near(independent[0], 0.8) && near(independent[1], 0.2));
    // Ω⁻¹1 is proportional to (3 - 1, 2 - 1).
    let correlated = smallest_variance(&[2.0, 1.0, 1.0, 3.0], 2).unwrap();
    assert!(near(correlated[0], 2.0 / 3.0) && near(correlated[1], 1.0 / 3.0));
    assert_eq!(smallest_variance(&[0.0, 0.0, 0.0, 0.0], 2), None);
}

#[test]
fn a_triple_difference_is_one_column() {
    let estimates = estimates();
    let mut usable = Usable::new(0, &components(), &estimates).unwrap();
    let triples: Vec<f64> = usable.estimates.iter().map(|e| e.triple.att()).collect();
    assert_eq!(triples, [10.0 + 4.0 - 1.0, 10.0 + 6.0 - 2.0]);
    usable.weigh(0, &[1.0, 0.0, 0.0, 4.0]);
    let combined = usable.combined();
    assert!(near(combined.att, 0.8 * 13.0 + 0.2 * 14.0));
    let c = |stratum: usize| -> Vec<f64> {
        let own = combined.terms.iter().filter(|t| t.stratum == stratum);
        own.map(|t| t.coefficients.c).collect()
    };
    // The treated rows of all five comparisons are one term.
    let treated = 0.1 + 0.8 * (0.2 - 0.3) + 0.2 * (0.4 - 0.5);
    let expected = [treated, -0.1, -0.8 * 0.2, 0.8 * 0.3, -0.2 * 0.4, 0.2 * 0.5];
    for (stratum, expected) in expected.into_iter().enumerate() {
        let [c] = c(stratum)[..] else { panic!("one term of stratum {stratum}") };
        assert!(near(c, expected), "{stratum}: {c} {expected}");
    }
}

#[test]
fn a_cohort_that_cannot_be_used_is_lost() {
    let mut estimates = estimates();
    estimates[2] = Err(CellStatus::NoControlWeight);
    let usable = Usable::new(7, &components(), &estimates).unwrap();
    assert_eq!(usable.estimates.len(), 1);
    let [lost] = usable.lost.as_slice() else { panic!("one is lost") };
    assert_eq!((lost.cell, lost.group), (7, 3.0));
    assert_eq!(lost.reason, CellStatus::NoControlWeight);
}

#[test]
fn a_cell_without_a_comparison_fails_for_the_last_reason() {
    let mut all = estimates();
    all[2] = Err(CellStatus::NoControlWeight);
    all[3] = Err(CellStatus::SingularInformation);
    let none = Usable::new(0, &components(), &all);
    assert_eq!(none.err(), Some(CellStatus::SingularInformation));
    let mut own = estimates();
    own[0] = Err(CellStatus::NoTreatedWeight);
    assert_eq!(Usable::new(0, &components(), &own).err(), Some(CellStatus::NoTreatedWeight));
}

#[test]
fn estimates_without_a_finite_variance_are_lost_unless_all_are() {
    let estimates = estimates();
    let mut one = Usable::new(0, &components(), &estimates).unwrap();
    one.weigh(0, &[f64::INFINITY, 0.0, 0.0, 4.0]);
    let left: Vec<_> = one.estimates.iter().map(|e| (e.triple.group, e.triple.weight)).collect();
    assert_eq!((left.as_slice(), one.lost.len(), one.equal), (&[(NEVER, 1.0)][..], 1, false));
    let mut none = Usable::new(0, &components(), &estimates).unwrap();
    none.weigh(0, &[f64::NAN; 4]);
    let weights: Vec<_> = none.estimates.iter().map(|e| e.triple.weight).collect();
    assert_eq!((weights.as_slice(), none.lost.len(), none.equal), (&[0.5, 0.5][..], 2, true));
}

#[test]
fn batches_have_at_most_so_many_columns_unless_one_cell_has_more() {
    let estimates = estimates();
    let usable = |columns: usize| {
        let mut usable = Usable::new(0, &components(), &estimates).unwrap();
        let [first, ..] = usable.estimates.as_slice() else { panic!("two estimates") };
        let Against { triple, components } = *first;
        usable.estimates = (0..columns).map(|_| Against { triple, components }).collect();
        usable
    };
    let batch = |columns: &[usize]| {
        let mut cells: Vec<Usable<'_>> = columns.iter().map(|columns| usable(*columns)).collect();
        first_batch(&cells.iter_mut().enumerate().collect::<Vec<_>>())
    };
    assert_eq!(batch(&[2, MAX_COLUMNS - 2, 2]), (2, MAX_COLUMNS));
    assert_eq!(batch(&[MAX_COLUMNS + 1, 2]), (1, MAX_COLUMNS + 1));
}
