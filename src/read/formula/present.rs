//! Levels of factors that occur in a sample.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::BLOCK;
use super::column::RawColumn;
use super::evaluate::Evaluated;
use crate::base::parallel;
use crate::read::columns::total_order;

/// Levels of every atom that occur in a sample, in order; none for numeric atoms. Those of further rows are joined, in any
/// order of the rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Present(Vec<BTreeSet<Level>>);

/// A level, in the order of its factor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Level {
    /// What precedes the text in the order: the number, or the position in a list of its own order.
    rank: i64,
    text: String,
}

impl Evaluated {
    /// The levels that occur in these rows.
    pub(crate) fn present(&self, rows: &[u32]) -> Present {
        let levels = self.atoms.iter().zip(&self.numeric_levels).map(|(atom, numeric)| {
            let RawColumn::Factor { levels, .. } = &**atom else { return BTreeSet::new() };
            let sorted = levels.is_sorted();
            let level = |code: u32| {
                let text = levels[code as usize].clone();
                let rank = match (numeric, sorted) {
                    (true, _) => total_order(text.parse().unwrap_or(f64::NAN)),
                    (false, true) => 0,
                    (false, false) => i64::from(code),
                };
                Level { rank, text }
            };
            present_codes(atom, rows).into_iter().map(level).collect()
        });
        Present(levels.collect())
    }
}

impl Evaluated {
    /// Whether the levels of all factors in a row are among those that occur in a sample.
    pub(crate) fn known(&self, present: &Present) -> impl Fn(usize) -> bool {
        let known = |(index, atom): (usize, &Arc<RawColumn>)| {
            let RawColumn::Factor { levels, .. } = &**atom else { return None };
            let sample: BTreeSet<&str> = present.levels(index).collect();
            let known: Vec<bool> =
                levels.iter().map(|level| sample.contains(level.as_str())).collect();
            Some((Arc::clone(atom), known))
        };
        let factors: Vec<_> = self.atoms.iter().enumerate().filter_map(known).collect();
        move |row| {
            factors.iter().all(|(atom, known)| match &**atom {
                RawColumn::Factor { codes, .. } => {
                    known.get(codes[row] as usize).copied().unwrap_or(false)
                }
                RawColumn::Numeric(_) => true,
            })
        }
    }
}

impl Present {
    /// Adds the levels of further rows of the same formula's atoms.
    pub(crate) fn join(&mut self, other: Self) {
        self.0.resize(self.0.len().max(other.0.len()), BTreeSet::new());
        self.0.iter_mut().zip(other.0).for_each(|(known, more)| known.extend(more));
    }

    /// Of the atoms at some places.
    #[cfg(feature = "cluster")]
    pub(crate) fn select(&self, places: &[usize]) -> Self {
        Self(places.iter().map(|place| self.0.get(*place).cloned().unwrap_or_default()).collect())
    }

    /// Levels of an atom, in order.
    pub(super) fn levels(&self, atom: usize) -> impl Iterator<Item = &str> {
        self.0.get(atom).into_iter().flatten().map(|level| level.text.as_str())
    }
}

/// Codes that occur among the rows, in order; none for a numeric atom.
fn present_codes(atom: &RawColumn, rows: &[u32]) -> Vec<u32> {
    let RawColumn::Factor { codes, levels } = atom else { return Vec::new() };
    let seen: Vec<AtomicBool> = levels.iter().map(|_| AtomicBool::new(false)).collect();
    let blocks: Vec<&[u32]> = rows.chunks(BLOCK).collect();
    parallel::each(blocks.len(), &|block| {
        for row in blocks[block] {
            if let Some(seen) = seen.get(codes[*row as usize] as usize)
                && !seen.load(Ordering::Relaxed)
            {
                seen.store(true, Ordering::Relaxed);
            }
        }
    });
    (0..).zip(seen).filter_map(|(code, seen)| seen.into_inner().then_some(code)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::formula::Formula;

    /// Levels of the factor in two rows, which are joined in either order.
    fn joined(formula: &str, columns: [RawColumn; 2]) -> Vec<String> {
        let formula = Formula::parse(formula).unwrap();
        let [a, b] = columns.map(|column| {
            let evaluated = formula.evaluate(column.len(), &|_| Ok(column.clone())).unwrap();
            evaluated.present(&[0])
        });
        let (mut ab, mut ba) = (a.clone(), b.clone());
        ab.join(b);
        ba.join(a);
        assert_eq!(ab, ba);
        ab.levels(0).map(str::to_owned).collect()
    }

    fn factor(code: u32, levels: &[&str]) -> RawColumn {
        let levels = levels.iter().map(|level| (*level).to_owned()).collect();
        RawColumn::Factor { codes: vec![code], levels }
    }

    #[test]
    fn levels_have_the_order_of_their_factor_whatever_piece_comes_first() {
        assert_eq!(joined("~ f", [factor(0, &["b"]), factor(0, &["a"])]), ["a", "b"]);
        let grades = ["low", "high"];
        assert_eq!(joined("~ f", [factor(1, &grades), factor(0, &grades)]), grades);
        let numbers = |v: f64| RawColumn::Numeric(vec![v].into());
        assert_eq!(joined("~ C(f)", [numbers(10.0), numbers(9.0)]), ["9", "10"]);
        assert_eq!(joined("~ C(f)", [numbers(-1.0), numbers(-2.5)]), ["-2.5", "-1"]);
    }
}
