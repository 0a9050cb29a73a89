//! Jobs of strata.

use std::ops::Range;

/// Positions of a stratum's jobs, which are ordered by stratum.
pub(crate) fn of_stratum<J>(jobs: &[J], stratum: usize, key: impl Fn(&J) -> usize) -> Range<usize> {
    let before = |s: usize| jobs.partition_point(|job| key(job) < s);
    before(stratum)..before(stratum + 1)
}
