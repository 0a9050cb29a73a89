//! Values of a formula's atoms on every raw row.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::ast::{Atom, AtomSource};
use super::column::{RawColumn, indistinct_levels, too_many_levels};
use super::{BLOCK, Formula, arithmetic, levels, problem_in};
use crate::base::error::Result;
use crate::base::parallel;
use crate::read::columns::Gaps;

/// A formula's atoms on all raw rows, and which rows have a missing value.
#[derive(Clone, Debug)]
pub(crate) struct Evaluated {
    pub(super) formula: Formula,
    /// One for each atom; plain columns are shared with what was read, never copied.
    pub(super) atoms: Vec<Arc<RawColumn>>,
    /// Whether an atom's levels are numbers.
    pub(super) numeric_levels: Vec<bool>,
    /// Columns with integers that are too large to be doubles.
    rounded: Vec<String>,
    missing: Missing,
}

impl Formula {
    /// Computes every atom on all `rows` rows; `column` reads a raw column by name, once each.
    ///
    /// # Errors
    /// Those of `column`; [`DidError::ColumnType`](crate::DidError::ColumnType) for arithmetic on strings or a
    /// categorical with too many levels; [`DidError::Formula`](crate::DidError::Formula) for a column of another length.
    pub(crate) fn evaluate(
        &self,
        rows: usize,
        column: &dyn Fn(&str) -> Result<RawColumn>,
    ) -> Result<Evaluated> {
        let mut missing = Missing::default();
        let mut raw: BTreeMap<usize, Arc<RawColumn>> = BTreeMap::new();
        let mut rounded = Vec::new();
        let mut loaded = vec![false; self.variables.len()];
        let mut atoms = Vec::with_capacity(self.atoms.len());
        let mut numeric_levels = Vec::with_capacity(self.atoms.len());
        for (index, atom) in self.atoms.iter().enumerate() {
            for (variable, name) in self.variables.iter().enumerate() {
                if !loaded[variable] && atom.source.uses(variable) {
                    let values = self.load(name, rows, column)?;
                    missing.mark(name, &values);
                    if matches!(&values, RawColumn::Numeric(values) if values.is_rounded()) {
                        rounded.push(name.clone());
                    }
                    raw.insert(variable, Arc::new(values));
                    loaded[variable] = true;
                }
            }
            numeric_levels.push(match &atom.source {
                AtomSource::Factor(variable)
                | AtomSource::Indicators { column: variable, .. }
                | AtomSource::By { column: variable, factor: true, .. } => {
                    matches!(*raw[variable], RawColumn::Numeric(_))
                }
                AtomSource::Column(_) | AtomSource::By { .. } | AtomSource::Arithmetic(_) => false,
            });
            atoms.push(self.atom_values(atom, rows, &raw, &mut missing)?);
            let later = &self.atoms[index + 1..];
            raw.retain(|variable, _| later.iter().any(|atom| atom.source.uses(*variable)));
        }
        Ok(Evaluated { formula: self.clone(), atoms, numeric_levels, rounded, missing })
    }

    fn load(
        &self,
        name: &str,
        rows: usize,
        column: &dyn Fn(&str) -> Result<RawColumn>,
    ) -> Result<RawColumn> {
        let values = column(name)?;
        if values.len() == rows {
            return Ok(values);
        }
        let problem = format!("column `{name}` has {} rows where {rows} are needed", values.len());
        Err(problem_in(&self.text, problem))
    }

