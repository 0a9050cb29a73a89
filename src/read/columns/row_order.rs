//! Columns of labels whose rows are in an order that files often have: sorted by label, by something else but with all rows of a label
//! together, or with all labels again and again.

use std::borrow::Cow;

use super::codes::{LabelColumn, LabelQuestion};
use super::integers::range;
use super::labels::Codes;
use super::runs::{LabelSlice, TextSlice, ascending, repetition, runs};
use super::spelled::dense_numbers;

/// Where the rows of each label are, labels ascending.
pub(crate) enum RowOrder {
    /// One after another, as the labels: first row of each label, and the number of rows.
    Ascending(Vec<u32>),
    /// As far from each other for all labels.
    Strided(StridedRows),
}

/// Rows of labels at equal distances.
pub(crate) struct StridedRows {
    /// Rows before those of each label, if rows were in the order of the labels, and the number of rows.
    pub starts: Vec<u32>,
    /// First row of each label.
    pub first: Vec<u32>,
    /// Distance from one row of a label to its next.
    pub stride: u32,
}

/// Labels that are numbers without many gaps.
pub(crate) enum DenseLabels<'a> {
    /// And the smallest.
    Integers(&'a [i64], i64, usize),
    /// Codes of so many labels, of which some may have no row.
    Codes(Cow<'a, [u32]>, usize),
}

impl DenseLabels<'_> {
    /// The place of a row's label, in the order of labels.
    pub fn place(&self, row: usize) -> usize {
        match self {
            Self::Integers(values, first, _) => {
                usize::try_from(values[row].abs_diff(*first)).unwrap_or(usize::MAX)
            }
            Self::Codes(codes, _) => codes[row] as usize,
        }
    }

    /// Places, of which some may have no label.
    pub fn places(&self) -> usize {
        match self {
            Self::Integers(_, _, places) | Self::Codes(_, places) => *places,
        }
    }
}

struct Ascending;
struct Runs;
struct Repetition;

impl LabelQuestion for Ascending {
    type Answer = Vec<u32>;

    fn answer<S: LabelSlice>(self, pieces: &[S]) -> Option<Vec<u32>> {
        ascending(pieces)
    }
}

impl LabelQuestion for Runs {
    type Answer = Vec<u32>;

    fn answer<S: LabelSlice>(self, pieces: &[S]) -> Option<Vec<u32>> {
        runs(pieces)
    }
}

impl LabelQuestion for Repetition {
    type Answer = usize;

    fn answer<S: LabelSlice>(self, pieces: &[S]) -> Option<usize> {
        let [labels] = pieces else { return None };
        repetition(labels)
    }
}

impl LabelColumn {
    /// First row of each label and the number of rows, if no label is missing and the labels ascend.
    pub fn runs(&self) -> Option<Vec<u32>> {
        self.ask(Ascending)
    }

    /// The order of the rows, if no label is missing and it is one of those that are known.
    pub fn row_order(&self) -> Option<RowOrder> {
        if let Some(starts) = self.runs() {
            return Some(RowOrder::Ascending(starts));
        }
        let column = self.in_one_piece();
        column.blocks().or_else(|| column.repeated()).map(RowOrder::Strided)
    }

    /// The labels as places, if no label is missing and they are numbers of no wider a range than there are rows, or texts that can be.
    pub fn dense(&self) -> Option<DenseLabels<'_>> {
        match self {
            Self::Integers(c) if c.null_count() == 0 => {
                let values = c.cont_slice().ok()?;
                let (min, max) = range(values.len(), |row| Some(values[row]))?;
                let last = usize::try_from(max.abs_diff(min)).ok()?;
                (last < values.len()).then(|| DenseLabels::Integers(values, min, last + 1))
            }
            Self::Categories(c) if !c.has_missing => {
                Some(DenseLabels::Codes(Cow::Borrowed(&c.codes), c.labels.len()))
            }
            Self::Texts(c) if c.null_count() == 0 => {
                let whole = c.rechunk();
                let piece = TextSlice(whole.downcast_iter().next()?);
                dense_numbers(&piece)
                    .map(|(codes, places)| DenseLabels::Codes(codes.into(), places))
            }
            _ => None,
        }
    }

    /// All rows of a label together.
    fn blocks(&self) -> Option<StridedRows> {
        let runs = self.ask(Runs)?;
        let (_, first) = runs.split_last()?;
        let Codes { codes, labels } = self.take(first)?.codes();
        if labels.len() != first.len() {
            return None;
        }
        let (mut by_label, mut starts) = (vec![0; first.len()], vec![0; runs.len()]);
        for (code, run) in codes.iter().zip(runs.windows(2)) {
            by_label[*code as usize] = run[0];
            starts[*code as usize + 1] = run[1] - run[0];
        }
        for label in 0..first.len() {
            starts[label + 1] += starts[label];
        }
        Some(StridedRows { starts, first: by_label, stride: 1 })
    }

    /// All labels in some order, and again and again in the same.
    fn repeated(&self) -> Option<StridedRows> {
        let distance = self.ask(Repetition)?;
        let stride = u32::try_from(distance).ok()?;
        let head = self.head(distance);
        let first = match head.runs() {
            Some(starts) if starts.len() == distance + 1 => (0..stride).collect(),
            _ => {
                let Codes { codes, labels } = head.codes();
                if labels.len() != distance {
                    return None;
                }
                let mut first = vec![0; distance];
                for (row, code) in (0..).zip(&codes) {
                    first[*code as usize] = row;
                }
                first
            }
        };
        let times = u32::try_from(self.rows() / distance).ok()?;
        Some(StridedRows {
            starts: (0..=stride).map(|label| label * times).collect(),
            first,
            stride,
        })
    }
}

