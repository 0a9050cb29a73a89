use super::*;
use crate::base::options::ControlGroup;
use crate::base::options::CovariatePeriod;
use crate::engine::cell::fixtures::triple_sample;

const NEVER: f64 = f64::INFINITY;

fn plan(sample: &Sample, control_group: ControlGroup) -> TriplePlan {
    let covariates = CovariatePeriod::Base;
    let options = PlanOptions { control_group, covariates, ..PlanOptions::default() };
    TriplePlan::new(sample, &options)
}

/// Cohorts in pairs, ineligible units first: groups first treated in periods 2 and 3, never treated.
fn sample() -> Sample {
    triple_sample(&[1.0, 2.0, 3.0], &[2.0, 3.0, NEVER])
}

#[test]
fn a_cell_is_made_of_three_comparisons() {
    let plan = plan(&sample(), ControlGroup::NeverTreated);
    assert_eq!((plan.cells.len(), plan.components.len()), (4, 12));
    let compared: Vec<_> =
        plan.components[..3].iter().map(|c| (c.cohort, c.controls.as_slice())).collect();
    // The eligible units with the ineligible ones of their group, the eligible and the ineligible never treated.
    assert_eq!(compared, [(1, &[0][..]), (1, &[5]), (1, &[4])]);
    let cell = &plan.cells[0];
    assert_eq!((cell.cohort, cell.time, cell.base), (1, 1, 0));
    assert_eq!((cell.n_treated, cell.n_control), (10, 30));
}

#[test]
fn not_yet_treated_cohorts_are_comparisons_of_their_own() {
    let plan = plan(&sample(), ControlGroup::NotYetTreated);
    let groups = |cell: usize| {
        let comparisons = plan.of_cell[cell].iter().flat_map(|c| &c.comparisons);
        comparisons.map(|c| c.group).collect::<Vec<_>>()
    };
    assert_eq!([groups(0), groups(1), groups(2)], [vec![3.0, NEVER], vec![NEVER], vec![NEVER]]);
}

#[test]
fn comparison_cohorts_need_both_kinds_of_units() {
    let mut sample = sample();
    // Nobody who is never treated is eligible.
    sample.cohorts[5].group = 9.0;
    let plan = plan(&sample, ControlGroup::NotYetTreated);
    let Ok(components) = &plan.of_cell[0] else { panic!("one cohort is left") };
    assert_eq!(components.comparisons.len(), 1);
    assert_eq!(components.missing, [NEVER, 9.0]);
    assert_eq!(plan.of_cell[1].as_ref().err(), Some(&CellStatus::NoControls { period: None }));
}

#[test]
fn groups_without_eligible_or_ineligible_units_say_so() {
    let without = |cohort: usize| {
        let mut sample = sample();
        sample.cohorts[cohort].group = 9.0;
        // A group is told by its first cohort.
        sample.groups[0] = (1 - cohort)..(2 - cohort);
        plan(&sample, ControlGroup::NeverTreated).cells[0].status.clone()
    };
    assert_eq!(without(1), Some(CellStatus::NoTreated { period: None }));
    assert_eq!(without(0), Some(CellStatus::NoControls { period: None }));
}
