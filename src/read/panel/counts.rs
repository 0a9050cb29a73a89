//! Numbers of units and rows of the sample, from the survey.

use std::collections::BTreeMap;

use super::patterns::Pattern;
use super::rules::{CohortSizes, Rules, SampleOptions, smallest_cohort};
use super::strata::{Layout, StratumKey, StratumTable};
use crate::base::error::Result;

/// Rows observed and units, by cohort.
pub(super) struct Counts {
    /// `[cohort][period]`.
    pub rows: Vec<Vec<usize>>,
    /// Units of each cohort.
    pub units: Vec<usize>,
    /// Those observed in all periods.
    pub complete: Vec<usize>,
}

impl Counts {
    pub fn new(units: &BTreeMap<Pattern, usize>, rules: &Rules) -> Self {
        let (cohorts, periods) = (rules.cohorts.len(), rules.periods.len());
        let mut counts = Self {
            rows: vec![vec![0; periods]; cohorts],
            units: vec![0; cohorts],
            complete: vec![0; cohorts],
        };
        for (pattern, units) in units {
            let Some(place) = rules.place(pattern) else { continue };
            counts.units[place.cohort] += units;
            if place.rows.len() == periods {
                counts.complete[place.cohort] += units;
            }
            for (t, _) in &place.rows {
                counts.rows[place.cohort][*t] += units;
            }
        }
        counts
    }

    /// Rows of each stratum: units of panels, or a cohort's rows of a period.
    pub fn of_strata(&self, strata: &StratumTable) -> Vec<usize> {
        let rows = |key: &StratumKey| match key.period {
            Some(period) => self.rows[key.cohort][period],
            None => self.units[key.cohort],
        };
        strata.keys().iter().map(rows).collect()
    }

    /// Whether the groups that are compared are large enough for this many covariates.
    ///
    /// # Errors
    /// Which group is too small.
    pub fn check_sizes(
        &self,
        rules: &Rules,
        options: &SampleOptions,
        covariates: usize,
    ) -> Result<()> {
        // With two periods, pairs exist only for units observed in both.
        let complete = options.pairs && rules.two_periods;
        let (rows, observed) = (self.cohort_sizes(), self.observed(rules.layout, complete));
        let (cohorts, required) = (&rules.cohorts, smallest_cohort(covariates));
        let sizes = CohortSizes { cohorts, rows: &rows, observed: &observed, required };
        options.design.own().check_sizes(&sizes, rules.two_periods)
    }

    /// Average rows a period of each cohort, as R `did` measures them.
    pub fn cohort_sizes(&self) -> Vec<f64> {
        let average = |rows: &Vec<usize>| rows.iter().sum::<usize>() as f64 / rows.len() as f64;
        self.rows.iter().map(average).collect()
    }

    /// Size of each cohort as R `triplediff` measures it: rows of cross sections, else units, or those `complete` if others are
    /// not compared.
    pub fn observed(&self, layout: Layout, complete: bool) -> Vec<f64> {
        let size = |c: usize| match layout {
            Layout::RepeatedCrossSections => self.rows[c].iter().sum::<usize>(),
            _ if complete => self.complete[c],
            _ => self.units[c],
        };
        (0..self.units.len()).map(|c| size(c) as f64).collect()
    }
}

/// Which units are observed in which periods, where it matters for two periods at once. It takes the memory of what is
/// observed: a table of all pairs of periods would not.
#[derive(Clone, Debug)]
pub(crate) struct Pairs {
    /// Units of each pattern of periods.
    units: Vec<usize>,
    /// Patterns with a period, ascending, `[cohort][period]`.
    patterns: Vec<Vec<Vec<u32>>>,
}

impl Pairs {
    pub(super) fn new(units: &BTreeMap<Pattern, usize>, rules: &Rules) -> Self {
        let empty = vec![Vec::new(); rules.periods.len()];
        let mut pairs = Self { units: Vec::new(), patterns: vec![empty; rules.cohorts.len()] };
        for (pattern, units) in units {
            let Some(place) = rules.place(pattern) else { continue };
            let pattern = u32::try_from(pairs.units.len()).unwrap_or(u32::MAX);
            pairs.units.push(*units);
            for (t, _) in &place.rows {
                pairs.patterns[place.cohort][*t].push(pattern);
            }
        }
        pairs
    }

    /// Units of a cohort that are observed in both periods.
    pub fn count(&self, cohort: usize, period: usize, other: usize) -> usize {
        let (a, b) = (&self.patterns[cohort][period], &self.patterns[cohort][other]);
        let mut b = b.iter().peekable();
        let mut count = 0;
        for pattern in a {
            while b.next_if(|other| *other < pattern).is_some() {}
            if b.peek() == Some(&pattern) {
                count += self.units[*pattern as usize];
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::panel::audit::SampleAudit;
    use crate::read::panel::fixture::{NEVER, staggered};
    use crate::read::panel::strata::Cohort;

    /// Three units of a group treated in period 2, one of them not observed in period 3, and four never-treated units.
    fn units() -> BTreeMap<Pattern, usize> {
        let pattern = |group, periods: &[f64]| Pattern {
            cohort: Cohort { group, eligible: true },
            periods: periods.to_vec(),
        };
        BTreeMap::from([
            (pattern(2.0, &[1.0, 2.0, 3.0]), 2),
            (pattern(2.0, &[1.0, 2.0]), 1),
            (pattern(NEVER, &[1.0, 2.0, 3.0]), 3),
            (pattern(NEVER, &[3.0]), 1),
        ])
    }

    fn counted(options: SampleOptions) -> (Counts, Rules) {
        let rules = Rules::new(&units(), &options, SampleAudit::default(), &|_| Ok(())).unwrap();
        (Counts::new(&units(), &rules), rules)
    }

    #[test]
    fn units_and_rows_of_cohorts() {
        let (counts, rules) = counted(SampleOptions { allow_unbalanced: true, ..staggered() });
        assert_eq!(counts.units, [3, 4]);
        assert_eq!(counts.rows, [[3, 3, 2], [3, 3, 4]]);
        assert_eq!(counts.of_strata(&rules.strata), [3, 4]);
        assert_eq!(counts.cohort_sizes(), [8.0 / 3.0, 10.0 / 3.0]);
        assert_eq!(counts.observed(rules.layout, false), [3.0, 4.0]);
        assert_eq!(counts.observed(rules.layout, true), [2.0, 3.0]);
        let (counts, _) = counted(staggered());
        assert_eq!((counts.units, counts.rows), (vec![2, 3], vec![vec![2; 3], vec![3; 3]]));
    }

    #[test]
    fn strata_of_cross_sections_are_counted_by_period() {
        let by_row = SampleOptions { repeated_cross_sections: true, ..staggered() };
        let (counts, rules) = counted(by_row);
        assert_eq!(counts.of_strata(&rules.strata), [3, 3, 2, 3, 3, 4]);
        assert_eq!(counts.observed(rules.layout, false), [8.0, 10.0]);
    }

    #[test]
    fn units_observed_in_both_of_two_periods() {
        let (_, rules) = counted(SampleOptions { allow_unbalanced: true, ..staggered() });
        let pairs = Pairs::new(&units(), &rules);
        let count =
            |cohort| [(0, 1), (0, 2), (2, 1), (2, 2)].map(|(a, b)| pairs.count(cohort, a, b));
        assert_eq!(count(0), [3, 2, 2, 2]);
        assert_eq!(count(1), [3, 3, 3, 4]);
    }
}
