//! Instants and times between them as people read them, if they are no dates.

/// A group, period or event time with all its digits, for names by which it is found again.
pub(crate) fn exact(value: f64) -> String {
    let size = value.abs();
    if size >= 1e15 || (size > 0.0 && size < 1e-9) {
        format!("{value:e}")
    } else {
        (value + 0.0).to_string()
    }
}

/// Decimals that someone may have written; fractions such as a third have more.
const WRITTEN: usize = 8;

/// Decimals of fractions.
const PLACES: i32 = 5;

/// Significant digits of fractions near a whole number.
const SIGNIFICANT: i32 = 4;

/// A group, period or event time as people read it: a fraction such as a third has five decimals, or more where it is near a
/// whole number. What was written with few decimals has all of them.
pub(crate) fn label(value: f64) -> String {
    let all = exact(value);
    let written = all.split_once('.').is_none_or(|(_, decimals)| decimals.len() <= WRITTEN);
    let off = (value - value.round()).abs();
    #[expect(clippy::cast_possible_truncation, reason = "an order of magnitude")]
    let places = PLACES.max(SIGNIFICANT - 1 - off.log10().floor().max(-99.0) as i32);
    match usize::try_from(places) {
        Ok(places) if !written && places <= WRITTEN => {
            let text = format!("{value:.places$}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => all,
    }
}

/// Decimals that the same event time has for every estimator.
const DECIMALS: f64 = 1e5;

/// An event time without the digits in which estimators differ for rounding, if it has others.
pub(crate) fn without_rounding(event_time: f64) -> f64 {
    let rounded = (event_time * DECIMALS).round() / DECIMALS;
    let is_near = (event_time - rounded).abs() <= 1e-4 * event_time.abs();
    if event_time.fract() != 0.0 && is_near { rounded } else { event_time }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_more_digits_than_they_need() {
        assert_eq!(label(-0.0), "0");
        assert_eq!(label(2004.5), "2004.5");
        assert_eq!(label(1e300), "1e300");
    }

    #[test]
    fn fractions_are_short() {
        let shown = [2000.0 + 5.0 / 12.0, -2.0 / 3.0, -1.0 / 12.0, 2002.0 + 2.0 / 3.0].map(label);
        assert_eq!(shown, ["2000.41667", "-0.66667", "-0.08333", "2002.66667"]);
        assert_eq!(exact(-2.0 / 3.0), "-0.6666666666666666");
        assert_eq!([0.5, 0.416_667, 2_000.000_1].map(label), ["0.5", "0.416667", "2000.0001"]);
        for twelfths in 1..600 {
            let at = f64::from(twelfths) / 12.0;
            assert_eq!(label(at), label(without_rounding(at)));
        }
    }

    #[test]
    fn neighbours_have_labels_of_their_own() {
        for (steps, start) in [(365.25, 2000.0), (86_400.0, 0.0), (52.0, -3.0), (1e7, 1999.0)] {
            let labels: Vec<String> =
                (0..2_000).map(|i| label(start + f64::from(i) / steps)).collect();
            assert!(labels.windows(2).all(|pair| pair[0] != pair[1]), "{steps}");
        }
    }

    #[test]
    fn event_times_of_one_grid_are_equal() {
        let twelfths =
            [(5.0 / 12.0, 0.416_667), (0.249_999_999_999_94, 0.25), (1.0 / 12.0, 0.083_333)];
        for (exact, written) in twelfths {
            assert_eq!(without_rounding(exact), without_rounding(written));
            assert_eq!(without_rounding(-exact), without_rounding(-written));
        }
        for other in [0.0, 3.0, -12.0, 1e-7, 1e300] {
            assert_eq!(without_rounding(other).to_bits(), f64::to_bits(other));
        }
    }
}
