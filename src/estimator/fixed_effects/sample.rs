//! From rows as read to the estimation sample, in canonical order.

use std::collections::BTreeMap;

use super::options::OutcomeRange;
use super::order::{SortKeys, canonical};
use super::range::check_range;
use super::reading::{Coded, RegressionRows};
use crate::base::error::{DidError, Result};
use crate::base::parallel;
use crate::engine::demean::Factor;
use crate::read::columns::total_order;

/// Rows that one task gathers.
const PART: usize = 1 << 16;

/// The rows of a regression and their factors.
pub(super) struct RegressionSample {
    /// Input rows, in the order in which everything is summed.
    pub rows: Vec<u32>,
    /// Fixed effects: only levels that occur.
    pub factors: Vec<Factor>,
    /// Clusters of each row, and their number, by factor.
    pub clusters: Vec<(Vec<u32>, usize)>,
    pub weights: Option<Vec<f64>>,
    pub outcome: Vec<f64>,
    /// What messages call the outcome.
    pub outcome_label: String,
    /// Rows left out because a level has no other.
    pub singletons: usize,
    /// Levels left out because their outcomes are all at one bound of the range.
    pub at_bounds: Vec<LevelsAtBound>,
}

/// How a sample is formed.
#[derive(Clone, Copy)]
pub(super) struct SampleRules {
    pub keep_singletons: bool,
    /// Levels whose outcomes are all at one bound of this range are left out: no finite effect fits them.
    pub range: OutcomeRange,
}

/// Levels of a factor whose outcomes all are one bound of the range.
pub(super) struct LevelsAtBound {
    /// Position of the factor.
    pub factor: usize,
    pub bound: f64,
    /// Rows that were left out with them.
    pub rows: usize,
    /// The levels' codes, each with a row that has it.
    pub levels: BTreeMap<u32, u32>,
}

/// Rows that were left out.
#[derive(Default)]
pub(super) struct Pruned {
    pub singletons: usize,
    pub at_bounds: Vec<LevelsAtBound>,
}

impl RegressionSample {
    /// Forms the sample of the usable rows, but for those that `without` says are left out; `labels` are what messages call the outcome
    /// and the weights.
    pub fn new(
        read: &RegressionRows,
        rules: SampleRules,
        without: &[u32],
        labels: (&str, &str),
    ) -> Result<Self> {
        let mut kept = read.usable.clone().unwrap_or_else(|| vec![true; read.len]);
        for row in without {
            kept[*row as usize] = false;
        }
        let Pruned { singletons, at_bounds } = pruned(read, rules, &mut kept)?;
        let rows: Vec<u32> =
            (0..).zip(&kept).filter(|(_, kept)| **kept).map(|(row, _)| row).collect();
        let factors: Vec<Dense> =
            parallel::map(read.factors.len(), |f| Dense::new(&read.factors[f], &kept));
        let rows = in_order(rows, read, &factors);
        let gathered = |dense: &Dense| gather(&rows, |row| dense.code(row));
        let of_dense = |dense: &Dense| (gathered(dense), dense.levels);
        let clusters = read.clusters.iter().map(|coded| {
            let same = factors.iter().find(|dense| dense.coded.name == coded.name);
            same.map_or_else(|| of_dense(&Dense::new(coded, &kept)), of_dense)
        });
        let weights = read.weights.as_ref().map(|w| gather(&rows, |row| w[row]));
        let values: &[f64] = &read.outcome;
        let outcome = gather(&rows, |row| values[row]);
        check_range(labels.1, weights.as_deref().unwrap_or_default())?;
        check_range(labels.0, &outcome)?;
        Ok(Self {
            clusters: clusters.collect(),
            weights,
            outcome,
            outcome_label: labels.0.to_owned(),
            factors: factors
                .iter()
                .map(|dense| Factor { codes: gathered(dense), levels: dense.levels })
                .collect(),
            rows,
            singletons,
            at_bounds,
        })
    }
}

/// Values of rows, in parallel.
pub(in crate::estimator) fn gather<T: Copy + Default + Send + Sync>(
    rows: &[u32],
    value: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let mut out = vec![T::default(); rows.len()];
    parallel::chunks(&mut out, PART, |part, out| {
        for (out, row) in out.iter_mut().zip(&rows[part * PART..]) {
            *out = value(*row as usize);
        }
    });
    out
}

/// A factor without the levels that do not occur among the kept rows.
struct Dense<'a> {
    coded: &'a Coded,
    levels: usize,
    /// The new code of each; none if all levels occur.
    new: Option<Vec<u32>>,
}

impl<'a> Dense<'a> {
    fn new(coded: &'a Coded, kept: &[bool]) -> Self {
        let most = |code: &u32| (*code != u32::MAX).then_some(*code as usize + 1);
        let total = coded.codes.iter().filter_map(most).max().unwrap_or(0);
        let mut present = vec![false; total];
        for (code, kept) in coded.codes.iter().zip(kept) {
            if *kept {
                present[*code as usize] = true;
            }
        }
        if present.iter().all(|present| *present) {
            return Self { coded, levels: total, new: None };
        }
        let mut levels = 0;
        let mut number = |present: &bool| {
            let code = if *present { levels } else { u32::MAX };
            levels += u32::from(*present);
            code
        };
        let new = present.iter().map(&mut number).collect();
        Self { coded, levels: levels as usize, new: Some(new) }
    }

    fn code(&self, row: usize) -> u32 {
        let code = self.coded.codes[row];
        self.new.as_ref().map_or(code, |new| new[code as usize])
    }
}

