//! Errors and warnings made in many places.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::path::Path;

use super::{DidError, DidWarning};
use crate::base::calendar::label;

/// Fewer clusters than these leave standard errors unsure.
const FEW_CLUSTERS: usize = 10;

/// What covariates must be.
pub(crate) const WITHOUT_OUTCOME: &str =
    "without the outcome, which would be fitted by itself, with effects of 0";

/// Columns that a message names at most.
const NAMED: usize = 3;

/// The columns that cost most rows, with how many (500 for y, 3 for x); `None` without any.
pub(super) fn named(missing: &[(String, usize)]) -> Option<String> {
    let mut missing: Vec<&(String, usize)> = missing.iter().collect();
    missing.sort_by_key(|(_, rows)| Reverse(*rows));
    let named = missing.iter().take(NAMED).map(|(name, rows)| format!("{rows} for `{name}`"));
    let mut named: Vec<String> = named.collect();
    let others: usize = missing.iter().skip(NAMED).map(|(_, rows)| rows).sum();
    if others > 0 {
        named.push(format!("{others} for other columns"));
    }
    (!named.is_empty()).then(|| named.join(", "))
}

impl DidWarning {
    /// A warning if columns without a value cost rows, of which each counts for one column.
    pub(crate) fn dropped_rows(missing: &[(String, usize)]) -> Option<Self> {
        Self::dropped(missing.iter().map(|(_, rows)| rows).sum(), missing.to_vec())
    }

    /// A warning if `rows` were dropped, for which columns have no value in so many rows.
    pub(crate) fn dropped(rows: usize, mut columns: Vec<(String, usize)>) -> Option<Self> {
        columns.sort_unstable();
        (rows > 0).then_some(Self::DroppedRows { rows, columns })
    }

    /// A warning if `rows` stay without some values, which columns lack in so many rows.
    pub(crate) fn with_gaps(rows: usize, mut columns: Vec<(String, usize)>) -> Option<Self> {
        columns.sort_unstable();
        (rows > 0).then_some(Self::RowsWithGaps { rows, columns })
    }

    /// Whether it says that an average is another than the one asked for.
    pub(crate) fn is_of_average(&self) -> bool {
        matches!(self, Self::CellsLeftOut { .. } | Self::GroupsWithoutShare { .. })
    }

    /// With another name of a column whose values are missing in some rows, counted once if it has both names.
    pub(crate) fn renamed(mut self, from: &str, to: &str) -> Self {
        if let Self::DroppedRows { columns, .. }
        | Self::RowsWithGaps { columns, .. }
        | Self::InfiniteValues { columns } = &mut self
        {
            if columns.iter().any(|(column, _)| column == to) {
                columns.retain(|(column, _)| column != from);
            }
            let named = columns.iter_mut().filter(|(column, _)| column == from);
            named.for_each(|(column, _)| to.clone_into(column));
            columns.sort_unstable();
        }
        self
    }

    /// A warning if knots of a column coincide, so that of `segments` fewer have a length.
    pub(crate) fn coincident_knots(column: &str, segments: usize, distinct: usize) -> Option<Self> {
        let column = column.to_owned();
        (distinct < segments).then_some(Self::CoincidentKnots { column, segments, distinct })
    }

    /// A warning if rows were left out for a weight of zero.
    pub(crate) fn weightless(rows: usize) -> Option<Self> {
        (rows > 0).then_some(Self::WeightlessRows { rows })
    }

    /// A warning if references were asked for at event times of no cohort.
    pub(crate) fn unknown_references(
        option: &str,
        unknown: impl Iterator<Item = f64>,
    ) -> Option<Self> {
        let unknown: Vec<String> = unknown.map(label).collect();
        let reason = format!("no cohort is observed at event time {}", unknown.join(", "));
        (!unknown.is_empty()).then(|| Self::without_effect(option, reason))
    }

    /// A warning that an option has no effect, for this reason.
    pub(crate) fn without_effect(option: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::WithoutEffect { option: option.into(), reason: reason.into() }
    }

    /// A warning if standard errors are from few clusters.
    pub(crate) fn few_clusters(clusters: usize) -> Option<Self> {
        (clusters < FEW_CLUSTERS).then_some(Self::FewClusters { clusters })
    }

    /// A warning if groups were taken as a period, or as another group, from which rounding alone tells them.
    pub(crate) fn moved_groups(moved: &[(f64, f64)]) -> Option<Self> {
        (!moved.is_empty()).then(|| Self::MovedGroups { groups: moved.to_vec() })
    }
}

impl DidError {
    /// An option that has a value it cannot have.
    pub(crate) fn config(option: &'static str, expected: &'static str, got: impl ToString) -> Self {
        Self::Config { option, expected, got: got.to_string() }
    }

    /// No rows are left after a step, given how many each column cost; the few are named that cost most.
    pub(crate) fn no_rows(
        after: &'static str,
        missing: &[(String, usize)],
        remedy: &'static str,
    ) -> Self {
        let after = named(missing)
            .map_or(Cow::Borrowed(after), |named| format!("{after} ({named})").into());
        Self::EmptySample { after, remedy }
    }

    /// No row has a value in every column, given how many rows each column cost; without any there were no rows.
    pub(crate) fn no_complete_rows(missing: &[(String, usize)]) -> Self {
        if missing.is_empty() {
            let remedy =
                "the file or frame has columns and no rows; see that it is the one that is meant";
            return Self::EmptySample { after: "in the data".into(), remedy };
        }
        let after = "after dropping rows with missing or non-finite values";
        Self::no_rows(after, missing, "check the columns for nulls and infinities")
    }

    /// An error if columns of covariates are also the outcome.
    ///
    /// # Errors
    /// [`DidError::Config`] for this option.
    pub(crate) fn check_without<'a>(
        outcome: &str,
        option: &'static str,
        covariates: impl IntoIterator<Item = &'a String>,
    ) -> Result<(), Self> {
        match covariates.into_iter().find(|column| *column == outcome) {
            Some(column) => Err(Self::config(option, WITHOUT_OUTCOME, column)),
            None => Ok(()),
        }
    }

    /// No row of a regression has all values and a weight, given how many rows each column cost.
    pub(crate) fn no_usable_rows(missing: &[(String, usize)]) -> Self {
        let after = "without missing values and weights of zero";
        Self::no_rows(after, missing, "check the columns and their types")
    }

    /// The error with the column `from` by the name `to`.
    pub(crate) fn renamed(mut self, from: &str, to: &str) -> Self {
        if let Self::TimeVarying { column, .. } | Self::TooFewClusters { column, .. } = &mut self
            && *column == from
        {
            to.clone_into(column);
        }
        self
    }

    /// A file that could not be read or written.
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.display().to_string(), source }
    }
}
