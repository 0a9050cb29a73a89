//! Strata: the finest groups of rows that a plan tells apart, in a table that everything else looks them up in.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::base::words::words;

words! {
    /// How rows form observations.
    pub enum Layout: "layout" {
        /// Every unit in every period; strata are cohorts.
        Balanced = "balanced_panel",
        /// Units missing in some periods, with weight 0 there; strata are cohorts.
        Unbalanced = "unbalanced_panel",
        /// Every row is a unit; strata are pairs of cohort and period.
        RepeatedCrossSections = "repeated_cross_sections",
    }
}

impl Layout {
    /// What people read: `balanced panel`, `unbalanced panel` or `repeated cross sections`.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Balanced => "balanced panel",
            Self::Unbalanced => "unbalanced panel",
            Self::RepeatedCrossSections => "repeated cross sections",
        }
    }

    /// Outcome columns of a stratum, in a sample of so many periods.
    pub(crate) fn outcome_columns(self, periods: usize) -> usize {
        match self {
            Self::Balanced | Self::Unbalanced => periods,
            Self::RepeatedCrossSections => 1,
        }
    }
}

/// Units that share a first treated period and, in triple differences, eligibility.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
pub(crate) struct Cohort {
    /// First treated period, +inf if never treated.
    pub group: f64,
    /// Whether the treatment applies to its units; true for all but triple differences.
    pub eligible: bool,
}

/// What the rows of a stratum have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StratumKey {
    /// Position of the cohort.
    pub cohort: usize,
    /// Position of the period; `None` where a row has all periods of a unit.
    pub period: Option<usize>,
}

/// The strata of a sample, in ascending order of their keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StratumTable {
    keys: Vec<StratumKey>,
    /// Strata of each cohort.
    of_cohort: Vec<Range<usize>>,
}

impl StratumTable {
    /// The strata of so many cohorts and periods.
    pub fn new(layout: Layout, cohorts: usize, periods: usize) -> Self {
        let mut table = Self { keys: Vec::new(), of_cohort: Vec::with_capacity(cohorts) };
        for cohort in 0..cohorts {
            let start = table.keys.len();
            match layout {
                Layout::RepeatedCrossSections => {
                    let key = |period| StratumKey { cohort, period: Some(period) };
                    table.keys.extend((0..periods).map(key));
                }
                Layout::Balanced | Layout::Unbalanced => {
                    table.keys.push(StratumKey { cohort, period: None });
                }
            }
            table.of_cohort.push(start..table.keys.len());
        }
        table
    }

    /// Number of strata.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Keys of the strata, in order.
    pub fn keys(&self) -> &[StratumKey] {
        &self.keys
    }

    /// The stratum with a cohort's rows of a period.
    pub fn of(&self, cohort: usize, period: usize) -> usize {
        let strata = self.of_cohort[cohort].clone();
        let earlier = |key: &StratumKey| key.period.is_some_and(|own| own < period);
        strata.start + self.keys[strata].partition_point(earlier)
    }

    /// All strata of neighbouring cohorts.
    pub fn of_cohorts(&self, cohorts: &Range<usize>) -> Range<usize> {
        let strata = &self.of_cohort[cohorts.clone()];
        strata.first().map_or(0, |s| s.start)..strata.last().map_or(0, |s| s.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strata_of_panels_are_cohorts() {
        for layout in [Layout::Balanced, Layout::Unbalanced] {
            let table = StratumTable::new(layout, 3, 4);
            assert_eq!(table.len(), 3);
            assert_eq!(table.keys()[1], StratumKey { cohort: 1, period: None });
            assert!((0..4).all(|t| table.of(2, t) == 2));
            assert_eq!(table.of_cohorts(&(1..3)), 1..3);
        }
    }

    #[test]
    fn strata_of_cross_sections_are_cohorts_in_a_period() {
        let table = StratumTable::new(Layout::RepeatedCrossSections, 2, 3);
        let keys: Vec<_> = table.keys().iter().map(|k| (k.cohort, k.period)).collect();
        let expected = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)];
        assert_eq!(keys, expected.map(|(cohort, period)| (cohort, Some(period))));
        for (stratum, key) in table.keys().iter().enumerate() {
            assert_eq!(table.of(key.cohort, key.period.unwrap()), stratum);
        }
        assert_eq!((table.of_cohorts(&(1..2)), table.of_cohorts(&(0..2))), (3..6, 0..6));
    }

    #[test]
    fn layouts_are_saved_by_their_names() {
        for layout in [Layout::Balanced, Layout::Unbalanced, Layout::RepeatedCrossSections] {
            let saved = serde_json::to_value(layout).unwrap();
            assert_eq!(saved, layout.word());
            assert_eq!(serde_json::from_value::<Layout>(saved).unwrap(), layout);
        }
    }
}
