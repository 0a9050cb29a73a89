//! What stands for a missing value in data.

use serde::{Deserialize, Serialize};

use super::missing_words::MissingWords;
use super::token::Token;

/// Which values stand for a missing one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct MissingValues {
    /// Words that replace the usual ones, and words with `=`, which add to them: for one column, or as they are.
    given: Option<Vec<String>>,
}

impl MissingValues {
    /// The words given, or the usual ones. The empty field is missing in any case.
    pub fn new(given: Option<&[String]>) -> Self {
        Self { given: given.map(<[String]>::to_vec) }
    }

    /// The words of a column, if columns are read that have the names for which `is_read` holds: `start=0` is a word of the column `start`
    /// alone if that is one of them, and a word as others if not. As either it leaves the usual words.
    pub fn words(&self, column: &str, is_read: impl Fn(&str) -> bool) -> MissingWords {
        let given = self.given.iter().flatten();
        let usual = self
            .given
            .as_ref()
            .is_none_or(|given| !given.is_empty() && given.iter().all(|word| word.contains('=')));
        let of_column = |word: &'_ str| match word.split_once('=') {
            Some((of, word)) if is_read(of.trim()) => {
                (of.trim() == column).then(|| Token::new(word))
            }
            _ => Some(Token::new(word)),
        };
        MissingWords { usual, named: given.filter_map(|word| of_column(word)).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(given: &[&str], column: &str) -> MissingWords {
        let given: Vec<String> = given.iter().map(|word| (*word).to_owned()).collect();
        MissingValues::new(Some(&given)).words(column, |name| ["y", "start"].contains(&name))
    }

    #[test]
    fn a_word_may_be_of_one_column() {
        let given = ["start=0", " start = -99", "x=1"];
        let [start, y] = ["start", "y"].map(|column| words(&given, column));
        for word in ["0", "0.0", "-99", "NA", ""] {
            assert!(start.among_numbers(word), "{word}");
        }
        assert!(!y.among_numbers("0") && !y.among_numbers("-99") && y.among_numbers("NA"));
        // No column that is read is called so.
        assert!(
            [&start, &y].iter().all(|words| words.among_texts("x=1") && words.among_texts("NA"))
        );
        assert!([&start, &y].iter().all(|words| !words.among_texts("1")));
        assert!(y.among_texts("") && !y.among_texts("start=0"));
    }

    #[test]
    fn words_of_all_columns_replace_the_usual_ones() {
        let [start, y] = ["start", "y"].map(|column| words(&["start=0", "-99"], column));
        assert!(start.among_numbers("0") && start.among_numbers("-99"));
        assert!(!y.among_numbers("0") && y.among_numbers("-99"));
        assert!(!start.among_numbers("NA") && !y.among_numbers("NA") && !y.among_texts("NA"));
        assert!(words(&[], "y").among_texts("") && !words(&[], "y").among_texts("NA"));
        // What follows the first `=` is the word.
        assert!(words(&["start=a=b"], "start").among_texts("a=b"));
    }
}
