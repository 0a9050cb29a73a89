//! Codes of labels in no order, of which equal ones are found by their hashes.

use std::hash::{BuildHasher, Hash};

use polars::prelude::PlHashMap;
use rayon::slice::ParallelSliceMut;

use super::labels::{MISSING, code};
use super::runs::{LabelSlice, TextKey, TextSlice};
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

/// Codes of rows whose labels are missing if they have no hash; `key` is what of a row's label is compared by `same`, beside the
/// row. `order` are the positions of some rows, with distinct labels, in the order of these.
///
/// Rows are spread by their hashes, so that the table of a bucket's labels stays in a core's cache.
fn grouped<K: Copy>(
    rows: usize,
    hash: &(impl Fn(usize) -> Option<u64> + Sync),
    key: &(impl Fn(usize) -> K + Sync),
    same: &(impl Fn((K, u32), (K, u32)) -> bool + Sync),
    order: impl FnOnce(&[u32]) -> Vec<u32>,
) -> Grouped {
    let buckets = buckets(rows);
    let mask = buckets as u64 - 1;
    let mut spread = Spread::new(rows, buckets, |row| {
        let hash = hash(row)?;
        Some((low(hash & mask), halves(high(hash), code(row as u64))))
    });
    let found = spread.map(|records| number(records, key, same));
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
fn number<K: Copy>(
    records: &mut [&mut [u64]],
    key: &impl Fn(usize) -> K,
    same: &impl Fn((K, u32), (K, u32)) -> bool,
) -> Vec<u32> {
    let rows: usize = records.iter().map(|part| part.len()).sum();
    let mut table = vec![EMPTY; (rows + rows / 2 + 1).next_power_of_two()];
    let mask = table.len() - 1;
    let mut known: Vec<(K, u32)> = Vec::new();
    let mut keys = Vec::new();
    for records in records {
        // All at once, as each is somewhere else in memory.
        keys.clear();
        keys.extend(records.iter().map(|record| key(low(*record) as usize)));
        for (record, key) in records.iter_mut().zip(&keys) {
            let (hash, row) = (high(*record), low(*record));
            let mut at = hash as usize & mask;
            let label = loop {
                let entry = table[at];
                if entry == EMPTY {
                    let label = code(known.len() as u64);
                    table[at] = halves(hash, label);
                    known.push((*key, row));
                    break label;
                }
                if high(entry) == hash && same(known[low(entry) as usize], (*key, row)) {
                    break low(entry);
                }
                at = (at + 1) & mask;
            };
            *record = halves(label, row);
        }
    }
    known.into_iter().map(|(_, row)| row).collect()
}

/// Codes of numbers and the distinct numbers, ascending.
pub(super) fn of_numbers<T: Copy + Ord + Hash + Send + Sync>(
    rows: usize,
    value: &(impl Fn(usize) -> Option<T> + Sync),
) -> (Vec<u32>, Vec<T>) {
    let state = PlHashMap::<T, ()>::default();
    let hash = |row: usize| value(row).map(|v| state.hasher().hash_one(v));
    let same = |a: (Option<T>, u32), b: (Option<T>, u32)| a.0 == b.0;
    let mut labels = Vec::new();
    let order = |rows: &[u32]| {
        let values = rows.iter().zip(0..).filter_map(|(row, at)| Some((value(*row as usize)?, at)));
        let mut sorted: Vec<(T, u32)> = values.collect();
        sorted.par_sort_unstable();
        labels = sorted.iter().map(|(value, _)| *value).collect();
        sorted.into_iter().map(|(_, at)| at).collect()
    };
    let codes = grouped(rows, &hash, value, &same, order).codes;
    (codes, labels)
}

/// Codes of texts in one piece.
pub(super) fn of_texts(texts: &TextSlice<'_>) -> Grouped {
    let state = PlHashMap::<&str, ()>::default();
    let hash = |row: usize| texts.get(row).map(|text| state.hasher().hash_one(text));
    let order =
        |rows: &[u32]| sorted(rows.len(), &|at| texts.get(rows[at] as usize).unwrap_or_default());
    let same = |a: (TextKey, u32), b: (TextKey, u32)| {
        a.0.same(b.0).unwrap_or_else(|| texts.get(a.1 as usize) == texts.get(b.1 as usize))
    };
    grouped(texts.len(), &hash, &|row| texts.key(row), &same, order)
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
    use polars::prelude::StringChunked;

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
        let same = |a: (usize, u32), b: (usize, u32)| a.0 == b.0;
        let order = |rows: &[u32]| {
            let mut order: Vec<u32> = (0..).take(rows.len()).collect();
            order.sort_by_key(|at| std::cmp::Reverse(value(rows[*at as usize] as usize)));
            order
        };
        let found = grouped(10, &|_| Some(u64::MAX), &value, &same, order);
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
        let column: StringChunked = (0..texts.len()).map(text).collect();
        let found = of_texts(&TextSlice(column.downcast_iter().next().unwrap()));
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
