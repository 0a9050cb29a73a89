use super::*;

/// Rows of groups whose outcomes and treatments are given by period, NaN for missing.
pub(super) fn rows(groups: &[(&[f64], &[f64])]) -> GroupPeriodRows {
    let periods = groups[0].0.len();
    let cells = || (0..groups.len()).flat_map(|g| (0..periods).map(move |t| (g, t)));
    GroupPeriodRows {
        group: cells().map(|(g, _)| g as u32).collect(),
        period: cells().map(|(_, t)| t as u32).collect(),
        groups: groups.len(),
        periods,
        outcome: cells().map(|(g, t)| groups[g].0[t]).collect(),
        treatment: cells().map(|(g, t)| groups[g].1[t]).collect(),
        ..GroupPeriodRows::default()
    }
}

pub(super) fn sample(rows: &GroupPeriodRows, options: &SwitchingOptions) -> SwitchingSample {
    prepare(GroupPeriodCells::new(rows.clone()).expect("constant columns"), options, true)
        .expect("switchers")
        .0
}

fn one_effect() -> SwitchingOptions {
    SwitchingOptions { effects: 1, ..SwitchingOptions::default() }
}

#[test]
fn one_switcher_and_two_controls_by_hand() {
    let rows =
        rows(&[(&[0.0, 1.0], &[0.0, 0.0]), (&[0.0, 3.0], &[0.0, 0.0]), (&[0.0, 7.0], &[0.0, 2.0])]);
    let found = estimate(&sample(&rows, &one_effect()), &one_effect()).expect("an effect");
    let effect = &found.effects[0];
    assert_eq!((effect.estimate, effect.rows, effect.switchers), (Some(5.0), 3, 1));
    // Controls deviate by 1 from their mean, each with half the weight of the switcher; the switcher is alone, so that the mean
    // is over all three.
    let controls = 2.0 * (0.5 * 2f64.sqrt()).powi(2);
    let switcher = 1.5 * (7.0 - 11.0 / 3.0_f64).powi(2);
    assert!((found.covariance[0] - controls - switcher).abs() < 1e-12, "{}", found.covariance[0]);
    // Per unit of treatment.
    assert_eq!(found.average.expect("an average").estimate, Some(2.5));
    let normalized = SwitchingOptions { normalized: true, ..one_effect() };
    let found = estimate(&sample(&rows, &normalized), &normalized).expect("an effect");
    assert_eq!(found.effects[0].estimate, Some(2.5));
}

#[test]
fn switchers_out_count_with_the_opposite_sign_and_by_weight() {
    let mut rows = rows(&[
        (&[0.0, 1.0], &[0.0, 0.0]),
        (&[0.0, 1.0], &[1.0, 1.0]),
        (&[0.0, 3.0], &[0.0, 1.0]),
        (&[0.0, -4.0], &[1.0, 0.0]),
    ]);
    rows.weight = Some(vec![1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 1.0, 1.0]);
    let found = estimate(&sample(&rows, &one_effect()), &one_effect()).expect("an effect");
    // In: 3 - 1 = 2 with weight 3. Out: -(-4 - 1) = 5 with weight 1.
    assert_eq!(found.effects[0].estimate, Some((3.0 * 2.0 + 5.0) / 4.0));
    for (direction, effect) in [(Direction::In, 2.0), (Direction::Out, 5.0)] {
        let options = SwitchingOptions { direction: Some(direction), ..one_effect() };
        let found = estimate(&sample(&rows, &options), &options).expect("an effect");
        assert_eq!(found.effects[0].estimate, Some(effect));
    }
}

#[test]
fn groups_drawn_several_times_are_as_many_groups() {
    let outcomes: Vec<Vec<f64>> =
        (0..12).map(|g| (0..5).map(|t| f64::from((7 * g + 3 * t * t) % 11)).collect()).collect();
    let treatments: Vec<Vec<f64>> = (0..12)
        .map(|g| (0..5).map(|t| f64::from(u8::from(g % 3 > 0 && t > g % 3))).collect())
        .collect();
    let group = |g: &usize| (&outcomes[*g][..], &treatments[*g][..]);
    let all: Vec<usize> = (0..12).collect();
    let options = SwitchingOptions { effects: 2, placebos: 1, ..SwitchingOptions::default() };
    let whole = sample(&rows(&all.iter().map(group).collect::<Vec<_>>()), &options);
    // Position p draws group p, but for the last two, which are the first again.
    let uniform = |_: usize, p: usize| ((p % 10) as f64 + 0.5) / 12.0;
    let drawn = draw(&whole, &options, 1, &uniform).expect("effects");
    let labels: Vec<usize> = (0..12).map(|p| whole.group[p % 10] as usize).collect();
    let again = sample(&rows(&labels.iter().map(group).collect::<Vec<_>>()), &options);
    let expected = estimate(&again, &options).expect("effects");
    let expected: Vec<Option<f64>> = expected
        .effects
        .iter()
        .chain(&expected.placebos)
        .chain(&expected.average)
        .map(|found| found.estimate)
        .collect();
    for (got, want) in drawn.estimates[0].iter().zip(expected) {
        assert!((got.expect("drawn") - want.expect("there")).abs() < 1e-12);
    }
}

