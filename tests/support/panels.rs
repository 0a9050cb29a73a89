//! The data that the laws are tested with and that inputs are mutated from.

use polars::prelude::DataFrame;

use super::frames::{filter, floats, with};
use super::splitmix::{self, SplitMix64};

/// Six periods, cohorts 0, 3, 4 and 6, and the columns of [`splitmix::panel`], eligibility `q` of half of the units, and
/// `pair`, which is the unit.
pub fn staggered(units: i64) -> DataFrame {
    let df = splitmix::panel(23, units, [3, 4, 6, 0]);
    let ids = floats(&df, "id");
    let eligible = |id: &f64| (SplitMix64(*id as u64).next_u64() >> 40) % 2;
    let q: Vec<i64> = ids.iter().map(|id| eligible(id) as i64).collect();
    let pair: Vec<i64> = ids.iter().map(|id| *id as i64).collect();
    with(&with(&df, "q", q), "pair", pair)
}

/// The rows of periods 3 and 4, and the treatment `d` of cohort 4 against the units without treatment by then.
pub fn two_periods(df: &DataFrame) -> DataFrame {
    let df = filter(df, "t", |t| (3.0..=4.0).contains(&t));
    let df = filter(&df, "g", |g| g != 3.0);
    let d: Vec<i64> = floats(&df, "g").iter().map(|g| i64::from(*g == 4.0)).collect();
    with(&df, "d", d)
}
