//! Draws with replacement as a function of (seed, draw): the empirical bootstrap.

use super::uniform;

/// How often each of `units` is drawn if as many are drawn with replacement.
pub(crate) fn times_drawn(seed: u64, draw: u32, units: usize) -> Vec<u16> {
    let mut times = vec![0_u16; units];
    for position in 0..units {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below n")]
        let drawn = (uniform(seed, draw, position as u64) * units as f64) as usize;
        let times = &mut times[drawn.min(units - 1)];
        *times = times.saturating_add(1);
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_drawn_as_there_are_and_draws_are_independent() {
        let n = 50_000;
        let [one, other] = [3, 4].map(|draw| times_drawn(7, draw, n));
        let mean = |f: &dyn Fn(f64, f64) -> f64| {
            let pairs = one.iter().zip(&other).map(|(a, b)| f(f64::from(*a), f64::from(*b)));
            pairs.sum::<f64>() / n as f64
        };
        assert_eq!(one.iter().map(|t| usize::from(*t)).sum::<usize>(), n);
        assert!((mean(&|a, _| a * a) - 2.0).abs() < 0.04, "the variance is 1 - 1/n");
        assert!((mean(&|a, b| a * b) - 1.0).abs() < 0.02);
        assert_eq!(times_drawn(7, 3, n), one);
        assert_eq!(times_drawn(1, 0, 1), [1]);
        assert!(times_drawn(1, 0, 0).is_empty());
    }
}
