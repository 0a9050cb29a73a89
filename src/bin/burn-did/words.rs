//! Options whose values have words in the library.

use std::ffi::OsStr;

use burn_did::options::{Word, Words};
use burn_did::regression::Solver;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};

/// Parser of the words of some values of an option.
#[derive(Clone)]
pub(crate) struct OneOf<T: Words>(Vec<&'static Word<T>>);

impl<T: Words> OneOf<T> {
    /// Of all values.
    pub(crate) fn all() -> Self {
        Self(T::WORDS.iter().collect())
    }

    /// Of these values.
    pub(crate) fn of<const N: usize>(values: [T; N]) -> Self {
        Self(T::WORDS.iter().filter(|entry| values.contains(&entry.value)).collect())
    }

    fn values(&self) -> impl Iterator<Item = PossibleValue> + use<T> {
        self.0.clone().into_iter().map(|entry| {
            let help = entry.help.trim_end_matches('.');
            PossibleValue::new(entry.word).help(match entry.aliases {
                [] => help.to_owned(),
                aliases => format!("{help} [also {}]", aliases.join(", ")),
            })
        })
    }
}

impl<T: Words> TypedValueParser for OneOf<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<T, Error> {
        // A word however it is written, or one that means the same, is its word; the parser of words says what is wrong with others.
        let read = value.to_string_lossy().parse::<T>();
        let word = read.map_or_else(|_| value.to_owned(), |value| value.to_string().into());
        let word = PossibleValuesParser::new(self.values()).parse_ref(command, argument, &word)?;
        word.parse().map_err(|error| Error::raw(ErrorKind::InvalidValue, error))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.values()))
    }
}

/// Parser of the solvers that are built.
pub(crate) fn solvers() -> OneOf<Solver> {
    let OneOf(mut entries) = OneOf::all();
    entries.retain(|entry| cfg!(feature = "schwarz") || entry.value != Solver::Schwarz);
    OneOf(entries)
}
