use super::*;
use crate::engine::cell::fixtures::sample;

const NEVER: f64 = f64::INFINITY;

/// Groups first treated in periods 3 and 4 of four, and a never-treated cohort.
fn staggered(layout: Layout) -> Sample {
    sample(layout, &[1.0, 2.0, 3.0, 4.0], &[3.0, 4.0, NEVER])
}

/// Cohort, period and base of all cells.
fn cells(options: PlanOptions) -> Vec<(usize, usize, usize)> {
    let planned = plan_cells(&staggered(Layout::Balanced), &options);
    planned.iter().map(|c| (c.cohort, c.time, c.base)).collect()
}

/// Comparison cohorts of all cells.
fn controls(options: PlanOptions) -> Vec<Vec<usize>> {
    plan_cells(&staggered(Layout::Balanced), &options).into_iter().map(|c| c.controls).collect()
}

/// The cell of the first group in the third period.
fn cell(sample: &Sample, options: PlanOptions) -> PlannedCell {
    plan_cells(sample, &options).swap_remove(1)
}

#[test]
fn varying_bases_are_the_last_period_before_treatment_or_before_the_cell() {
    let expected = [(0, 1, 0), (0, 2, 1), (0, 3, 1), (1, 1, 0), (1, 2, 1), (1, 3, 2)];
    assert_eq!(cells(PlanOptions::default()), expected);
}

#[test]
fn a_universal_base_is_a_reference_cell() {
    let options = PlanOptions { base_period: BasePeriod::Universal, ..PlanOptions::default() };
    let first = &cells(options)[..4];
    assert_eq!(first, [(0, 0, 1), (0, 1, 1), (0, 2, 1), (0, 3, 1)]);
    let planned = plan_cells(&staggered(Layout::Balanced), &options);
    let references = planned.iter().map(|c| c.status == Some(CellStatus::Reference));
    let expected = [false, true, false, false, false, false, true, false];
    assert_eq!(references.collect::<Vec<_>>(), expected);
}

#[test]
fn anticipation_moves_the_base_of_treated_periods_only() {
    let options = PlanOptions { anticipation: 1.0, ..PlanOptions::default() };
    let expected = [(0, 1, 0), (0, 2, 0), (0, 3, 0), (1, 1, 0), (1, 2, 1), (1, 3, 1)];
    assert_eq!(cells(options), expected);
}

#[test]
fn never_treated_cohorts_are_compared_with_in_every_cell() {
    assert_eq!(controls(PlanOptions::default()), vec![vec![2]; 6]);
}

#[test]
fn not_yet_treated_cohorts_are_compared_with_until_they_are_treated() {
    let options =
        PlanOptions { control_group: ControlGroup::NotYetTreated, ..PlanOptions::default() };
    let expected = [vec![1, 2], vec![1, 2], vec![2], vec![0, 2], vec![2], vec![2]];
    assert_eq!(controls(options), expected);
    let anticipating = PlanOptions { anticipation: 1.0, ..options };
    let expected = [vec![1, 2], vec![2], vec![2], vec![2], vec![2], vec![2]];
    assert_eq!(controls(anticipating), expected);
}

#[test]
fn the_later_of_both_periods_decides_who_is_not_yet_treated() {
    let options = PlanOptions {
        control_group: ControlGroup::NotYetTreated,
        base_period: BasePeriod::Universal,
        ..PlanOptions::default()
    };
    // The second group's base is period 3, in which the first is treated.
    assert_eq!(controls(options)[4], [2]);
}

#[test]
fn a_group_treated_from_the_start_has_no_cells() {
    let sample = sample(Layout::Balanced, &[1.0, 2.0], &[1.0, NEVER]);
    assert!(plan_cells(&sample, &PlanOptions::default()).is_empty());
}

