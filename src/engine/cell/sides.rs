//! What a cell compares: treated and comparison rows, and the outcome that is averaged over them.

use crate::engine::pass::Weight;
use crate::result::estimates::CellStatus;

/// What a cell has, or why it has none.
pub(crate) type CellResult<T> = Result<T, CellStatus>;

/// Rows of one stratum in a cell, with the covariates and weights that they have there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StratumRows {
    pub stratum: usize,
    /// Covariate version.
    pub x: usize,
    /// Sampling weight.
    pub w: Weight,
    /// One for rows that are observed and zero for others: the weight without sampling weights.
    pub presence: Weight,
}

/// What is averaged over the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Outcome {
    /// `y[post] - y[base]`.
    Change { post: usize, base: usize },
    /// `y[column]`.
    Level(usize),
}

impl Outcome {
    /// The outcome columns.
    pub fn columns(self) -> Vec<usize> {
        match self {
            Self::Change { post, base } => vec![post, base],
            Self::Level(column) => vec![column],
        }
    }

    /// The outcome, from a value of each outcome column.
    pub fn of(self, columns: &[f64]) -> f64 {
        match self {
            Self::Change { post, base } => columns[post] - columns[base],
            Self::Level(column) => columns[column],
        }
    }
}

/// Rows of a cell that share an outcome: all units of a panel cell, or one period of a repeated cross section.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    pub outcome: Outcome,
    pub treated: Vec<StratumRows>,
    pub control: Vec<StratumRows>,
}

/// A cell and the rows it compares.
#[derive(Clone, Debug)]
pub(crate) struct PlannedCell {
    /// Position of the treated cohort.
    pub cohort: usize,
    /// Positions of the cell's period and of the one it is compared with.
    pub time: usize,
    pub base: usize,
    /// Positions of the comparison cohorts.
    pub controls: Vec<usize>,
    pub n_treated: usize,
    pub n_control: usize,
    /// Why nothing is estimated, if that is known from counts alone.
    pub status: Option<CellStatus>,
    /// Period whose weights the cell uses, if rows of units without it are left out.
    pub incomplete_weights: Option<usize>,
    /// One side for a panel; base period and post period for rows.
    pub sides: Vec<Side>,
}

impl PlannedCell {
    /// All rows of the cell, side by side, and whether they are treated.
    pub fn rows(&self) -> impl Iterator<Item = (&StratumRows, bool)> {
        self.sides.iter().flat_map(|side| {
            let treated = side.treated.iter().map(|rows| (rows, true));
            treated.chain(side.control.iter().map(|rows| (rows, false)))
        })
    }
}
