//! Tests of all specifications together, by draws from their joint law.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::result::CurveTests;
use crate::base::error::Result;
use crate::base::memory;
use crate::base::options::Bootstrap;
use crate::base::quantile;
use crate::base::random::uniform;
use crate::result::inference::{Joint, gaussian_draws, pointwise};

/// Draws: p-values are known to 0.002 about 0.05.
const DRAWS: usize = 10_000;

/// Seed of the normals, and of the divisors of t statistics.
const SEEDS: [u64; 2] = [0x7370_6563, 0x6375_7276];

/// What is within this share of the statistic counts as being as large.
const TIES: f64 = 1e-9;

/// Tests of the parameters with a standard error; `differing` are those that differ from that of `main` by more than rounding. `None` if
/// none has one.
///
/// # Errors
/// [`DidError::Memory`](crate::DidError::Memory) for draws that do not fit into memory.
pub(super) fn tests(
    joint: &Joint,
    main: usize,
    differing: &[usize],
    alpha: f64,
) -> Result<Option<CurveTests>> {
    let known: Vec<(usize, f64, f64)> = joint
        .standard_errors()
        .into_iter()
        .enumerate()
        .filter_map(|(j, se)| Some((j, joint.values[j]?, se?)))
        .collect();
    let n = known.len();
    let positions: Vec<usize> = known.iter().map(|(j, ..)| *j).collect();
    let Some(covariance) = joint.select(&positions).and_then(|law| law.covariance) else {
        return Ok(None);
    };
    let covariance = covariance.whole(n);
    if n == 0 {
        return Ok(None);
    }
    let needed = 8 * 2 * (n as u128) * DRAWS as u128;
    memory::check("draws of all specifications", needed, "vary fewer choices")?;
    let draws = gaussian_draws(&covariance, n, &Bootstrap::draws(DRAWS).seed(SEEDS[0]));
    let divisors = divisors(joint.degrees_of_freedom());
    let position = |j: usize| positions.binary_search(&j).ok();
    // Effects with the standard errors of their differences from the main one.
    let differences: Vec<(usize, f64, f64)> = position(main).map_or_else(Vec::new, |main| {
        let of = |j: usize| {
            let at = position(j)?;
            let v = covariance[at * n + at] + covariance[main * n + main]
                - 2.0 * covariance[at * n + main];
            Some((at, known[at].1 - known[main].1, v.sqrt()))
        };
        differing.iter().filter_map(|j| of(*j)).filter(|(_, _, se)| *se > 0.0).collect()
    });
    let values: Vec<f64> = known.iter().map(|(_, value, _)| *value).collect();
    let main = position(main).unwrap_or(0);
    let observed = Statistics::of(&values, &known, &differences, main, alpha);
    let mut as_large = [0usize; 5];
    let mut drawn = vec![0.0; n];
    for (r, divisor) in divisors.iter().enumerate() {
        for (value, column) in drawn.iter_mut().zip(draws.chunks_exact(DRAWS)) {
            *value = column[r] / divisor;
        }
        let under_null = Statistics::of(&drawn, &known, &differences, main, alpha);
        for (count, (draw, own)) in
            as_large.iter_mut().zip(under_null.sizes().into_iter().zip(observed.sizes()))
        {
            *count += usize::from(draw >= own - TIES * own);
        }
    }
    let p_value = |count: usize| (1 + count) as f64 / (1 + DRAWS) as f64;
    let [median, significant, combined, largest, difference] = as_large.map(p_value);
    let has_differences = !differences.is_empty();
    Ok(Some(CurveTests {
        n,
        draws: DRAWS,
        median: observed.median,
        median_p_value: median,
        n_significant: observed.significant,
        n_significant_p_value: significant,
        combined: observed.combined,
        combined_p_value: combined,
        largest: observed.largest,
        largest_p_value: largest,
        difference: has_differences.then_some(observed.difference),
        difference_p_value: has_differences.then_some(difference),
    }))
}

