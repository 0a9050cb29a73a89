//! Codes of labels in no order, of which equal ones are found by their hashes.

use std::hash::{BuildHasher, Hash};

use polars::prelude::PlHashMap;
use rayon::slice::ParallelSliceMut;

use super::labels::{MISSING, code};
use crate::base::parallel;
use crate::base::spread::{Spread, buckets, halves, high, low};

/// A place of a table without a label.
const EMPTY: u64 = u64::MAX;

/// Codes in the order of the labels.
pub(super) struct Grouped {
    pub codes: Vec<u32>,
    /// The first row of each label, in the order of the labels.
    pub rows: Vec<u32>,
}

/// Codes of rows whose labels are missing if they have no hash, and else compared by `same`; `order` are the positions of some
/// rows, with distinct labels, in the order of these.
///
/// Rows are spread by their hashes, so that the table of a bucket's labels stays in a core's cache.
fn grouped(
    rows: usize,
    hash: &(impl Fn(usize) -> Option<u64> + Sync),
    same: &(impl Fn(usize, usize) -> bool + Sync),
    order: impl FnOnce(&[u32]) -> Vec<u32>,
) -> Grouped {
    let buckets = buckets(rows);
    let mask = buckets as u64 - 1;
    let mut spread = Spread::new(rows, buckets, |row| {
        let hash = hash(row)?;
        let bucket = usize::try_from(hash & mask).unwrap_or(0);
        Some((bucket, halves(high(hash), code(row as u64))))
    });
    let found = spread.map(|records| number(records, same));
    let mut before = Vec::with_capacity(found.len());
    let mut labels: Vec<u32> = Vec::with_capacity(found.iter().map(Vec::len).sum());
    for first in found {
        before.push(labels.len());
        labels.extend(first);
    }
    let order = order(&labels);
    let mut rank = vec![0; labels.len()];
    for (place, label) in (0..).zip(&order) {
        rank[*label as usize] = place;
    }
    let value = |bucket: usize, record: u64| rank[before[bucket] + high(record) as usize];
    let codes = spread.by_row(rows, MISSING, value);
    Grouped { codes, rows: order.into_iter().map(|label| labels[label as usize]).collect() }
}

/// Numbers the labels of a bucket, and writes their numbers in place of the hashes; returns the first row of each.
fn number(records: &mut [&mut [u64]], same: &impl Fn(usize, usize) -> bool) -> Vec<u32> {
    let rows: usize = records.iter().map(|part| part.len()).sum();
    let mut table = vec![EMPTY; (rows + rows / 2 + 1).next_power_of_two()];
    let mask = table.len() - 1;
    let mut first: Vec<u32> = Vec::new();
    for record in records.iter_mut().flat_map(|part| part.iter_mut()) {
        let (hash, row) = (high(*record), low(*record));
        let mut at = hash as usize & mask;
        let label = loop {
            let known = table[at];
            if known == EMPTY {
                let label = code(first.len() as u64);
                table[at] = halves(hash, label);
                first.push(row);
                break label;
            }
            let label = low(known);
            if high(known) == hash && same(first[label as usize] as usize, row as usize) {
                break label;
            }
            at = (at + 1) & mask;
        };
        *record = halves(label, row);
    }
    first
}

/// Codes of numbers and the distinct numbers, ascending.
pub(super) fn of_numbers<T: Copy + Ord + Hash + Send + Sync>(
    rows: usize,
    value: &(impl Fn(usize) -> Option<T> + Sync),
) -> (Vec<u32>, Vec<T>) {
    let state = PlHashMap::<T, ()>::default();
    let hash = |row: usize| value(row).map(|v| state.hasher().hash_one(v));
    let same = |a: usize, b: usize| value(a) == value(b);
    let mut labels = Vec::new();
    let order = |rows: &[u32]| {
        let values = rows.iter().zip(0..).filter_map(|(row, at)| Some((value(*row as usize)?, at)));
        let mut sorted: Vec<(T, u32)> = values.collect();
        sorted.par_sort_unstable();
        labels = sorted.iter().map(|(value, _)| *value).collect();
        sorted.into_iter().map(|(_, at)| at).collect()
    };
    let codes = grouped(rows, &hash, &same, order).codes;
    (codes, labels)
}

