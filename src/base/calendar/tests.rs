use super::*;

fn fitted(periods: &[f64], groups: &[f64]) -> TimeGrid {
    FittedCalendar::new(periods, groups).grid
}

fn rounded(v: f64, decimals: Option<i32>) -> f64 {
    decimals.map_or(v, |d| format!("{v:.*}", d as usize).parse().unwrap())
}

fn truncated(v: f64, decimals: i32) -> f64 {
    let power = 10_f64.powi(decimals);
    (v * power + 1e-6).floor() / power
}

/// All differences are whole steps of the calendar.
#[track_caller]
fn assert_steps(values: &[f64], grid: TimeGrid, per_unit: f64, what: &str) {
    for (i, a) in values.iter().enumerate() {
        for (j, b) in values.iter().enumerate() {
            let expected = (j as f64 - i as f64) / per_unit;
            assert!(grid.elapsed(*a, *b) == expected, "{what}: {a} to {b}");
        }
    }
}

#[test]
fn whole_numbers_are_subtracted() {
    for periods in [vec![2003.0, 2004.0, 2007.0], vec![1.0, 2.0, 5.0, 9.0], vec![-4.0, 1e15]] {
        let grid = fitted(&periods, &[periods[1]]);
        assert_eq!(grid, TimeGrid::default());
        assert!(grid.elapsed(periods[0], periods[1]) == periods[1] - periods[0]);
    }
    assert!(TimeGrid::default().elapsed(2004.0, f64::INFINITY) == f64::INFINITY);
}

#[test]
fn regular_calendars_are_counted_in_steps_however_they_are_rounded() {
    for per_unit in [2, 3, 4, 5, 6, 8, 10, 12, 20, 24, 52, 100] {
        let m = f64::from(per_unit);
        for decimals in [None, Some(2), Some(3), Some(4), Some(6), Some(9)] {
            let coarse = decimals.is_some_and(|d| 0.1_f64.powi(d) * m > 0.2);
            let exact = decimals.is_some_and(|d| (10_f64.powi(d) / m).fract() == 0.0);
            if coarse && !exact {
                continue;
            }
            for (offset, n) in [(0.0, 40), (0.5 / m, 40), (7.0 / m, 30), (0.25, 24)] {
                // Halves of the last digit are rounded up and down.
                let digits = decimals.map_or(0.0, |d| offset * 10_f64.powi(d));
                if exact && (digits - digits.round()).abs() > 1e-9 {
                    continue;
                }
                let value = |k: i32| rounded(2003.0 + offset + f64::from(k) / m, decimals);
                let values: Vec<f64> = (0..n).map(value).collect();
                let what = format!("{per_unit} {decimals:?} {offset}");
                assert_steps(&values, fitted(&values, &values[3..9]), m, &what);
            }
        }
    }
}

