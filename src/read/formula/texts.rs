//! Text columns among the covariates: categories, or numbers that could not be read as such.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::ast::AtomSource;
use super::column::RawColumn;
use super::evaluate::Evaluated;
use crate::base::error::{DidError, Result};
use crate::read::columns::{MissingWords, excerpt};

/// What the levels of the text columns of a formula look like, by column.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Texts(BTreeMap<String, LevelExamples>);

/// An example of each sort of levels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct LevelExamples {
    /// Whether the column is said to have categories, by `C()` or its type.
    categories: bool,
    number: Option<String>,
    /// A number with a comma for its point.
    comma: Option<String>,
    /// A usual word for a missing value.
    missing: Option<String>,
    /// What was already taken as a missing value.
    taken: Option<String>,
    other: Option<String>,
}

impl Evaluated {
    /// The text columns; `declared` says which of them have categories by their type.
    pub(crate) fn texts(&self, declared: &dyn Fn(&str) -> bool) -> Texts {
        let mut texts = Texts::default();
        for (atom, values) in self.formula.atoms.iter().zip(&self.atoms) {
            let (variable, factor) = match &atom.source {
                AtomSource::Column(variable) => (*variable, false),
                AtomSource::By { column, factor, .. } => (*column, *factor),
                AtomSource::Factor(variable) | AtomSource::Indicators { column: variable, .. } => {
                    (*variable, true)
                }
                AtomSource::Arithmetic(_) => continue,
            };
            let RawColumn::Factor { levels, .. } = &**values else { continue };
            let name = &self.formula.variables[variable];
            texts.add(name, &LevelExamples::of(levels, factor || declared(name)));
        }
        texts
    }
}

impl Texts {
    /// Adds those of a further piece of the data.
    pub(crate) fn join(&mut self, other: &Self) {
        other.0.iter().for_each(|(name, text)| self.add(name, text));
    }

    fn add(&mut self, name: &str, text: &LevelExamples) {
        match self.0.get_mut(name) {
            Some(known) => known.join(text),
            None => drop(self.0.insert(name.to_owned(), text.clone())),
        }
    }

    /// Says what was taken as a missing value in a column.
    pub(crate) fn take(&mut self, column: &str, token: &str) {
        if let Some(text) = self.0.get_mut(column) {
            text.taken.get_or_insert_with(|| token.to_owned());
        }
    }

    /// Of some columns only.
    #[cfg(feature = "cluster")]
    pub(crate) fn select(&self, columns: &[String]) -> Self {
        let wanted = self.0.iter().filter(|(name, _)| columns.contains(name));
        Self(wanted.map(|(name, text)| (name.clone(), text.clone())).collect())
    }

    /// An error if a column looks like numbers that could not be read.
    pub(crate) fn check(&self) -> Result<()> {
        self.0.iter().try_for_each(|(name, text)| text.check(name))
    }
}

impl LevelExamples {
    fn of(levels: &[String], categories: bool) -> Self {
        let usual = MissingWords::usual();
        let mut text = Self { categories, ..Self::default() };
        for level in levels {
            let trimmed = level.trim();
            let sort = if usual.among_numbers(trimmed) {
                &mut text.missing
            } else if is_number(trimmed) {
                &mut text.number
            } else if trimmed.contains(',') && is_number(&trimmed.replace(',', "")) {
                &mut text.comma
            } else {
                &mut text.other
            };
            sort.get_or_insert_with(|| excerpt(level));
        }
        text
    }

    fn join(&mut self, more: &Self) {
        self.categories &= more.categories;
        for (known, more) in [
            (&mut self.number, &more.number),
            (&mut self.comma, &more.comma),
            (&mut self.missing, &more.missing),
            (&mut self.taken, &more.taken),
            (&mut self.other, &more.other),
        ] {
            if known.is_none() {
                known.clone_from(more);
            }
        }
    }

    fn check(&self, column: &str) -> Result<()> {
        let wrong = |expected, got: String| {
            Err(DidError::ColumnType {
                column: column.to_owned(),
                role: "covariate",
                expected,
                got,
            })
        };
        let taken = self.taken.as_ref().filter(|_| !self.categories);
        match (&self.number, &self.comma, self.missing.as_ref().or(taken), &self.other) {
            (_, Some(comma), _, None) if !self.categories => wrong(
                "numbers with a decimal point and without separators of thousands, or `C()` around the column for categories",
                format!("text, as `{comma}`"),
            ),
            (Some(number), None, Some(word), None) => wrong(
                "numbers; make the word null and cast the column, or name it as a missing value (`missing_values`)",
                format!("text, as `{number}` and `{word}`"),
            ),
            (Some(number), comma, _, other) if !self.categories => {
                let Some(other) = other.as_ref().or(comma.as_ref()) else { return Ok(()) };
                wrong(
                    "numbers or categories; name a missing value (`missing_values`), or put `C()` around the column for categories",
                    format!("text, as `{number}` and `{other}`"),
                )
            }
            _ => Ok(()),
        }
    }
}

fn is_number(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit()) && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(levels: &[&str], categories: bool) -> Result<()> {
        let levels: Vec<String> = levels.iter().map(|l| (*l).to_owned()).collect();
        LevelExamples::of(&levels, categories).check("x")
    }

    #[test]
    fn categories_and_numbers_are_told_apart() {
        for levels in [&["a", "b"][..], &["1", "2", "10"], &["a", "."], &["1st", "2nd"], &[]] {
            assert!(check(levels, false).is_ok(), "{levels:?}");
        }
        for levels in [&["1", "."][..], &["1,5", "2"], &["1,5"], &["3", "31-33"], &["5", "-"]] {
            assert!(check(levels, false).is_err(), "{levels:?}");
        }
        for levels in [&["1,5"][..], &["3", "31-33"], &["5", "-"]] {
            assert!(check(levels, true).is_ok(), "{levels:?}");
        }
        let mut taken = LevelExamples::of(&["1".to_owned()], false);
        assert!(taken.check("x").is_ok());
        taken.taken = Some("NA".to_owned());
        assert!(taken.check("x").is_err());
        taken.categories = true;
        assert!(taken.check("x").is_ok());
        let error = check(&["1", "."], true).unwrap_err().to_string();
        assert!(error.contains("column `x`") && error.contains("`.`"), "{error}");
    }

    #[test]
    fn pieces_are_judged_together() {
        let piece = |level: &str| {
            Texts(BTreeMap::from([("x".to_owned(), LevelExamples::of(&[level.to_owned()], false))]))
        };
        let mut texts = piece("5");
        assert!(texts.check().is_ok());
        texts.join(&piece("NULL"));
        assert!(texts.check().is_err());
    }
}
