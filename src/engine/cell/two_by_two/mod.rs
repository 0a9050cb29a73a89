//! Two-by-two estimators: from the moments of a cell's arms to its estimate and influence.
//!
//! Notation of all formulas: `T` treated and `C` comparison rows; `w` sampling weight, `z = (1, x)` covariates, `p` propensity
//! score, `q = p / (1 - p)` its odds, 0 for trimmed rows, `v = w q`; `β` a regression of comparison rows' outcomes;
//! `H = Σ w p (1 - p) z z'` the information of the propensity score. Influence values `u` are on the unit scale,
//! `Var = Σ u²`, and are written as [`Coefficients`](super::terms::Coefficients) of the rows of each arm.

mod moments;
mod panel;
mod repeated;
mod twfe;

use super::algebra::Algebra;
use super::method::{Method, Recipe};
use super::propensity::PropensityScore;
use super::sides::{CellResult, PlannedCell};
use super::terms::CellEstimate;
use crate::result::estimates::CellStatus;

pub(super) use moments::SideMoments;

/// The estimate of a cell with one side (outcome changes of units) or two (outcome levels of rows in two periods).
///
/// # Errors
/// The status of a cell that cannot be estimated.
pub(super) fn estimate(
    algebra: &Algebra<'_>,
    recipe: &Recipe,
    cell: &PlannedCell,
    sides: &[SideMoments],
    score: Option<&PropensityScore<'_>>,
) -> CellResult<CellEstimate> {
    match sides {
        [side] => panel::estimate(algebra, recipe.method, cell, side, score),
        [base, post] if recipe.method == Method::Twfe => {
            twfe::estimate(algebra, cell, [base, post])
        }
        [base, post] => repeated::estimate(algebra, recipe, cell, [base, post], score),
        _ => Err(CellStatus::Estimator { message: "the cell has no rows".into() }),
    }
}

#[cfg(test)]
mod tests;
