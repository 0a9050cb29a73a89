//! Sample quantiles, by the numbers that R's `quantile` gives their types.

/// Where a quantile with linear interpolation (type 7) lies among `count` ascending values, at least one: the ranks on both sides,
/// from zero, and the share of the way from the first to the second.
pub(crate) fn ranks_around(count: usize, p: f64) -> (usize, usize, f64) {
    let last = count - 1;
    let position = last as f64 * p;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a position")]
    let below = (position.floor() as usize).min(last);
    (below, (below + 1).min(last), position - below as f64)
}

/// Quantile of ascending values, interpolated linearly (type 7); NaN of none.
pub(crate) fn interpolated(sorted: &[f64], p: f64) -> f64 {
    if sorted.is_empty() {
        return f64::NAN;
    }
    let (below, above, share) = ranks_around(sorted.len(), p);
    sorted[below] + share * (sorted[above] - sorted[below])
}

/// Quantile of ascending values, at least one, by the inverse of their empirical distribution function (type 1).
pub(crate) fn of_distribution(sorted: &[f64], p: f64) -> f64 {
    let position = sorted.len() as f64 * p;
    let whole = (position + 4.0 * f64::EPSILON).floor();
    let rank = if position > whole { whole + 1.0 } else { whole };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped rank")]
    let index = rank.clamp(1.0, sorted.len() as f64) as usize - 1;
    sorted[index]
}

/// Quantile of ascending values, at least one, interpolated between the midpoints of the steps of their distribution (type 5).
pub(crate) fn between_midpoints(sorted: &[f64], p: f64) -> f64 {
    let position = sorted.len() as f64 * p + 0.5;
    let last = sorted.len() as f64;
    let below = position.floor().clamp(1.0, last);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a position")]
    let (low, high) = (below as usize - 1, (below + 1.0).min(last) as usize - 1);
    sorted[low] + (position - below).clamp(0.0, 1.0) * (sorted[high] - sorted[low])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_r() {
        let sorted = [1.0, 2.0, 3.0, 4.0];
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12);
        // R: quantile(c(1, 2, 3, 4), c(.1, .5, .6, .95), type = 1, 5 and 7).
        let expected = [(0.1, 1.0, 1.0, 1.3), (0.5, 2.0, 2.5, 2.5), (0.6, 3.0, 2.9, 2.8)];
        for (p, one, five, seven) in expected.into_iter().chain([(0.95, 4.0, 4.0, 3.85)]) {
            near(of_distribution(&sorted, p), one);
            near(between_midpoints(&sorted, p), five);
            near(interpolated(&sorted, p), seven);
        }
        assert_eq!(interpolated(&[1.0, 2.0, 4.0], 0.75), 3.0);
    }

    #[test]
    fn one_value_is_all_quantiles_and_none_has_none() {
        for quantile in [of_distribution, between_midpoints, interpolated] {
            assert_eq!(quantile(&[7.0], 0.9), 7.0);
        }
        assert!(interpolated(&[], 0.5).is_nan());
    }
}
