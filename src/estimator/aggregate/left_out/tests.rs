use super::*;
use crate::base::percent::percent;
use crate::estimator::aggregate::compute::aggregate;
use crate::estimator::aggregate::weights::tests::effects;

/// As [`effects`], with cells that failed.
fn without(missing: &[usize]) -> GroupTimeEffects {
    let mut effects = effects();
    for j in missing {
        effects.joint.values[*j] = None;
        effects.cells[*j].status = CellStatus::NoControls { period: None };
    }
    effects
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} {b}");
}

/// Shares of the rows and of the overall average, by hand: group 3 has twice the weight of group 2.
#[test]
fn shares_are_those_of_the_average_asked_for() {
    // ATT(2, 2), of the cells (2, 2), (2, 3), (3, 2), (3, 3).
    let effects = without(&[0]);
    let shares = |options: Aggregation| {
        let left_out = left_out(&effects, &options).expect("a cell is left out");
        let rows = left_out.rows.iter().map(|r| (r.at, r.share)).collect::<Vec<_>>();
        (left_out.share, rows, left_out.of)
    };
    let (share, rows, of) = shares(Aggregation::simple());
    close(share, 0.25);
    assert_eq!((rows, of), (vec![], 3));
    let (share, rows, of) = shares(Aggregation::dynamic());
    close(share, 1.0 / 6.0);
    close(rows[0].1, 1.0 / 3.0);
    assert_eq!((rows.len(), rows[0].0, of), (1, 0.0, 4));
    let (share, rows, _) = shares(Aggregation::group());
    close(share, 1.0 / 6.0);
    assert_eq!(rows, [(2.0, 0.5)]);
    // Group 2 is alone in period 2, which has no estimate then.
    let (share, rows, _) = shares(Aggregation::calendar());
    close(share, 0.5);
    assert_eq!(rows, [(2.0, 1.0)]);
}

#[test]
fn what_belongs_to_no_average_is_not_left_out_of_it() {
    // ATT(3, 2) is before treatment.
    let effects = without(&[2]);
    for options in [Aggregation::simple(), Aggregation::group(), Aggregation::calendar()] {
        assert_eq!(left_out(&effects, &options), None, "{options:?}");
    }
    let left_out = left_out(&effects, &Aggregation::dynamic()).expect("a cell");
    assert_eq!((left_out.share, left_out.cells.len()), (0.0, 1));
    assert!(left_out.rows[0].is_empty() && left_out.rows[0].at == -1.0);
    assert!(super::left_out(&effects, &Aggregation::dynamic().min_e(0.0)).is_none());
}

#[test]
fn groups_have_their_share_of_the_treated() {
    let left_out = left_out(&without(&[0, 1]), &Aggregation::simple()).expect("cells");
    let group = &left_out.groups[0];
    let said = left_out.warning().to_string();
    assert!(said.starts_with("2 of the 3 cells of this average have no estimate and"), "{said}");
    close(group.treated_share, 1.0 / 3.0);
    assert_eq!((group.group, group.cells, group.of, group.n_treated), (2.0, 2, 2, 10));
    close(left_out.share, 0.5);
}

/// Group 3, two thirds of the treated, loses its only effect at most one period after treatment, and with it the later one.
#[test]
fn a_group_that_falls_out_of_the_window_is_left_out_with_all_its_cells() {
    let mut effects = without(&[2]);
    let times = [(20.0, 20.0), (20.0, 30.0), (30.0, 30.0), (30.0, 40.0)];
    for (cell, (group, time)) in effects.cells.iter_mut().zip(times) {
        (cell.group, cell.time) = (group, time);
    }
    (effects.groups, effects.periods) = (vec![20.0, 30.0], vec![10.0, 20.0, 30.0, 40.0]);
    let options = Aggregation::group().max_e(1.0).na_rm(true);
    let left_out = left_out(&effects, &options).expect("cells are left out");
    let cells: Vec<(f64, f64)> = left_out.cells.iter().map(|c| (c.group, c.time)).collect();
    assert_eq!(cells, [(30.0, 30.0), (30.0, 40.0)]);
    assert_eq!(left_out.cells[1].status, CellStatus::Estimated);
    close(left_out.share, 2.0 / 3.0);
    let group = &left_out.groups[0];
    close(group.treated_share, left_out.share);
    assert_eq!((left_out.of, left_out.groups.len(), group.cells, group.of), (4, 1, 2, 2));
    assert!(left_out.rows[0].is_empty() && left_out.rows[0].at == 30.0);
    let lines = listed(&left_out.cells, None);
    assert!(
        lines.len() == 2 && lines[1].contains("it has an estimate, but its group"),
        "{lines:?}"
    );
    let said = left_out.warning().to_string();
    assert!(said.contains("or are of a group that has none in the window"), "{said}");
    // The window is told from what is missing: it leaves out no other group.
    assert!(window(&effects, &options).is_none_or(|window| window.groups.is_empty()));
}

