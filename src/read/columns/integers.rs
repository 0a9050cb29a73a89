//! Codes of integers.

use super::grouped::of_numbers;
use super::labels::{Codes, Labels, MISSING, code};
use crate::base::parallel;

/// Rows that one task looks at.
const PART: usize = 8_192;

/// A code for each row, in the order of its number: by a table of all integers in between if these are not many more than the rows.
pub(crate) fn from_integers(rows: usize, value: impl Fn(usize) -> Option<i64> + Sync) -> Codes {
    let Some((min, max)) = range(rows, &value) else {
        return Codes { codes: vec![MISSING; rows], labels: Labels::Integers(Vec::new()) };
    };
    let span = max.abs_diff(min);
    if span > 4 * rows as u64 + 1024 {
        let (codes, labels) = of_numbers(rows, &value);
        return Codes { codes, labels: Labels::Integers(labels) };
    }
    let present =
        Present::new(rows, offset(span) + 1, |row| value(row).map(|v| offset(v.abs_diff(min))));
    let labels: Vec<i64> =
        (min..=max).zip(0..).filter(|(_, at)| present.has(*at)).map(|(v, _)| v).collect();
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

/// The smallest and the largest of the values that there are.
pub(super) fn range(
    rows: usize,
    value: impl Fn(usize) -> Option<i64> + Sync,
) -> Option<(i64, i64)> {
    let join = |a: (i64, i64), b: (i64, i64)| (a.0.min(b.0), a.1.max(b.1));
    let none = (i64::MAX, i64::MIN);
    let range_of = |part| {
        let values = parallel::part(part, PART, rows).filter_map(&value);
        values.map(|v| (v, v)).fold(none, join)
    };
    let found = parallel::map(rows.div_ceil(PART), range_of).into_iter().fold(none, join);
    (found.0 <= found.1).then_some(found)
}

/// Which of some places occur, a bit each.
pub(super) struct Present(Vec<u64>);

impl Present {
    /// The places of rows below `places`. Every thread has bits of its own: they would else take each other's from their caches.
    pub fn new(rows: usize, places: usize, place: impl Fn(usize) -> Option<usize> + Sync) -> Self {
        let words = places.div_ceil(64);
        // Not more bits than rows.
        let parts = (rows / words.max(1) / 2).clamp(1, rayon::current_num_threads());
        let each = rows.div_ceil(parts);
        let found = parallel::map(parts, |part| {
            let mut bits = vec![0_u64; words];
            for at in parallel::part(part, each, rows).filter_map(&place) {
                if let Some(word) = bits.get_mut(at / 64) {
                    *word |= 1 << (at % 64);
                }
            }
            bits
        });
        let join = |mut all: Vec<u64>, bits: Vec<u64>| {
            all.iter_mut().zip(bits).for_each(|(word, bits)| *word |= bits);
            all
        };
        Self(found.into_iter().reduce(join).unwrap_or_default())
    }

    /// Whether a place occurs.
    pub fn has(&self, place: usize) -> bool {
        self.0.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 == 1)
    }
}

fn offset(distance: u64) -> usize {
    usize::try_from(distance).unwrap_or(usize::MAX)
}
