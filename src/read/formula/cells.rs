//! Pairs of levels that occur in a sample.

use serde::{Deserialize, Serialize};

use super::ast::AtomSource;
use super::column::RawColumn;
use super::evaluate::Evaluated;
use super::levels::{PART, distinct, union};
use super::{MAX_LEVELS, problem_in};
use crate::base::error::Result;

/// Pairs of levels that occur in a sample, for each second factor of an `i()` of two, under the number of its atom. They are in the
/// order of the first factor's levels, then of the second's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cells(Vec<(usize, Vec<(String, String)>)>);

impl Evaluated {
    /// The pairs that occur in these rows.
    ///
    /// # Errors
    /// [`DidError::Formula`](crate::DidError::Formula) if there are more than 65,536 of an `i()`.
    pub(crate) fn cells(&self, rows: &[u32]) -> Result<Cells> {
        let mut cells = Vec::new();
        for (atom, of) in self.formula.atoms.iter().enumerate() {
            let AtomSource::By { of: first, .. } = of.source else { continue };
            let (
                RawColumn::Factor { codes: first_codes, levels: first_levels },
                RawColumn::Factor { codes, levels },
            ) = (&*self.atoms[first], &*self.atoms[atom])
            else {
                continue;
            };
            let parts: Vec<&[u32]> = rows.chunks(PART).collect();
            let pair = |row: &u32| (first_codes[*row as usize], codes[*row as usize]);
            let pairs = union(parts.len(), |part| distinct(parts[part].iter().map(pair)));
            let Some(pairs) = pairs else {
                let label = &self.formula.atoms[first].label;
                let problem = format!(
                    "`i({label}, {})` has more than {MAX_LEVELS} pairs of levels; absorb them as fixed effects, `| {label}^{}`",
                    of.label, of.label
                );
                return Err(problem_in(&self.formula.text, problem));
            };
            let mut pairs: Vec<(u32, u32)> = pairs.into_iter().collect();
            pairs.sort_unstable();
            let text =
                |(a, b): (u32, u32)| (first_levels[a as usize].clone(), levels[b as usize].clone());
            cells.push((atom, pairs.into_iter().map(text).collect()));
        }
        Ok(Cells(cells))
    }
}

impl Cells {
    /// The pairs of an atom, which is the second factor of an `i()` of two.
    pub(super) fn of(&self, atom: usize) -> &[(String, String)] {
        let known = self.0.iter().find(|(known, _)| *known == atom);
        known.map_or(&[], |(_, pairs)| pairs)
    }
}
