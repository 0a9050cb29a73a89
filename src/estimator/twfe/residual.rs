//! What effects and controls leave of the treatment, and the coefficient (Frisch, Waugh and Lovell).

use crate::base::error::Result;
use crate::base::solve::{COLLINEAR, Spd, add_scaled, dependent_columns, dot};
use crate::engine::demean::{Column, DemeanOptions, Demeaner, Factor, OnHost};

use super::cells::Cells;

/// Weights on effects are compared to nine digits.
const TOLERANCE: f64 = 1e-13;

/// The treatment less effects and controls.
#[derive(Clone, Debug)]
pub(super) struct Residual {
    /// By cell; 0 where the regression has no row.
    pub values: Vec<f64>,
    /// The regression's weight of a cell.
    pub weight: Vec<f64>,
    pub coefficient: f64,
    /// Places of the controls that were left out because they depend on others or on the effects.
    pub dependent: Vec<usize>,
}

/// A weighted regression of an outcome on the treatment and controls, all less their effects, but for the outcome.
pub(super) struct Partial {
    pub weight: Vec<f64>,
    pub treated: Vec<f64>,
    pub controls: Vec<Vec<f64>>,
    /// Sums of squares before effects were left out: of the treatment, then of the controls.
    pub squares: Vec<f64>,
}

impl Residual {
    /// Of the regression of the outcome with effects of levels and periods, with controls of these names; `None` if the effects
    /// determine the treatment.
    ///
    /// # Errors
    /// [`DidError::NotDemeaned`](crate::DidError::NotDemeaned), and what else demeaning reports.
    pub fn of_levels(cells: &Cells, controls: &[String]) -> Result<Option<Self>> {
        let factors = [factor(&cells.level), factor(&cells.time)];
        let options = DemeanOptions { tolerance: TOLERANCE, ..DemeanOptions::default() };
        let demeaner = Demeaner::new(&factors, Some(&cells.weight), &options, &OnHost)?;
        let raw = || std::iter::once(&cells.treated).chain(&cells.controls);
        let names = std::iter::once("treatment").chain(controls.iter().map(String::as_str));
        let columns: Vec<Column<'_>> =
            names.zip(raw()).map(|(name, values)| Column { name, values }).collect();
        let mut left = demeaner.demean(&columns, None)?.residuals;
        let squares = raw().map(|values| spread(values, &cells.weight)).collect();
        let controls = left.split_off(1);
        let treated = left.pop().unwrap_or_default();
        let partial = Partial { weight: cells.weight.clone(), treated, controls, squares };
        Ok(partial.residual(&cells.outcome))
    }

    /// Of the regression of changes with effects of periods; `None` if these determine the change of the treatment.
    pub fn of_changes(cells: &Cells) -> Option<Self> {
        let change = &cells.change;
        let raw = || std::iter::once(&change.treated).chain(&change.controls);
        let periods = cells.time.iter().max().map_or(0, |last| *last as usize + 1);
        let mut left: Vec<Vec<f64>> =
            raw().map(|values| less_means(values, &change.weight, &cells.time, periods)).collect();
        let squares = raw().map(|values| spread(values, &change.weight)).collect();
        let controls = left.split_off(1);
        let treated = left.pop().unwrap_or_default();
        let partial = Partial { weight: change.weight.clone(), treated, controls, squares };
        partial.residual(&change.outcome)
    }
}

impl Partial {
    /// What controls leave of the treatment, and its coefficient; `None` if it is nothing.
    pub fn residual(self, outcome: &[f64]) -> Option<Residual> {
        let Self { weight, mut treated, controls, squares } = self;
        let product = |a: &[f64], b: &[f64]| -> f64 {
            weight.iter().zip(a.iter().zip(b)).map(|(w, (a, b))| w * a * b).sum()
        };
        let absorbed =
            |j: &usize| product(&controls[*j], &controls[*j]) <= COLLINEAR * squares[j + 1];
        let (mut dependent, free): (Vec<usize>, Vec<usize>) =
            (0..controls.len()).partition(absorbed);
        let gram = |of: &[usize]| -> Vec<f64> {
            of.iter()
                .flat_map(|i| of.iter().map(|j| product(&controls[*i], &controls[*j])))
                .collect()
        };
        let lost = dependent_columns(&gram(&free), free.len(), COLLINEAR);
        dependent.extend(lost.iter().map(|at| free[*at]));
        dependent.sort_unstable();
        let independent: Vec<usize> = free.into_iter().filter(|j| !dependent.contains(j)).collect();
        if !independent.is_empty() {
            let right: Vec<f64> =
                independent.iter().map(|j| product(&controls[*j], &treated)).collect();
            let slopes = Spd::new(&gram(&independent), independent.len())?.solve(&right);
            for (j, slope) in independent.iter().zip(slopes) {
                add_scaled(&mut treated, -slope, &controls[*j]);
            }
        }
        let left = product(&treated, &treated);
        if left.is_nan() || left <= COLLINEAR * squares[0] {
            return None;
        }
        // The outcome's mean is taken from it: the residual adds up to zero but for rounding.
        let mean = dot(&weight, outcome) / weight.iter().sum::<f64>();
        let centred: Vec<f64> = outcome.iter().map(|y| y - mean).collect();
        let coefficient = product(&treated, &centred) / left;
        for (e, _) in treated.iter_mut().zip(&weight).filter(|(_, w)| **w <= 0.0) {
            *e = 0.0;
        }
        Some(Residual { values: treated, weight, coefficient, dependent })
    }
}

/// A factor whose levels all occur.
fn factor(codes: &[u32]) -> Factor {
    let mut position = vec![u32::MAX; codes.iter().max().map_or(0, |most| *most as usize + 1)];
    for code in codes {
        position[*code as usize] = 0;
    }
    let mut levels = 0;
    for position in position.iter_mut().filter(|position| **position == 0) {
        *position = levels;
        levels += 1;
    }
    let codes = codes.iter().map(|code| position[*code as usize]).collect();
    Factor { codes, levels: levels as usize }
}

/// Weighted sum of squares around the mean.
fn spread(values: &[f64], weight: &[f64]) -> f64 {
    let mean = dot(values, weight) / weight.iter().sum::<f64>();
    values.iter().zip(weight).map(|(x, w)| w * (x - mean) * (x - mean)).sum()
}

/// Values less their weighted mean of the period; 0 where there is no weight.
fn less_means(values: &[f64], weight: &[f64], time: &[u32], periods: usize) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); periods];
    for (t, (x, w)) in time.iter().zip(values.iter().zip(weight)) {
        let (sum, all) = &mut sums[*t as usize];
        *sum += w * x;
        *all += w;
    }
    let rows = time.iter().zip(values.iter().zip(weight));
    rows.map(|(t, (x, w))| {
        let (sum, all) = sums[*t as usize];
        if *w > 0.0 { x - sum / all } else { 0.0 }
    })
    .collect()
}
