//! Cohorts and periods in which nothing says what outcomes would be without treatment.

use burn_did::backend::Cpu;
use burn_did::options::ControlGroup;
use burn_did::regression::{Family, Vcov};
use burn_did::{DidWarning, Etwfe, EtwfeResult, SunAbraham};
use polars::prelude::{Column, DataFrame};

use crate::support::frames::{filter, floats, with};
use crate::support::splitmix::SplitMix64;

const GROUPS: [f64; 4] = [0.0, 3.0, 4.0, 5.0];

/// The mean of an outcome by its index.
type Mean = fn(f64) -> f64;

/// Six periods of 80 units, with an effect of `1 + 0.3 e` of the index `e` periods after treatment; rows that are kept.
fn panel(mean: Mean, keep: impl Fn(f64, f64) -> bool) -> DataFrame {
    let mut columns: [Vec<f64>; 4] = Default::default();
    for unit in 0..80 {
        let group = GROUPS[unit % 4];
        for period in 1..=6 {
            let (time, size) = (f64::from(period), (unit / 4 % 5) as f64);
            let exposure = time - group;
            let effect = if group > 0.0 && exposure >= 0.0 { 1.0 + 0.3 * exposure } else { 0.0 };
            let noise = ((unit * 7 + period as usize * 3) % 5) as f64 - 2.0;
            if keep(group, time) {
                let index = 0.1 * size + 0.2 * time + 0.05 * group + effect + 0.02 * noise;
                let row = [unit as f64, time, group, mean(index)];
                columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
            }
        }
    }
    let rows = columns[0].len();
    let named = ["id", "t", "g", "y"].into_iter().zip(columns);
    let named = named.map(|(name, values)| Column::new(name.into(), values));
    DataFrame::new(rows, named.collect()).expect("columns of one length")
}

fn fit(frame: &DataFrame, family: Family, control_group: ControlGroup) -> EtwfeResult {
    let config = Etwfe::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
    let config = config.family(family).control_group(control_group);
    config.build().fit(frame).expect("effects")
}

/// Says of which cohorts and in which periods rows were left out.
fn left_out(warnings: &[DidWarning]) -> Option<(Vec<f64>, Vec<f64>)> {
    warnings.iter().find_map(|warning| match warning {
        DidWarning::RowsWithoutComparison { cohorts, periods, .. } => {
            Some((cohorts.clone(), periods.clone()))
        }
        _ => None,
    })
}

fn assert_same(what: &str, a: &EtwfeResult, b: &EtwfeResult) {
    assert!(b.overall.estimate.is_some() && b.overall.se.is_some(), "{what}");
    assert_eq!((a.overall, &a.by_event_time), (b.overall, &b.by_event_time), "{what}");
    assert_eq!((&a.by_group, &a.cells), (&b.by_group, &b.cells), "{what}");
    assert_eq!(left_out(&b.warnings), None, "{what}");
}

const FAMILIES: [(Family, Mean); 2] =
    [(Family::Gaussian, |index| index), (Family::Poisson, f64::exp)];

#[test]
fn cohorts_without_untreated_rows_are_left_out() {
    for (family, mean) in FAMILIES {
        let observed_late = panel(mean, |group, time| group != 4.0 || time >= 4.0);
        let without = panel(mean, |group, _| group != 4.0);
        let control = ControlGroup::NotYetTreated;
        let found = fit(&observed_late, family, control);
        assert_eq!(left_out(&found.warnings), Some((vec![4.0], vec![])));
        assert_same(&format!("{family:?}"), &found, &fit(&without, family, control));
    }
}

/// Against the never treated, effects are relative to the period before treatment.
#[test]
fn cohorts_without_a_row_before_treatment_are_left_out() {
    let frame = panel(|index| index, |group, time| group != 4.0 || time != 3.0);
    let control = ControlGroup::NeverTreated;
    let found = fit(&frame, Family::Gaussian, control);
    assert_eq!(left_out(&found.warnings), Some((vec![4.0], vec![])));
    let without = panel(|index| index, |group, _| group != 4.0);
    assert_same("never", &found, &fit(&without, Family::Gaussian, control));
    // What is not yet treated is compared with other periods, too.
    let not_yet = fit(&frame, Family::Gaussian, ControlGroup::NotYetTreated);
    assert_eq!(left_out(&not_yet.warnings), None);
    assert_eq!(not_yet.by_group.len(), 3);
}

