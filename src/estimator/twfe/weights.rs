//! The weights of a two-way coefficient on the effects of cells (de Chaisemartin and D'Haultfœuille 2020, theorems 1 and 2 and their web
//! appendix).
//!
//! With `e` the residual of the treatment `D`, `P` the weight of a cell, and the outcome's coefficient `Σ P e y / Σ P e D`, the outcome of a cell
//! enters with `c = P e`; in a regression of changes with `c = P_t e_t - P_{t+1} e_{t+1}`. Under parallel trends the weight on the effect
//! of a treated cell is `c D / Σ c D`. If effects are also stable in time, the weight is on cells whose treatment changes. It is proportional
//! to `ΔD Σ P e` over the cell's period and all after it, as `Σ P e D` of a level is `Σ ΔD_t Σ_{s≥t} P e` (Abel) where `Σ P e = 0`; in a
//! regression of changes to `P e ΔD`.
//!
//! R `TwoWayFEWeights` 2.0.4 divides the former by `Σ P` over the same periods. Effects that are stable then do not average to the
//! coefficient: of a cohort with one change, the weights of all its treated cells add up to the former and not to that.

use super::cells::Cells;
use super::options::TwfeRegression;
use super::residual::Residual;

/// Weights over shares below this, relative to the largest, are zero but for rounding.
const ZERO: f64 = 1e-10;

/// The weight on the effect of a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weighted {
    /// Place of the cell.
    pub cell: usize,
    /// Its share of treated rows, or of rows whose treatment changes.
    pub share: f64,
    /// Weight over share.
    pub ratio: f64,
    /// 0 if it is rounding.
    pub weight: f64,
}

/// Weights on all cells with a share; they add up to 1.
pub(super) fn weights(
    cells: &Cells,
    residual: &Residual,
    regression: TwfeRegression,
) -> Vec<Weighted> {
    let (mass, value) = match (regression.is_of_stable_effects(), regression.is_of_changes()) {
        (false, of_changes) => treated(cells, residual, of_changes),
        (true, true) => changing(residual, &cells.change.treated, &residual.values),
        (true, false) => {
            let over_rows = regression == TwfeRegression::FeSOfR;
            changing(residual, &switches(cells), &from_here_on(cells, residual, over_rows))
        }
    };
    let total: f64 = mass.iter().sum();
    let all: f64 = mass.iter().zip(&value).map(|(mass, value)| mass * value).sum();
    let counted = mass.iter().zip(&value).filter(|(mass, _)| **mass > 0.0);
    let least = ZERO * counted.map(|(_, value)| value.abs()).fold(0.0, f64::max);
    let weighted = |(cell, (mass, value)): (usize, (&f64, &f64))| {
        let (share, ratio) = (mass / total, value * total / all);
        let weight = if value.abs() > least { share * ratio } else { 0.0 };
        Weighted { cell, share, ratio, weight }
    };
    let has_mass = |(_, (mass, _)): &(usize, (&f64, &f64))| **mass > 0.0;
    mass.iter().zip(&value).enumerate().filter(has_mass).map(weighted).collect()
}

/// Mass of treated cells, and how an outcome enters relative to it.
fn treated(cells: &Cells, residual: &Residual, of_changes: bool) -> (Vec<f64>, Vec<f64>) {
    let weighted_residual = |cell: usize| residual.weight[cell] * residual.values[cell];
    let enters = |cell: usize| match cells.next(cell) {
        Some(next) if of_changes => weighted_residual(cell) - weighted_residual(next),
        _ => weighted_residual(cell),
    };
    let mass = cells.weight.iter().zip(&cells.treated).map(|(weight, treated)| weight * treated);
    let value = (0..cells.len()).map(|cell| enters(cell) / cells.weight[cell]);
    (mass.collect(), value.collect())
}

/// Mass of cells whose treatment changes, and a residual with the change's sign.
fn changing(residual: &Residual, changes: &[f64], of: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mass = residual.weight.iter().zip(changes).map(|(weight, change)| weight * change.abs());
    let value = of.iter().zip(changes).map(|(value, change)| change.signum() * value);
    (mass.collect(), value.collect())
}

/// The change of each cell's treatment from the last cell of its level before; 0 where there is none.
fn switches(cells: &Cells) -> Vec<f64> {
    let change = |cell: usize| match cell.checked_sub(1) {
        Some(before) if cells.level[before] == cells.level[cell] => {
            cells.treated[cell] - cells.treated[before]
        }
        _ => 0.0,
    };
    (0..cells.len()).map(change).collect()
}

/// `Σ P e` of a cell's level in its period and all after, over `P` of the cell; and over `Σ P`, as R has it.
fn from_here_on(cells: &Cells, residual: &Residual, over_rows: bool) -> Vec<f64> {
    let mut out = vec![0.0; cells.len()];
    let (mut sum, mut all) = (0.0, 0.0);
    for cell in (0..cells.len()).rev() {
        if cells.level.get(cell + 1) != Some(&cells.level[cell]) {
            (sum, all) = (0.0, 0.0);
        }
        sum += residual.weight[cell] * residual.values[cell];
        all += residual.weight[cell];
        let rows = if over_rows { all } else { 1.0 };
        out[cell] = sum / rows / residual.weight[cell];
    }
    out
}
