//! Counts in words.

/// A count with the word for one, or for any other number: `1 unit`, `2 units`.
pub(crate) fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}