#[test]
fn periods_without_untreated_rows_are_left_out() {
    for (family, mean) in FAMILIES {
        for control in [ControlGroup::NotYetTreated, ControlGroup::NeverTreated] {
            let frame = panel(mean, |group, time| group > 0.0 || time < 6.0);
            let found = fit(&frame, family, control);
            assert_eq!(left_out(&found.warnings), Some((vec![], vec![6.0])));
            let without = fit(&panel(mean, |_, time| time < 6.0), family, control);
            assert_same(&format!("{family:?} {control:?}"), &found, &without);
        }
    }
}

#[test]
fn cells_of_units_that_were_never_observed_untreated_have_no_effect() {
    // Of cohort 4, some units leave before treatment and others come after it.
    let frame = panel(|index| index, |_, _| true);
    let [ids, times, groups] = ["id", "t", "g"].map(|column| floats(&frame, column));
    let is_kept = |((id, time), group): ((&f64, &f64), &f64)| {
        let early = (id / 4.0).floor() % 2.0 == 0.0;
        f64::from(u8::from(*group != 4.0 || early == (*time < 4.0)))
    };
    let kept: Vec<f64> = ids.iter().zip(&times).zip(&groups).map(is_kept).collect();
    let kept = filter(&with(&frame, "kept", kept), "kept", |kept| kept > 0.0);
    let found = fit(&kept, Family::Gaussian, ControlGroup::NotYetTreated);
    for cell in &found.cells {
        let is_estimated = cell.estimate.estimate.is_some();
        assert_eq!(is_estimated, cell.group != Some(4.0), "{cell:?}");
    }
    assert!(found.to_string().contains("cohort 4 has no effect in 4"), "{found}");
    assert_eq!(found.overall.estimate, None);
}

#[test]
fn effects_of_a_cohort_whose_untreated_outcomes_are_all_zero_are_unknown() {
    let rare = |group: f64, unit: usize, time: f64| {
        let share = match group > 0.0 && time >= group {
            true => 0.6,
            false if group == 4.0 => 0.0,
            false => 0.4,
        };
        let drawn = SplitMix64((unit * 10 + time as usize) as u64).uniform();
        f64::from(u8::from(drawn < share))
    };
    let frame = panel(|_| 0.0, |_, _| true);
    let [ids, times, groups] = ["id", "t", "g"].map(|column| floats(&frame, column));
    let y = ids.iter().zip(&times).zip(&groups);
    let y: Vec<f64> = y.map(|((id, time), group)| rare(*group, *id as usize, *time)).collect();
    let frame = with(&frame, "y", y);
    for family in [Family::Logit, Family::Probit, Family::Poisson] {
        let found = fit(&frame, family, ControlGroup::NotYetTreated);
        for cell in &found.cells {
            let is_estimated = cell.estimate.estimate.is_some();
            assert_eq!(is_estimated, cell.group != Some(4.0), "{family:?} {cell:?}");
        }
        let said = "untreated rows of the cohort or the period are separated";
        assert!(found.to_string().contains(said), "{found}");
    }
}

#[test]
fn interactions_leave_out_what_has_no_comparison_too() {
    let study = |frame: &DataFrame| {
        let config = SunAbraham::<Cpu>::builder().outcome("y").unit("id").time("t").group("g");
        config.build().fit(frame).expect("effects")
    };
    let attrition = study(&panel(|index| index, |group, time| group > 0.0 || time < 6.0));
    assert_eq!(left_out(&attrition.regression.warnings), Some((vec![], vec![6.0])));
    let shorter = study(&panel(|index| index, |_, time| time < 6.0));
    assert_eq!(left_out(&shorter.regression.warnings), None);
    assert_eq!(attrition.event_study.rows, shorter.event_study.rows);
    assert_eq!(attrition.event_study.overall, shorter.event_study.overall);
}

#[test]
fn rows_without_a_cluster_or_unit_are_in_no_average() {
    let all = panel(|index| index, |_, _| true);
    let rows = all.height();
    let lost = |row: usize| row % 9 == 4;
    for column in ["cluster", "id"] {
        let ids = floats(&all, "id");
        let mut values: Vec<f64> = match column {
            "id" => ids.clone(),
            _ => ids.iter().map(|id| id % 10.0).collect(),
        };
        (0..rows).filter(|row| lost(*row)).for_each(|row| values[row] = f64::NAN);
        let without = with(&all, column, values);
        let removed = filter(&without, column, |value| !value.is_nan());
        let mut config =
            Etwfe::<Cpu>::builder().outcome("y").unit("id").time("t").group("g").build();
        config.vcov = (column == "cluster").then(|| Vcov::cluster(["cluster"]));
        let [a, b] = [&without, &removed].map(|frame| config.fit(frame).expect("effects"));
        assert_same(column, &a, &b);
    }
}
