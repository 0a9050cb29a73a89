//! Levels of `i()` that have a column, and those that the others are compared with.

use super::ast::{AtomSource, Chosen, FormulaTerm, References};
use super::column::RawColumn;
use super::design::{Coding, Indicator};
use super::evaluate::Evaluated;
use super::present::Present;
use super::problem_in;
use crate::base::error::Result;

/// Levels that a message names, at most.
const SHOWN: usize = 12;

impl Chosen {
    /// Whether a level has a dummy, but for a first one that is left out.
    pub(super) fn has(&self, level: &str) -> bool {
        let is_reference = match &self.references {
            References::Given(values) => values.iter().any(|value| value.is(level)),
            _ => false,
        };
        !is_reference && (self.keep.is_empty() || self.keep.iter().any(|value| value.is(level)))
    }
}

impl Evaluated {
    /// The two factors of a term's `i()`, if it has two.
    pub(super) fn pair_of(&self, term: &FormulaTerm) -> Option<(usize, usize)> {
        term.iter().find_map(|atom| match self.formula.atoms[*atom].source {
            AtomSource::By { of, .. } if matches!(*self.atoms[*atom], RawColumn::Factor { .. }) => {
                Some((of, *atom))
            }
            _ => None,
        })
    }

    /// Pairs of levels of an `i()` of two factors that have a column.
    pub(super) fn pairs<'a>(
        &self,
        index: usize,
        (first, by): (usize, usize),
        in_full: Option<usize>,
        present: &Present,
        cells: &'a [(String, String)],
    ) -> Result<Vec<Vec<Option<&'a str>>>> {
        let atoms = &self.formula.atoms;
        let (Some(of_first), Some(of_by)) =
            (atoms[first].source.chosen(), atoms[by].source.chosen())
        else {
            return Ok(Vec::new());
        };
        self.check_levels(first, of_first, present)?;
        self.check_levels(by, of_by, present)?;
        let skipped = match of_by.references {
            References::First => present.levels(by).next(),
            _ => None,
        };
        let has = |(a, b): &&(String, String)| {
            of_first.has(a) && of_by.has(b) && skipped != Some(b.as_str())
        };
        let cells = cells.iter().skip(self.first_of(index, of_first, in_full)).filter(has);
        Ok(cells.map(|(a, b)| vec![Some(a.as_str()), Some(b.as_str())]).collect())
    }

    /// An error if a level that the formula names does not occur.
    pub(super) fn check_levels(
        &self,
        atom: usize,
        chosen: &Chosen,
        present: &Present,
    ) -> Result<()> {
        let levels: Vec<&str> = present.levels(atom).collect();
        let references: &[_] = match &chosen.references {
            References::Given(values) => values,
            _ => &[],
        };
        let unknown = |value: &&super::ast::Value| !levels.iter().any(|level| value.is(level));
        let Some(value) = references.iter().chain(&chosen.keep).find(unknown) else {
            return Ok(());
        };
        let some: Vec<&str> = levels.iter().copied().take(SHOWN).collect();
        let ellipsis = if levels.len() > SHOWN { ", …" } else { "" };
        let problem = format!(
            "`{value}` is no level of `{}` in the sample, which has {}{ellipsis}",
            self.formula.atoms[atom].label,
            some.join(", ")
        );
        Err(problem_in(&self.formula.text, problem))
    }

    /// How many first levels, or pairs of levels, an `i()` leaves out as a reference that the formula does not name.
    ///
    /// As in R `fixest`, it is the first where nothing is said of levels, of an `i()` that stands by itself and has no numbers to be
    /// interacted with.
    pub(super) fn first_of(&self, index: usize, chosen: &Chosen, in_full: Option<usize>) -> usize {
        let automatic = chosen.references == References::Unsaid
            && in_full != Some(index)
            && self.is_automatic(&self.formula.terms[index]);
        usize::from(automatic || chosen.references == References::First)
    }

    /// The term whose `i()` has all levels in the place of a constant.
    ///
    /// As in R `fixest`, the first `i()` of a formula without a constant. Differs from it where that spans no constant, as it is
    /// interacted with numbers or names its levels: there it is the next that does, unless another factor does.
    pub(super) fn in_full(&self) -> Option<usize> {
        if self.formula.intercept {
            return None;
        }
        let terms = &self.formula.terms;
        let first = terms.iter().position(|term| self.stands_alone(term))?;
        let next = terms.iter().position(|term| self.is_automatic(term))?;
        (first == next || !terms.iter().any(|term| self.is_factor(term))).then_some(next)
    }

    /// Whether a term is one `i()` and nothing else.
    fn stands_alone(&self, term: &FormulaTerm) -> bool {
        let source = |atom: usize| &self.formula.atoms[atom].source;
        match *term.as_slice() {
            [first] => matches!(source(first), AtomSource::Indicators { .. }),
            [first, by] => matches!(source(by), AtomSource::By { of, .. } if *of == first),
            _ => false,
        }
    }

    /// Whether a term is one `i()` of factors, of whose levels the formula says nothing.
    fn is_automatic(&self, term: &FormulaTerm) -> bool {
        let is_factor = |atom: &usize| matches!(*self.atoms[*atom], RawColumn::Factor { .. });
        let is_unsaid =
            |atom: &usize| self.formula.atoms[*atom].source.chosen().is_some_and(Chosen::is_unsaid);
        self.stands_alone(term) && term.iter().all(|atom| is_factor(atom) && is_unsaid(atom))
    }

    /// Levels that have no column, for a term that is an `i()`; none if the `i()` has two factors.
    pub(super) fn references(
        &self,
        term: &FormulaTerm,
        codings: &[Coding<'_>],
        present: &Present,
    ) -> Vec<Indicator> {
        let atoms = &self.formula.atoms;
        let is_first = |atom: &usize| matches!(atoms[*atom].source, AtomSource::Indicators { .. });
        let Some(first) = term.iter().position(is_first) else { return Vec::new() };
        if self.pair_of(term).is_some() {
            return Vec::new();
        }
        let others = || term.iter().zip(codings).enumerate().filter(|(i, _)| *i != first);
        let is_numeric = |coding: &Coding<'_>| coding.levels == [[None]];
        if !others().all(|(_, (a, c))| atoms[*a].source.is_indicator() && is_numeric(c)) {
            return Vec::new();
        }
        let labels = others().map(|(_, (a, _))| atoms[*a].label.as_str());
        let of: Vec<&str> = [atoms[term[first]].label.as_str()].into_iter().chain(labels).collect();
        let has_column = |level: &str| codings[first].levels.iter().any(|l| *l == [Some(level)]);
        let without = present.levels(term[first]).filter(|level| !has_column(level));
        without.map(|level| Indicator { of: of.join(":"), level: level.to_owned() }).collect()
    }

    /// What a column of a term of one `i()` indicates.
    pub(super) fn indicator(&self, term: &FormulaTerm, name: &[String]) -> Option<Indicator> {
        let atoms = &self.formula.atoms;
        let first =
            term.iter().position(|a| matches!(atoms[*a].source, AtomSource::Indicators { .. }))?;
        if !term.iter().all(|atom| atoms[*atom].source.is_indicator()) {
            return None;
        }
        let label = &atoms[term[first]].label;
        let level = name.get(first)?.strip_prefix(label.as_str())?.strip_prefix("::")?.to_owned();
        let other_names =
            name.iter().enumerate().filter(|(i, _)| *i != first).map(|(_, n)| n.as_str());
        let of: Vec<&str> = [label.as_str()].into_iter().chain(other_names).collect();
        Some(Indicator { of: of.join(":"), level })
    }
}
