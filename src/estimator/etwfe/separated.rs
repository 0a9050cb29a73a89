//! Cohorts in periods whose effect was lost with the rows that are separated: an outcome is fitted exactly there, by no finite coefficient.

use super::design::{Cell, Design};
use super::result::SeparatedRows;
use super::sample::Sample;

/// The rows of the sample that the regression began with, and those that it used.
#[derive(Default)]
pub(super) struct RowsOfFit {
    first: Option<Vec<u32>>,
    /// Those that were used, if separated ones were left out.
    left: Option<Vec<u32>>,
}

impl RowsOfFit {
    /// Hears of rows that are about to be used; separated ones are left out one time after another.
    pub fn hear(&mut self, rows: &[u32]) {
        let heard = if self.first.is_none() { &mut self.first } else { &mut self.left };
        *heard = Some(rows.to_vec());
    }

    /// The rows that were used.
    pub fn used(&self) -> &[u32] {
        self.left.as_ref().or(self.first.as_ref()).map_or(&[], Vec::as_slice)
    }

    /// By cell, which rows that its effect needs were all left out; none if some of each were used.
    pub fn separated(&self, sample: &Sample, design: &Design) -> Vec<Option<SeparatedRows>> {
        let Some((first, left)) = self.first.as_ref().zip(self.left.as_ref()) else {
            return vec![None; design.cells.len()];
        };
        let before = Occurring::new(first, sample, design);
        let after = Occurring::new(left, sample, design);
        let lost = |before: &[bool], after: &[bool], at: usize| before[at] && !after[at];
        let of_cell = |(number, cell): (usize, &Cell)| {
            let cohort = lost(&before.untreated_cohorts, &after.untreated_cohorts, cell.cohort);
            let period = lost(&before.untreated_periods, &after.untreated_periods, cell.period);
            match cohort || period {
                true => Some(SeparatedRows::Untreated),
                false => lost(&before.cells, &after.cells, number).then_some(SeparatedRows::Own),
            }
        };
        design.cells.iter().enumerate().map(of_cell).collect()
    }
}

/// Which cohorts and periods have untreated rows, and which cells have rows.
struct Occurring {
    untreated_cohorts: Vec<bool>,
    untreated_periods: Vec<bool>,
    cells: Vec<bool>,
}

impl Occurring {
    fn new(rows: &[u32], sample: &Sample, design: &Design) -> Self {
        let mut found = Self {
            untreated_cohorts: vec![false; sample.cohorts.len()],
            untreated_periods: vec![false; sample.periods.len()],
            cells: vec![false; design.cells.len()],
        };
        for row in rows.iter().map(|row| *row as usize) {
            match design.cell_of(row) {
                Some(cell) => found.cells[cell] = true,
                None => {
                    found.untreated_cohorts[sample.cohort_of(row)] = true;
                    found.untreated_periods[sample.period_of(row)] = true;
                }
            }
        }
        found
    }
}
