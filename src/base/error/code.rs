//! Words that programs know errors and warnings by.

use super::{DidError, DidWarning};

impl DidError {
    /// A word for this kind of error that stays the same when messages change, as `column_not_found` for
    /// [`ColumnNotFound`](Self::ColumnNotFound): the variant in snake case.
    /// [What can go wrong](crate::_documentation::what_can_go_wrong) lists the words.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.into()
    }
}

impl DidWarning {
    /// A word for this kind of warning that stays the same when messages change, as `dropped_rows` for
    /// [`DroppedRows`](Self::DroppedRows): the `kind` of its JSON.
    /// [What can go wrong](crate::_documentation::what_can_go_wrong) lists the words.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use strum::VariantNames;

    use super::*;

    #[test]
    fn codes_are_distinct_words_in_snake_case() {
        for codes in [DidError::VARIANTS, DidWarning::VARIANTS] {
            let distinct: BTreeSet<&str> = codes.iter().copied().collect();
            assert_eq!(distinct.len(), codes.len());
            let word = |code: &&str| code.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            assert!(codes.iter().all(word), "{codes:?}");
        }
    }

    #[test]
    fn codes_are_on_the_page_of_what_can_go_wrong() {
        let page = include_str!("../../_documentation/what_can_go_wrong.md");
        for code in DidError::VARIANTS.iter().chain(DidWarning::VARIANTS) {
            assert!(page.contains(&format!("`{code}`")), "{code} is not on the page");
        }
    }

    #[test]
    fn a_code_is_that_of_the_variant() {
        let missing = DidError::config("alpha", "between 0 and 1", "2");
        assert_eq!(missing.code(), "config");
        assert_eq!(DidError::NoNeverTreated.code(), "no_never_treated");
        let warning = DidWarning::DroppedRows { rows: 3, columns: Vec::new() };
        assert_eq!(warning.code(), "dropped_rows");
        let json = serde_json::to_value(&warning).expect("a warning is JSON");
        assert_eq!(json["kind"], warning.code());
    }
}
