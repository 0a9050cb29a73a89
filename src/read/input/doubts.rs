//! What is doubtful about columns as they were read.

use std::collections::BTreeMap;

use polars::prelude::*;

use crate::base::error::{DidWarning, Message, Result};
use crate::read::columns::{Kind, MissingValues, ReadAsMissing, TokenCounts, Wanted, excerpt};

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

/// A warning about labels that are written nearly as others of the column.
fn alike(series: &Series) -> Result<Option<DidWarning>> {
    if !matches!(series.dtype(), DataType::String | DataType::Categorical(..) | DataType::Enum(..))
    {
        return Ok(None);
    }
    let labels = series.unique()?.cast(&DataType::String)?;
    let mut forms: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for label in labels.str()?.iter().flatten() {
        forms.entry(form(label)).or_default().push(label);
    }
    let mut several: Vec<Vec<&str>> = forms.into_values().filter(|all| all.len() > 1).collect();
    several.iter_mut().for_each(|all| all.sort_unstable());
    let labels = several.iter().map(Vec::len).sum();
    let Some([one, other, ..]) = several.first().map(Vec::as_slice) else { return Ok(None) };
    let example = [one, other].map(|label| excerpt(label));
    Ok(Some(DidWarning::AlikeLabels { column: series.name().to_string(), labels, example }))
}

/// What labels have in common that look alike.
fn form(label: &str) -> String {
    let trimmed = label.trim();
    let is_number = !trimmed.is_empty() && trimmed.bytes().all(|byte| byte.is_ascii_digit());
    match trimmed.trim_start_matches('0') {
        "" if is_number => "0".to_owned(),
        digits if is_number => digits.to_owned(),
        _ => trimmed.to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warned(labels: &[&str]) -> Option<(usize, [String; 2])> {
        match alike(&Series::new("id".into(), labels)).unwrap() {
            Some(DidWarning::AlikeLabels { labels, example, .. }) => Some((labels, example)),
            _ => None,
        }
    }

    #[test]
    fn labels_look_alike_but_for_blanks_case_and_zeros() {
        assert_eq!(warned(&["a", "b", "a", "a b", "10", "1"]), None);
        let found = |labels: &[&str]| warned(labels).unwrap();
        let pair = |one: &str, other: &str| [one.to_owned(), other.to_owned()];
        assert_eq!(found(&["a", "a ", "b"]), (2, pair("a", "a ")));
        assert_eq!(found(&["z", "Z", "z", "01", "1", "001"]), (5, pair("001", "01")));
        assert_eq!(warned(&["0", "00", ""]), Some((2, pair("0", "00"))));
    }
}
