//! Columns that do not change within units.

use polars::prelude::*;

use super::frame::{PanelFrame, gathered, index};
use super::survey::Survey;
use crate::base::error::Result;

/// Adds to the columns that change within a unit of a frame; a missing value is no change.
pub(super) fn add_varying(frame: &PanelFrame<'_>, survey: &mut Survey) -> Result<()> {
    for column in frame.df.columns() {
        let name = column.name().as_str();
        if name == frame.keys.unit || name == frame.keys.time || survey.varying.contains(name) {
            continue;
        }
        if varies(frame, column.as_materialized_series())? {
            survey.varying.insert(name.to_owned());
        }
    }
    Ok(())
}

/// Whether two values that follow each other in a unit differ.
fn varies(frame: &PanelFrame<'_>, series: &Series) -> Result<bool> {
    let missing = (series.null_count() > 0).then(|| series.is_null());
    let is_missing = |row: usize| missing.as_ref().is_some_and(|m| m.get(row) == Some(true));
    let mut before: Vec<Option<IdxSize>> = vec![None; series.len()];
    for unit in &frame.units {
        let mut last = None;
        for row in unit.rows() {
            before[row] = last;
            if !is_missing(row) {
                last = Some(index(row));
            }
        }
    }
    let earlier = gathered(&series.clone().into_column(), &before)?;
    Ok(series.not_equal(earlier.as_materialized_series())?.any())
}

/// The first row of each unit that has a value.
pub(super) fn first_values(frame: &PanelFrame<'_>, column: &Column) -> Vec<Option<IdxSize>> {
    let missing = (column.null_count() > 0).then(|| column.is_null());
    let is_there = |row: &usize| missing.as_ref().is_none_or(|m| m.get(*row) == Some(false));
    frame.units.iter().map(|unit| unit.rows().find(is_there).map(index)).collect()
}
