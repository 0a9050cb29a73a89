//! A regression of what the first stage leaves of untreated outcomes on columns of values of cells, beside the covariates.

use super::fit::{COLLINEAR, FirstStage, solved};
use super::sample::StageSample;
use super::shared::SharedDesign;
use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::estimator::fixed_effects::{Basis, Before, by_cluster, inner};

/// Coefficients of columns of values of cells.
pub(in crate::estimator) struct CellRegression {
    /// The coefficient of each column, and what clusters contribute to it; none if other columns, covariates or fixed effects determine it.
    pub coefficients: Vec<Option<(f64, Vec<f64>)>>,
    /// How many were estimated, with those of covariates.
    pub parameters: usize,
}

impl FirstStage<'_> {
    /// Regresses the residuals of untreated rows on columns of values of cells, `[columns][cells]`.
    ///
    /// # Errors
    /// Those of the normal equations, and [`crate::DidError::Memory`].
    pub fn regress_on_cells(&self, columns: &[Vec<f64>]) -> Result<CellRegression> {
        match self.shared {
            Some(shared) if self.covariates.is_empty() => self.regress_by_slot(shared, columns),
            _ => self.regress_by_row(columns),
        }
    }

    /// All rows of a slot have the same values, so that sums by slot are all that the coefficients need.
    fn regress_by_slot(
        &self,
        shared: &SharedDesign,
        columns: &[Vec<f64>],
    ) -> Result<CellRegression> {
        let (sample, design) = (self.sample, self.design());
        let of_slots = shared.project(columns)?;
        let roots: Vec<f64> = shared.untreated_weights().into_iter().map(f64::sqrt).collect();
        let scaled = |of: &Vec<f64>| of.iter().zip(&roots).map(|(x, root)| x * root).collect();
        let before: Vec<Before> =
            columns.iter().map(|column| self.before_of_cells(column)).collect();
        let basis = Basis::find(of_slots.iter().map(scaled).collect(), &before, COLLINEAR, true);
        let sums = shared.sums(design, |row| self.residuals[row]);
        let of_root = |(sum, root): (&f64, &f64)| if *root > 0.0 { sum / root } else { 0.0 };
        let scaled_sums: Vec<f64> = sums.iter().zip(&roots).map(of_root).collect();
        let (b, bread) = solved(&basis, &scaled_sums)?;
        let kept: Vec<&[f64]> = basis.kept.iter().map(|j| of_slots[*j].as_slice()).collect();
        let fitted = combined(&kept, &b, roots.len());
        let influence: Vec<Vec<f64>> = bread
            .chunks_exact(b.len().max(1))
            .map(|weights| combined(&kept, weights, roots.len()))
            .collect();
        let slots = shared.slots();
        let score = |row: usize| {
            design.regression_weight(row) * (self.residuals[row] - fitted[slots[row] as usize])
        };
        let clusters = (sample.clusters.as_slice(), sample.n_clusters);
        let psi = by_cluster(&influence, slots, score, clusters);
        Ok(CellRegression::of(&basis, b.into_iter().zip(psi), 0, columns.len()))
    }

    fn regress_by_row(&self, columns: &[Vec<f64>]) -> Result<CellRegression> {
        let (StageSample { clusters, n_clusters, .. }, design) = (self.sample, self.design());
        let covariates = self.covariates.len();
        let bytes = (columns.len() + covariates + 2) as u128 * 24 * design.rows() as u128;
        let remedy = "ask for fewer event times (`pretrends`)";
        memory::check("the regression of pre-trends", bytes, remedy)?;
        let mut of_rows: Vec<Vec<f64>> =
            self.covariates.iter().map(|of| self.weighted(of)).collect();
        let mut before: Vec<Before> = of_rows
            .iter()
            .map(|column| {
                let size = inner(column, column);
                Before { raw: size, centred: size }
            })
            .collect();
        of_rows.extend(self.weighted_cells(columns)?);
        before.extend(columns.iter().map(|column| self.before_of_cells(column)));
        let basis = Basis::find(of_rows.clone(), &before, COLLINEAR, true);
        let mut residuals = self.weighted(&self.residuals);
        let (b, bread) = solved(&basis, &residuals)?;
        for (j, b) in basis.kept.iter().zip(&b) {
            residuals.iter_mut().zip(&of_rows[*j]).for_each(|(e, x)| *e -= b * x);
        }
        let kept: Vec<&[f64]> = basis.kept.iter().map(|j| of_rows[*j].as_slice()).collect();
        let untreated = || (0..design.rows()).filter(|row| !design.treated[*row]);
        let k = b.len();
        let psi = parallel::map(k, |place| {
            let mut psi = vec![0.0; *n_clusters];
            let weights = &bread[place * k..(place + 1) * k];
            for ((at, e), row) in residuals.iter().enumerate().zip(untreated()) {
                let x: f64 = weights.iter().zip(&kept).map(|(w, column)| w * column[at]).sum();
                psi[clusters[row] as usize] += x * e;
            }
            psi
        });
        Ok(CellRegression::of(&basis, b.into_iter().zip(psi), covariates, columns.len()))
    }

    /// Columns of values of cells without the fixed effects, times the roots of the weights, of untreated rows.
    fn weighted_cells(&self, columns: &[Vec<f64>]) -> Result<Vec<Vec<f64>>> {
        if let Some(shared) = self.shared {
            let of_row = |of_slots: &Vec<f64>| {
                self.of_untreated_rows(|row| of_slots[shared.slots()[row] as usize])
            };
            return Ok(shared.project(columns)?.iter().map(of_row).collect());
        }
        let of_rows = |column: &Vec<f64>| -> Vec<f64> {
            self.sample.cell.iter().map(|cell| column[*cell as usize]).collect()
        };
        let values: Vec<Vec<f64>> = columns.iter().map(of_rows).collect();
        let named: Vec<(&str, &[f64])> =
            values.iter().map(|values| ("the indicator of a period", &values[..])).collect();
        Ok(self.project(&named)?.iter().map(|of| self.weighted(of)).collect())
    }

    /// Sums of squares of values of cells on untreated rows.
    fn before_of_cells(&self, column: &[f64]) -> Before {
        let StageSample { cells, totals, .. } = self.sample;
        let sum = |f: &dyn Fn(f64) -> f64| -> f64 {
            let untreated = (0..cells.len()).filter(|cell| !cells[*cell].is_treated());
            untreated.map(|cell| totals.weights[cell] * f(column[cell])).sum()
        };
        let mean = sum(&|value| value) / sum(&|_| 1.0);
        let centred = sum(&|value| (value - mean).powi(2));
        Before { raw: sum(&|value| value * value), centred }
    }
}

impl CellRegression {
    /// Of the columns of a basis after so many of covariates.
    fn of(
        basis: &Basis,
        estimated: impl Iterator<Item = (f64, Vec<f64>)>,
        covariates: usize,
        columns: usize,
    ) -> Self {
        let mut coefficients = vec![None; columns];
        for (j, coefficient) in basis.kept.iter().zip(estimated) {
            if let Some(at) = j.checked_sub(covariates) {
                coefficients[at] = Some(coefficient);
            }
        }
        Self { coefficients, parameters: basis.kept.len() }
    }
}

/// `Σ b_j x_j`, of columns of so many values.
fn combined(columns: &[&[f64]], b: &[f64], values: usize) -> Vec<f64> {
    let sum = |at: usize| b.iter().zip(columns).map(|(b, column)| b * column[at]).sum();
    (0..values).map(sum).collect()
}
