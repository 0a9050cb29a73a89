//! Rows by unit and period.

use rayon::prelude::*;

use super::codes::{Codes, LabelColumn, MISSING};
use super::small::SmallCodes;

/// Units whose rows one task looks at.
pub(super) const UNITS: usize = 16_384;

/// Usable rows (unit, period and group known) grouped by unit, in ascending period within each unit.
pub(super) struct UnitOrder {
    /// Start of each unit's rows; one more entry than units.
    pub starts: Vec<u32>,
    /// Rows in order; `None` if that is the order of the data frame.
    rows: Option<Vec<u32>>,
}

impl UnitOrder {
    /// In one look at the rows if they are in order already, else by a counting sort.
    pub fn new(labels: &LabelColumn, time: &SmallCodes, group: &SmallCodes) -> (Self, Vec<u32>) {
        let usable = |row: usize| !time.is_missing(row) && !group.is_missing(row);
        if let Some(starts) = labels.runs() {
            let rows = time.codes.len();
            let all_usable = (0..rows).into_par_iter().with_min_len(UNITS).all(usable);
            let order = Self { starts, rows: None };
            if all_usable && order.ascending(time) {
                return (order, Vec::new());
            }
        }
        let Codes { codes, labels } = labels.codes();
        let mut order = Self::sort(&codes, labels.len(), usable);
        if !order.ascending(time) {
            order.sort_periods(time);
        }
        (order, codes)
    }

    /// Counting sort by unit.
    fn sort(codes: &[u32], units: usize, usable: impl Fn(usize) -> bool) -> Self {
        let mut starts = vec![0u32; units + 1];
        let rows_of = || (0u32..).zip(codes).filter(|(i, c)| **c != MISSING && usable(*i as usize));
        for (_, c) in rows_of() {
            starts[*c as usize + 1] += 1;
        }
        for u in 0..units {
            starts[u + 1] += starts[u];
        }
        let mut next = starts.clone();
        let mut rows = vec![0u32; starts[units] as usize];
        for (i, c) in rows_of() {
            let at = &mut next[*c as usize];
            rows[*at as usize] = i;
            *at += 1;
        }
        Self { starts, rows: Some(rows) }
    }

    fn ascending(&self, time: &SmallCodes) -> bool {
        let code = |at: usize| time.codes[self.row(at)];
        self.par_blocks().all(|units| {
            units.into_iter().all(|u| {
                let rows = self.range(u);
                (rows.start + 1..rows.end).all(|at| code(at - 1) <= code(at))
            })
        })
    }

    /// Sorts each unit's rows by period.
    fn sort_periods(&mut self, time: &SmallCodes) {
        let Some(rows) = &mut self.rows else { return };
        let mut rest = rows.as_mut_slice();
        let mut blocks = Vec::new();
        for starts in self.starts.windows(2).collect::<Vec<_>>().chunks(UNITS) {
            let sizes: Vec<usize> = starts.iter().map(|s| (s[1] - s[0]) as usize).collect();
            let (block, after) = std::mem::take(&mut rest).split_at_mut(sizes.iter().sum());
            blocks.push((block, sizes));
            rest = after;
        }
        blocks.into_par_iter().for_each(|(mut block, sizes)| {
            for size in sizes {
                let (unit, after) = std::mem::take(&mut block).split_at_mut(size);
                if !unit.is_sorted_by_key(|row| time.codes[*row as usize]) {
                    unit.sort_by_key(|row| time.codes[*row as usize]);
                }
                block = after;
            }
        });
    }

    /// Row at a position of the order.
    pub fn row(&self, at: usize) -> usize {
        self.rows.as_ref().map_or(at, |rows| rows[at] as usize)
    }

    /// Positions of a unit's rows.
    pub fn range(&self, unit: usize) -> std::ops::Range<usize> {
        self.starts[unit] as usize..self.starts[unit + 1] as usize
    }

    /// Rows of a unit, periods ascending.
    pub fn unit(&self, unit: usize) -> impl Iterator<Item = usize> {
        self.range(unit).map(|at| self.row(at))
    }

    /// Number of units.
    pub fn units(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether rows of a unit follow each other in the data frame.
    pub fn is_natural(&self) -> bool {
        self.rows.is_none()
    }

    /// Blocks of units.
    pub fn par_blocks(&self) -> impl IndexedParallelIterator<Item = std::ops::Range<usize>> {
        let units = self.units();
        (0..units.div_ceil(UNITS))
            .into_par_iter()
            .map(move |b| b * UNITS..((b + 1) * UNITS).min(units))
    }
}
