//! Weights of rows in targets.

use super::sample::StageSample;

/// The weights `p` of rows.
pub(in crate::estimator) enum RowWeights {
    /// By cell, times the row's own weight.
    Cells(Vec<f64>),
    /// By row.
    Rows(Vec<f64>),
}

impl RowWeights {
    /// What the rows' own weights are multiplied by, if that is the same in each cell.
    pub fn of_cells(&self) -> Option<&[f64]> {
        match self {
            Self::Cells(cells) => Some(cells),
            Self::Rows(_) => None,
        }
    }

    /// The weight of a row.
    pub fn of(&self, sample: &StageSample, row: usize) -> f64 {
        match self {
            Self::Cells(cells) => match cells[sample.cell[row] as usize] {
                0.0 => 0.0,
                cell => cell * sample.design.weight(row),
            },
            Self::Rows(rows) => rows[row],
        }
    }
}
