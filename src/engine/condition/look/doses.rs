//! Looks at the doses of treated units: their range, and counts by which any order statistic is found exactly.

use serde::{Deserialize, Serialize};

use super::Piece;
use crate::base::error::{DidError, Result};

/// Bits of a dose that a look at digits tells apart, and the number of such digits.
const BITS: u32 = 8;
pub(in crate::engine::condition) const DIGITS: u32 = u64::BITS / BITS;

/// Values of a digit.
pub(in crate::engine::condition) const VALUES: usize = 1 << BITS;

/// Which doses are looked at, and what is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct DoseLook {
    /// Version of the dose with which the units of each stratum are treated; `None` if they never are.
    pub versions: Vec<Option<usize>>,
    pub question: DoseQuestion,
}

/// What is asked of the doses of a stratum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum DoseQuestion {
    /// Their range, and the smallest of their distinct values, at most so many.
    Range { distinct: usize },
    /// Of the doses whose digits before this one are one of the prefixes (ascending), how many have which digit. A dose is
    /// positive, so the bits of doses are in the order of doses.
    Digits { digit: u32, prefixes: Vec<u64> },
}

/// What the doses of a stratum are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum DoseStat {
    Range {
        lowest: f64,
        highest: f64,
        /// Ascending.
        distinct: Vec<f64>,
    },
    /// By prefix, then digit.
    Digits(Vec<u64>),
}

impl DoseLook {
    pub fn reads(&self, stratum: usize) -> bool {
        self.versions.get(stratum).is_some_and(Option::is_some)
    }

    pub fn none(&self) -> DoseStat {
        match &self.question {
            DoseQuestion::Range { .. } => DoseStat::Range {
                lowest: f64::INFINITY,
                highest: f64::NEG_INFINITY,
                distinct: Vec::new(),
            },
            DoseQuestion::Digits { prefixes, .. } => {
                DoseStat::Digits(vec![0; prefixes.len() * VALUES])
            }
        }
    }

    /// Adds the rows of a piece.
    ///
    /// # Errors
    /// [`DidError::Engine`] if `stat` answers another question, or the stratum has no such version.
    pub fn add(&self, piece: &Piece<'_>, stat: &mut DoseStat) -> Result<()> {
        let version = self.versions.get(piece.stratum).copied().flatten();
        let doses = version.and_then(|version| piece.x().nth(version)).ok_or_else(foreign)?;
        match (&self.question, stat) {
            (
                DoseQuestion::Range { distinct: most },
                DoseStat::Range { lowest, highest, distinct },
            ) => {
                for dose in doses {
                    *lowest = lowest.min(*dose);
                    *highest = highest.max(*dose);
                    insert(distinct, *dose, *most);
                }
            }
            (DoseQuestion::Digits { digit, prefixes }, DoseStat::Digits(counts)) => {
                for dose in doses {
                    let (prefix, value) = split(*dose, *digit);
                    if let Ok(at) = prefixes.binary_search(&prefix) {
                        counts[at * VALUES + value] += 1;
                    }
                }
            }
            _ => return Err(foreign()),
        }
        Ok(())
    }

    /// Adds what was found among other rows.
    ///
    /// # Errors
    /// [`DidError::Engine`] for answers to different questions.
    pub fn merge(&self, stat: &mut DoseStat, other: &DoseStat) -> Result<()> {
        match (&self.question, stat, other) {
            (
                DoseQuestion::Range { distinct: most },
                DoseStat::Range { lowest, highest, distinct },
                DoseStat::Range { lowest: low, highest: high, distinct: more },
            ) => {
                *lowest = lowest.min(*low);
                *highest = highest.max(*high);
                for dose in more {
                    insert(distinct, *dose, *most);
                }
            }
            (DoseQuestion::Digits { .. }, DoseStat::Digits(counts), DoseStat::Digits(more))
                if counts.len() == more.len() =>
            {
                counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
            }
            _ => return Err(foreign()),
        }
        Ok(())
    }
}

/// The digits of a dose before this one, and its value there.
fn split(dose: f64, digit: u32) -> (u64, usize) {
    let bits = dose.to_bits();
    let shift = u64::BITS - BITS * (digit + 1);
    let prefix = bits.checked_shr(shift + BITS).unwrap_or(0);
    (prefix, ((bits >> shift) as usize) & (VALUES - 1))
}

/// Keeps the smallest distinct values.
fn insert(distinct: &mut Vec<f64>, dose: f64, most: usize) {
    if distinct.len() >= most && distinct.last().is_none_or(|last| dose >= *last) {
        return;
    }
    let at = distinct.partition_point(|known| *known < dose);
    if distinct.get(at) != Some(&dose) {
        distinct.insert(at, dose);
        distinct.truncate(most);
    }
}

fn foreign() -> DidError {
    DidError::Engine { problem: "a look at doses was answered by another statistic".into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::panel::StratumData;

    fn answer(question: DoseQuestion, doses: &[f64]) -> DoseStat {
        let look = DoseLook { versions: vec![None, Some(1)], question };
        assert!(!look.reads(0) && look.reads(1));
        let rows = doses.len();
        let x = [vec![0.0; rows], doses.to_vec()].concat();
        let data = StratumData { rows, x, rank: vec![0; rows], ..StratumData::default() };
        let piece = Piece { stratum: 1, first: 0, data: &data, start: 0, rows };
        let mut stat = look.none();
        look.add(&piece, &mut stat).unwrap();
        let mut twice = stat.clone();
        look.merge(&mut twice, &look.none()).unwrap();
        assert_eq!(twice, stat);
        stat
    }

    #[test]
    fn ranges_and_few_distinct_doses_are_found() {
        let stat = answer(DoseQuestion::Range { distinct: 2 }, &[0.5, 2.0, 0.25, 0.5]);
        let expected = DoseStat::Range { lowest: 0.25, highest: 2.0, distinct: vec![0.25, 0.5] };
        assert_eq!(stat, expected);
    }

    #[test]
    fn digits_are_counted_behind_their_prefix() {
        let doses = [1.0, 1.5, 3.0];
        let DoseStat::Digits(first) =
            answer(DoseQuestion::Digits { digit: 0, prefixes: vec![0] }, &doses)
        else {
            panic!("digits were asked for");
        };
        assert_eq!((first[0x3f], first[0x40]), (2, 1));
        let DoseStat::Digits(second) =
            answer(DoseQuestion::Digits { digit: 1, prefixes: vec![0x3f] }, &doses)
        else {
            panic!("digits were asked for");
        };
        assert_eq!((second[0xf0], second[0xf8], second.iter().sum::<u64>()), (1, 1, 2));
    }
}