    fn atom_values(
        &self,
        atom: &Atom,
        rows: usize,
        raw: &BTreeMap<usize, Arc<RawColumn>>,
        missing: &mut Missing,
    ) -> Result<Arc<RawColumn>> {
        match &atom.source {
            AtomSource::Column(variable)
            | AtomSource::By { column: variable, factor: false, .. } => {
                Ok(Arc::clone(&raw[variable]))
            }
            AtomSource::Factor(variable)
            | AtomSource::Indicators { column: variable, .. }
            | AtomSource::By { column: variable, .. } => match &*raw[variable] {
                RawColumn::Factor { .. } => Ok(Arc::clone(&raw[variable])),
                RawColumn::Numeric(values) if values.is_rounded() => {
                    Err(indistinct_levels(&self.variables[*variable]))
                }
                RawColumn::Numeric(values) => levels::of_numbers(values)
                    .map(Arc::new)
                    .ok_or_else(|| too_many_levels(&self.variables[*variable])),
            },
            AtomSource::Arithmetic(expr) => {
                let values =
                    RawColumn::Numeric(arithmetic::evaluate(self, expr, raw, rows)?.into());
                missing.mark(&atom.label, &values);
                Ok(Arc::new(values))
            }
        }
    }
}

impl Evaluated {
    /// A formula's atoms as they are given, none of them missing anywhere.
    pub(super) fn of_atoms(formula: &Formula, atoms: Vec<Arc<RawColumn>>) -> Self {
        let numeric_levels = vec![false; atoms.len()];
        let (rounded, missing) = (Vec::new(), Missing::default());
        Self { formula: formula.clone(), atoms, numeric_levels, rounded, missing }
    }

    /// Columns with integers that are too large to be doubles.
    pub(crate) fn rounded(&self) -> &[String] {
        &self.rounded
    }

    /// Whether any row cannot be used.
    pub(crate) fn any_missing(&self) -> bool {
        !self.missing.first.is_empty()
    }

    /// Column, or atom such as `log(x)`, that first makes a row unusable.
    pub(crate) fn blame(&self, row: usize) -> Option<&str> {
        let source = *self.missing.first.get(row)?;
        let index = usize::from(source).checked_sub(1)?;
        self.missing.sources.get(index).map(String::as_str)
    }

    /// Marks rows in which a column or a term of the formula is missing or not finite.
    pub(crate) fn mark_missing(&self, gaps: &mut Gaps) {
        if self.any_missing() {
            gaps.mark_by_name(&self.missing.sources, |row| self.blame(row));
        }
    }

    /// The values of a formula of one atom.
    pub(crate) fn only(&self) -> Option<&RawColumn> {
        self.atoms.first().map(AsRef::as_ref)
    }

    /// Compares the values of all atoms in two rows: an order of rows that depends on nothing else.
    pub(crate) fn compare(&self, first: u32, second: u32) -> Ordering {
        let (i, j) = (first as usize, second as usize);
        let by_atom = self.atoms.iter().map(|atom| match &**atom {
            RawColumn::Numeric(values) => values[i].total_cmp(&values[j]),
            RawColumn::Factor { codes, .. } => codes[i].cmp(&codes[j]),
        });
        by_atom.fold(Ordering::Equal, Ordering::then)
    }

    #[cfg(test)]
    pub(super) fn atom(&self, index: usize) -> &RawColumn {
        &self.atoms[index]
    }
}

/// For each row the first source that is missing, counted from 1, or 0; empty while nothing is missing.
#[derive(Clone, Debug, Default)]
struct Missing {
    sources: Vec<String>,
    first: Vec<u16>,
}

impl Missing {
    fn mark(&mut self, label: &str, values: &RawColumn) {
        match values {
            RawColumn::Numeric(values) => self.mark_where(label, values, |value| value.is_finite()),
            // A code without a level is as good as none.
            RawColumn::Factor { codes, levels } => {
                self.mark_where(label, codes, |code| (*code as usize) < levels.len());
            }
        }
    }

