//! Columns of the design for the estimation sample.

use std::sync::Arc;

use super::ast::{AtomSource, FormulaTerm, References};
use super::column::RawColumn;
use super::evaluate::Evaluated;
use super::present::Present;
use super::{BLOCK, MAX_LEVELS, problem_in};
use crate::error::Result;

/// Names and contents of the columns of a design; cheap to clone, and read from many threads at once.
#[derive(Clone, Debug)]
pub(crate) struct Design {
    names: Vec<String>,
    columns: Vec<Product>,
    /// Columns of an `i()` alone, and what they indicate.
    indicators: Vec<Option<Indicator>>,
    /// Levels of an `i()` that occur and have no column.
    references: Vec<Indicator>,
    atoms: Vec<Arc<RawColumn>>,
}

/// What a column of an `i()` indicates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Indicator {
    /// The column of the data, with what it is interacted with as in the names of coefficients.
    pub of: String,
    pub level: String,
}

/// A column as a product: of nothing (the intercept), numeric atoms and dummies of factor levels.
#[derive(Clone, Debug, Default)]
struct Product {
    numeric: Vec<usize>,
    /// Atoms and the codes of their levels.
    dummies: Vec<(usize, u32)>,
}

/// Levels that a message names, at most.
const SHOWN: usize = 12;

/// Code of a level that no row has.
const ABSENT: u32 = u32::MAX - 1;

impl Evaluated {
    /// Columns for a sample with these levels, in R's order: levels absent from the sample have none.
    ///
    /// A factor is coded by contrasts against its first level present, or by all its dummies where R's rule of marginality
    /// asks for them; so a factor of one level has no column in the first case.
    ///
    /// # Errors
    /// [`DidError::Formula`](crate::DidError::Formula) if there are more than 65,536 columns.
    pub(crate) fn design(&self, present: &Present) -> Result<Design> {
        let mut design = Design {
            names: vec![],
            columns: vec![],
            indicators: vec![],
            references: vec![],
            atoms: self.atoms.clone(),
        };
        if self.formula.intercept {
            design.names.push("(Intercept)".to_owned());
            design.columns.push(Product::default());
            design.indicators.push(None);
        }
        for index in 0..self.formula.terms.len() {
            self.add_term(index, present, &mut design)?;
        }
        Ok(design)
    }

    /// Appends a term's columns, the first atom varying fastest.
    fn add_term(&self, index: usize, present: &Present, design: &mut Design) -> Result<()> {
        let term = &self.formula.terms[index];
        let codings: Vec<Vec<Option<&str>>> = term
            .iter()
            .map(|atom| match &*self.atoms[*atom] {
                RawColumn::Numeric(_) => Ok(vec![None]),
                RawColumn::Factor { .. } if self.formula.atoms[*atom].source.is_indicator() => {
                    self.chosen(*atom, present)
                }
                RawColumn::Factor { .. } => {
                    let skip = usize::from(self.is_contrast(index, *atom));
                    Ok(present.levels(*atom).skip(skip).map(Some).collect())
                }
            })
            .collect::<Result<_>>()?;
        let labels: Vec<&str> =
            term.iter().map(|atom| self.formula.atoms[*atom].label.as_str()).collect();
        if codings.iter().any(Vec::is_empty) {
            return Ok(());
        }
        design.references.extend(self.references(term, &codings, present));
        let count =
            codings.iter().try_fold(1_usize, |count, coding| count.checked_mul(coding.len()));
        if count.is_none_or(|count| count > MAX_LEVELS - design.width().min(MAX_LEVELS)) {
            let problem = format!(
                "`{}` brings the design to more than {MAX_LEVELS} columns",
                labels.join(":")
            );
            return Err(problem_in(&self.formula.text, problem));
        }
        let mut columns = vec![(Vec::new(), Product::default())];
        for (atom, coding) in term.iter().zip(&codings) {
            let extend = |level: &Option<&str>| {
                columns.iter().map(|c| self.extended(c, *atom, *level)).collect::<Vec<_>>()
            };
            columns = coding.iter().flat_map(extend).collect();
        }
        for (name, column) in columns {
            design.indicators.push(self.indicator(term, &name, &column));
            design.names.push(name.join(":"));
            design.columns.push(column);
        }
        Ok(())
    }

