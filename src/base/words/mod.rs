//! The words of options: how a value of an option is written on the command line, in JSON and in messages.
//!
//! [`words!`] declares an enum of options with one word a variant. The word is what `Display` writes, what serde reads and writes
//! and what [`FromStr`](std::str::FromStr) reads. Options with data, such as `cluster:firm`, have a text that is written by hand.

use std::fmt;

/// An option whose values have words.
///
/// ```
/// use burn_did::options::{ControlGroup, Words};
///
/// assert_eq!("not_yet_treated".parse(), Ok(ControlGroup::NotYetTreated));
/// assert_eq!(ControlGroup::NotYetTreated.to_string(), "not_yet_treated");
/// let words: Vec<&str> = ControlGroup::WORDS.iter().map(|entry| entry.word).collect();
/// assert_eq!(words, ["never_treated", "not_yet_treated"]);
/// ```
pub trait Words:
    Copy + Eq + fmt::Display + std::str::FromStr<Err = ParseOptionError> + Send + Sync + 'static
{
    /// Name of the option, such as `control_group`.
    const OPTION: &'static str;
    /// All words, separated by commas.
    const EXPECTED: &'static str;
    /// Every value with its words, in the order in which they are declared.
    const WORDS: &'static [Word<Self>];
}

/// A value of an option with its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Word<T: 'static> {
    /// The value.
    pub value: T,
    /// What it is called.
    pub word: &'static str,
    /// Other words that are read as this value, such as the name in an R package.
    pub aliases: &'static [&'static str],
    /// What it means.
    pub help: &'static str,
}

impl<T> Word<T> {
    /// An entry of [`Words::WORDS`].
    pub(crate) const fn new(
        value: T,
        word: &'static str,
        aliases: &'static [&'static str],
        help: &'static str,
    ) -> Self {
        Self { value, word, aliases, help: help.trim_ascii() }
    }
}

/// A text that is no value of an option.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{option}` must be {expected}, got `{got}`")]
#[non_exhaustive]
pub struct ParseOptionError {
    /// Name of the option.
    pub option: &'static str,
    /// What is allowed.
    pub expected: &'static str,
    /// What was given.
    pub got: String,
}

impl ParseOptionError {
    /// An error that says what an option may be.
    pub(crate) fn new(option: &'static str, expected: &'static str, got: &str) -> Self {
        Self { option, expected, got: got.trim().to_owned() }
    }
}

/// The value that a text names. Capitals do not matter, and a hyphen is an underscore.
pub(crate) fn parse<T: Words>(text: &str) -> Result<T, ParseOptionError> {
    let word = text.trim().to_ascii_lowercase().replace('-', "_");
    let entry_found =
        T::WORDS.iter().find(|entry| entry.word == word || entry.aliases.contains(&word.as_str()));
    let value = entry_found.map(|entry| entry.value);
    value.ok_or_else(|| ParseOptionError::new(T::OPTION, T::EXPECTED, text))
}

/// The numbers of a text with separators between them; `None` if one is no number.
pub(crate) fn numbers(text: &str, separator: char) -> Option<Vec<f64>> {
    text.split(separator).map(|number| number.trim().parse().ok()).collect()
}

/// Values with separators between them.
pub(crate) fn joined<T: fmt::Display>(values: &[T], separator: &str) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(separator)
}

/// An enum of options, each variant with its word, after which other words follow that are read as it. Words are in snake case, and
/// the first paragraph of a variant's documentation is its help.
macro_rules! words {
    (
        $(#[$($attribute:tt)*])*
        $visibility:vis enum $name:ident: $option:literal {
            $($(#[$($about:tt)*])* $variant:ident = $word:literal $(| $alias:literal)*,)+
        }
    ) => {
        $(#[$($attribute)*])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ::serde::Serialize, ::serde::Deserialize)]
        #[non_exhaustive]
        $visibility enum $name {
            $($(#[$($about)*])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// The word for it, as on the command line and in JSON.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl $crate::base::words::Words for $name {
            const OPTION: &'static str = $option;
            const EXPECTED: &'static str = $crate::base::words::words!(@list $($word,)+);
            const WORDS: &'static [$crate::base::words::Word<Self>] = &[$(
                $crate::base::words::Word::new(
                    Self::$variant,
                    $word,
                    &[$($alias),*],
                    concat!($($crate::base::words::words!(@help $($about)*)),*),
                ),
            )+];
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.word())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::base::words::ParseOptionError;

            fn from_str(text: &str) -> ::std::result::Result<Self, Self::Err> {
                $crate::base::words::parse(text)
            }
        }
    };
    (@list $first:literal, $($more:literal,)*) => { concat!($first $(, ", ", $more)*) };
    (@help doc = $line:literal) => { $line };
    (@help $($other:tt)*) => { "" };
}

pub(crate) use words;

#[cfg(test)]
mod tests {
    use super::*;

    words! {
        /// How a line is drawn.
        #[derive(Default)]
        enum Line: "line" {
            /// Without
            /// gaps.
            #[default]
            Solid = "solid",
            /// With gaps.
            #[doc(alias = "broken")]
            WithGaps = "with_gaps" | "dashed",
        }
    }

    #[test]
    fn an_enum_has_words_and_help() {
        let words: Vec<_> = Line::WORDS.iter().map(|w| (w.word, w.aliases, w.help)).collect();
        let gaps: &[&str] = &["dashed"];
        assert_eq!(words, [("solid", &[][..], "Without gaps."), ("with_gaps", gaps, "With gaps.")]);
        assert_eq!(serde_json::to_value(Line::default()).ok(), Some("solid".into()));
    }

    #[test]
    fn words_are_read_however_they_are_typed() {
        for text in ["with_gaps", "With-Gaps", " dashed "] {
            assert_eq!(text.parse(), Ok(Line::WithGaps), "{text}");
        }
        let error = "dotted".parse::<Line>().expect_err("unknown");
        assert_eq!(error.to_string(), "`line` must be solid, with_gaps, got `dotted`");
    }
}
