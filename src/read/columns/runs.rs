//! Columns of labels, none of them missing, whose rows are in an order that needs no sorting.

use polars::prelude::{PolarsDataType, StringType};

use crate::base::parallel;
use crate::base::spread::{halves, high};

/// Rows that one task looks at.
const PART: usize = 8_192;

/// Labels one after another.
pub(super) trait LabelSlice: Sync {
    /// A label as it is compared.
    type Label: Ord;

    fn len(&self) -> usize;

    fn label(&self, row: usize) -> Self::Label;

    /// Whether two rows have one label.
    fn same(&self, a: usize, b: usize) -> bool {
        self.label(a) == self.label(b)
    }
}

/// Numbers in the order of their keys.
pub(super) struct Keyed<'a, T, F> {
    pub values: &'a [T],
    pub key: F,
}

impl<T: Copy + Sync, K: Ord, F: Fn(T) -> K + Sync> LabelSlice for Keyed<'_, T, F> {
    type Label = K;

    fn len(&self) -> usize {
        self.values.len()
    }

    fn label(&self, row: usize) -> K {
        (self.key)(self.values[row])
    }
}

/// A piece of a column of texts.
#[derive(Clone, Copy)]
pub(super) struct TextSlice<'t>(pub &'t <StringType as PolarsDataType>::Array);

impl<'t> LabelSlice for TextSlice<'t> {
    type Label = &'t str;

    fn len(&self) -> usize {
        self.0.views().len()
    }

    fn label(&self, row: usize) -> &'t str {
        self.0.value(row)
    }

    #[inline]
    fn same(&self, a: usize, b: usize) -> bool {
        self.key(a).same(self.key(b)).unwrap_or_else(|| self.label(a) == self.label(b))
    }
}

impl<'t> TextSlice<'t> {
    /// The text of a row, if it has one.
    pub fn get(&self, row: usize) -> Option<&'t str> {
        self.0.get(row)
    }

    /// What is known of a text without reading it.
    #[inline]
    pub fn key(&self, row: usize) -> TextKey {
        let view = self.0.views()[row];
        TextKey {
            head: halves(view.length, view.prefix),
            rest: halves(view.buffer_idx, view.offset),
        }
    }
}

/// Bytes of a text that its view holds, at most.
pub(super) const SHORT: u32 = 12;

/// Length and first bytes of a text, and the rest of it if it is short; else where it is.
#[derive(Clone, Copy)]
pub(super) struct TextKey {
    head: u64,
    rest: u64,
}

impl TextKey {
    /// Whether two texts are the same; `None` if they have to be read.
    #[inline]
    pub fn same(self, other: Self) -> Option<bool> {
        if self.head != other.head {
            return Some(false);
        }
        match self.rest == other.rest {
            true => Some(true),
            false => (high(self.head) <= SHORT).then_some(false),
        }
    }
}

/// A part of a column of several pieces.
struct Part {
    piece: usize,
    /// Rows of the piece.
    start: usize,
    end: usize,
    /// Row of the column that the part starts with.
    first: usize,
}

fn parts<S: LabelSlice>(pieces: &[S]) -> Vec<Part> {
    let (mut parts, mut first) = (Vec::new(), 0);
    for (piece, labels) in pieces.iter().enumerate() {
        for start in (0..labels.len()).step_by(PART) {
            let end = labels.len().min(start + PART);
            parts.push(Part { piece, start, end, first });
            first += end - start;
        }
    }
    parts
}

/// First row of each label in a column of several pieces, and the number of rows, if the labels ascend.
pub(super) fn ascending<S: LabelSlice>(pieces: &[S]) -> Option<Vec<u32>> {
    starts(pieces, |before, now, _| before < now)
}

/// First row of each of the runs of equal labels, and the number of rows, in whatever order the labels are; `None` if most runs
/// are of one row.
pub(super) fn runs<S: LabelSlice>(pieces: &[S]) -> Option<Vec<u32>> {
    starts(pieces, |_, _, found| 5 * found <= 3 * PART)
}

