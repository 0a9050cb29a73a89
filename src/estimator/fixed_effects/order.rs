//! An order of rows that does not depend on the data's.

use std::cmp::Ordering;
use std::sync::Mutex;

use rayon::slice::ParallelSliceMut;

use crate::base::buckets::{Buckets, starts};
use crate::base::parallel;

/// Rows that one task sorts, at least.
const BLOCK: usize = 1 << 14;

/// More rows of one level than this are sorted by all threads.
const LARGE: usize = 1 << 16;

/// What rows are ordered by.
pub(in crate::estimator) struct SortKeys<'a> {
    /// Codes by input row, and the number of levels, of the factor with most levels; none without factors.
    pub lead: Option<(&'a [u32], usize)>,
    /// A number that orders rows of one level as their other factors do, as far as 64 bits go.
    pub others: &'a (dyn Fn(u32) -> u64 + Sync),
    /// A number in the order of the outcome.
    pub outcome: &'a (dyn Fn(u32) -> i64 + Sync),
    /// Compares everything else in two rows; rows that are equal here are interchangeable.
    pub rest: &'a (dyn Fn(u32, u32) -> Ordering + Sync),
}

/// Sorts rows by the leading factor, the other factors, and content.
pub(in crate::estimator) fn canonical(rows: Vec<u32>, keys: &SortKeys<'_>) -> Vec<u32> {
    let Some((codes, levels)) = keys.lead else {
        let mut rows = rows;
        sort(&mut rows, keys);
        return rows;
    };
    let code = |row: &u32| codes[*row as usize];
    let Buckets { starts, items: mut placed } = if rows.is_sorted_by_key(code) {
        Buckets { starts: starts(levels, rows.iter().map(code)), items: rows }
    } else {
        Buckets::new(levels, || rows.iter().map(|row| (code(row), *row)))
    };
    let mut blocks: Vec<Mutex<(Vec<usize>, &mut [u32])>> = Vec::new();
    let (mut rest, mut sizes, mut taken) = (placed.as_mut_slice(), Vec::new(), 0);
    for level in 0..levels {
        let [start, end] = [level, level + 1].map(|level| starts[level] as usize);
        sizes.push(end - start);
        if end - taken >= BLOCK || level + 1 == levels {
            let (block, after) = rest.split_at_mut(end - taken);
            blocks.push(Mutex::new((std::mem::take(&mut sizes), block)));
            (rest, taken) = (after, end);
        }
    }
    parallel::each(blocks.len(), &|index| {
        let (sizes, block) = &mut *parallel::held(&blocks[index]);
        let mut remaining = &mut **block;
        for size in sizes.iter() {
            let (group, after) = std::mem::take(&mut remaining).split_at_mut(*size);
            sort(group, keys);
            remaining = after;
        }
    });
    drop(blocks);
    placed
}

/// Sorts rows of one level.
fn sort(rows: &mut [u32], keys: &SortKeys<'_>) {
    // In order already, as panels mostly are.
    if rows.is_sorted_by(|a, b| (keys.others)(*a) < (keys.others)(*b)) {
        return;
    }
    let key = |row: &u32| ((keys.others)(*row), (keys.outcome)(*row), *row);
    let mut keyed: Vec<(u64, i64, u32)> = rows.iter().map(key).collect();
    let before = |a: &(u64, i64, u32), b: &(u64, i64, u32)| (a.0, a.1).cmp(&(b.0, b.1));
    if !keyed.is_sorted_by(|a, b| before(a, b).is_le()) {
        if keyed.len() > LARGE {
            keyed.par_sort_unstable_by(before);
        } else {
            keyed.sort_unstable_by(before);
        }
    }
    for ties in keyed.chunk_by_mut(|a, b| before(a, b).is_eq()).filter(|ties| ties.len() > 1) {
        ties.sort_unstable_by(|a, b| (keys.rest)(a.2, b.2));
    }
    rows.iter_mut().zip(keyed).for_each(|(row, key)| *row = key.2);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_ordered_by_factors_and_content() {
        let lead = [1, 0, 1, 0, 1, 1];
        let other = [0, 1, 0, 0, 0, 0];
        let y = [2.0, 0.0, 1.0, 0.0, 1.0, 1.0];
        let x = [0, 0, 9, 0, 8, 9];
        let keys = SortKeys {
            lead: Some((&lead, 2)),
            others: &|row| other[row as usize],
            outcome: &|row| y[row as usize] as i64,
            rest: &|a, b| x[a as usize].cmp(&x[b as usize]),
        };
        let order = |rows: Vec<u32>| canonical(rows, &keys);
        for rows in [vec![0, 1, 2, 3, 4, 5], vec![5, 4, 3, 2, 1, 0]] {
            let found = order(rows);
            assert_eq!((&found[..3], found[5]), (&[3, 1, 4][..], 0));
        }
        let keys = SortKeys { lead: None, ..keys };
        assert_eq!(canonical(vec![0, 1, 2], &keys), [2, 0, 1]);
    }
}
