//! What the atoms of a formula are, which pieces of the data must agree about.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Formula;
use super::column::RawColumn;
use super::design::Design;
use super::evaluate::Evaluated;
use super::present::Present;
use crate::base::error::{DidError, Result};

/// The kind of every atom of a formula, under its label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kinds(Vec<(String, AtomKind)>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum AtomKind {
    Numeric,
    Factor,
}

impl Evaluated {
    /// The kinds of the atoms.
    pub(crate) fn kinds(&self) -> Kinds {
        let kind = |atom: &RawColumn| match atom {
            RawColumn::Numeric(_) => AtomKind::Numeric,
            RawColumn::Factor { .. } => AtomKind::Factor,
        };
        let labels = self.formula.atoms.iter().map(|atom| atom.label.clone());
        Kinds(labels.zip(self.atoms.iter().map(|atom| kind(atom))).collect())
    }
}

impl Kinds {
    /// Whether any atom is a factor.
    pub(crate) fn has_factors(&self) -> bool {
        self.0.iter().any(|(_, kind)| *kind == AtomKind::Factor)
    }

    /// Where the atoms of a formula are among these.
    ///
    /// # Errors
    /// The label of one that is not.
    #[cfg(feature = "cluster")]
    pub(crate) fn places(&self, formula: &Formula) -> std::result::Result<Vec<usize>, String> {
        let position = |label: &String| self.0.iter().position(|(known, _)| known == label);
        let labels = formula.atoms.iter().map(|atom| &atom.label);
        labels.map(|label| position(label).ok_or_else(|| label.clone())).collect()
    }

    /// Those at some places.
    #[cfg(feature = "cluster")]
    pub(crate) fn select(&self, places: &[usize]) -> Self {
        Self(places.iter().filter_map(|place| self.0.get(*place).cloned()).collect())
    }

    /// # Errors
    /// [`DidError::ColumnType`] for an atom that is numeric in one piece of the data and a factor in another.
    pub(crate) fn check_same(&self, other: &Self) -> Result<()> {
        match self.0.iter().zip(&other.0).find(|(a, b)| a != b) {
            None if self.0.len() == other.0.len() => Ok(()),
            pair => Err(DidError::ColumnType {
                column: pair.map_or("covariates", |((label, _), _)| label).to_owned(),
                role: "covariate",
                expected: "one type in all pieces of the data",
                got: "numbers in one piece and categories in another".into(),
            }),
        }
    }
}

impl Formula {
    /// The design's columns for atoms of these kinds and a sample with these levels, without any rows.
    ///
    /// # Errors
    /// As [`Evaluated::design`].
    pub(crate) fn design(&self, kinds: &Kinds, present: &Present) -> Result<Design> {
        let empty = |(_, kind): &(String, AtomKind)| {
            Arc::new(match kind {
                AtomKind::Numeric => RawColumn::Numeric(Vec::new().into()),
                AtomKind::Factor => RawColumn::Factor { codes: Vec::new(), levels: Vec::new() },
            })
        };
        Evaluated::of_atoms(self, kinds.0.iter().map(empty).collect()).design(present)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluated(codes: Option<&[u32]>) -> Evaluated {
        let factor = |codes: &[u32]| RawColumn::Factor {
            codes: codes.to_vec(),
            levels: vec!["a".to_owned(), "b".to_owned()],
        };
        let column =
            |_: &str| Ok(codes.map_or_else(|| RawColumn::Numeric(vec![1.0, 2.0].into()), factor));
        Formula::parse("~ f").unwrap().evaluate(2, &column).unwrap()
    }

    #[test]
    fn pieces_must_agree_about_the_kinds() {
        let (numbers, factor) = (evaluated(None).kinds(), evaluated(Some(&[0, 1])).kinds());
        assert!(numbers.check_same(&numbers).is_ok() && !numbers.has_factors());
        assert!(factor.check_same(&evaluated(Some(&[0, 0])).kinds()).is_ok());
        let error = numbers.check_same(&factor).unwrap_err().to_string();
        assert!(
            error.contains("column `f`") && error.contains("one type in all pieces"),
            "{error}"
        );
    }

    #[test]
    fn a_design_without_rows_has_the_names_of_the_design() {
        let piece = evaluated(Some(&[0, 1]));
        let present = piece.present(&[0, 1]);
        let formula = Formula::parse("~ f").unwrap();
        let design = formula.design(&piece.kinds(), &present).unwrap();
        assert_eq!(design.names(), piece.design(&present).unwrap().names());
        assert_eq!(design.names(), ["(Intercept)", "fb"]);
    }
}
