//! Names of columns that have one for each period.

use crate::base::error::{DidError, Result};

/// How such names are written.
pub(super) const USUAL: &str = "{column}_{period}";

/// A name with places for the column and the period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    before: String,
    between: String,
    after: String,
    column_first: bool,
}

impl Pattern {
    /// An error unless it has both places once, and something between them.
    pub fn parse(text: &str) -> Result<Self> {
        let invalid = || {
            let expected =
                "a name with `{column}` and `{period}` once each, and characters between them";
            DidError::config("names", expected, format!("`{text}`"))
        };
        let places = (text.find("{column}"), text.find("{period}"));
        let (Some(column), Some(period)) = places else { return Err(invalid()) };
        let (first, second) = (column.min(period), column.max(period));
        // Both places are written with eight characters.
        let (before, rest) = text.split_at(first);
        let (between, after) = (&rest[8..second - first], &rest[second - first + 8..]);
        let again = |part: &str| part.contains("{column}") || part.contains("{period}");
        if between.is_empty() || again(between) || again(after) {
            return Err(invalid());
        }
        let [before, between, after] = [before, between, after].map(str::to_owned);
        Ok(Self { before, between, after, column_first: column < period })
    }

    /// The name of a column in a period.
    pub fn name(&self, column: &str, period: &str) -> String {
        let (first, second) = if self.column_first { (column, period) } else { (period, column) };
        format!("{}{first}{}{second}{}", self.before, self.between, self.after)
    }

    /// The period of a name, if it is one of the column.
    pub fn period<'a>(&self, name: &'a str, column: &str) -> Option<&'a str> {
        let inner = name.strip_prefix(self.before.as_str())?.strip_suffix(self.after.as_str())?;
        match self.column_first {
            true => inner.strip_prefix(column)?.strip_prefix(self.between.as_str()),
            false => inner.strip_suffix(column)?.strip_suffix(self.between.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_and_read_back() {
        for (text, name) in [
            (USUAL, "gdp_real_2003"),
            ("{column}.{period}", "gdp_real.2003"),
            ("t{period}: {column}!", "t2003: gdp_real!"),
        ] {
            let pattern = Pattern::parse(text).expect("a pattern");
            assert_eq!(pattern.name("gdp_real", "2003"), name);
            assert_eq!(pattern.period(name, "gdp_real"), Some("2003"));
            assert_eq!(pattern.period(name, "gdp"), (text == USUAL).then_some("real_2003"));
            assert_eq!(pattern.period("other", "gdp"), None);
        }
        for text in ["", "{column}", "{column}{period}", "{period}", "{column}_{period}_{column}"] {
            assert!(Pattern::parse(text).is_err(), "{text}");
        }
    }
}