    fn mark_where<T: Sync>(
        &mut self,
        label: &str,
        values: &[T],
        usable: impl Fn(&T) -> bool + Sync,
    ) {
        // No early exit within a block, so that the test is vectorised.
        let clean = |block: &[T]| block.iter().fold(true, |clean, value| clean & usable(value));
        let blocks: Vec<&[T]> = values.chunks(BLOCK).collect();
        if parallel::all(blocks.len(), &|block| clean(blocks[block])) {
            return;
        }
        self.sources.push(label.to_owned());
        // Sources beyond 65,535 share the last number, so that their rows are still missing.
        let source = u16::try_from(self.sources.len()).unwrap_or(u16::MAX);
        self.first.resize(values.len(), 0);
        parallel::chunks(&mut self.first, BLOCK, |block, first| {
            for (first, value) in first.iter_mut().zip(blocks[block]) {
                if *first == 0 && !usable(value) {
                    *first = source;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::super::MAX_LEVELS;
    use super::super::column::MISSING;
    use super::*;

    fn data(name: &str) -> Result<RawColumn> {
        Ok(match name {
            "x" => RawColumn::Numeric(vec![1.0, -1.0, f64::NAN, 4.0, 0.0].into()),
            "y" => RawColumn::Numeric(vec![f64::INFINITY, 2.0, 2.0, -3.5, -0.0].into()),
            _ => RawColumn::Factor {
                codes: vec![0, 1, 0, MISSING, 1],
                levels: vec!["a".to_owned(), "b".to_owned()],
            },
        })
    }

    fn blames(text: &str) -> Vec<Option<String>> {
        let evaluated = Formula::parse(text).unwrap().evaluate(5, &data).unwrap();
        let blames: Vec<_> = (0..5).map(|row| evaluated.blame(row).map(str::to_owned)).collect();
        assert_eq!(evaluated.any_missing(), blames.iter().any(Option::is_some));
        blames
    }

    #[test]
    fn the_first_missing_source_is_blamed() {
        let expected = [Some("y"), Some("log(x)"), Some("x"), Some("f"), Some("log(x)")];
        let expected = expected.map(|name| name.map(str::to_owned));
        assert_eq!(blames("~ log(x) + y + f"), expected);
    }

    #[test]
    fn a_missing_raw_value_counts_even_if_the_atom_is_finite() {
        assert_eq!(blames("I(x^0) + exp(-y)").iter().filter(|blame| blame.is_some()).count(), 2);
        assert_eq!(blames("1"), vec![None; 5]);
    }

    #[test]
    fn removed_terms_still_need_their_columns() {
        assert_eq!(blames("x - f + f - f")[3].as_deref(), Some("f"));
    }

    #[test]
    fn columns_are_read_once_and_shared() {
        let reads = RefCell::new(Vec::new());
        let formula = Formula::parse("~ log(x) + x + I(x^2) + f + C(f) + x:f").unwrap();
        let read = |name: &str| {
            reads.borrow_mut().push(name.to_owned());
            data(name)
        };
        let evaluated = formula.evaluate(5, &read).unwrap();
        assert_eq!(*reads.borrow(), ["x", "f"]);
        assert!(Arc::ptr_eq(&evaluated.atoms[3], &evaluated.atoms[4]));
        assert!(evaluated.atoms.iter().all(|atom| Arc::strong_count(atom) <= 2));
    }

    #[test]
    fn what_cannot_be_evaluated() {
        let error = |text: &str, rows: usize| {
            let formula = Formula::parse(text).unwrap();
            formula.evaluate(rows, &data).unwrap_err().to_string()
        };
        let found = error("log(f)", 5);
        assert!(found.contains("column `f` (covariate in arithmetic)"), "{found}");
        let found = error("x", 6);
        assert!(found.contains("column `x` has 5 rows where 6 are needed"), "{found}");
    }

    #[test]
    fn a_continuous_column_is_no_categorical() {
        let rows = MAX_LEVELS + 1;
        let values: Vec<f64> = (0..rows).map(|i| i as f64).collect();
        let column = |_: &str| Ok(RawColumn::Numeric(values.clone().into()));
        let formula = Formula::parse("C(income)").unwrap();
        let found = formula.evaluate(rows, &column).unwrap_err().to_string();
        assert!(found.contains("`income`") && found.contains("without `C()`"), "{found}");
    }
}