/// Codes of texts; `same` compares two rows that have one.
pub(super) fn of_texts<'a>(
    rows: usize,
    text: &(impl Fn(usize) -> Option<&'a str> + Sync),
    same: &(impl Fn(usize, usize) -> bool + Sync),
) -> Grouped {
    let state = PlHashMap::<&str, ()>::default();
    let hash = |row: usize| text(row).map(|text| state.hasher().hash_one(text));
    let order =
        |rows: &[u32]| sorted(rows.len(), &|at| text(rows[at] as usize).unwrap_or_default());
    grouped(rows, &hash, same, order)
}

/// Positions of distinct texts in the order of these: by eight bytes after those that all have, and by the rest where these are
/// equal.
pub(super) fn sorted<'a>(count: usize, text: &(impl Fn(usize) -> &'a str + Sync)) -> Vec<u32> {
    const PART: usize = 4_096;
    let first = if count == 0 { "" } else { text(0) }.as_bytes();
    let parts = count.div_ceil(PART);
    let common = |part: usize| {
        let texts = parallel::part(part, PART, count).map(|at| text(at).as_bytes());
        texts.fold(first.len(), |known, text| {
            let equal = first[..known].iter().zip(text).take_while(|(a, b)| a == b);
            equal.count()
        })
    };
    let common = parallel::map(parts, common).into_iter().min().unwrap_or(0);
    let key = |at: usize| {
        let mut bytes = [0; 8];
        let rest = &text(at).as_bytes()[common..];
        let known = rest.len().min(8);
        bytes[..known].copy_from_slice(&rest[..known]);
        u64::from_be_bytes(bytes)
    };
    let mut keyed = vec![(0, 0); count];
    parallel::chunks(&mut keyed, PART, |part, keyed| {
        for (out, at) in keyed.iter_mut().zip(part * PART..) {
            *out = (key(at), code(at as u64));
        }
    });
    keyed.par_sort_unstable_by(|a, b| {
        a.0.cmp(&b.0).then_with(|| text(a.1 as usize).cmp(text(b.1 as usize)))
    });
    keyed.into_iter().map(|(_, at)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_coded_in_their_order_wherever_they_are() {
        let value = |row: usize| {
            (row % 11 != 5).then(|| (row as i64 * 7_919 % 30_011 - 15_000) * 1_000_000_007)
        };
        let rows = 100_000;
        let (codes, labels) = of_numbers(rows, &value);
        assert!(labels.is_sorted_by(|a, b| a < b));
        for (row, code) in codes.into_iter().enumerate() {
            assert_eq!((code != MISSING).then(|| labels[code as usize]), value(row));
        }
        assert_eq!(of_numbers(3, &|_| None::<i128>), (vec![MISSING; 3], Vec::new()));
    }

    #[test]
    fn equal_hashes_are_told_apart() {
        let value = |row: usize| row % 3;
        let same = |a: usize, b: usize| value(a) == value(b);
        let order = |rows: &[u32]| {
            let mut order: Vec<u32> = (0..).take(rows.len()).collect();
            order.sort_by_key(|at| std::cmp::Reverse(value(rows[*at as usize] as usize)));
            order
        };
        let found = grouped(10, &|_| Some(u64::MAX), &same, order);
        assert_eq!(found.codes, [2, 1, 0, 2, 1, 0, 2, 1, 0, 2]);
        assert_eq!(found.rows, [2, 1, 0]);
    }

    #[test]
    fn texts_are_in_the_order_of_their_bytes() {
        let mut texts: Vec<String> =
            (0..40_000).map(|i| format!("unit {}", i * i % 9_973)).collect();
        texts.extend(
            ["", "u", "unit ", "unit \0", "unit 1\0\0", "é", "unit 123456789", "unit 12345678x"]
                .map(String::from),
        );
        let text = |row: usize| (row % 7 != 2).then(|| texts[row].as_str());
        let found = of_texts(texts.len(), &text, &|a, b| texts[a] == texts[b]);
        let mut labels: Vec<&str> = (0..texts.len()).filter_map(text).collect();
        labels.sort_unstable();
        labels.dedup();
        assert!(
            found.rows.iter().map(|row| texts[*row as usize].as_str()).eq(labels.iter().copied())
        );
        for (row, code) in found.codes.into_iter().enumerate() {
            assert_eq!((code != MISSING).then(|| labels[code as usize]), text(row));
        }
    }
}
