//! Counts in words.

use std::fmt::Display;

/// A count with the word for one, or for any other number: `1 unit`, `2 units`.
pub(crate) fn counted<N: Display + PartialEq + From<u8>>(
    count: N,
    one: &str,
    several: &str,
) -> String {
    let word = if count == N::from(1) { one } else { several };
    format!("{count} {word}")
}
