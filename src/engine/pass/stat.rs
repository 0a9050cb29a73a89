//! Additive statistics: f64 on the host.

use crate::base::error::{DidError, Result};

/// A statistic of some rows that is added to that of others.
pub(crate) trait Stat {
    /// Adds the statistic of other rows.
    ///
    /// # Errors
    /// [`DidError::Engine`] if the two are not of one kind and size.
    fn merge(&mut self, other: &Self) -> Result<()>;
}

/// Statistics of several models or jobs, one by one.
impl<S: Stat> Stat for [S] {
    fn merge(&mut self, other: &Self) -> Result<()> {
        check(self.len(), other.len(), "statistics")?;
        self.iter_mut().zip(other).try_for_each(|(a, b)| a.merge(b))
    }
}

/// `a += b`, entry by entry, of slices that are equally long by construction.
///
/// # Panics
/// If they are not: a shorter sum would be a wrong one.
pub(crate) fn add(a: &mut [f64], b: &[f64]) {
    assert_eq!(a.len(), b.len(), "sums of different lengths");
    for (a, b) in a.iter_mut().zip(b) {
        *a += b;
    }
}

/// `a += b`, entry by entry; sums of other lengths are not of the same question.
///
/// # Errors
/// [`DidError::Engine`] if the lengths differ; `what` names the sums.
pub(super) fn merge(a: &mut [f64], b: &[f64], what: &str) -> Result<()> {
    check(a.len(), b.len(), what)?;
    add(a, b);
    Ok(())
}

fn check(own: usize, other: usize, what: &str) -> Result<()> {
    if own == other {
        return Ok(());
    }
    Err(DidError::Engine { problem: format!("{other} {what} were to be added to {own}") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::pass::{Consumers, Gram, InfluenceStat, LogitStat, WeightSums};

    fn gram(shift: f64) -> Gram {
        let values = |n: usize| (0..n).map(|i| (i as f64 + shift) * 0.25).collect();
        let weights: Vec<f64> = values(3);
        let weights = WeightSums {
            squares: weights[0],
            trimmed_rows: weights[1],
            trimmed_weight: weights[2],
        };
        Gram { zz: values(4), zy: values(6), weights }
    }

    fn logit(shift: f64) -> LogitStat {
        let Gram { zz, zy, .. } = gram(shift);
        LogitStat { score: zy[..2].to_vec(), hessian: zz, max_p: 1.0 / (1.0 + shift) }
    }

    fn influence(shift: f64) -> InfluenceStat {
        let Gram { zz, zy, .. } = gram(shift);
        InfluenceStat { cross: zz, clusters: zy.clone(), draws: zy }
    }

    /// Quarters of small integers are added without rounding, so that equality is exact.
    fn is_associative<S: Stat + Clone + PartialEq + std::fmt::Debug>(zero: S, of: fn(f64) -> S) {
        let sum = |parts: &[&S]| {
            let mut sum = zero.clone();
            for part in parts {
                sum.merge(part).expect("equal lengths");
            }
            sum
        };
        let (a, b, c) = (of(0.0), of(3.0), of(7.0));
        assert_eq!(sum(&[&sum(&[&a, &b]), &c]), sum(&[&a, &sum(&[&b, &c])]));
        assert_eq!(sum(&[&a, &b]), sum(&[&b, &a]));
        assert_eq!(sum(&[&a]), a);
    }

    #[test]
    fn sums_do_not_depend_on_brackets_and_start_from_zero() {
        is_associative(Gram::zero(2, 3), gram);
        is_associative(LogitStat::zero(2), logit);
        let none = Consumers { clusters: Some(3), multipliers: None, keep_rows: false };
        let zero = InfluenceStat { draws: vec![0.0; 6], ..InfluenceStat::zero(2, &none) };
        is_associative(zero, influence);
    }

    #[test]
    fn sums_of_other_lengths_are_refused() {
        let refused = |result: Result<()>, what: &str| {
            let error = result.expect_err("other lengths").to_string();
            assert!(error.contains(what), "{error}");
        };
        refused(gram(0.0).merge(&Gram::zero(3, 3)), "9 cross-products of the design");
        refused(gram(0.0).merge(&Gram::zero(2, 2)), "4 cross-products with the outcomes");
        refused(logit(0.0).merge(&LogitStat::zero(3)), "3 scores were to be added to 2");
        let short = LogitStat { hessian: vec![0.0; 3], ..logit(0.0) };
        refused(logit(0.0).merge(&short), "3 information matrices");
        for (column, what) in [(0, "cross-moments"), (1, "cluster sums"), (2, "multiplied sums")] {
            let mut other = influence(1.0);
            [&mut other.cross, &mut other.clusters, &mut other.draws][column].clear();
            refused(influence(0.0).merge(&other), what);
        }
        let mut models = [logit(0.0), logit(1.0)];
        refused(models.merge(&[logit(0.0)]), "1 statistics were to be added to 2");
    }

    #[test]
    fn the_largest_propensity_is_kept() {
        let mut stat = logit(3.0);
        stat.merge(&logit(1.0)).expect("equal lengths");
        assert!((stat.max_p - 0.5).abs() < 1e-15);
    }
}
