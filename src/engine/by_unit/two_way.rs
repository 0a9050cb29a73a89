//! What makes the influence value of a unit on the two-way coefficient of a balanced panel, in the scale of sums.

use serde::{Deserialize, Serialize};

use super::squares::ClusterSums;
#[cfg(feature = "cluster")]
use crate::base::error::{DidError, Result};
use crate::read::panel::overview::UnitRows;

/// What its outcomes are multiplied by and less by, by cohort and period.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TwoWayScores {
    /// Ascending.
    pub periods: Vec<f64>,
    /// The place of the first treated period of each cohort, ascending; the number of periods for one that is never treated.
    pub starts: Vec<usize>,
    /// `[cohort][T]`.
    pub loadings: Vec<Vec<f64>>,
    /// `[cohort][T]`.
    pub centres: Vec<Vec<f64>>,
    /// What centres are less by.
    pub shift: f64,
}

impl TwoWayScores {
    /// Whether they are ones that a driver would make.
    #[cfg(feature = "cluster")]
    fn is_sound(&self) -> bool {
        let (periods, cohorts) = (self.periods.len(), self.starts.len());
        let has_all = |table: &[Vec<f64>]| {
            table.len() == cohorts && table.iter().all(|of_cohort| of_cohort.len() == periods)
        };
        has_all(&self.loadings) && has_all(&self.centres)
    }

    /// The influence of a unit, which has a row in every period.
    fn of(&self, rows: &UnitRows, outcome: &[f64], unit: usize) -> f64 {
        let Some(first) = rows.unit(unit).next() else { return 0.0 };
        let start = self.periods.partition_point(|period| *period < rows.group(first));
        let cohort = self.starts.partition_point(|other| *other < start);
        let of_cohort = (self.loadings.get(cohort), self.centres.get(cohort));
        // Rows that the driver was not told of.
        let (Some(loadings), Some(centres)) = of_cohort else { return f64::NAN };
        let of_period = loadings.iter().zip(centres);
        let terms = rows.unit(unit).zip(of_period);
        terms.map(|(row, (loading, centre))| loading * (outcome[row] - self.shift - centre)).sum()
    }

    /// Adds the influence of the units of a frame.
    pub fn add(&self, rows: &UnitRows, sums: &mut ClusterSums) {
        let Some(outcome) = rows.numbers().first().copied() else { return };
        sums.add(rows, &|unit| self.of(rows, outcome, unit));
    }

    /// The sums of a shard's units.
    ///
    /// # Errors
    /// [`DidError::Engine`] if they are none that could be asked.
    #[cfg(feature = "cluster")]
    pub fn sums(&self, rows: &UnitRows) -> Result<ClusterSums> {
        if !self.is_sound() {
            let problem = "influence values are none that could be asked".into();
            return Err(DidError::Engine { problem });
        }
        let mut sums = ClusterSums::default();
        self.add(rows, &mut sums);
        Ok(sums)
    }
}