/// Prunes the kept rows, and says what went.
///
/// # Errors
/// [`DidError::EmptySample`] if there are none before or after.
pub(super) fn pruned(
    read: &RegressionRows,
    rules: SampleRules,
    kept: &mut [bool],
) -> Result<Pruned> {
    if !kept.contains(&true) {
        return Err(DidError::no_usable_rows(&read.missing));
    }
    let left_out = prune(read, rules, kept);
    if !kept.contains(&true) {
        return Err(DidError::EmptySample {
            after: "after levels of fixed effects with one row, or with one outcome only, were left out".into(),
            remedy: "keep singletons, or use coarser fixed effects",
        });
    }
    Ok(left_out)
}

/// Leaves out rows whose level occurs once, and levels with outcomes at one bound of the range only, until there are none; which they
/// are does not depend on the order.
fn prune(read: &RegressionRows, rules: SampleRules, kept: &mut [bool]) -> Pruned {
    let OutcomeRange { low, high } = rules.range;
    let mut pruned = Pruned::default();
    loop {
        let mut is_settled = true;
        for (position, factor) in read.factors.iter().enumerate() {
            let levels = factor
                .codes
                .iter()
                .filter(|c| **c != u32::MAX)
                .max()
                .map_or(0, |m| *m as usize + 1);
            for bound in [low, high].into_iter().filter(|bound| bound.is_finite()) {
                let mut has_other = vec![false; levels];
                for ((code, kept), row) in factor.codes.iter().zip(&*kept).zip(0..) {
                    if *kept && read.outcome[row] != bound {
                        has_other[*code as usize] = true;
                    }
                }
                let out = leave_out(factor, kept, |code| !has_other[code as usize]);
                is_settled &= out.is_empty();
                pruned.add(position, bound, out);
            }
            if !rules.keep_singletons {
                let mut counts = vec![0u8; levels];
                for (code, kept) in factor.codes.iter().zip(&*kept) {
                    if *kept {
                        let count = &mut counts[*code as usize];
                        *count = count.saturating_add(1);
                    }
                }
                if counts.contains(&1) {
                    let out = leave_out(factor, kept, |code| counts[code as usize] == 1);
                    is_settled = false;
                    pruned.singletons += out.len();
                }
            }
        }
        if is_settled {
            return pruned;
        }
    }
}

impl Pruned {
    /// Adds rows of a factor, with their codes.
    fn add(&mut self, factor: usize, bound: f64, out: Vec<(u32, u32)>) {
        if out.is_empty() {
            return;
        }
        let known = self.at_bounds.iter().position(|at| (at.factor, at.bound) == (factor, bound));
        let at = known.unwrap_or_else(|| {
            self.at_bounds.push(LevelsAtBound { factor, bound, rows: 0, levels: BTreeMap::new() });
            self.at_bounds.len() - 1
        });
        self.at_bounds[at].rows += out.len();
        self.at_bounds[at].levels.extend(out);
    }
}

/// Leaves out rows by their codes, and returns the codes and rows.
fn leave_out(factor: &Coded, kept: &mut [bool], out: impl Fn(u32) -> bool) -> Vec<(u32, u32)> {
    let mut left = Vec::new();
    for ((kept, code), row) in kept.iter_mut().zip(&factor.codes).zip(0..) {
        if *kept && out(*code) {
            *kept = false;
            left.push((*code, row));
        }
    }
    left
}

/// The first factor with most levels, by which rows are sorted first.
pub(super) fn leading(levels: impl Iterator<Item = usize>) -> Option<usize> {
    let first = |of: &(usize, usize)| (of.1, std::cmp::Reverse(of.0));
    levels.enumerate().max_by_key(first).map(|(factor, _)| factor)
}

fn in_order(rows: Vec<u32>, read: &RegressionRows, factors: &[Dense<'_>]) -> Vec<u32> {
    let lead = leading(factors.iter().map(|factor| factor.levels));
    let others: Vec<&[u32]> = factors
        .iter()
        .enumerate()
        .filter(|(index, _)| Some(*index) != lead)
        .map(|(_, factor)| factor.coded.codes.as_slice())
        .collect();
    let code = |codes: &[u32], row: u32| u64::from(codes[row as usize]);
    let others_key = |row: u32| match others.as_slice() {
        [] => 0,
        [only] => code(only, row),
        [first, second, ..] => code(first, row) << 32 | code(second, row),
    };
    let further = others.get(2..).unwrap_or_default();
    let by_other_columns = |a: u32, b: u32| {
        let (i, j) = (a as usize, b as usize);
        let factors = further.iter().map(|codes| codes[i].cmp(&codes[j]));
        let clusters = read.clusters.iter().map(|c| c.codes[i].cmp(&c.codes[j]));
        let weights = read.weights.as_ref().map(|w| w[i].total_cmp(&w[j]));
        let compared = factors.chain(clusters).chain(weights);
        compared.fold(read.regressors.compare(a, b), std::cmp::Ordering::then)
    };
    let all_levels = |lead: &Dense<'_>| lead.new.as_ref().map_or(lead.levels, Vec::len);
    let keys = SortKeys {
        lead: lead
            .map(|lead| &factors[lead])
            .map(|lead| (lead.coded.codes.as_slice(), all_levels(lead))),
        others: &others_key,
        outcome: &|row| total_order(read.outcome[row as usize]),
        rest: &by_other_columns,
    };
    canonical(rows, &keys)
}
