//! One-sided covariate formulas with the semantics of R's `model.matrix`.
//!
//! Three stages: [`Formula::parse`] reads the text, [`Formula::evaluate`] computes every distinct atom (column, arithmetic
//! or factor) once on all raw rows, and [`Evaluated::design`] fixes the levels present in the estimation sample and
//! names the columns of the design.

mod arithmetic;
mod ast;
mod cells;
mod column;
mod design;
mod evaluate;
mod indicated;
mod kinds;
mod levels;
mod lex;
mod parse;
mod present;
mod read;
mod regression;
#[cfg(test)]
mod tests;
mod texts;

use std::fmt;

use serde::{Deserialize, Serialize};

pub(crate) use ast::name_label;
pub(crate) use cells::Cells;
pub(crate) use column::RawColumn;
pub(crate) use design::{Design, Indicator};
pub(crate) use evaluate::Evaluated;
pub(crate) use kinds::Kinds;
pub(crate) use present::Present;
pub(crate) use regression::{Interaction, RegressionFormula};
pub(crate) use texts::Texts;

use crate::base::error::{DidError, Result, WITHOUT_OUTCOME};
use ast::{Atom, AtomSource, FormulaTerm};

/// Levels that a categorical may have, and columns that a design may have.
const MAX_LEVELS: usize = 65_536;
/// Rows that one task handles at a time: a few such blocks of `f64` stay in a core's cache.
const BLOCK: usize = 4_096;

/// A covariate formula such as `~ x + log(y) + C(region):x`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Formula {
    text: String,
    intercept: bool,
    variables: Vec<String>,
    atoms: Vec<Atom>,
    /// Sorted by degree; each a sorted list of indices into `atoms`.
    terms: Vec<FormulaTerm>,
}

impl Formula {
    /// Reads a formula; the leading `~` may be left out.
    ///
    /// # Errors
    /// [`DidError::Formula`] names the offending token, its position and what is supported.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let parsed = parse::parse(text).map_err(|problem| problem_in(text, problem))?;
        Ok(Self::of_parts(text, parsed))
    }

    fn of_parts(text: &str, parts: parse::ParsedFormula) -> Self {
        Self {
            text: text.to_owned(),
            intercept: parts.intercept,
            variables: parts.variables,
            atoms: parts.atoms,
            terms: parts.terms,
        }
    }

    /// Distinct raw columns in order of appearance, those of removed terms included (as R's `all.vars`).
    pub(crate) fn variables(&self) -> Vec<String> {
        self.variables.clone()
    }

    /// An error if a term is the outcome itself, which it would fit with nothing left to be an effect.
    ///
    /// # Errors
    /// [`DidError::Config`].
    pub(crate) fn check_without(&self, outcome: &str) -> Result<()> {
        let is_outcome = |term: &FormulaTerm| match term.as_slice() {
            [atom] => match self.atoms[*atom].source {
                AtomSource::Column(column) => self.variables[column] == outcome,
                _ => false,
            },
            _ => false,
        };
        match self.terms.iter().any(is_outcome) {
            true => Err(DidError::config("covariates", WITHOUT_OUTCOME, &self.text)),
            false => Ok(()),
        }
    }

    /// What rows can be missing for: the columns, and what is computed of them.
    #[cfg(feature = "cluster")]
    pub(crate) fn needs(&self) -> Vec<&str> {
        let labels = self.atoms.iter().map(|atom| atom.label.as_str());
        labels.chain(self.variables.iter().map(String::as_str)).collect()
    }
}

fn problem_in(formula: &str, problem: String) -> DidError {
    DidError::Formula { formula: formula.to_owned(), problem }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl TryFrom<String> for Formula {
    type Error = DidError;

    fn try_from(text: String) -> Result<Self> {
        Self::parse(&text)
    }
}

impl From<Formula> for String {
    fn from(formula: Formula) -> Self {
        formula.text
    }
}