#[test]
fn nothing_to_compare_is_said() {
    let constant = rows(&[(&[0.0, 1.0], &[0.0, 0.0]), (&[0.0, 3.0], &[0.0, 0.0])]);
    let prepared = prepare(GroupPeriodCells::new(constant).expect("cells"), &one_effect(), false);
    assert_eq!(prepared.err(), Some(Unusable::NoVariation));
    let missing = rows(&[(&[f64::NAN; 2], &[0.0, 1.0]), (&[1.0, 2.0], &[f64::NAN; 2])]);
    let prepared = prepare(GroupPeriodCells::new(missing).expect("cells"), &one_effect(), false);
    assert_eq!(prepared.err(), Some(Unusable::Empty));
}

#[test]
fn a_cluster_or_trend_group_that_changes_is_named() {
    let mut rows = rows(&[(&[0.0, 1.0], &[0.0, 0.0]), (&[0.0, 3.0], &[0.0, 1.0])]);
    rows.cluster = Some(vec![0, 0, 1, 2]);
    assert_eq!(GroupPeriodCells::new(rows.clone()).err(), Some(Varying::Cluster { group: 1 }));
    rows.trend = Some(vec![0, 1, 1, 1]);
    assert_eq!(GroupPeriodCells::new(rows.clone()).err(), Some(Varying::Trend { group: 0 }));
}

#[test]
fn a_group_without_a_row_counts_to_the_last_period() {
    let nan = f64::NAN;
    // The outcomes of a group that never switches; NaN where it has no row.
    let of = |last: [f64; 4]| {
        let never = last.map(|y| if y.is_nan() { nan } else { 0.0 });
        let mut rows = rows(&[
            (&last, &never),
            (&[0.0; 4], &[0.0, 0.0, 1.0, 1.0]),
            (&[0.0; 4], &[0.0, 1.0, 1.0, 1.0]),
        ]);
        let there: Vec<bool> = rows.outcome.iter().map(|y| !y.is_nan()).collect();
        let keep = |row: &usize| there[*row];
        let kept: Vec<usize> = (0..there.len()).filter(keep).collect();
        rows.group = kept.iter().map(|row| rows.group[*row]).collect();
        rows.period = kept.iter().map(|row| rows.period[*row]).collect();
        rows.outcome = kept.iter().map(|row| rows.outcome[*row]).collect();
        rows.treatment = kept.iter().map(|row| rows.treatment[*row]).collect();
        rows
    };
    let ends = |rows: &GroupPeriodRows| {
        let sample = sample(rows, &one_effect());
        sample.strata.iter().map(|stratum| stratum.end).collect::<Vec<_>>()
    };
    // A last treatment that is missing ends the group's time as a control.
    let mut whole = of([1.0, 1.0, 1.0, 2.0]);
    whole.treatment[3] = nan;
    assert_eq!(ends(&whole), [3]);
    // Not if it has no row in another period.
    let mut gap = of([1.0, nan, 1.0, 2.0]);
    gap.treatment[2] = nan;
    assert_eq!(ends(&gap), [4]);
    // Among trend groups it does: there a row that is put in belongs to none.
    gap.trend = Some(vec![0; gap.group.len()]);
    assert_eq!(ends(&gap), [3]);
}

#[test]
fn columns_are_taken_over_in_any_order() {
    let ordered =
        rows(&[(&[0.0, 1.0], &[0.0, 0.0]), (&[0.0, 3.0], &[0.0, 0.0]), (&[0.0, 7.0], &[0.0, 2.0])]);
    let mut turned = ordered.clone();
    turned.group.reverse();
    turned.period.reverse();
    turned.outcome.reverse();
    turned.treatment.reverse();
    let [a, b] = [ordered, turned].map(|rows| GroupPeriodCells::new(rows).expect("cells"));
    assert_eq!((a.outcome, a.treatment, a.weight), (b.outcome, b.treatment, b.weight));
    assert_eq!((a.shared, b.shared), (0, 0));
}

#[test]
fn treatments_that_differ_by_rounding_are_found() {
    let cells = |a: f64, b: f64| {
        let rows = rows(&[(&[0.0, 1.0], &[a, a]), (&[0.0, 3.0], &[b, 2.0])]);
        GroupPeriodCells::new(rows).expect("cells")
    };
    let sum = 0.1 + 0.2;
    assert_eq!(equal_but_for_rounding(&cells(sum, 0.3)), Some((0.3, sum)));
    assert_eq!(equal_but_for_rounding(&cells(0.3, 0.300_001)), None);
    let within = rows(&[(&[0.0, 1.0], &[0.3, sum]), (&[0.0, 3.0], &[0.0, 2.0])]);
    assert_eq!(
        equal_but_for_rounding(&GroupPeriodCells::new(within).expect("cells")),
        Some((0.3, sum))
    );
}
