//! Instants and times between them as people read them, if they are no dates.

/// A group, period or event time.
pub(crate) fn label(value: f64) -> String {
    let size = value.abs();
    if size >= 1e15 || (size > 0.0 && size < 1e-9) {
        format!("{value:e}")
    } else {
        (value + 0.0).to_string()
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
