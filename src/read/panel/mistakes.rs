//! Groups that are no first treated periods: one rule for the first look at data and for every estimator.

use std::ops::RangeInclusive;

use crate::base::calendar::{Frequency, shown};
use crate::base::error::{DidError, DidWarning};

/// A group that is farther from the periods than this many times their length is taken for a code.
const FAR: f64 = 10.0;

/// Years of dates, where a number may be one.
const YEARS: RangeInclusive<i64> = 1_800..=2_200;

/// Whether a column of first treated periods holds a treatment status instead: besides never treated only 1, which is no period.
pub(crate) fn is_status(
    mut groups: impl Iterator<Item = f64> + Clone,
    mut periods: impl Iterator<Item = f64>,
) -> bool {
    groups.clone().any(|group| group == 1.0)
        && groups.all(|group| group == 1.0 || group.is_infinite())
        && periods.all(|period| period != 1.0)
}

/// The error of such a column, if it is one.
pub(crate) fn status_as_group(
    column: &str,
    groups: impl Iterator<Item = f64> + Clone,
    periods: impl Iterator<Item = f64> + Clone,
    frequency: Option<Frequency>,
) -> Option<DidError> {
    let last = periods.clone().reduce(f64::max)?;
    is_status(groups, periods).then(|| DidError::IndicatorAsGroup {
        column: column.to_owned(),
        example: shown(last, frequency),
    })
}

/// Whether a group that changes from the first of these values to the other is a treatment status that begins or ends.
pub(crate) fn is_status_change(values: [f64; 2]) -> bool {
    values.iter().all(|value| matches!(*value, 1.0 | f64::INFINITY))
}

/// What to do about a group that changes within a unit and has these values there.
pub(crate) fn changing_group(values: [f64; 2]) -> &'static str {
    match is_status_change(values) {
        true => {
            "it looks like a treatment status of 0 and 1; give the period in which the unit is first treated in all its rows, and 0 if it never is (`panel::first_treated`, `burn-did panel first-treated`, makes such a column)"
        }
        false => {
            "treatment must be irreversible, with one first treated period for all rows of a unit"
        }
    }
}

/// Groups so far from all periods that they look like a code for something else, ascending, and periods that look like dates.
pub(crate) fn doubtful_times(
    column: &str,
    groups: impl Iterator<Item = f64>,
    periods: impl Iterator<Item = f64> + Clone,
) -> impl Iterator<Item = DidWarning> {
    far_groups(column, groups, periods.clone()).chain(dates_in_digits(periods))
}

/// Periods that look like quarters, months or days in digits, such as 200712, and are counted as numbers.
pub(crate) fn dates_in_digits(periods: impl Iterator<Item = f64> + Clone) -> Option<DidWarning> {
    let year = |period: f64| Frequency::Year.of_digits(period);
    let frequency = Frequency::of_written_digits(periods.clone().next()?)?;
    let is_date = |period: f64| {
        Frequency::of_written_digits(period) == Some(frequency)
            && year(period).is_some_and(|year| YEARS.contains(&year))
    };
    if frequency == Frequency::Year || !periods.clone().all(is_date) {
        return None;
    }
    // Halves and thirds of years are no quarters.
    let ends_in = |digit: f64| periods.clone().any(|period| period % 10.0 == digit);
    if frequency == Frequency::Quarter && !(ends_in(3.0) && ends_in(4.0)) {
        return None;
    }
    let mut all: Vec<f64> = periods.collect();
    all.sort_unstable_by(f64::total_cmp);
    all.dedup();
    let pair = all.windows(2).find(|pair| year(pair[0]) < year(pair[1]))?;
    // The longest periods of which no two are one.
    let longest = [Frequency::Year, Frequency::Quarter, Frequency::Month, Frequency::Day];
    let tells_apart = |longer: &Frequency| {
        let counted: Option<Vec<i64>> =
            all.iter().map(|period| longer.of_digits(*period)).collect();
        counted.is_some_and(|counted| counted.is_sorted_by(|a, b| a < b))
    };
    let by = longest.into_iter().find(tells_apart)?;
    Some(DidWarning::DatesInDigits { frequency, by, before: pair[0], after: pair[1] })
}

fn far_groups(
    column: &str,
    groups: impl Iterator<Item = f64>,
    periods: impl Iterator<Item = f64>,
) -> impl Iterator<Item = DidWarning> {
    let ends = periods.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), period| {
        (low.min(period), high.max(period))
    });
    let ((first, last), column) = (ends, column.to_owned());
    let groups = groups.filter(move |group| group.is_finite() && first <= last);
    let far = FAR * (last - first).max(1.0);
    groups.filter_map(move |group| {
        let period = match group {
            group if group - last > far => last,
            group if first - group > far => first,
            _ => return None,
        };
        Some(DidWarning::FarGroup { group, period, column: column.clone() })
    })
}