#[test]
fn months_with_gaps_are_months() {
    for decimals in [None, Some(2), Some(3), Some(4)] {
        for (start, offset) in [(2004.0, 0.0), (1999.0, 0.5 / 12.0), (0.0, 0.0), (-3.0, 1.0 / 12.0)]
        {
            let month = |k: usize| rounded(start + offset + k as f64 / 12.0, decimals);
            // Every subset of a year with two neighbouring months.
            for set in 1_u32..1 << 12 {
                let months: Vec<usize> = (0..12).filter(|k| set >> k & 1 == 1).collect();
                if !months.windows(2).any(|w| w[1] == w[0] + 1) || months.len() < 3 {
                    continue;
                }
                let values: Vec<f64> = months.iter().map(|k| month(*k)).collect();
                let grid = fitted(&values, &values[1..2]);
                for (a, from) in values.iter().zip(&months) {
                    for (b, to) in values.iter().zip(&months) {
                        let expected = (*to as f64 - *from as f64) / 12.0;
                        assert!(grid.elapsed(*a, *b) == expected, "{decimals:?} {values:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn truncated_months_and_single_precision_are_months() {
    let months = || (0..36).map(|k| 2004.0 + f64::from(k) / 12.0);
    for decimals in [2, 3, 4] {
        let values: Vec<f64> = months().map(|v| truncated(v, decimals)).collect();
        assert_steps(&values, fitted(&values, &[]), 12.0, "truncated");
    }
    let single: Vec<f64> = months().map(|v| f64::from(v as f32)).collect();
    assert_steps(&single, fitted(&single, &[]), 12.0, "single");
    let summed = std::iter::successors(Some(2004.0), |v| Some(v + 1.0 / 12.0));
    let summed: Vec<f64> = summed.take(240).collect();
    assert_steps(&summed, fitted(&summed, &summed[5..]), 12.0, "summed");
}

#[test]
fn groups_rounded_otherwise_are_the_same_instant() {
    let periods: Vec<f64> =
        (0..36).map(|k| rounded(2004.0 + f64::from(k) / 12.0, Some(4))).collect();
    for (group, period) in [(2004.333, 4), (2004.33, 4), (2004.67, 8), (2004.66, 8), (2005.5, 18)] {
        let grid = fitted(&periods, &[2004.25, group]);
        assert!(grid.is_same(group, periods[period]), "{group}");
        assert!(!grid.is_same(group, periods[period + 1]), "{group}");
        assert!(grid.elapsed(group, periods[period]) == 0.0, "{group}");
        assert!(grid.elapsed(group, periods[period + 12]) == 1.0, "{group}");
    }
}

#[test]
fn steps_that_are_no_fraction_of_a_unit() {
    for (step, tolerance) in
        [(2.5, 0.0_f64), (0.3, 0.0), (1.0 / 365.25, 1e-9), (0.731_234_567_891, 1e-9)]
    {
        let values: Vec<f64> = (0..30).map(|k| 100.0 + f64::from(k) * step).collect();
        let grid = fitted(&values, &values[2..4]);
        for k in 0..30 {
            let elapsed = grid.elapsed(values[0], values[k]);
            assert!((elapsed - k as f64 * step).abs() <= tolerance.max(1e-12), "{step} {k}");
            assert!(k == 0 || elapsed == grid.elapsed(values[29 - k], values[29]), "{step} {k}");
        }
    }
    let tenths = [0.1, 0.2, 0.3, 0.7, 1.0];
    let grid = fitted(&tenths, &[0.3]);
    assert!(grid.elapsed(0.1, 0.3) == 0.2 && grid.elapsed(0.3, 1.0) == 0.7);
}

#[test]
fn first_days_of_months_are_months_by_approximation() {
    let days = [0.0, 31.0, 59.0, 90.0, 120.0, 151.0, 181.0, 212.0, 243.0, 273.0, 304.0, 334.0];
    let year = |y: f64| days.iter().map(move |d| y + d / 365.0);
    let values: Vec<f64> = year(2005.0).chain(year(2006.0)).collect();
    let FittedCalendar { grid, approximate } = FittedCalendar::new(&values, &values[3..5]);
    assert_eq!(approximate, Some(12.0));
    assert_steps(&values, grid, 12.0, "days");
}

#[test]
fn irregular_times_keep_their_differences() {
    let periods = [0.123_456_7, 0.731_112_3, 1.911_843_1, 2.500_000_1];
    let grid = fitted(&periods, &[0.731_112_3]);
    for (a, b) in periods.iter().zip(&periods[1..]) {
        assert!((grid.elapsed(*a, *b) - (b - a)).abs() < 1e-6);
    }
    let hundredths = [0.0, 0.17, 0.5, 1.21];
    let grid = fitted(&hundredths, &[]);
    assert!(grid.elapsed(0.17, 0.5) == 0.33 && grid.elapsed(0.0, 1.21) == 1.21);
    let roots: Vec<f64> = (1..40).map(|k| f64::from(k).sqrt()).collect();
    let grid = fitted(&roots, &roots[4..6]);
    assert!((grid.elapsed(roots[1], roots[2]) - (roots[2] - roots[1])).abs() < 1e-8);
}

#[test]
fn event_times_merge_within_the_tolerance_only() {
    let grid = TimeGrid { origin: 0.0, per_unit: None, tolerance: 1e-6 };
    let events = grid.distinct(vec![0.5, -1e-7 - 0.5, 0.500_000_4, 0.0, -0.5, 0.7]);
    assert_eq!(events.merged(), 2);
    assert!(events.of(0.500_000_4) == 0.5 && events.of(0.7) == 0.7 && events.of(0.0) == 0.0);
    assert!(events.of(-0.5) == -0.5 - 1e-7);
    assert!(grid.elapsed(1.0, 1.0 + 1e-8) == 0.0);
    let plain = TimeGrid::default().distinct(vec![1.0, 0.0, 1.0, 2.0]);
    assert_eq!(plain.merged(), 0);
}

#[test]
fn options_mean_steps() {
    let months: Vec<f64> = (0..36).map(|k| 2004.0 + f64::from(k) / 12.0).collect();
    let grid = fitted(&months, &[]);
    for (written, steps) in [(0.33, 4), (-0.0833, -1), (0.08, 1), (-0.42, -5), (1.0, 12)] {
        assert!(grid.written(written) == f64::from(steps) / 12.0, "{written}");
    }
    assert!(grid.written(0.04) == 0.04 && TimeGrid::default().written(0.4) == 0.4);
}

#[test]
fn a_saved_grid_is_checked() {
    let months: Vec<f64> = (0..36).map(|k| 2004.0 + f64::from(k) / 12.0).collect();
    let grid = fitted(&months, &[]);
    let json = serde_json::to_string(&grid).unwrap();
    assert_eq!(serde_json::from_str::<TimeGrid>(&json).unwrap(), grid);
    for bad in [
        r#"{"origin":0,"per_unit":0,"tolerance":0}"#,
        r#"{"origin":0,"per_unit":-1,"tolerance":0}"#,
        r#"{"origin":0,"per_unit":1,"tolerance":-1}"#,
    ] {
        assert!(serde_json::from_str::<TimeGrid>(bad).is_err(), "{bad}");
    }
}

#[test]
fn nothing_panics_on_odd_calendars() {
    let odd = [vec![], vec![0.5], vec![0.5, 1e15], vec![-1e300, 0.5], vec![0.1, 1e-300, 5e-324]];
    for mut periods in odd {
        periods.sort_by(f64::total_cmp);
        let grid = fitted(&periods, &[0.25]);
        for a in &periods {
            assert!(grid.elapsed(*a, *a) == 0.0, "{periods:?}");
        }
    }
}
