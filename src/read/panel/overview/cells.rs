//! Counts and sums by group and period.

use serde::{Deserialize, Serialize};

use super::base::Pairs;
use super::sums::Sums;
use crate::base::error::{DidError, Result};

/// Cells of groups and periods times variables, at most.
const MOST: usize = 20_000_000;

/// Rows of a group in a period.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cell {
    pub rows: usize,
    /// Rows in which a unit is not treated any more.
    pub ended: usize,
    pub weight: f64,
    /// Of each number column, and then of each one's change from the period before.
    pub sums: Vec<Sums>,
    /// Of the first number column, with the base period of the group, if that was asked for.
    pub pairs: Pairs,
}

/// Cells of all groups and periods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct CellTable {
    /// Ascending, with the never-treated at infinity.
    pub groups: Vec<f64>,
    /// Ascending.
    pub periods: Vec<f64>,
    /// `[group][period]`.
    cells: Vec<Cell>,
    /// What values are less by in the sums, by variable.
    pub shifts: Vec<f64>,
}

impl CellTable {
    /// Empty cells.
    ///
    /// # Errors
    /// [`DidError::Config`] if there would be more than can be held.
    pub fn new(groups: Vec<f64>, periods: Vec<f64>, shifts: &[f64]) -> Result<Self> {
        let cells = groups.len() * periods.len();
        if cells.saturating_mul(1 + shifts.len()) > MOST {
            return Err(DidError::config(
                "covariates",
                "so few that groups × periods × columns are at most 20,000,000; count longer periods (`frequency`)",
                format!(
                    "{} groups, {} periods, {} columns",
                    groups.len(),
                    periods.len(),
                    shifts.len()
                ),
            ));
        }
        let empty = Cell { sums: vec![Sums::default(); shifts.len()], ..Cell::default() };
        Ok(Self { groups, periods, cells: vec![empty; cells], shifts: shifts.to_vec() })
    }

    /// The cell of the group and period with these numbers.
    pub fn at(&self, group: usize, period: usize) -> &Cell {
        &self.cells[group * self.periods.len() + period]
    }

    pub fn at_mut(&mut self, group: usize, period: usize) -> &mut Cell {
        &mut self.cells[group * self.periods.len() + period]
    }

    /// The weighted mean of a variable, in its own units.
    pub fn mean(&self, sums: &Sums, variable: usize) -> Option<f64> {
        sums.mean().map(|mean| mean + self.shifts[variable]).filter(|mean| mean.is_finite())
    }

    /// Leaves out periods without a row, and says whether there are any.
    pub fn drop_empty_periods(&mut self) -> bool {
        let (groups, periods) = (self.groups.len(), self.periods.len());
        let has_rows = |t: &usize| (0..groups).any(|g| self.at(g, *t).rows > 0);
        let with_rows: Vec<usize> = (0..periods).filter(has_rows).collect();
        if with_rows.len() == periods {
            return false;
        }
        let cells = (0..groups).flat_map(|g| with_rows.iter().map(move |t| (g, *t)));
        let cells = cells.map(|(g, t)| self.at(g, t).clone()).collect();
        self.periods = with_rows.iter().map(|t| self.periods[*t]).collect();
        self.cells = cells;
        true
    }

    /// Adds cells with the same shifts, of whatever groups and periods.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn merge(&mut self, other: Self) -> Result<()> {
        let union = |a: &[f64], b: &[f64]| {
            let mut all = [a, b].concat();
            all.sort_by(f64::total_cmp);
            all.dedup();
            all
        };
        if self.groups != other.groups || self.periods != other.periods {
            let groups = union(&self.groups, &other.groups);
            let periods = union(&self.periods, &other.periods);
            let wider = Self::new(groups, periods, &other.shifts)?;
            let narrow = std::mem::replace(self, wider);
            self.add(&narrow);
        }
        self.add(&other);
        Ok(())
    }

    /// Adds cells whose groups and periods are among these.
    fn add(&mut self, other: &Self) {
        let position =
            |values: &[f64], value: &f64| values.partition_point(|v| v.total_cmp(value).is_lt());
        for (g, group) in other.groups.iter().enumerate() {
            let to_group = position(&self.groups, group);
            for (t, period) in other.periods.iter().enumerate() {
                let to_period = position(&self.periods, period);
                let (from, to) = (other.at(g, t), self.at_mut(to_group, to_period));
                to.rows += from.rows;
                to.ended += from.ended;
                to.weight += from.weight;
                to.sums.iter_mut().zip(&from.sums).for_each(|(to, from)| to.merge(from));
                to.pairs.merge(&from.pairs);
            }
        }
    }
}
