use super::*;
use crate::base::calendar::Calendar;
use crate::base::options::{Band, Inference};
use crate::estimator::aggregate::left_out::refuse_missing;
use crate::result::inference::Joint;

/// Effects of the groups 2 and 3 in the periods 1 to 3; group 3 has twice as many units.
pub(in crate::estimator::aggregate) fn effects() -> GroupTimeEffects {
    let cell = |(group, time): (f64, f64)| Cell {
        group,
        time,
        status: CellStatus::Estimated,
        n_treated: 10,
        n_control: 30,
        sample_sd: false,
    };
    let values = [1.0, 4.0, 0.1, 2.0, 0.25, 0.5].map(Some).to_vec();
    GroupTimeEffects {
        cells: [(2.0, 2.0), (2.0, 3.0), (3.0, 2.0), (3.0, 3.0)].map(cell).to_vec(),
        groups: vec![2.0, 3.0],
        periods: vec![1.0, 2.0, 3.0],
        calendar: Calendar::default(),
        joint: Joint {
            values,
            covariance: None,
            draws: None,
            n: 60,
            n_clusters: None,
            unit: 1.0,
            unknown: Vec::new(),
        },
        inference: Inference { alpha: 0.05, bootstrap: None, band: Band::Pointwise },
    }
}

fn of(effects: &GroupTimeEffects, options: &Aggregation) -> LinearAggregation {
    linear(effects, options, &mut Vec::new()).expect("it can be formed")
}

/// Positions and values of the rows, and the overall value.
fn values(options: &Aggregation) -> (Vec<(f64, f64)>, Option<f64>) {
    let LinearAggregation { rows, overall } = of(&effects(), options);
    let rows = rows.iter().map(|r| (r.at, r.combination.value)).collect();
    (rows, overall.map(|o| o.value))
}

fn close(a: &[f64], b: &[f64]) {
    assert!(
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12),
        "{a:?} {b:?}"
    );
}

#[test]
fn values_are_the_averages_of_callaway_and_santanna() {
    let third = 1.0 / 3.0;
    for (options, rows, overall) in [
        (Aggregation::simple(), vec![], 2.25),
        (
            Aggregation::dynamic(),
            vec![(-1.0, 0.1), (0.0, 5.0 * third), (1.0, 4.0)],
            (5.0 * third + 4.0) / 2.0,
        ),
        (Aggregation::group(), vec![(2.0, 2.5), (3.0, 2.0)], 13.0 / 6.0),
        (Aggregation::calendar(), vec![(2.0, 1.0), (3.0, 8.0 * third)], 11.0 / 6.0),
        // Only group 2 is observed one period after its treatment starts.
        (Aggregation::dynamic().balance_e(1), vec![(0.0, 1.0), (1.0, 4.0)], 2.5),
        (Aggregation::dynamic().min_e(0.0).max_e(0.0), vec![(0.0, 5.0 * third)], 5.0 * third),
        (Aggregation::simple().max_e(0.0), vec![], 5.0 * third),
    ] {
        let (got, got_overall) = values(&options);
        let flat = |rows: &[(f64, f64)]| rows.iter().flat_map(|r| [r.0, r.1]).collect::<Vec<_>>();
        close(&flat(&got), &flat(&rows));
        close(&[got_overall.expect("an overall effect")], &[overall]);
    }
}

#[test]
fn the_first_event_time_has_the_weights_of_the_groups_shares() {
    let rows = of(&effects(), &Aggregation::dynamic()).rows;
    let ninth = 1.0 / 9.0;
    close(
        &rows[1].combination.weights,
        &[3.0 * ninth, 0.0, 0.0, 6.0 * ninth, -8.0 * ninth, 4.0 * ninth],
    );
}

#[test]
fn weights_are_derivatives() {
    const STEP: f64 = 1e-6;
    let all = |effects: &GroupTimeEffects, options: &Aggregation| {
        let LinearAggregation { rows, overall } = of(effects, options);
        rows.into_iter().map(|r| r.combination).chain(overall).collect::<Vec<_>>()
    };
    for options in [
        Aggregation::simple(),
        Aggregation::dynamic(),
        Aggregation::group(),
        Aggregation::calendar(),
    ] {
        let combinations = all(&effects(), &options);
        for parameter in 0..6 {
            let moved = |by: f64| {
                let mut effects = effects();
                let value = &mut effects.joint.values[parameter];
                *value = value.map(|v| v + by);
                all(&effects, &options)
            };
            let (up, down) = (moved(STEP), moved(-STEP));
            for ((combination, up), down) in combinations.iter().zip(up).zip(down) {
                let slope = (up.value - down.value) / (2.0 * STEP);
                let weight = combination.weights[parameter];
                assert!((slope - weight).abs() < 1e-8, "{options:?} {parameter}: {slope} {weight}");
            }
        }
    }
}

#[test]
fn a_cell_without_an_estimate_is_an_error_or_left_out() {
    let mut effects = effects();
    effects.joint.values[1] = None;
    effects.cells[1].status = CellStatus::NoControls { period: Some(3.0) };
    let failed = refuse_missing(&effects, &Aggregation::dynamic());
    assert!(matches!(failed, Err(DidError::MissingCells { count: 1, .. })));
    let left = of(&effects, &Aggregation::group().na_rm(true)).rows;
    close(&left.iter().map(|r| r.combination.value).collect::<Vec<_>>(), &[1.0, 2.0]);
}

/// Group 2.5 is treated between periods, so that the cells of group 2 are further apart as long as it counts.
#[test]
fn a_group_that_is_left_out_takes_no_place_between_periods() {
    let without = |missing: &[usize]| {
        let mut effects = effects();
        effects.groups = vec![2.0, 2.5];
        effects.cells[2..].iter_mut().for_each(|c| c.group = 2.5);
        for j in missing {
            effects.joint.values[*j] = None;
        }
        effects
    };
    let overall = |effects: &GroupTimeEffects, options: Aggregation| {
        of(effects, &options.max_e(1.0).na_rm(true)).overall.expect("an effect").value
    };
    let alone = without(&[2, 3]);
    close(&[overall(&alone, Aggregation::simple())], &[2.5]);
    close(&[overall(&alone, Aggregation::group())], &[2.5]);
    // With a cell before its treatment it counts, though not for averages by group.
    let before = without(&[3]);
    close(&[overall(&before, Aggregation::simple())], &[1.0]);
    close(&[overall(&before, Aggregation::group())], &[2.5]);
}

#[test]
fn options_without_effect_are_said() {
    let said = |options: Aggregation| {
        let mut warnings = Vec::new();
        let options = options.min_e(0.0).max_e(1.0).balance_e(1);
        linear(&effects(), &options, &mut warnings).expect("it can be formed");
        let option = |warning| match warning {
            DidWarning::IgnoredOption { option } => option,
            other => panic!("{other}"),
        };
        warnings.into_iter().map(option).collect::<Vec<_>>()
    };
    assert!(said(Aggregation::dynamic()).is_empty());
    assert_eq!(said(Aggregation::simple()), ["min_e", "balance_e"]);
    assert_eq!(said(Aggregation::group()), ["min_e", "balance_e"]);
    assert_eq!(said(Aggregation::calendar()), ["min_e", "max_e", "balance_e"]);
}
