//! What the rows of a unit say together: one group, and one row a period.

use rayon::slice::ParallelSliceMut;

use super::reading::{CohortColumns, RegressionRows, RowCohorts};
use crate::base::calendar::shown;
use crate::base::error::{DidError, DidWarning, Result};
use crate::read::panel::changing_group;

/// The units of an event study, whose first factor they are and whose second is the period.
pub(super) struct UnitRows<'a> {
    pub read: &'a RegressionRows,
    pub cohorts: &'a RowCohorts,
    pub columns: &'a CohortColumns,
}

impl UnitRows<'_> {
    /// An error if a unit changes its group, and a warning if units have several rows in a period.
    pub fn check(&self) -> Result<Option<DidWarning>> {
        let [units, periods] = self.read.factors.first_chunk().map_or([&[][..]; 2], |factors| {
            factors.each_ref().map(|factor: &super::reading::Coded| factor.codes.as_slice())
        });
        let usable = |row: usize| self.read.usable.as_ref().is_none_or(|usable| usable[row]);
        let rows = || (0..units.len()).filter(|row| usable(*row));
        self.one_group(units, rows())?;
        let key = |row: usize| u64::from(units[row]) << 32 | u64::from(periods[row]);
        let mut keys: Vec<(u64, u32)> = rows().map(|row| (key(row), row as u32)).collect();
        if keys.is_sorted_by(|(a, _), (b, _)| a < b) {
            return Ok(None);
        }
        keys.par_sort_unstable();
        let (mut repeated, mut last, mut example) = (0, None, None);
        for pair in keys.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let unit = pair[0].0 >> 32;
            repeated += usize::from(last != Some(unit));
            last = Some(unit);
            example = example.or(Some(pair[0].1 as usize));
        }
        Ok(example.map(|row| {
            let period = shown(self.cohorts.time[row], self.columns.frequency);
            let example = format!("{} in {period}", self.read.factors[0].text(row));
            DidWarning::RepeatedRows { units: repeated, example }
        }))
    }

    fn one_group(&self, units: &[u32], rows: impl Iterator<Item = usize>) -> Result<()> {
        let levels = units.iter().filter(|unit| **unit != u32::MAX).max();
        let mut groups = vec![f64::NAN; levels.map_or(0, |last| *last as usize + 1)];
        for row in rows {
            let known = &mut groups[units[row] as usize];
            let group = self.cohorts.cohort[row];
            if known.is_nan() {
                *known = group;
            } else if *known != group {
                return Err(DidError::TimeVarying {
                    column: self.columns.cohort.clone(),
                    role: "group",
                    unit: self.read.factors[0].text(row),
                    remedy: changing_group([*known, group]),
                });
            }
        }
        Ok(())
    }
}