/// First rows of the runs of equal labels, and the number of rows; `None` if `goes_on` is false of a label, the next one and the
/// number of runs in their part of the rows.
fn starts<S: LabelSlice>(
    pieces: &[S],
    goes_on: impl Fn(S::Label, S::Label, usize) -> bool + Sync,
) -> Option<Vec<u32>> {
    let parts = parts(pieces);
    let rows = parts.last().map_or(0, |last| last.first + last.end - last.start);
    let starts_of = |part: &Part, before: Option<&Part>| -> Option<Vec<u32>> {
        let labels = &pieces[part.piece];
        let mut starts = Vec::new();
        let row = |at: usize| u32::try_from(part.first + at - part.start).ok();
        match before {
            None => starts.push(row(part.start)?),
            Some(before) => {
                let last = pieces[before.piece].label(before.end - 1);
                let now = labels.label(part.start);
                if last != now {
                    if !goes_on(last, now, starts.len()) {
                        return None;
                    }
                    starts.push(row(part.start)?);
                }
            }
        }
        for at in part.start + 1..part.end {
            if !labels.same(at - 1, at) {
                let (before, now) = (labels.label(at - 1), labels.label(at));
                if !goes_on(before, now, starts.len()) {
                    return None;
                }
                starts.push(row(at)?);
            }
        }
        Some(starts)
    };
    let found = parallel::map_all(parts.len(), |i| {
        starts_of(&parts[i], i.checked_sub(1).map(|before| &parts[before]))
    })?;
    let mut starts = found.concat();
    starts.push(u32::try_from(rows).ok()?);
    Some(starts)
}

/// Rows after which all labels come again in the same order, and so on to the end: the units of a period, where a file has one period
/// after another.
pub(super) fn repetition<S: LabelSlice>(labels: &S) -> Option<usize> {
    let rows = labels.len();
    let parts = rows.div_ceil(PART);
    let again = |part: usize| {
        let mut rows = parallel::part(part, PART, rows);
        rows.find(|row| *row > 0 && labels.same(0, *row))
    };
    // A few parts at a time, so that not all rows are looked at where labels come again soon.
    let step = 4 * rayon::current_num_threads();
    let mut steps = (0..parts).step_by(step);
    let distance = steps.find_map(|first| {
        let found = parallel::map(step.min(parts - first), |part| again(first + part));
        found.into_iter().flatten().next()
    })?;
    if distance == 1 || !rows.is_multiple_of(distance) {
        return None;
    }
    let repeats = |part: usize| {
        let mut rows = parallel::part(part, PART, rows - distance);
        rows.all(|row| labels.same(row, row + distance))
    };
    parallel::all((rows - distance).div_ceil(PART), &repeats).then_some(distance)
}

#[cfg(test)]
mod tests {
    use polars::prelude::*;

    use super::*;

    fn keyed(values: &[i64]) -> Keyed<'_, i64, fn(i64) -> i64> {
        Keyed { values, key: |v| v }
    }

    #[test]
    fn runs_are_found_across_parts_and_pieces() {
        let long: Vec<i64> = (0..20_000).map(|i| i / 3).collect();
        for cut in [0, 1, PART, 9_000, 20_000] {
            let pieces = [keyed(&long[..cut]), keyed(&long[cut..])];
            let found = ascending(&pieces).unwrap();
            assert_eq!((found.len(), found[4_000]), (6_668, 12_000));
            assert_eq!(runs(&pieces).unwrap(), found);
        }
        let down: Vec<i64> = long.iter().map(|v| -v).collect();
        assert!(ascending(&[keyed(&down)]).is_none());
        assert_eq!(runs(&[keyed(&down)]).unwrap().len(), 6_668);
        let alone: Vec<i64> = (0..20_000).rev().collect();
        assert!(runs(&[keyed(&alone)]).is_none());
        assert_eq!(ascending(&[keyed(&[])]).unwrap(), [0]);
    }

    #[test]
    fn labels_that_come_again_in_the_same_order_are_known() {
        let mut values: Vec<i64> = (0..60_000).map(|i| i % 20_000 * 7_919 % 20_011).collect();
        assert_eq!(repetition(&keyed(&values)), Some(20_000));
        assert_eq!(repetition(&keyed(&values[..59_999])), None);
        assert_eq!(repetition(&keyed(&values[..20_000])), None);
        values.swap(45_000, 45_001);
        assert_eq!(repetition(&keyed(&values)), None);
        assert_eq!(repetition(&keyed(&[4, 4])), None);
        assert_eq!(repetition(&keyed(&[])), None);
    }

    #[test]
    fn texts_are_compared_whatever_their_length() {
        let texts = ["a", "a", "aa", "unit number 1", "unit number 1", "unit number 2", ""];
        let column = StringChunked::from_slice("id".into(), &texts);
        let slice = TextSlice(column.downcast_iter().next().unwrap());
        for (i, a) in texts.iter().enumerate() {
            for (j, b) in texts.iter().enumerate() {
                assert_eq!(slice.same(i, j), a == b, "{a} {b}");
            }
        }
        assert!(ascending(&[slice]).is_none());
        let (first, second) = (column.slice(0, 3), column.slice(3, 3));
        let pieces = [&first, &second].map(|c| TextSlice(c.downcast_iter().next().unwrap()));
        assert_eq!(ascending(&pieces).unwrap(), [0, 2, 3, 5, 6]);
    }
}
