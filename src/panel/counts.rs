//! Numbers of units and rows of the sample, from the survey.

use super::rules::Rules;
use super::sample::Layout;
use super::survey::Observed;

/// Rows observed and units, by cohort.
pub(super) struct Counts {
    /// `[cohort][period]`.
    pub rows: Vec<Vec<usize>>,
    /// Units of each cohort.
    pub units: Vec<usize>,
}

impl Counts {
    pub fn new(units: &[Observed], rules: &Rules) -> Self {
        let (cohorts, periods) = (rules.cohorts.len(), rules.periods.len());
        let mut counts = Self { rows: vec![vec![0; periods]; cohorts], units: vec![0; cohorts] };
        for unit in units {
            let Some(place) = rules.place(unit) else { continue };
            counts.units[place.cohort] += unit.units;
            for (t, _) in &place.rows {
                counts.rows[place.cohort][*t] += unit.units;
            }
        }
        counts
    }

    /// Rows of each stratum.
    pub fn strata(&self, layout: Layout) -> Vec<usize> {
        match layout {
            Layout::RepeatedCrossSections => self.rows.concat(),
            Layout::Balanced | Layout::Unbalanced => self.units.clone(),
        }
    }

    /// Average rows a period, as R `did` measures cohorts.
    pub fn cohort_size(&self, cohort: usize) -> f64 {
        let rows = &self.rows[cohort];
        rows.iter().sum::<usize>() as f64 / rows.len() as f64
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
    pub(super) fn new(units: &[Observed], rules: &Rules) -> Self {
        let empty = vec![Vec::new(); rules.periods.len()];
        let mut pairs = Self { units: Vec::new(), patterns: vec![empty; rules.cohorts.len()] };
        for unit in units {
            let Some(place) = rules.place(unit) else { continue };
            let pattern = u32::try_from(pairs.units.len()).unwrap_or(u32::MAX);
            pairs.units.push(unit.units);
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