#[test]
fn windows_say_what_they_average() {
    let of = |options: Aggregation| window(&effects(), &options);
    for whole in [
        Aggregation::dynamic(),
        Aggregation::dynamic().min_e(-1.0),
        Aggregation::dynamic().max_e(1.0),
        Aggregation::simple().max_e(1.0),
        Aggregation::calendar().max_e(0.0),
    ] {
        assert_eq!(of(whole), None, "{whole:?}");
    }
    let short = of(Aggregation::dynamic().max_e(0.0)).expect("a window");
    assert_eq!((&short.event_times[..], &short.outside[..]), (&[0.0][..], &[1.0][..]));
    assert!(short.groups.is_empty() && short.treated_share.is_sign_positive());
    let balanced = of(Aggregation::dynamic().balance_e(1)).expect("a window");
    assert_eq!((&balanced.outside[..], &balanced.groups[..]), (&[][..], &[3.0][..]));
    close(balanced.treated_share, 2.0 / 3.0);
    let simple = of(Aggregation::simple().max_e(0.0)).expect("a window");
    assert_eq!(simple.outside, [1.0]);
}

#[test]
fn errors_name_cells_reasons_and_remedies() {
    let message = |effects: &GroupTimeEffects| {
        let refused = refuse_missing(effects, &Aggregation::simple());
        refused.expect_err("a cell has no estimate").to_string()
    };
    let text = message(&without(&[1]));
    assert!(text.starts_with("1 cell has no estimate (group 2, time 3: no comparison"), "{text}");
    let (remedy, na_rm) = (text.find("another control group"), text.find("na_rm"));
    assert!(remedy.is_some() && remedy < na_rm, "{text}");
    assert!(text.ends_with("25% of the weight of the overall average"), "{text}");
    assert!(message(&without(&[2])).ends_with("which have no weight in the overall average"));
}

#[test]
fn remedies_are_of_the_reasons() {
    let singular =
        |among| CellStatus::SingularDesign { rcond: 0.0, columns: vec!["x".into()], among };
    let of = |statuses: &[CellStatus]| {
        let cell =
            |status: &CellStatus| LeftOutCell { group: 2.0, time: 2.0, status: status.clone() };
        remedy(&statuses.iter().map(cell).collect::<Vec<_>>())
    };
    let (treated, comparison) =
        (singular(RegressionUnits::Treated), singular(RegressionUnits::Comparison));
    let regression = "outcome regression, which needs no regression of treated units";
    assert!(of(std::slice::from_ref(&treated)).starts_with(regression));
    assert_eq!(of(&[treated, comparison]), "fewer covariates");
    for status in
        [CellStatus::SingularCurve { rcond: 0.0 }, CellStatus::FewDoses { distinct: 2, needed: 4 }]
    {
        assert_eq!(of(&[status]), "a lower degree or fewer knots");
    }
}

/// The effect of group 2 one period after treatment offsets those at treatment, and group 3 has a reference before it.
#[test]
fn an_overall_average_without_a_standard_error_has_a_reason_beside_a_reference() {
    let mut effects = effects();
    effects.cells[2].status = CellStatus::Reference;
    effects.joint.values[2] = Some(0.0);
    let influence = [1.0, -1.0, 0.0, 1.0, 0.0, 0.0];
    let covariance = influence.iter().flat_map(|a| influence.map(|b| a * b));
    effects.joint.covariance = Some(covariance.collect::<Vec<f64>>().into());
    let settings = crate::estimator::group_time::report::fixtures::settings(effects.inference);
    let average = aggregate(&effects, Aggregation::dynamic(), &effects.inference, settings);
    let average = average.expect("an average");
    let with_errors = average.rows.iter().filter(|row| row.estimate.se.is_some()).count();
    assert_eq!((with_errors, average.rows.len(), average.overall.se), (2, 3, None));
    let is_reason = |w: &DidWarning| {
        matches!(w, DidWarning::UnvaryingChanges { .. } | DidWarning::NegligibleErrors { .. })
    };
    assert!(average.warnings.iter().any(is_reason), "{:?}", average.warnings);
}

#[test]
fn percentages_never_round_to_nothing_or_all() {
    let shown = [0.0, 1e-9, 0.0005, 0.123_45, 0.5, 0.99999, BELOW_ONE, 1.0].map(percent);
    let expected =
        ["0%", "under 0.1%", "under 0.1%", "12.3%", "50%", "over 99.9%", "over 99.9%", "100%"];
    assert_eq!(shown, expected);
}

#[test]
fn a_warning_goes_with_the_record() {
    let mut effects = without(&[0]);
    let m = effects.joint.len();
    effects.joint.covariance =
        Some((0..m * m).map(|i| f64::from(i % (m + 1) == 0)).collect::<Vec<f64>>().into());
    let settings = crate::estimator::group_time::report::fixtures::settings(effects.inference);
    let average = |options| aggregate(&effects, options, &effects.inference, settings.clone());
    let average = average(Aggregation::dynamic().na_rm(true)).expect("what is left");
    let warned = average
        .warnings
        .iter()
        .any(|w| matches!(w, DidWarning::CellsLeftOut { cells: 1, of: 4, .. }));
    assert!(warned && average.left_out.is_some(), "{:?}", average.warnings);
}
