//! Numbers of units and rows of the sample, from the survey.

use super::rules::Rules;
use super::sample::Layout;
use super::survey::Observed;

/// Rows observed and units, by cohort.
pub(super) struct Counts {
    /// `[cohort][period]`.
    pub rows: Vec<Vec<usize>>,
    /// Units observed in both periods, `[cohort][period][other period]`.
    pub pairs: Vec<Vec<Vec<usize>>>,
    /// Units of each cohort.
    pub units: Vec<usize>,
}

impl Counts {
    pub fn new(units: &[Observed], rules: &Rules) -> Self {
        let (cohorts, periods) = (rules.cohorts.len(), rules.periods.len());
        let mut counts = Self {
            rows: vec![vec![0; periods]; cohorts],
            pairs: vec![vec![vec![0; periods]; periods]; cohorts],
            units: vec![0; cohorts],
        };
        for unit in units {
            let Some(place) = rules.place(unit) else { continue };
            counts.units[place.cohort] += unit.units;
            for (t, _) in &place.rows {
                counts.rows[place.cohort][*t] += unit.units;
                for (j, _) in &place.rows {
                    counts.pairs[place.cohort][*t][*j] += unit.units;
                }
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