#[cfg(test)]
mod tests {
    use polars::prelude::*;

    use super::*;

    fn order(labels: &Series) -> Option<RowOrder> {
        LabelColumn::new(&labels.clone().into_column(), "unit").unwrap().row_order()
    }

    /// Rows of each label, labels ascending, as an order says.
    fn rows(order: RowOrder) -> Vec<Vec<u32>> {
        let (starts, first, stride) = match order {
            RowOrder::Ascending(starts) => (starts.clone(), starts, 1),
            RowOrder::Strided(StridedRows { starts, first, stride }) => (starts, first, stride),
        };
        let counts = starts.windows(2).map(|s| s[1] - s[0]);
        counts.zip(first).map(|(n, first)| (0..n).map(|i| first + i * stride).collect()).collect()
    }

    /// The same labels in every type of column.
    fn columns(labels: &[i64]) -> Vec<Series> {
        let integers = Series::new("id".into(), labels);
        let texts: Vec<String> = labels.iter().map(|v| format!("unit number {v:03}")).collect();
        let texts = Series::new("id".into(), texts);
        let categories = DataType::from_categories(Categories::global());
        let mut pieces = texts.slice(0, 3);
        pieces.append(&texts.slice(3, labels.len() - 3)).unwrap();
        let mut all = vec![texts.cast(&categories).unwrap(), pieces, texts];
        for dtype in [DataType::UInt32, DataType::UInt64, DataType::Int128, DataType::Float64] {
            all.push(integers.cast(&dtype).unwrap());
        }
        all.push(integers);
        all
    }

    #[test]
    fn orders_of_files_are_known() {
        for (labels, expected) in [
            (vec![3, 3, 5, 9, 9, 9], Some(vec![vec![0, 1], vec![2], vec![3, 4, 5]])),
            (vec![9, 9, 9, 3, 3, 5], Some(vec![vec![3, 4], vec![5], vec![0, 1, 2]])),
            (vec![3, 5, 9, 3, 5, 9], Some(vec![vec![0, 3], vec![1, 4], vec![2, 5]])),
            (vec![5, 9, 3, 5, 9, 3], Some(vec![vec![2, 5], vec![0, 3], vec![1, 4]])),
            (vec![5, 9, 3, 9, 5, 3], None),
            (vec![5, 5, 5, 3, 3, 3, 5], None),
            (vec![5, 3, 5, 3, 5], None),
            (vec![9, 5, 5, 3], Some(vec![vec![3], vec![1, 2], vec![0]])),
        ] {
            for series in columns(&labels) {
                let found = order(&series).map(rows);
                assert_eq!(found, expected, "{labels:?} {}", series.dtype());
            }
        }
    }

    #[test]
    fn missing_labels_are_in_no_order() {
        let labels = Series::new("id".into(), [Some(9_i64), Some(9), None, Some(3)]);
        assert!(order(&labels).is_none());
        assert!(order(&labels.cast(&DataType::String).unwrap()).is_none());
        let categories = DataType::from_categories(Categories::global());
        let categories = labels.cast(&DataType::String).unwrap().cast(&categories).unwrap();
        assert!(order(&categories).is_none());
        assert!(order(&Series::new("id".into(), [2.0, 2.0, f64::NAN, 1.0, 1.0])).is_none());
        assert!(order(&Series::new("id".into(), [2.0, f64::INFINITY, 2.0, 1.0])).is_none());
    }
}
