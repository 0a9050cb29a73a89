//! Why an estimate has no standard error.

use super::{DEGENERATE, Joint};
use crate::base::error::DidWarning;

/// Standard errors below this share of their estimates are rounding errors, whatever the unit of the outcome.
const ROUNDING: f64 = 1e-9;

/// The share of what counts as rounding up to which it is rounding whatever the estimate is: the machine epsilon beside an outcome near 1.
const EXACT: f64 = f64::EPSILON / DEGENERATE;

/// What rounding leaves of a standard error that is zero, as a part of the outcomes' range and of the largest of them.
const OF_RANGE: f64 = 1e-13;
const LAST_DIGIT: f64 = 1e-16;

/// What rounding may leave of a standard error that is zero, of outcomes between two values.
pub(crate) fn rounding_between(low: f64, high: f64) -> f64 {
    OF_RANGE * (high - low) + LAST_DIGIT * low.abs().max(high.abs())
}

/// Why an estimate has no standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Missing {
    Infinite,
    Negligible,
    ClustersSumToZero,
    Unvarying,
    Draws,
}

impl Missing {
    const ALL: [Self; 5] =
        [Self::Infinite, Self::Negligible, Self::ClustersSumToZero, Self::Unvarying, Self::Draws];

    /// Of an estimate that has no standard error, `analytic` the one of its influence values, which counts as rounding up to `limit`.
    fn of(value: f64, analytic: f64, limit: f64, is_clustered: bool) -> Self {
        if !analytic.is_finite() {
            Self::Infinite
        } else if analytic > limit {
            Self::Draws
        } else if analytic > (ROUNDING * value.abs()).max(EXACT * limit) {
            Self::Negligible
        } else if is_clustered {
            Self::ClustersSumToZero
        } else {
            Self::Unvarying
        }
    }

    fn warning(self, estimates: usize, limit: f64) -> DidWarning {
        match self {
            Self::Infinite => DidWarning::InfiniteVariance { estimates },
            Self::Negligible => DidWarning::NegligibleErrors { estimates, limit },
            Self::ClustersSumToZero => DidWarning::ClustersSumToZero { estimates },
            Self::Unvarying => DidWarning::UnvaryingChanges { estimates },
            Self::Draws => DidWarning::UnvaryingDraws { estimates },
        }
    }
}

/// The warning of one estimate without a standard error, `analytic` the one of its influence values, in outcomes of this `unit`.
pub(crate) fn without_error(
    value: f64,
    analytic: f64,
    unit: f64,
    is_clustered: bool,
) -> DidWarning {
    let limit = DEGENERATE * unit;
    Missing::of(value, analytic, limit, is_clustered).warning(1, limit)
}

/// The warning of so many estimates whose variance is zero, if there are any.
pub(crate) fn without_variance(estimates: usize, is_clustered: bool) -> Option<DidWarning> {
    let why = if is_clustered { Missing::ClustersSumToZero } else { Missing::Unvarying };
    (estimates > 0).then(|| why.warning(estimates, DEGENERATE))
}

impl Joint {
    /// Says why estimates have no standard error, but for references, which have none by construction, and those whose variance is unknown,
    /// of which their estimator says so.
    pub fn missing(
        &self,
        standard_errors: &[Option<f64>],
        is_reference: impl Fn(usize) -> bool,
    ) -> Vec<DidWarning> {
        let Some(covariance) = &self.covariance else { return Vec::new() };
        let limit = DEGENERATE * self.unit;
        let is_clustered = self.n_clusters.is_some_and(|clusters| clusters < self.n);
        let variances = covariance.variances(self.len()).into_iter().enumerate();
        let reasons = variances.filter_map(|(j, variance)| {
            let value = self.values[j]?;
            let is_missing =
                standard_errors[j].is_none() && !is_reference(j) && !self.is_unknown(j);
            is_missing.then(|| Missing::of(value, variance.sqrt(), limit, is_clustered))
        });
        let reasons: Vec<Missing> = reasons.collect();
        let warning = |why: Missing| {
            let estimates = reasons.iter().filter(|reason| **reason == why).count();
            (estimates > 0).then(|| why.warning(estimates, limit))
        };
        Missing::ALL.into_iter().filter_map(warning).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two estimates of a fit with these clusters, with these variances, of which some may be references.
    fn with_references(
        values: [f64; 2],
        [first, second]: [f64; 2],
        n_clusters: Option<usize>,
        references: &[usize],
    ) -> Vec<DidWarning> {
        let joint = Joint {
            values: values.map(Some).to_vec(),
            covariance: Some(vec![first, 0.0, 0.0, second].into()),
            draws: None,
            n: 1_000,
            n_clusters,
            unit: 1.0,
            unknown: Vec::new(),
        };
        joint.missing(&joint.standard_errors(), |j| references.contains(&j))
    }

    /// Two estimates, the first with this variance.
    fn said(values: [f64; 2], variance: f64, n_clusters: Option<usize>) -> Vec<DidWarning> {
        with_references(values, [variance, 1.0], n_clusters, &[])
    }

    #[test]
    fn negligible_standard_errors_are_told_from_rounding() {
        let found = said([1e-8, 1.0], 1e-18, None);
        assert!(
            matches!(found[..], [DidWarning::NegligibleErrors { estimates: 1, .. }]),
            "{found:?}"
        );
        for variance in [1e-32, 0.0] {
            let found = said([1.0, 1.0], variance, None);
            assert_eq!(found, [DidWarning::UnvaryingChanges { estimates: 1 }]);
        }
        assert!(said([1e-8, 1.0], 1e-10, None).is_empty());
    }

    #[test]
    fn references_are_not_counted_even_where_no_effect_has_a_standard_error() {
        let unvarying = [DidWarning::UnvaryingChanges { estimates: 1 }];
        for (variances, references, expected) in [
            ([0.0, 1.0], &[0][..], &[][..]),
            ([0.0, 0.0], &[0], &unvarying),
            // Zero, and no reference.
            ([0.0, 1.0], &[], &unvarying),
        ] {
            let found = with_references([0.0, 0.0], variances, None, references);
            assert_eq!(found, expected, "{variances:?} {references:?}");
        }
    }

    #[test]
    fn clusters_whose_influence_sums_to_zero_are_told_from_outcomes_that_do_not_vary() {
        let of_clusters = [DidWarning::ClustersSumToZero { estimates: 1 }];
        assert_eq!(said([1.0, 1.0], 0.0, Some(12)), of_clusters);
        // Clusters of one unit each are the units.
        let unvarying = [DidWarning::UnvaryingChanges { estimates: 1 }];
        assert_eq!(said([1.0, 1.0], 0.0, Some(1_000)), unvarying);
        assert_eq!(without_variance(1, true), Some(of_clusters[0].clone()));
        assert_eq!(without_variance(0, true), None);
    }

    #[test]
    fn variances_out_of_range_and_draws_that_do_not_vary_are_said() {
        let infinite = [DidWarning::InfiniteVariance { estimates: 1 }];
        assert_eq!(said([1.0, 1.0], f64::INFINITY, None), infinite);
        let unvarying = DidWarning::UnvaryingDraws { estimates: 1 };
        assert_eq!(without_error(1.0, 0.5, 1.0, false), unvarying);
        // What counts as rounding goes with the size of the outcome.
        assert_eq!(without_error(1e-9, 1e-10, 1e-9, false), unvarying);
    }
}
