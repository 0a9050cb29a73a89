//! Variables of fewer values than splines have functions, as those of zeros and ones.

/// The values of a variable, ascending, if splines of this degree have more functions than these whatever their knots.
pub(super) fn few_values(sorted: &[f64], degree: usize) -> Option<Vec<f64>> {
    let mut values: Vec<f64> = Vec::new();
    for value in sorted {
        if values.last() != Some(value) {
            values.push(*value);
        }
        if values.len() > degree {
            return None;
        }
    }
    Some(values)
}

/// The nearest of ascending values, the smaller of two.
pub(super) fn nearest(values: &[f64], at: f64) -> f64 {
    let closer = |a: f64, b: f64| if (b - at).abs() < (a - at).abs() { b } else { a };
    values.iter().copied().reduce(closer).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_are_those_of_a_polynomial_or_less() {
        let sorted = [0.0, 0.0, 1.0, 1.0, 4.0];
        assert_eq!(few_values(&sorted, 3), Some(vec![0.0, 1.0, 4.0]));
        assert_eq!(few_values(&sorted, 2), None);
        assert_eq!(
            [0.4, 0.5, 0.6, 9.0].map(|at| nearest(&[0.0, 1.0, 4.0], at)),
            [0.0, 0.0, 1.0, 4.0]
        );
    }
}
