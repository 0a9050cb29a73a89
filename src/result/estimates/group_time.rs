//! Effects on groups in periods, and which estimate of a [`Joint`] is which.

use super::CellStatus;
use crate::base::calendar::Calendar;
use crate::base::options::Inference;
use crate::result::inference::Joint;

/// A cell: the effect on group `group` in period `time`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell {
    /// First treated period of the group.
    pub group: f64,
    /// Period of the cell.
    pub time: f64,
    /// Why there is or is not an estimate.
    pub status: CellStatus,
    /// Treated units (rows, for repeated cross sections).
    pub n_treated: usize,
    /// Comparison units (rows).
    pub n_control: usize,
    /// Whether the analytic standard error divides by one less than the number of independent observations, as R
    /// `triplediff` does for two periods and for combined comparison cohorts.
    pub sample_sd: bool,
}

impl Cell {
    /// Whether the group is treated in the cell's period.
    pub fn is_post(&self) -> bool {
        self.group <= self.time
    }
}

/// Effects of all cells and the groups' shares, with their joint law. Every aggregate is a function of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GroupTimeEffects {
    /// The `M` cells, group-major.
    pub cells: Vec<Cell>,
    /// First treated periods of the `G` groups, ascending.
    pub groups: Vec<f64>,
    /// Every period of the sample, ascending.
    pub periods: Vec<f64>,
    /// How periods are counted and shown.
    pub calendar: Calendar,
    /// The `M` effects followed by the `G` shares `(1/n) Σ ω_i 1{G_i = g}`; only ratios of shares matter.
    pub joint: Joint,
    /// Options of inference.
    pub inference: Inference,
}

impl GroupTimeEffects {
    /// Effect of a cell.
    pub fn att(&self, cell: usize) -> Option<f64> {
        self.joint.values[cell]
    }

    /// Cells that have an estimate, with their positions.
    pub fn estimated(&self) -> impl Iterator<Item = (usize, &Cell, f64)> {
        self.cells.iter().enumerate().filter_map(|(j, cell)| Some((j, cell, self.att(j)?)))
    }

    /// Parameter that is the share of a group.
    pub fn share_of(&self, group: f64) -> Option<usize> {
        self.groups.iter().position(|g| *g == group).map(|position| self.cells.len() + position)
    }
}
