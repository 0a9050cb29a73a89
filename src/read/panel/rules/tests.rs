//! The rules on counts made by hand: periods 1 to 4 unless a test says otherwise.

use super::*;
use crate::base::options::ControlGroup::{self, NeverTreated, NotYetTreated};
use crate::read::panel::fixture::{self, NEVER, options};

const ALL: &[f64] = &[1.0, 2.0, 3.0, 4.0];

/// Group, periods and number of units.
type Units<'a> = (f64, &'a [f64], usize);

fn pattern(group: f64, eligible: bool, periods: &[f64]) -> Pattern {
    Pattern { cohort: Cohort { group, eligible }, periods: periods.to_vec() }
}

fn staggered(control_group: ControlGroup, anticipation: u32) -> SampleOptions {
    options(StudyDesign::Staggered(Staggered { control_group, anticipation }))
}

fn rules(units: &[Units<'_>], options: &SampleOptions) -> Result<Rules> {
    let units = units.iter().map(|(group, periods, n)| (pattern(*group, true, periods), *n));
    Rules::new(&units.collect(), options, SampleAudit::default(), &|_| Ok(()))
}

fn groups(rules: &Rules) -> Vec<f64> {
    rules.cohorts.iter().map(|c| c.group).collect()
}

#[test]
fn treated_in_the_first_period_are_dropped() {
    let data = [(1.0, ALL, 7), (2.0, ALL, 5), (3.0, ALL, 4), (NEVER, ALL, 9)];
    let found = rules(&data, &staggered(NeverTreated, 0)).unwrap();
    assert_eq!((groups(&found), &found.periods[..]), (vec![2.0, 3.0, NEVER], ALL));
    assert_eq!(found.groups, [0..1, 1..2]);
    assert_eq!((found.audit.units_already_treated, &found.audit.groups), (7, &vec![2.0, 3.0]));
    assert_eq!(found.audit.cohorts_lost[0].0, 1.0);
    let warning = DidWarning::AlreadyTreated { units: 7, anticipation: 0 };
    assert_eq!(found.warnings, [warning]);
    assert!(found.place(&pattern(1.0, true, ALL)).is_none());
}

#[test]
fn anticipation_drops_groups_earlier_and_keeps_later_ones() {
    let data = [(2.0, ALL, 5), (3.0, ALL, 4), (5.0, ALL, 3), (6.0, ALL, 2)];
    let found = rules(&data, &staggered(NeverTreated, 1)).unwrap();
    // Group 2 responds in period 1 already; group 5 responds in period 4, group 6 never inside the sample.
    assert_eq!((groups(&found), found.audit.units_already_treated), (vec![3.0, 5.0, NEVER], 5));
    let found = rules(&data, &staggered(NeverTreated, 0)).unwrap();
    assert_eq!((groups(&found), found.audit.units_already_treated), (vec![2.0, 3.0, NEVER], 0));
    assert_eq!(found.place(&pattern(5.0, true, ALL)), found.place(&pattern(6.0, true, ALL)));
}

#[test]
fn the_last_cohort_stands_in_for_the_never_treated() {
    let data = [(2.0, ALL, 5), (3.0, ALL, 4), (4.0, ALL, 6)];
    let warning = DidWarning::LastCohortAsControl { group: 4.0 };
    let found = rules(&data, &staggered(NeverTreated, 0)).unwrap();
    assert_eq!((groups(&found), &found.periods[..]), (vec![2.0, 3.0, NEVER], &ALL[..3]));
    assert_eq!((found.audit.rows_after_last_cohort, &found.warnings), (15, &vec![warning.clone()]));
    assert_eq!(found.audit.cohorts_lost[0].1, "the comparison in place of never-treated units");
    // Compared as long as it is not treated, it stays a group that is not estimated.
    let found = rules(&data, &staggered(NotYetTreated, 0)).unwrap();
    assert_eq!((groups(&found), &found.periods[..]), (vec![2.0, 3.0, 4.0], &ALL[..3]));
    assert_eq!((&found.groups, found.warnings), (&vec![0..1, 1..2], vec![warning]));
    assert_eq!(found.audit.cohorts_lost[0].1, "kept as a comparison only");
    // Anticipation ends its comparison one period before.
    let found = rules(&[(3.0, ALL, 5), (4.0, ALL, 6)], &staggered(NeverTreated, 1)).unwrap();
    assert_eq!((groups(&found), &found.periods[..]), (vec![3.0, NEVER], &ALL[..2]));
}

#[test]
fn a_last_cohort_without_two_periods_before_it_is_an_error() {
    let found = rules(&[(1.5, ALL, 4), (2.0, ALL, 5)], &staggered(NeverTreated, 0));
    assert!(matches!(found, Err(DidError::TooFewPeriods { periods: 1 })), "{found:?}");
}

#[test]
fn one_cohort_alone_has_no_comparison() {
    for control_group in [NeverTreated, NotYetTreated] {
        for group in [2.0, 3.0, 4.0] {
            let alone = rules(&[(group, ALL, 5)], &staggered(control_group, 0));
            assert!(matches!(alone, Err(DidError::NoComparison)), "{alone:?}");
        }
        // Units treated in the first period are compared with nobody.
        let found = rules(&[(1.0, ALL, 4), (3.0, ALL, 5)], &staggered(control_group, 0));
        assert!(matches!(found, Err(DidError::NoComparison)), "{found:?}");
        assert!(rules(&[(3.0, ALL, 5), (4.0, ALL, 6)], &staggered(control_group, 0)).is_ok());
    }
    let found = rules(&[(3.0, ALL, 5)], &triple(NotYetTreated));
    assert!(matches!(found, Err(DidError::NoComparison)), "{found:?}");
}

#[test]
fn incomplete_units_are_dropped_or_kept() {
    let some: &[f64] = &[1.0, 3.0];
    let data = [(2.0, ALL, 5), (2.0, some, 2), (NEVER, ALL, 9)];
    let mut options = staggered(NeverTreated, 0);
    let dropped = rules(&data, &options).unwrap();
    assert_eq!((dropped.layout, dropped.audit.units_unbalanced), (Layout::Balanced, 2));
    assert_eq!(dropped.warnings, [DidWarning::Unbalanced { units: 2 }]);
    assert!(dropped.place(&pattern(2.0, true, some)).is_none());
    options.allow_unbalanced = true;
    let kept = rules(&data, &options).unwrap();
    assert_eq!((kept.layout, kept.audit.units_unbalanced), (Layout::Unbalanced, 0));
    let place = UnitPlace { cohort: 0, rows: vec![(0, 0), (2, 1)] };
    assert_eq!(kept.place(&pattern(2.0, true, some)), Some(place));
    let complete = rules(&[(2.0, ALL, 5), (NEVER, ALL, 9)], &options).unwrap();
    assert_eq!(complete.layout, Layout::Balanced);
    options.allow_unbalanced = false;
    let none = rules(&[(2.0, &ALL[..3], 5), (NEVER, &ALL[1..], 9)], &options);
    assert!(matches!(none, Err(DidError::EmptySample { .. })), "{none:?}");
}

#[test]
fn rows_of_cross_sections_are_placed_by_cohort_and_period() {
    let data = [(2.0, &ALL[..1], 5), (2.0, &ALL[1..2], 6), (NEVER, &ALL[..1], 7)];
    let mut options = staggered(NeverTreated, 0);
    options.repeated_cross_sections = true;
    let found = rules(&data, &options).unwrap();
    assert_eq!((found.layout, found.strata.len()), (Layout::RepeatedCrossSections, 4));
    let place = UnitPlace { cohort: 1, rows: vec![(1, 0)] };
    assert_eq!(found.place(&pattern(NEVER, true, &ALL[1..2])), Some(place));
}

#[test]
fn units_that_have_no_complete_row_are_in_no_sample() {
    let data = [(2.0, &ALL[..0], 5), (NEVER, &ALL[..0], 1)];
    let found = rules(&data, &staggered(NeverTreated, 0));
    assert!(matches!(found, Err(DidError::EmptySample { .. })), "{found:?}");
    let found = rules(&[(2.0, &ALL[..1], 5)], &staggered(NeverTreated, 0));
    assert!(matches!(found, Err(DidError::TooFewPeriods { periods: 1 })), "{found:?}");
}

#[test]
fn periods_that_rounding_alone_tells_apart_are_refused() {
    let periods: &[f64] = &[0.1, 0.3, 0.1 + 0.2];
    let found = rules(&[(0.3, periods, 5), (NEVER, periods, 5)], &staggered(NeverTreated, 0));
    assert!(matches!(found, Err(DidError::ClosePeriods { .. })), "{found:?}");
}

#[test]
fn two_groups_are_treated_in_the_second_of_two_periods() {
    let two = options(StudyDesign::TwoPeriods(TwoPeriods));
    let periods: &[f64] = &[1999.0, 2005.0];
    let found = rules(&[(1.0, periods, 5), (NEVER, periods, 9)], &two).unwrap();
    assert!(found.two_periods);
    assert_eq!((groups(&found), &found.audit.groups), (vec![2005.0, NEVER], &vec![2005.0]));
    let all_treated = rules(&[(1.0, periods, 5)], &two);
    assert!(matches!(all_treated, Err(DidError::Panel { .. })), "{all_treated:?}");
    let none_treated = rules(&[(NEVER, periods, 5)], &two);
    assert!(matches!(none_treated, Err(DidError::NoValidGroups { .. })), "{none_treated:?}");
    let longer = rules(&[(1.0, ALL, 5), (NEVER, ALL, 9)], &two);
    assert!(matches!(longer, Err(DidError::TooManyPeriods { periods: 4 })), "{longer:?}");
}

fn triple(control_group: ControlGroup) -> SampleOptions {
    options(StudyDesign::Triple(Triple { control_group }))
}

#[test]
fn triple_differences_in_two_periods_take_any_value_as_treated() {
    let periods = &ALL[..2];
    let found = rules(&[(1.0, periods, 5), (NEVER, periods, 9)], &triple(NotYetTreated)).unwrap();
    assert!(found.two_periods);
    assert_eq!(groups(&found), [2.0, NEVER]);
    let two_groups = [(1.0, periods, 5), (2.0, periods, 4), (NEVER, periods, 9)];
    let found = rules(&two_groups, &triple(NotYetTreated)).unwrap();
    assert_eq!((found.two_periods, found.audit.units_already_treated), (false, 5));
    for control_group in [NeverTreated, NotYetTreated] {
        let found = rules(&[(1.0, periods, 5)], &triple(control_group));
        assert!(matches!(found, Err(DidError::NoNeverTreated)), "{found:?}");
    }
}

#[test]
fn staggered_triple_differences_have_no_stand_in_for_never_treated_units() {
    let data = [(2.0, ALL, 5), (4.0, ALL, 6)];
    let found = rules(&data, &triple(NeverTreated));
    assert!(matches!(found, Err(DidError::NoNeverTreated)), "{found:?}");
    let found = rules(&data, &triple(NotYetTreated)).unwrap();
    assert_eq!((groups(&found), &found.groups[0]), (vec![2.0, 4.0], &(0..1)));
    assert_eq!(found.groups.len(), 1);
}

#[test]
fn cohorts_of_a_group_are_its_ineligible_and_its_eligible_units() {
    let cohorts = [(2.0, true), (NEVER, false), (2.0, false), (NEVER, true)];
    let units = cohorts.map(|(group, eligible)| (pattern(group, eligible, ALL), 5));
    let units = units.into_iter().collect();
    let found =
        Rules::new(&units, &triple(NeverTreated), SampleAudit::default(), &|_| Ok(())).unwrap();
    let found_cohorts: Vec<_> = found.cohorts.iter().map(|c| (c.group, c.eligible)).collect();
    assert_eq!(found_cohorts, [(2.0, false), (2.0, true), (NEVER, false), (NEVER, true)]);
    assert_eq!((&found.groups[0], found.groups.len(), found.strata.len()), (&(0..2), 1, 4));
}

#[test]
fn groups_that_are_too_small_are_refused_by_the_design_that_compares_them() {
    let cohort = |group, eligible| Cohort { group, eligible };
    let cohorts = [(2.0, false), (2.0, true), (NEVER, false), (NEVER, true)];
    let cohorts = cohorts.map(|(group, eligible)| cohort(group, eligible));
    let check = |options: SampleOptions, two_periods, rows: [f64; 4], observed: [f64; 4]| {
        let required = smallest_cohort(2);
        let sizes = CohortSizes { cohorts: &cohorts, rows: &rows, observed: &observed, required };
        options.design.own().check_sizes(&sizes, two_periods)
    };
    let (few_never, many) = ([9.0, 9.0, 3.0, 3.5], [9.0; 4]);
    for (options, [rows, observed]) in
        [(staggered(NeverTreated, 0), [few_never, many]), (triple(NeverTreated), [many, few_never])]
    {
        let found = check(options, false, rows, observed);
        let expected = matches!(found, Err(DidError::SmallNeverTreated { size: 6, required: 7 }));
        assert!(expected, "{found:?}");
        assert!(check(options, false, observed, rows).is_ok());
    }
    for options in [staggered(NotYetTreated, 0), triple(NotYetTreated)] {
        assert!(check(options, false, few_never, few_never).is_ok());
    }
    let two = options(StudyDesign::TwoPeriods(TwoPeriods));
    let small = |found: Result<()>| match found {
        Err(DidError::SmallGroup { group, size, required }) => Some((group, size, required)),
        _ => None,
    };
    assert_eq!(small(check(two, true, few_never, many)), Some(("comparison", 6, 7)));
    assert_eq!(small(check(two, true, [1.0, 5.0, 9.0, 0.0], many)), Some(("treated", 6, 7)));
    let few_ineligible = [4.0, 9.0, 9.0, 9.0];
    assert!(check(two, true, few_ineligible, few_ineligible).is_ok());
    let found = small(check(triple(NotYetTreated), true, many, few_ineligible));
    assert_eq!(found, Some(("treated and ineligible", 4, 5)));
    // Covariates are no matter of the groups, and averages over periods none of the subgroups.
    assert!(check(triple(NotYetTreated), true, [1.0; 4], [5.0; 4]).is_ok());
}

#[test]
fn rules_are_the_same_after_they_were_sent() {
    let data = [(1.0, ALL, 7), (2.0, ALL, 5), (3.0, &ALL[1..], 4), (NEVER, ALL, 9)];
    let found = rules(&data, &staggered(NotYetTreated, 0)).unwrap();
    let sent = fixture::sent(&found);
    assert_eq!(sent, found);
    let units = pattern(2.0, true, ALL);
    assert_eq!(sent.place(&units), found.place(&units));
}

#[test]
fn a_sample_is_refused_for_its_extent_before_its_strata_are_formed() {
    let units = [(pattern(2.0, true, ALL), 5), (pattern(NEVER, true, ALL), 9)].into();
    let refuse = |extent: &SampleExtent| {
        assert_eq!(*extent, SampleExtent { cohorts: 2, groups: 1, periods: 4 });
        Err(DidError::NoNeverTreated)
    };
    let options = staggered(NeverTreated, 0);
    let found = Rules::new(&units, &options, SampleAudit::default(), &refuse);
    assert!(matches!(found, Err(DidError::NoNeverTreated)), "{found:?}");
}
