//! What the rows of a unit must say together: one group, and one row a period.

use rayon::slice::ParallelSliceMut;

use super::columns::StageColumns;
use crate::base::calendar::shown;
use crate::base::error::{DidError, Result};
use crate::base::parallel;
use crate::estimator::fixed_effects::RegressionRows;
use crate::read::panel::{changing_group, status_as_group};

/// Rows that one task looks at.
const PART: usize = 1 << 14;

/// An error unless units have one group and one row a period.
///
/// # Errors
/// [`DidError::TimeVarying`], [`DidError::DuplicateRow`].
pub(super) fn check(read: &RegressionRows, columns: &StageColumns, kept: &[bool]) -> Result<()> {
    let (Some(cohorts), [unit, time, ..]) = (&read.cohorts, read.factors.as_slice()) else {
        return Err(DidError::NoValidGroups { anticipating: String::new() });
    };
    let cohort: &[f64] = &cohorts.cohort;
    if is_panel(cohort, [&unit.codes, &time.codes], kept) {
        return Ok(());
    }
    let levels = unit.codes.iter().filter(|code| **code != u32::MAX).max();
    let mut first = vec![u32::MAX; levels.map_or(0, |last| *last as usize + 1)];
    let rows = || (0u32..).zip(kept).filter(|(_, kept)| **kept).map(|(row, _)| row);
    for row in rows() {
        let known = &mut first[unit.codes[row as usize] as usize];
        if *known == u32::MAX {
            *known = row;
            continue;
        }
        let groups = [*known, row].map(|row| cohort[row as usize]);
        if groups[0] != groups[1] {
            return Err(DidError::TimeVarying {
                column: columns.group.clone(),
                role: "group",
                unit: unit.text(row as usize),
                remedy: changing_group(groups),
            });
        }
    }
    let key =
        |row: u32| u64::from(unit.codes[row as usize]) << 32 | u64::from(time.codes[row as usize]);
    if rows().map(key).is_sorted_by(|a, b| a < b) {
        return Ok(());
    }
    let mut keys: Vec<(u64, u32)> = rows().map(|row| (key(row), row)).collect();
    keys.par_sort_unstable();
    match keys.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        None => Ok(()),
        Some(pair) => {
            let row = pair[0].1 as usize;
            Err(DidError::Panel {
                problem: format!(
                    "unit {} (column `{}`) has two rows for period {} (column `{}`); keep one row per unit and period, as `panel::deduplicate` (`burn-did panel deduplicate`) does",
                    unit.text(row),
                    columns.unit,
                    shown(cohorts.time[row], columns.frequency),
                    columns.time
                ),
            })
        }
    }
}

/// Whether rows are those of units one after the other, in the order of periods, with one group each: as panels mostly come.
fn is_panel(cohort: &[f64], [unit, time]: [&[u32]; 2], kept: &[bool]) -> bool {
    let follows = |before: usize, row: usize| match unit[before] == unit[row] {
        true => time[before] < time[row] && cohort[before] == cohort[row],
        false => unit[before] < unit[row],
    };
    parallel::all(kept.len().div_ceil(PART), &|part| {
        let rows = parallel::part(part, PART, kept.len());
        let mut before = kept[..rows.start].iter().rposition(|kept| *kept);
        rows.filter(|row| kept[*row])
            .all(|row| before.replace(row).is_none_or(|before| follows(before, row)))
    })
}

/// The error of data without a treated row.
pub(super) fn none_treated(read: &RegressionRows, columns: &StageColumns) -> DidError {
    let none = DidError::NoValidGroups { anticipating: String::new() };
    status_as_groups(read, columns).unwrap_or(none)
}

/// The error of groups that hold a treatment status, if they do.
pub(super) fn status_as_groups(read: &RegressionRows, columns: &StageColumns) -> Option<DidError> {
    let cohorts = read.cohorts.as_ref()?;
    let known = |values: &f64| !values.is_nan();
    let groups = cohorts.cohort.iter().copied().filter(known);
    let periods = cohorts.time.iter().copied().filter(known);
    status_as_group(&columns.group, groups, periods, columns.frequency)
}
