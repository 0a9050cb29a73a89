//! Groups without an effect: units that are treated from the first period on, and those treated after the last.

use super::report::{Report, Within};
use super::subject::Case;
use super::weights::copies;
use crate::support::frames::{floats, map, with};

law!(
    always_treated_units_change_nothing:
        att_gt, ddd, doses, first_stage, sun_abraham, projections, stacked, etwfe, joint_study
);

fn always_treated_units_change_nothing(case: &Case, report: &mut Report) {
    if is_of_two_periods(case) {
        return report.skip();
    }
    let plain = case.numbers();
    let always = copies(&case.frame, |id| id % 5.0 == 2.0);
    let first = floats(&case.frame, "t").into_iter().fold(f64::INFINITY, f64::min);
    for group in [first, first - 0.5] {
        let always = map(&map(&always, "g", |_| group), "y", |y| 9.0 - 7.0 * y);
        let frame = map(&case.frame, "g", |g| g).vstack(&always).unwrap();
        let what = format!("{}: group {group}", case.name);
        report.same_as(&what, &plain, case.try_fit(&frame), Within::Errors(1e-9));
    }
}

law!(
    groups_after_the_last_period_are_never_treated:
        att_gt, ddd, doses, sun_abraham, projections, stacked, etwfe, twfe
);

/// But for estimators that have effects before treatment of groups that are first treated after the last period.
fn groups_after_the_last_period_are_never_treated(case: &Case, report: &mut Report) {
    if is_of_two_periods(case) {
        return report.skip();
    }
    check_never_treated(case, report, "after the last period", [Some(50.0); 2]);
}

law!(
    the_never_treated_are_one_group:
        att_gt, ddd, doses, first_stage, sun_abraham, projections, stacked, etwfe, twfe, joint_study, specification_curve, explore
);

/// However they are written, a half one way and a half another.
fn the_never_treated_are_one_group(case: &Case, report: &mut Report) {
    let infinite = Some(f64::INFINITY);
    check_never_treated(case, report, "infinite", [infinite; 2]);
    check_never_treated(case, report, "zero or infinite", [Some(0.0), infinite]);
    check_never_treated(case, report, "missing or zero", [None, Some(0.0)]);
}

/// Two periods of two groups have standard errors of their own in triple differences, as in R.
fn is_of_two_periods(case: &Case) -> bool {
    case.comparison.is_some_and(|of| of.is_triple) && case.name.contains("two periods")
}

/// Writes the groups of units that are never treated in two ways.
fn check_never_treated(case: &Case, report: &mut Report, how: &str, never: [Option<f64>; 2]) {
    let [ids, groups] = ["id", "g"].map(|column| floats(&case.frame, column));
    let group = |(id, group): (&f64, &f64)| match *group > 0.0 {
        true => Some(*group),
        false => never[*id as usize % 2],
    };
    let groups: Vec<Option<f64>> = ids.iter().zip(&groups).map(group).collect();
    let fit = case.try_fit(&with(&case.frame, "g", groups));
    let what = format!("{}: {how}", case.name);
    report.same_as(&what, &case.numbers(), fit, Within::Errors(1e-9));
}