    /// Levels of a factor of `i()` that have a dummy.
    fn chosen<'a>(&self, atom: usize, present: &'a Present) -> Result<Vec<Option<&'a str>>> {
        let atom_of = &self.formula.atoms[atom];
        let (AtomSource::Indicators { chosen, .. } | AtomSource::By { chosen, .. }) =
            &atom_of.source
        else {
            return Ok(Vec::new());
        };
        let levels: Vec<&str> = present.levels(atom).collect();
        let known = |value: &super::ast::Value| {
            if levels.iter().any(|level| value.is(level)) {
                return Ok(());
            }
            let some: Vec<&str> = levels.iter().copied().take(SHOWN).collect();
            let more = if levels.len() > SHOWN { ", …" } else { "" };
            let problem = format!(
                "`{value}` is no level of `{}` in the sample, which has {}{more}",
                atom_of.label,
                some.join(", ")
            );
            Err(problem_in(&self.formula.text, problem))
        };
        let references: &[_] = match &chosen.references {
            References::Given(values) => values,
            _ => &[],
        };
        references.iter().chain(&chosen.keep).try_for_each(known)?;
        let skip = usize::from(chosen.references == References::First);
        let has = |level: &&str| {
            !references.iter().any(|value| value.is(level))
                && (chosen.keep.is_empty() || chosen.keep.iter().any(|value| value.is(level)))
        };
        Ok(levels.into_iter().skip(skip).filter(has).map(Some).collect())
    }

    /// Levels without a column of a term that is an `i()`, unless this is of two factors.
    fn references(
        &self,
        term: &FormulaTerm,
        codings: &[Vec<Option<&str>>],
        present: &Present,
    ) -> Vec<Indicator> {
        let atoms = &self.formula.atoms;
        let is_first = |atom: &usize| matches!(atoms[*atom].source, AtomSource::Indicators { .. });
        let Some(first) = term.iter().position(is_first) else { return Vec::new() };
        let others = || term.iter().zip(codings).enumerate().filter(|(i, _)| *i != first);
        if !others().all(|(_, (a, c))| atoms[*a].source.is_indicator() && *c == [None]) {
            return Vec::new();
        }
        let labels = others().map(|(_, (a, _))| atoms[*a].label.as_str());
        let of: Vec<&str> = [atoms[term[first]].label.as_str()].into_iter().chain(labels).collect();
        let without = present.levels(term[first]).filter(|l| !codings[first].contains(&Some(*l)));
        without.map(|level| Indicator { of: of.join(":"), level: level.to_owned() }).collect()
    }

    /// What a column of a term of one `i()` indicates.
    fn indicator(
        &self,
        term: &FormulaTerm,
        name: &[String],
        column: &Product,
    ) -> Option<Indicator> {
        let atoms = &self.formula.atoms;
        let first =
            term.iter().position(|a| matches!(atoms[*a].source, AtomSource::Indicators { .. }))?;
        if !term.iter().all(|atom| atoms[*atom].source.is_indicator()) {
            return None;
        }
        let label = &atoms[term[first]].label;
        let level = name.get(first)?.strip_prefix(label.as_str())?.strip_prefix("::")?.to_owned();
        debug_assert!(!column.dummies.is_empty());
        let rest = name.iter().enumerate().filter(|(i, _)| *i != first).map(|(_, n)| n.as_str());
        let of: Vec<&str> = [label.as_str()].into_iter().chain(rest).collect();
        Some(Indicator { of: of.join(":"), level })
    }

    /// A column times one more atom, with the pieces of its name.
    fn extended(
        &self,
        (name, column): &(Vec<String>, Product),
        atom: usize,
        level: Option<&str>,
    ) -> (Vec<String>, Product) {
        let (mut name, mut column) = (name.clone(), column.clone());
        let label = &self.formula.atoms[atom].label;
        match (level, &*self.atoms[atom]) {
            (Some(level), RawColumn::Factor { levels, .. }) => {
                let colons = if self.formula.atoms[atom].source.is_indicator() { "::" } else { "" };
                name.push(format!("{label}{colons}{level}"));
                // A level that no row has here is the code of no row.
                let code = (0..).zip(levels).find(|(_, l)| *l == level).map(|(code, _)| code);
                column.dummies.push((atom, code.unwrap_or(ABSENT)));
            }
            _ => {
                name.push(label.clone());
                column.numeric.push(atom);
            }
        }
        (name, column)
    }

    /// Whether a factor leaves out its first level in a term: R's rule, by which the rest of the term must be empty or
    /// within an earlier term.
    fn is_contrast(&self, index: usize, atom: usize) -> bool {
        let terms = &self.formula.terms;
        let rest: FormulaTerm =
            terms[index].iter().copied().filter(|other| *other != atom).collect();
        if !rest.is_empty() {
            // Differs from R: in `0 + x + x:f` R codes f by all its dummies, which sum to x.
            return terms[..index].iter().any(|t| rest.iter().all(|other| t.contains(other)));
        }
        let is_factor = |term: &FormulaTerm| {
            term.len() == 1 && matches!(*self.atoms[term[0]], RawColumn::Factor { .. })
        };
        self.formula.intercept || terms.iter().position(is_factor) != Some(index)
    }
}

