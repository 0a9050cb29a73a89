//! What is doubtful about columns as they were read.

use polars::prelude::*;

use super::alike::alike;
use crate::base::error::{DidWarning, Message, Result};
use crate::read::columns::{Kind, MissingValues, ReadAsMissing, TokenCounts, Wanted};

/// Warnings about words for missing values that are nowhere, neither in the frame nor among what was `counted` before, and about labels that
/// look like others.
pub(super) fn doubts(
    frame: &DataFrame,
    wanted: &Wanted,
    missing: &MissingValues,
    counted: &[ReadAsMissing],
) -> Result<Vec<Message>> {
    let unused = missing.unused(&wanted.names(), |column, words| {
        counted.iter().any(|entry| entry.column == column && words.has(&entry.token))
            || frame.column(column).is_ok_and(|column| {
                let found = words.clean(column.as_materialized_series());
                let has = |(_, counts): (Series, TokenCounts)| {
                    counts.of("").iter().any(|entry| words.has(&entry.token))
                };
                found.is_ok_and(|found| found.is_some_and(has))
            })
    });
    let mut labels: Vec<&str> = wanted
        .asked()
        .iter()
        .filter(|asked| asked.kind == Kind::Label)
        .map(|asked| asked.column.as_str())
        .collect();
    labels.sort_unstable();
    labels.dedup();
    let mut warnings = Vec::new();
    if !unused.is_empty() {
        warnings.push(DidWarning::UnusedWords { words: unused }.message(None));
    }
    for name in labels {
        if let Ok(column) = frame.column(name) {
            warnings.extend(alike(column.as_materialized_series())?.map(|w| w.message(None)));
        }
    }
    Ok(warnings)
}