/// A warning about `rows` with a group of 0, which counts as never treated, if 0 lies after the first of the periods.
pub(crate) fn zero_groups(
    column: &str,
    rows: usize,
    periods: impl Iterator<Item = f64>,
) -> Option<DidWarning> {
    let [before, after] = periods.fold([false; 2], |[before, after], period| {
        [before || period < 0.0, after || period >= 0.0]
    });
    (rows > 0 && before && after).then(|| DidWarning::ZeroGroup { column: column.to_owned(), rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_told_from_late_and_early_cohorts() {
        let never = f64::INFINITY;
        let found = |groups: &[f64]| -> Vec<DidWarning> {
            far_groups("g", groups.iter().copied(), (2003..=2007).map(f64::from)).collect()
        };
        assert_eq!(found(&[1990.0, 2004.0, 2020.0, never]), []);
        let far = |group, period| DidWarning::FarGroup { group, period, column: "g".into() };
        assert_eq!(found(&[9999.0, never]), [far(9999.0, 2007.0)]);
        assert_eq!(found(&[999.0]), [far(999.0, 2003.0)]);
        // Two periods of which the group is one, or the next.
        assert_eq!(far_groups("g", [2.0, 3.0].into_iter(), [1.0, 2.0].into_iter()).count(), 0);
        assert_eq!(far_groups("g", [2.0].into_iter(), std::iter::empty()).count(), 0);
    }

    #[test]
    fn dates_in_digits_are_told_from_numbers() {
        let found = |periods: &[f64]| dates_in_digits(periods.iter().copied());
        let warning = |frequency, before, after| {
            Some(DidWarning::DatesInDigits { frequency, by: frequency, before, after })
        };
        let months = [200_202.0, 200_111.0, 200_112.0, 200_201.0];
        assert_eq!(found(&months), warning(Frequency::Month, 200_112.0, 200_201.0));
        assert_eq!(
            found(&[20_013.0, 20_014.0, 20_021.0]),
            warning(Frequency::Quarter, 20_014.0, 20_021.0)
        );
        let days = [20_011_230.0, 20_011_231.0, 20_020_101.0];
        assert_eq!(found(&days), warning(Frequency::Day, 20_011_231.0, 20_020_101.0));
        let yearly = found(&[20_001_231.0, 20_011_231.0]);
        let by = Frequency::Year;
        let (before, after) = (20_001_231.0, 20_011_231.0);
        assert_eq!(
            yearly,
            Some(DidWarning::DatesInDigits { frequency: Frequency::Day, by, before, after })
        );
        // Months of one year are one apart; years, counts of months and numbers are no dates.
        for others in [
            &[200_110.0, 200_111.0][..],
            &[2_001.0, 2_002.0],
            &[24_012.0, 24_013.0],
            &[200_113.0, 200_201.0],
            &[200_112.5, 200_201.0],
            &[20_014.0, 20_015.0, 20_021.0],
            &[20_011.0, 20_012.0, 20_021.0, 20_022.0],
            &[],
        ] {
            assert_eq!(found(others), None, "{others:?}");
        }
    }

    #[test]
    fn groups_of_zero_are_doubtful_among_periods_on_both_sides() {
        let found = |rows, periods: &[f64]| zero_groups("g", rows, periods.iter().copied());
        let warning = DidWarning::ZeroGroup { column: "g".into(), rows: 6 };
        assert_eq!(found(6, &[-1.0, 0.0, 1.0]), Some(warning.clone()));
        assert_eq!(found(6, &[-0.5, 0.5]), Some(warning));
        assert_eq!(found(0, &[-1.0, 0.0, 1.0]), None);
        for periods in [&[0.0, 1.0][..], &[2003.0, 2004.0], &[-3.0, -2.0], &[]] {
            assert_eq!(found(6, periods), None, "{periods:?}");
        }
    }

    #[test]
    fn a_status_is_told_from_a_first_period() {
        let years = || (2003..=2007).map(f64::from);
        assert!(is_status([1.0, f64::INFINITY].into_iter(), years()));
        assert!(!is_status([1.0, 2004.0].into_iter(), years()));
        assert!(!is_status([1.0].into_iter(), [0.0, 1.0].into_iter()));
        assert!(changing_group([1.0, f64::INFINITY]).contains("status of 0 and 1"));
        assert!(is_status_change([f64::INFINITY, 1.0]) && !is_status_change([1.0, 2.0]));
        assert!(changing_group([1.0, 2.0]).contains("irreversible"));
    }
}