impl Design {
    /// R's names, such as `(Intercept)`, `log(x)`, `regionB` and `x:regionB`.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// What a column indicates, if it is of an `i()` and nothing else.
    pub(crate) fn indicator(&self, column: usize) -> Option<&Indicator> {
        self.indicators[column].as_ref()
    }

    /// Levels of an `i()` that occur and have no column.
    pub(crate) fn references(&self) -> &[Indicator] {
        &self.references
    }

    /// Number of columns.
    pub(crate) fn width(&self) -> usize {
        self.columns.len()
    }

    /// Columns other than the constant.
    pub(crate) fn covariates(&self) -> std::ops::Range<usize> {
        usize::from(self.names.first().is_some_and(|n| n == "(Intercept)"))..self.width()
    }

    /// Writes a column's values in the given rows to `out`, which is as long as `rows`.
    ///
    /// # Panics
    /// If the column or a row does not exist.
    pub(crate) fn fill(&self, column: usize, rows: &[u32], out: &mut [f64]) {
        debug_assert_eq!(rows.len(), out.len());
        let product = &self.columns[column];
        for (rows, out) in rows.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            self.fill_block(product, rows, out);
        }
    }

    fn fill_block(&self, product: &Product, rows: &[u32], out: &mut [f64]) {
        let mut first = true;
        for atom in &product.numeric {
            if let RawColumn::Numeric(values) = &*self.atoms[*atom] {
                let values: &[f64] = values;
                gather(first, rows, out, |row| values[row]);
                first = false;
            }
        }
        for (atom, level) in &product.dummies {
            if let RawColumn::Factor { codes, .. } = &*self.atoms[*atom] {
                gather(first, rows, out, |row| f64::from(u8::from(codes[row] == *level)));
                first = false;
            }
        }
        if first {
            out.fill(1.0);
        }
    }
}

/// Sets `out` to the rows' values, or multiplies it by them.
fn gather(first: bool, rows: &[u32], out: &mut [f64], value: impl Fn(usize) -> f64) {
    let pairs = out.iter_mut().zip(rows);
    if first {
        pairs.for_each(|(out, row)| *out = value(*row as usize));
    } else {
        pairs.for_each(|(out, row)| *out *= value(*row as usize));
    }
}
