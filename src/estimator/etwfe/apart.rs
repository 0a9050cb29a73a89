//! Whether the effects of a level of the moderator are told apart from what its rows would have without treatment.
//!
//! A slope that follows from other regressors is left out, and stands as 0 in sums. A sum that does not depend on which of them are left out
//! is found by a regression of an outcome that is made of known coefficients: it is what that regression gives back.

use polars::prelude::{Column, DataFrame};

use super::design::Design;
use super::levels::Levels;
use super::margins::Fitted;
use super::options::Etwfe;
use super::sample::Sample;
use crate::base::error::Result;
use crate::engine::backend::DidBackend;
use crate::estimator::fixed_effects::{EstimatedRegression, Family, Vcov};

/// A difference from what is known beyond this part of its size is not rounding.
const DIFFERENT: f64 = 1e-5;

/// What a part's effects add up to.
#[derive(Clone, Copy, Default)]
struct Sum {
    known: f64,
    found: f64,
    size: f64,
    /// Whether a slope was left out for another reason, as those of separated rows are.
    lost: bool,
}

impl<B: DidBackend> Etwfe<B> {
    /// Which parts, `[cells][levels]`, have an effect of their own; `None` if nothing was left out.
    pub(super) fn apart(
        &self,
        sample: &Sample,
        design: &Design,
        levels: &Levels,
        mut frame: DataFrame,
        fitted: &Fitted,
        device: &B::Device,
    ) -> Result<Option<Vec<bool>>> {
        let left_out = design.covariates.iter().zip(&fitted.of_covariates).any(|(slope, place)| {
            slope.moderates && place.is_none() && slope.values.iter().any(|value| *value != 0.0)
        });
        if !levels.are_averaged() || !left_out {
            return Ok(None);
        }
        let rows = sample.rows.len();
        let mut outcome = vec![0.0; rows];
        for (row, value) in outcome.iter_mut().enumerate() {
            *value += design.cell_of(row).map_or(0.0, coefficient);
        }
        let cells = design.cells.len();
        for (slope, known) in design.covariates.iter().zip((cells..).map(coefficient)) {
            outcome.iter_mut().zip(&slope.values).for_each(|(sum, value)| *sum += known * value);
        }
        frame.with_column(Column::new(self.outcome.as_str().into(), outcome))?;
        let mut regression = self.regression(sample);
        (regression.family, regression.vcov) = (Family::Gaussian, Vcov::Iid);
        regression.keep_influence = false;
        let EstimatedRegression { result, regressors, .. } =
            regression.fit_regressors(&frame, device, &|rows| design.regressors(rows))?;
        let mut found = vec![None; cells + design.covariates.len()];
        for (of, own) in regressors.iter().zip(&result.coefficients) {
            if let Some(of) = of {
                found[*of] = Some(own.estimate);
            }
        }
        let mut sums = vec![Sum::default(); cells * levels.len()];
        let mut slopes: Vec<Vec<usize>> = vec![Vec::new(); cells];
        for (at, slope) in design.covariates.iter().enumerate() {
            if let Some(cell) = slope.cell {
                slopes[cell].push(at);
            }
        }
        for row in 0..rows {
            let Some(cell) = design.cell_of(row) else { continue };
            let sum = &mut sums[cell * levels.len() + levels.of(row)];
            let mut add = |at: usize, value: f64, place: Option<usize>| {
                let known = coefficient(at) * value;
                sum.known += known;
                sum.found += found[at].map_or(0.0, |own| own * value);
                sum.size += known.abs();
                sum.lost |= found[at].is_some() && place.is_none() && value != 0.0;
            };
            add(cell, 1.0, fitted.of_cells[cell]);
            for at in &slopes[cell] {
                let value = design.covariates[*at].values[row];
                add(cells + at, value, fitted.of_covariates[*at]);
            }
        }
        let is_apart = |of: &Sum| !of.lost && (of.known - of.found).abs() <= DIFFERENT * of.size;
        Ok(Some(sums.iter().map(is_apart).collect()))
    }
}

/// The known coefficient of a regressor, between ½ and 1½, and no simple multiple of another's.
fn coefficient(regressor: usize) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    0.5 + ((regressor + 1) as f64 * GOLDEN).fract()
}