/// What a draw is divided by: 1, or the root of a χ² over its degrees of freedom.
fn divisors(df: Option<f64>) -> Vec<f64> {
    let law = df.and_then(|df| Some((df, ChiSquared::new(df).ok()?)));
    let divisor = |r: usize| match &law {
        Some((df, law)) => {
            let level = uniform(SEEDS[1], 0, r as u64).clamp(1e-12, 1.0 - 1e-12);
            (law.inverse_cdf(level) / df).sqrt()
        }
        None => 1.0,
    };
    (0..DRAWS).map(divisor).collect()
}

/// What is said of all effects together.
struct Statistics {
    median: f64,
    significant: usize,
    combined: f64,
    largest: f64,
    difference: f64,
}

impl Statistics {
    fn of(
        values: &[f64],
        known: &[(usize, f64, f64)],
        differences: &[(usize, f64, f64)],
        main: usize,
        alpha: f64,
    ) -> Self {
        let critical = pointwise(alpha);
        let (mut above, mut below, mut sum, mut largest) = (0, 0, 0.0, 0.0_f64);
        for (value, (_, _, se)) in values.iter().zip(known) {
            let t = value / se;
            above += usize::from(t > critical);
            below += usize::from(t < -critical);
            sum += t;
            largest = largest.max(t.abs());
        }
        let apart = differences.iter().map(|(at, _, se)| ((values[*at] - values[main]) / se).abs());
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Self {
            median: quantile::interpolated(&sorted, 0.5),
            significant: above.max(below),
            combined: sum / (known.len() as f64).sqrt(),
            largest,
            difference: apart.fold(0.0, f64::max),
        }
    }

    /// How far each is from what is expected without effects.
    fn sizes(&self) -> [f64; 5] {
        let significant = self.significant as f64;
        [self.median.abs(), significant, self.combined.abs(), self.largest, self.difference]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(values: &[f64], covariance: &[f64]) -> Joint {
        Joint {
            values: values.iter().map(|v| Some(*v)).collect(),
            covariance: Some(covariance.to_vec().into()),
            draws: None,
            n: 1_000,
            n_clusters: None,
            unit: 1.0,
            unknown: Vec::new(),
        }
    }

    #[test]
    fn specifications_that_are_one_estimate_have_its_p_value() {
        // Three times the same estimate, 1.5 standard errors from 0: 2 Φ(-1.5) = 0.1336.
        let one = tests(&joint(&[3.0; 3], &[4.0; 9]), 0, &[], 0.05).expect("fits").expect("known");
        for p in [one.median_p_value, one.combined_p_value, one.largest_p_value] {
            assert!((p - 0.1336).abs() < 0.012, "{one:?}");
        }
        assert_eq!((one.n_significant, one.n_significant_p_value), (0, 1.0));
        assert_eq!((one.difference, one.difference_p_value), (None, None));
    }

    #[test]
    fn independent_specifications_have_the_p_value_of_their_largest() {
        // 1 - (1 - 0.0455)² = 0.0889 for a largest |t| of 2; the difference is 2 / √2: 2 Φ(-√2) = 0.1573.
        let joint = joint(&[2.0, 0.0], &[1.0, 0.0, 0.0, 1.0]);
        let two = tests(&joint, 0, &[1], 0.05).expect("fits").expect("known");
        assert!((two.largest_p_value - 0.0889).abs() < 0.01, "{two:?}");
        assert_eq!((two.median, two.n_significant), (1.0, 1));
        // One of two intervals at least on one side: 1 - 0.95² = 0.0975.
        assert!((two.n_significant_p_value - 0.0975).abs() < 0.01, "{two:?}");
        assert!(two.difference_p_value.is_some_and(|p| (p - 0.1573).abs() < 0.012), "{two:?}");
    }

    #[test]
    fn few_clusters_have_the_law_of_t() {
        let few = Joint { n_clusters: Some(6), ..joint(&[2.0], &[1.0]) };
        let one = tests(&few, 0, &[], 0.05).expect("fits").expect("known");
        // Student's t with 5 degrees of freedom beyond ±2: 0.1019.
        assert!((one.largest_p_value - 0.1019).abs() < 0.01, "{one:?}");
    }
}