#[test]
fn a_panel_cell_compares_changes_of_units() {
    let cell = cell(&staggered(Layout::Balanced), PlanOptions::default());
    let [side] = cell.sides.as_slice() else { panic!("one side") };
    assert_eq!(side.outcome, Outcome::Change { post: 2, base: 1 });
    let rows = |stratum| StratumRows { stratum, x: 0, w: Weight::Ones, presence: Weight::Ones };
    assert_eq!((&side.treated, &side.control), (&vec![rows(0)], &vec![rows(2)]));
    assert_eq!((cell.n_treated, cell.n_control), (10, 10));
}

#[test]
fn cells_of_cross_sections_compare_levels_of_rows() {
    let cell = cell(&staggered(Layout::RepeatedCrossSections), PlanOptions::default());
    let strata: Vec<_> = cell
        .sides
        .iter()
        .map(|s| (s.outcome, s.treated[0].stratum, s.control[0].stratum))
        .collect();
    // Four periods a cohort.
    assert_eq!(strata, [(Outcome::Level(0), 1, 9), (Outcome::Level(0), 2, 10)]);
    assert_eq!((cell.n_treated, cell.n_control), (20, 20));
}

#[test]
fn rows_of_an_unbalanced_panel_weigh_nothing_where_they_are_absent() {
    let mut sample = staggered(Layout::Unbalanced);
    sample.presence = Some(0);
    let weights = |cell: &PlannedCell| -> Vec<_> {
        cell.sides.iter().map(|s| (s.treated[0].w, s.treated[0].presence)).collect()
    };
    let [base, post] = [Weight::Column(1), Weight::Column(2)];
    assert_eq!(weights(&cell(&sample, PlanOptions::default())), [(base, base), (post, post)]);
    sample.weights = WeightLayout::Varying;
    sample.presence = Some(4);
    let fixed =
        PlanOptions { fix_weights: Some(FixWeights::FirstPeriod), ..PlanOptions::default() };
    let both = [1, 2].map(|t| (Weight::Product(0, 4 + t), Weight::Product(4, 4 + t)));
    assert_eq!(weights(&cell(&sample, fixed)), both);
}

#[test]
fn covariates_and_weights_of_a_panel_come_from_the_period_asked_for() {
    let mut sample = staggered(Layout::Balanced);
    sample.weights = WeightLayout::Varying;
    sample.design.versions = 4;
    let rows = |options| cell(&sample, options).sides[0].treated[0];
    let of = |options| (rows(options).x, rows(options).w);
    assert_eq!(of(PlanOptions::default()), (1, Weight::Column(1)));
    let own = PlanOptions { covariates: CovariatePeriod::Cell, ..PlanOptions::default() };
    assert_eq!(of(own), (2, Weight::Column(2)));
    let first =
        PlanOptions { fix_weights: Some(FixWeights::FirstPeriod), ..PlanOptions::default() };
    assert_eq!(of(first), (1, Weight::Column(0)));
}

#[test]
fn weights_of_rows_make_a_panel_cell_one_of_levels() {
    let options = PlanOptions { fix_weights: Some(FixWeights::Varying), ..PlanOptions::default() };
    let outcomes: Vec<_> =
        cell(&staggered(Layout::Balanced), options).sides.iter().map(|s| s.outcome).collect();
    assert_eq!(outcomes, [Outcome::Level(1), Outcome::Level(2)]);
}

#[test]
fn empty_corners_say_why() {
    let mut sample = staggered(Layout::RepeatedCrossSections);
    sample.counts[0][2] = 0;
    let treated = Some(CellStatus::NoTreated { period: Some(3.0) });
    assert_eq!(cell(&sample, PlanOptions::default()).status, treated);
    sample.counts[0][2] = 10;
    sample.counts[2][1] = 0;
    let control = Some(CellStatus::NoControls { period: Some(2.0) });
    assert_eq!(cell(&sample, PlanOptions::default()).status, control);
    let mut panel = staggered(Layout::Balanced);
    panel.counts[2] = vec![0; 4];
    assert_eq!(
        cell(&panel, PlanOptions::default()).status,
        Some(CellStatus::NoControls { period: None })
    );
}
