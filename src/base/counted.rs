//! Counts and lists in words.

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

/// Names between marks, of which so many are named and the others counted: `` `a`, `b`, and 3 more ``.
pub(crate) fn listed(names: &[impl AsRef<str>], most: usize, mark: &str) -> String {
    let named = names.iter().take(most).map(|name| format!("{mark}{}{mark}", name.as_ref()));
    let more = names.len().checked_sub(most).filter(|more| *more > 0);
    let more = more.map(|more| format!("and {more} more"));
    named.chain(more).collect::<Vec<_>>().join(", ")
}

/// Columns of the data that are named where many may be at fault, at most.
pub(crate) const NAMED_COLUMNS: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_end_with_a_count() {
        let names = ["a", "b", "c"];
        assert_eq!(listed(&names, 3, "`"), "`a`, `b`, `c`");
        assert_eq!(listed(&names, 2, "`"), "`a`, `b`, and 1 more");
        assert_eq!(listed(&names[..0], 2, ""), "");
    }
}
