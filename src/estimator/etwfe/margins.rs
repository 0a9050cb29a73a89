//! Effects of rows, and of cells with their derivatives in the coefficients, by level of the moderator.

use statrs::distribution::{Continuous, ContinuousCDF, Normal};

use super::design::Design;
use super::levels::Levels;
use super::options::EtwfeScale;
use crate::estimator::fixed_effects::Family;

/// Coefficients by regressor; none where one was left out.
pub(super) struct Fitted {
    pub family: Family,
    pub scale: EtwfeScale,
    /// The number of each cell's coefficient among the estimated ones.
    pub of_cells: Vec<Option<usize>>,
    /// The number of each covariate's.
    pub of_covariates: Vec<Option<usize>>,
    /// The estimated coefficients, with the constant.
    pub coefficients: Vec<f64>,
    /// The number of the constant among them.
    pub constant: Option<usize>,
}

/// Sums over the rows of a level of the moderator in a cell.
#[derive(Clone, Debug)]
pub(super) struct CellSums {
    pub rows: usize,
    pub weight: f64,
    /// Of weights times effects.
    pub effect: f64,
    /// Of weights times derivatives of effects in the coefficients.
    pub derivatives: Vec<f64>,
    /// Whether the effect has a coefficient.
    pub estimated: bool,
}

/// Sums, and the effect of each row.
pub(super) struct Margins {
    /// `[cells][levels]`.
    pub sums: Vec<CellSums>,
    /// How many levels there are, one at least.
    pub levels: usize,
    /// 0 for rows without an effect.
    pub effects: Vec<f64>,
}

impl Margins {
    /// Rows of a cell.
    pub fn rows_of(&self, cell: usize) -> usize {
        let own = &self.sums[cell * self.levels..(cell + 1) * self.levels];
        own.iter().map(|sums| sums.rows).sum()
    }
}

impl Fitted {
    /// Of all rows, with these weights in averages.
    pub fn margins(
        &self,
        design: &Design,
        levels: &Levels,
        weights: &dyn Fn(usize) -> f64,
    ) -> Margins {
        let k = self.coefficients.len();
        let empty = |cell: usize| CellSums {
            rows: 0,
            weight: 0.0,
            effect: 0.0,
            derivatives: vec![0.0; k],
            estimated: self.of_cells[cell].is_some(),
        };
        let of_level = levels.len();
        let mut all: Vec<CellSums> =
            (0..design.cells.len() * of_level).map(|at| empty(at / of_level)).collect();
        let mut effects = vec![0.0; design.cell_of.len()];
        // With their coefficients.
        let with_place = |of: Vec<usize>| -> Vec<(usize, usize)> {
            of.into_iter().filter_map(|at| Some((at, self.of_covariates[at]?))).collect()
        };
        let slopes: Vec<Vec<(usize, usize)>> =
            design.slopes_of_cells().into_iter().map(with_place).collect();
        for (row, effect) in effects.iter_mut().enumerate() {
            let Some(cell) = design.cell_of(row) else { continue };
            let weight = weights(row);
            let sums = &mut all[levels.part(cell, row)];
            sums.rows += 1;
            sums.weight += weight;
            // What the effect has in the row: the regressors of the cell by their coefficients.
            let of_slopes =
                slopes[cell].iter().map(|(at, place)| (design.covariates[*at].values[row], *place));
            let own = self.of_cells[cell].map(|place| (1.0, place)).into_iter().chain(of_slopes);
            let shift: f64 = own.clone().map(|(x, place)| self.coefficients[place] * x).sum();
            *effect = match self.family.is_linear() || self.scale == EtwfeScale::Link {
                true => {
                    own.for_each(|(x, place)| sums.derivatives[place] += weight * x);
                    shift
                }
                false => self.nonlinear(design, row, shift, own, weight, sums),
            };
            sums.effect += weight * *effect;
        }
        Margins { sums: all, levels: of_level, effects }
    }

    /// The difference of means with and without treatment, whose derivatives are added.
    fn nonlinear(
        &self,
        design: &Design,
        row: usize,
        shift: f64,
        own: impl Iterator<Item = (f64, usize)>,
        weight: f64,
        sums: &mut CellSums,
    ) -> f64 {
        let constant = self.constant.map_or(0.0, |at| self.coefficients[at]);
        let covariates = design.covariates.iter().zip(&self.of_covariates);
        let covariates = covariates.filter_map(|(x, place)| Some((x.values[row], (*place)?)));
        let of_cell = design.cell_of(row).and_then(|cell| self.of_cells[cell]);
        let index = of_cell.map(|place| (1.0, place)).into_iter().chain(covariates);
        let with: f64 =
            constant + index.clone().map(|(x, at)| x * self.coefficients[at]).sum::<f64>();
        let [(mean, slope), (mean_without, slope_without)] =
            [with, with - shift].map(|index| mean_and_slope(self.family, index));
        for (x, place) in index {
            sums.derivatives[place] += weight * (slope - slope_without) * x;
        }
        if let Some(at) = self.constant {
            sums.derivatives[at] += weight * (slope - slope_without);
        }
        // The regressors of the effect are 0 without treatment.
        for (x, place) in own {
            sums.derivatives[place] += weight * slope_without * x;
        }
        mean - mean_without
    }
}

/// The mean of an index, and its derivative.
fn mean_and_slope(family: Family, index: f64) -> (f64, f64) {
    match family {
        Family::Gaussian => (index, 1.0),
        Family::Poisson => (index.exp(), index.exp()),
        Family::Logit => {
            let mean = 1.0 / (1.0 + (-index).exp());
            (mean, mean * (1.0 - mean))
        }
        Family::Probit => {
            let normal = Normal::standard();
            (normal.cdf(index), normal.pdf(index))
        }
    }
}
