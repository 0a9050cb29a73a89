//! What the rows of a unit say together: one group, and one row a period.

use std::collections::BTreeSet;

use rayon::slice::ParallelSliceMut;

use crate::base::calendar::{Frequency, shown};
use crate::base::error::{DidError, DidWarning, Result};
use crate::read::panel::{changing_group, is_status_change};

/// Rows of units over periods.
pub(crate) struct UnitRows<'a> {
    /// Codes of the rows' units and periods.
    pub units: &'a [u32],
    pub periods: &'a [u32],
    /// Group and period of a row, and the label of its unit.
    pub group: &'a dyn Fn(usize) -> f64,
    pub time: &'a dyn Fn(usize) -> f64,
    pub label: &'a dyn Fn(usize) -> String,
    /// Column of groups.
    pub column: &'a str,
    pub frequency: Option<Frequency>,
}

impl UnitRows<'_> {
    /// Warnings about units that change their group, and about units with several rows in a period, among these rows.
    ///
    /// # Errors
    /// [`DidError::TimeVarying`] if the groups are a treatment status.
    pub fn check(&self, rows: impl Iterator<Item = usize> + Clone) -> Result<Vec<DidWarning>> {
        let changing = self.changing_groups(rows.clone())?;
        Ok(changing.into_iter().chain(self.repeated_rows(rows)).collect())
    }

    /// A warning about those of these columns of numbers, by row, that change within units.
    pub fn changing_covariates<'a>(
        &self,
        columns: impl Iterator<Item = (&'a String, &'a Vec<f64>)>,
        rows: impl Iterator<Item = usize> + Clone,
    ) -> Option<DidWarning> {
        let changes = |values: &[f64]| {
            let mut first = self.unseen();
            rows.clone().any(|row| {
                let known = &mut first[self.units[row] as usize];
                if known.is_nan() {
                    *known = values[row];
                }
                *known != values[row]
            })
        };
        let changing = columns.filter(|(_, values)| changes(values));
        let columns: Vec<String> = changing.map(|(name, _)| name.clone()).collect();
        (!columns.is_empty()).then_some(DidWarning::ChangingCovariates { columns })
    }

    /// No value for any unit.
    fn unseen(&self) -> Vec<f64> {
        let levels = self.units.iter().filter(|unit| **unit != u32::MAX).max();
        vec![f64::NAN; levels.map_or(0, |last| *last as usize + 1)]
    }

    fn repeated_rows(&self, rows: impl Iterator<Item = usize>) -> Option<DidWarning> {
        let key = |row: usize| u64::from(self.units[row]) << 32 | u64::from(self.periods[row]);
        let mut keys: Vec<(u64, u32)> = rows.map(|row| (key(row), row as u32)).collect();
        if keys.is_sorted_by(|(a, _), (b, _)| a < b) {
            return None;
        }
        keys.par_sort_unstable();
        let (mut units, mut last, mut example) = (0, None, None);
        for pair in keys.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let unit = pair[0].0 >> 32;
            units += usize::from(last != Some(unit));
            last = Some(unit);
            example = example.or(Some(pair[0].1 as usize));
        }
        example.map(|row| {
            let period = shown((self.time)(row), self.frequency);
            let example = format!("{} in {period}", (self.label)(row));
            DidWarning::RepeatedRows { units, example }
        })
    }

    /// A warning if units change their group: each of their rows then counts in the cohort that it names, as in R `fixest`.
    fn changing_groups(&self, rows: impl Iterator<Item = usize>) -> Result<Option<DidWarning>> {
        let mut first = self.unseen();
        let mut changing = BTreeSet::new();
        let mut example = None;
        for row in rows {
            let known = &mut first[self.units[row] as usize];
            let group = (self.group)(row);
            if known.is_nan() {
                *known = group;
            } else if *known != group && changing.insert(self.units[row]) {
                example = example.or(Some((row, *known)));
            }
        }
        let Some((row, before)) = example else { return Ok(None) };
        let (unit, group) = ((self.label)(row), (self.group)(row));
        if is_status_change([before, group]) {
            return Err(DidError::TimeVarying {
                column: self.column.to_owned(),
                role: "group",
                unit,
                remedy: changing_group([before, group]),
            });
        }
        Ok(Some(DidWarning::ChangingGroups { units: changing.len(), example: unit }))
    }
}

/// Groups whose rows are all of one unit, ascending, by the numbers of each row's group and unit.
pub(in crate::estimator) fn groups_of_one(
    groups: usize,
    rows: impl Iterator<Item = (usize, u32)>,
) -> Vec<usize> {
    // A unit of each group, and whether there is another.
    let mut of_groups: Vec<Option<(u32, bool)>> = vec![None; groups];
    for (group, unit) in rows {
        let (first, others) = of_groups[group].get_or_insert((unit, false));
        *others |= *first != unit;
    }
    (0..groups).filter(|group| matches!(of_groups[*group], Some((_, false)))).collect()
}

/// A warning of cohorts whose effects are those of a single unit, if there are any.
pub(in crate::estimator) fn single_cohorts(single: Vec<f64>) -> Option<DidWarning> {
    let groups = single.clone();
    (!single.is_empty()).then_some(DidWarning::SmallGroups { groups, single })
}
