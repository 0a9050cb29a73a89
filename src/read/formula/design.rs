//! Columns of the design for the estimation sample.

use std::sync::Arc;

use super::ast::FormulaTerm;
use super::cells::Cells;
use super::column::RawColumn;
use super::evaluate::Evaluated;
use super::present::Present;
use super::{BLOCK, MAX_LEVELS, problem_in};
use crate::base::error::Result;

/// Names and contents of the columns of a design; cheap to clone, and read from many threads at once.
#[derive(Clone, Debug)]
pub(crate) struct Design {
    names: Vec<String>,
    columns: Vec<Product>,
    /// Columns of an `i()` alone, and what they indicate.
    indicators: Vec<Option<Indicator>>,
    /// Levels of an `i()` that occur and have no column.
    references: Vec<Indicator>,
    /// Terms without any level left.
    without: Vec<String>,
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

/// What a term has of its atoms: levels of one, or of the two factors of an `i()` together.
pub(super) struct Coding<'a> {
    pub atoms: Vec<usize>,
    pub levels: Vec<Vec<Option<&'a str>>>,
}

impl<'a> Coding<'a> {
    fn of(atoms: &[usize], levels: Vec<Option<&'a str>>) -> Self {
        Self {
            atoms: atoms.to_vec(),
            levels: levels.into_iter().map(|level| vec![level]).collect(),
        }
    }
}

/// Code of a level that no row has.
const ABSENT: u32 = u32::MAX - 1;

impl Evaluated {
    /// Columns of a formula without an `i()` of two factors; see [`design_in`](Self::design_in).
    ///
    /// # Errors
    /// As there.
    pub(crate) fn design(&self, present: &Present) -> Result<Design> {
        self.design_in(present, &Cells::default())
    }

    /// Columns for a sample with these levels and pairs of levels, in R's order: levels absent from the sample have none.
    ///
    /// A factor is coded by contrasts against its first level present, or by all its dummies where R's rule of marginality
    /// asks for them; so a factor of one level has no column in the first case.
    ///
    /// # Errors
    /// [`DidError::Formula`](crate::DidError::Formula) if there are more than 65,536 columns.
    pub(crate) fn design_in(&self, present: &Present, cells: &Cells) -> Result<Design> {
        let mut design = Design {
            names: vec![],
            columns: vec![],
            indicators: vec![],
            references: vec![],
            without: vec![],
            atoms: self.atoms.clone(),
        };
        if self.formula.intercept {
            design.names.push("(Intercept)".to_owned());
            design.columns.push(Product::default());
            design.indicators.push(None);
        }
        let in_full = self.in_full();
        for index in 0..self.formula.terms.len() {
            self.add_term(index, in_full, present, cells, &mut design)?;
        }
        Ok(design)
    }

    /// Appends a term's columns, the first atom varying fastest, but for the pairs of an `i()` of two factors.
    fn add_term(
        &self,
        index: usize,
        in_full: Option<usize>,
        present: &Present,
        cells: &Cells,
        design: &mut Design,
    ) -> Result<()> {
        let term = &self.formula.terms[index];
        let codings: Vec<Coding<'_>> = match self.pair_of(term) {
            None => {
                let coding = |atom: &usize| {
                    Ok(Coding::of(&[*atom], self.levels(index, *atom, in_full, present)?))
                };
                term.iter().map(coding).collect::<Result<_>>()?
            }
            Some((first, by)) => {
                let pairs = self.pairs(index, (first, by), in_full, present, cells.of(by))?;
                let coding = |atom: &usize| match *atom == first {
                    true => Ok(Coding { atoms: vec![first, by], levels: pairs.clone() }),
                    false => Ok(Coding::of(&[*atom], self.levels(index, *atom, in_full, present)?)),
                };
                term.iter().filter(|atom| **atom != by).map(coding).collect::<Result<_>>()?
            }
        };
        let labels: Vec<&str> =
            term.iter().map(|atom| self.formula.atoms[*atom].label.as_str()).collect();
        if codings.iter().any(|coding| coding.levels.is_empty()) {
            design.without.push(labels.join(":"));
            return Ok(());
        }
        design.references.extend(self.references(term, &codings, present));
        let count = codings
            .iter()
            .try_fold(1_usize, |count, coding| count.checked_mul(coding.levels.len()));
        if count.is_none_or(|count| count > MAX_LEVELS - design.width().min(MAX_LEVELS)) {
            let problem = format!(
                "`{}` brings the design to more than {MAX_LEVELS} columns",
                labels.join(":")
            );
            return Err(problem_in(&self.formula.text, problem));
        }
        let mut columns = vec![(Vec::new(), Product::default())];
        for Coding { atoms, levels } in &codings {
            let extend = |levels: &Vec<Option<&str>>| {
                let extended = |column: &(Vec<String>, Product)| {
                    let parts = atoms.iter().zip(levels);
                    parts.fold(column.clone(), |c, (atom, level)| self.extended(&c, *atom, *level))
                };
                columns.iter().map(extended).collect::<Vec<_>>()
            };
            columns = levels.iter().flat_map(extend).collect();
        }
        for (name, column) in columns {
            design.indicators.push(self.indicator(term, &name));
            design.names.push(name.join(":"));
            design.columns.push(column);
        }
        Ok(())
    }

    /// Levels of an atom that have a column in a term; none as such for numbers.
    fn levels<'a>(
        &self,
        index: usize,
        atom: usize,
        in_full: Option<usize>,
        present: &'a Present,
    ) -> Result<Vec<Option<&'a str>>> {
        match &*self.atoms[atom] {
            RawColumn::Numeric(_) => Ok(vec![None]),
            RawColumn::Factor { .. } => match self.formula.atoms[atom].source.chosen() {
                Some(chosen) => {
                    self.check_levels(atom, chosen, present)?;
                    let all = present.levels(atom).skip(self.first_of(index, chosen, in_full));
                    Ok(all.filter(|level| chosen.has(level)).map(Some).collect())
                }
                None => {
                    let skip = usize::from(self.is_contrast(index, atom));
                    Ok(present.levels(atom).skip(skip).map(Some).collect())
                }
            },
        }
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
        let other_atoms: FormulaTerm =
            terms[index].iter().copied().filter(|other| *other != atom).collect();
        if !other_atoms.is_empty() {
            // Differs from R: in `0 + x + x:f` R codes f by all its dummies, which sum to x.
            return terms[..index]
                .iter()
                .any(|t| other_atoms.iter().all(|other| t.contains(other)));
        }
        self.formula.intercept || terms.iter().position(|t| self.is_factor(t)) != Some(index)
    }

    /// Whether a term is a factor alone that is not of `i()`.
    pub(super) fn is_factor(&self, term: &FormulaTerm) -> bool {
        let [atom] = term.as_slice() else { return false };
        let source = &self.formula.atoms[*atom].source;
        matches!(*self.atoms[*atom], RawColumn::Factor { .. }) && !source.is_indicator()
    }
}

impl Design {
    /// R's names, such as `(Intercept)`, `log(x)`, `regionB` and `x:regionB`.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The level that a column indicates, if it comes from an `i()` term alone.
    pub(crate) fn indicator(&self, column: usize) -> Option<&Indicator> {
        self.indicators[column].as_ref()
    }

    /// Levels of an `i()` that occur and have no column.
    pub(crate) fn references(&self) -> &[Indicator] {
        &self.references
    }

    /// Terms without a column, as no level is left that would have one.
    pub(crate) fn without(&self) -> &[String] {
        &self.without
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
