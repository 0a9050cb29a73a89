//! Codes of integers.

use std::sync::atomic::{AtomicBool, Ordering};

use super::grouped::of_numbers;
use super::labels::{Codes, Labels, MISSING, code};
use crate::base::parallel;

/// Rows that one task looks at.
const PART: usize = 8_192;

/// A code for each row, in the order of its number: by a table of all integers in between if these are not many more than the rows.
pub(crate) fn from_integers(rows: usize, value: impl Fn(usize) -> Option<i64> + Sync) -> Codes {
    let parts = rows.div_ceil(PART);
    let values = |index| parallel::part(index, PART, rows).filter_map(&value);
    let join = |a: (i64, i64), b: (i64, i64)| (a.0.min(b.0), a.1.max(b.1));
    let range_of = |part| values(part).map(|v| (v, v)).fold((i64::MAX, i64::MIN), join);
    let (min, max) = parallel::map(parts, range_of).into_iter().fold((i64::MAX, i64::MIN), join);
    if min > max {
        return Codes { codes: vec![MISSING; rows], labels: Labels::Integers(Vec::new()) };
    }
    let span = max.abs_diff(min);
    if span > 4 * rows as u64 + 1024 {
        let (codes, labels) = of_numbers(rows, &value);
        return Codes { codes, labels: Labels::Integers(labels) };
    }
    let present: Vec<AtomicBool> = (0..=span).map(|_| AtomicBool::new(false)).collect();
    parallel::each(parts, &|part| {
        for v in values(part) {
            let present = &present[offset(v.abs_diff(min))];
            if !present.load(Ordering::Relaxed) {
                present.store(true, Ordering::Relaxed);
            }
        }
    });
    let present = (min..=max).zip(present);
    let labels: Vec<i64> = present.filter_map(|(v, p)| p.into_inner().then_some(v)).collect();
    let table: Vec<u32> = if labels.len() as u64 <= span {
        let mut table = vec![MISSING; offset(span) + 1];
        for (i, label) in (0u32..).zip(&labels) {
            table[offset(label.abs_diff(min))] = i;
        }
        table
    } else {
        Vec::new()
    };
    let code_of = |v: i64| match table.is_empty() {
        true => code(v.abs_diff(min)),
        false => table[offset(v.abs_diff(min))],
    };
    let mut codes = vec![0; rows];
    parallel::chunks(&mut codes, PART, |part, codes| {
        for (code, row) in codes.iter_mut().zip(parallel::part(part, PART, rows)) {
            *code = value(row).map_or(MISSING, code_of);
        }
    });
    Codes { codes, labels: Labels::Integers(labels) }
}

fn offset(distance: u64) -> usize {
    usize::try_from(distance).unwrap_or(usize::MAX)
}
