//! Units, and their rows by period.

use rayon::prelude::*;

use crate::read::columns::{Codes, LabelColumn, PeriodCodes};

/// Units whose rows one task looks at.
pub(super) const UNITS: usize = 16_384;

/// Units and their rows.
pub(super) struct Units {
    pub labels: LabelColumn,
    pub order: UnitOrder,
}

impl Units {
    /// Label of a unit.
    pub fn label(&self, unit: usize) -> String {
        let first = self.order.range(unit).start;
        self.labels.text(self.order.row(first))
    }
}

/// Usable rows (unit, period and group known) grouped by unit, in ascending period within each unit.
pub(super) struct UnitOrder {
    /// Start of each unit's rows; one more entry than units.
    pub starts: Vec<u32>,
    /// Rows in order; `None` if that is the order of the data frame.
    rows: Option<Vec<u32>>,
}

impl UnitOrder {
    /// In one look at the rows if they are in order already, else by a counting sort.
    pub fn new(labels: &LabelColumn, time: &PeriodCodes, group: &PeriodCodes) -> (Self, Vec<u32>) {
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

    /// Counting sort by unit. Every task scans all codes for the units of its own range, so that it writes to a part of the
    /// order of its own.
    fn sort(codes: &[u32], units: usize, usable: impl Fn(usize) -> bool + Sync) -> Self {
        let each = units.div_ceil(rayon::current_num_threads()).max(1);
        let rows_of = |first: usize, units: usize| {
            let usable = &usable;
            let local = move |(row, code): (u32, &u32)| {
                let unit = (*code as usize).wrapping_sub(first);
                (unit < units && usable(row as usize)).then_some((row, unit))
            };
            (0u32..).zip(codes).filter_map(local)
        };
        let mut starts = vec![0u32; units + 1];
        starts[1..].par_chunks_mut(each).enumerate().for_each(|(part, counts)| {
            for (_, unit) in rows_of(part * each, counts.len()) {
                counts[unit] += 1;
            }
        });
        for u in 0..units {
            starts[u + 1] += starts[u];
        }
        let mut rows = vec![0u32; starts[units] as usize];
        let mut unassigned = rows.as_mut_slice();
        let mut parts = Vec::new();
        for first in (0..units).step_by(each) {
            let end = (first + each).min(units);
            let (part, after) = std::mem::take(&mut unassigned)
                .split_at_mut((starts[end] - starts[first]) as usize);
            parts.push((first, part));
            unassigned = after;
        }
        parts.into_par_iter().for_each(|(first, part)| {
            let end = (first + each).min(units);
            let mut next: Vec<u32> =
                starts[first..end].iter().map(|start| start - starts[first]).collect();
            for (row, unit) in rows_of(first, end - first) {
                part[next[unit] as usize] = row;
                next[unit] += 1;
            }
        });
        Self { starts, rows: Some(rows) }
    }

    fn ascending(&self, time: &PeriodCodes) -> bool {
        let code = |at: usize| time.codes[self.row(at)];
        self.par_blocks().all(|units| {
            units.into_iter().all(|u| {
                let rows = self.range(u);
                (rows.start + 1..rows.end).all(|at| code(at - 1) <= code(at))
            })
        })
    }

    /// Sorts each unit's rows by period.
    fn sort_periods(&mut self, time: &PeriodCodes) {
        let Some(rows) = &mut self.rows else { return };
        let mut unassigned = rows.as_mut_slice();
        let mut blocks = Vec::new();
        for starts in self.starts.windows(2).collect::<Vec<_>>().chunks(UNITS) {
            let sizes: Vec<usize> = starts.iter().map(|s| (s[1] - s[0]) as usize).collect();
            let (block, after) = std::mem::take(&mut unassigned).split_at_mut(sizes.iter().sum());
            blocks.push((block, sizes));
            unassigned = after;
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
