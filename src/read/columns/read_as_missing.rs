//! What was read as missing, and how often.

use serde::{Deserialize, Serialize};

/// Values of a column that were read as missing because of what stands there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReadAsMissing {
    /// Name of the column.
    pub column: String,
    /// What stands there; nothing for an empty field, a null, and where it is not known which of several words.
    pub token: String,
    /// How often.
    pub values: usize,
    /// Whether it says that a unit is never treated, as in the column of first treated periods.
    #[serde(default)]
    pub never_treated: bool,
    /// Whether 0 or infinity says so in other rows.
    #[serde(default)]
    pub beside_code: bool,
}

/// Tokens and how often they occur.
#[derive(Clone, Debug, Default)]
pub(crate) struct TokenCounts(Vec<(String, usize)>);

impl TokenCounts {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn add(&mut self, token: &str, values: usize) {
        match self.0.iter_mut().find(|(known, _)| known == token) {
            Some((_, count)) => *count += values,
            None => self.0.push((token.to_owned(), values)),
        }
    }

    pub fn join(mut self, other: Self) -> Self {
        other.0.iter().for_each(|(token, values)| self.add(token, *values));
        self
    }

    /// The counts of a column, by token.
    pub fn of(mut self, column: &str) -> Vec<ReadAsMissing> {
        self.0.sort_unstable();
        let entry = |(token, values)| ReadAsMissing {
            column: column.to_owned(),
            token,
            values,
            never_treated: false,
            beside_code: false,
        };
        self.0.into_iter().map(entry).collect()
    }
}

/// Adds counts of further rows.
pub(crate) fn add_counts(all: &mut Vec<ReadAsMissing>, more: &[ReadAsMissing]) {
    for entry in more {
        match all.iter_mut().find(|e| e.column == entry.column && e.token == entry.token) {
            Some(known) => known.values += entry.values,
            None => all.push(entry.clone()),
        }
    }
}
