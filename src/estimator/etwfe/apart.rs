//! Which averages the regression determines, where slopes of the moderator were left out.
//!
//! A slope that follows from other regressors is left out, and stands as 0 in sums. A sum that does not depend on which of them are left out
//! is found by a regression of an outcome that is made of known coefficients: it is what that regression gives back.

use polars::prelude::{Column, DataFrame};

use super::design::Design;
use super::levels::Levels;
use super::margins::Fitted;
use super::options::{Etwfe, EtwfeScale};
use super::sample::Sample;
use crate::base::error::Result;
use crate::base::segment::mix;
use crate::engine::backend::DidBackend;
use crate::estimator::fixed_effects::{EstimatedRegression, Family, Vcov};

/// A difference from what is known beyond this part of its size is not rounding.
const DIFFERENT: f64 = 1e-5;

/// What the effects of a part add up to, by known coefficients and by those that the regression of their outcome has.
#[derive(Clone, Copy, Default)]
struct Sum {
    known: f64,
    found: f64,
    size: f64,
    /// Whether a slope was left out for another reason, as those of separated rows are.
    lost: bool,
}

/// Which averages do not depend on the slopes that were left out.
pub(super) struct Apart {
    /// `[cells][levels]`.
    sums: Vec<Sum>,
    /// Whether averages over levels are of effects that are no sums of coefficients, so that each part must be known.
    each: bool,
}

impl Apart {
    /// Whether the average over some parts, of one level or over all, is known.
    pub fn is_known(&self, parts: &[usize], of_level: bool) -> bool {
        let own = || parts.iter().map(|part| &self.sums[*part]);
        let is_same = |known: f64, found: f64, size: f64| (known - found).abs() <= DIFFERENT * size;
        if self.each {
            return own().all(|of| !of.lost && is_same(of.known, of.found, of.size));
        }
        let total = |of: fn(&Sum) -> f64| own().map(of).sum::<f64>();
        let lost = of_level && own().any(|of| of.lost);
        !lost && is_same(total(|of| of.known), total(|of| of.found), total(|of| of.size))
    }
}

impl<B: DidBackend> Etwfe<B> {
    /// Which averages are known; `None` if nothing was left out, and all are.
    pub(super) fn apart(
        &self,
        sample: &Sample,
        design: &Design,
        levels: &Levels,
        mut frame: DataFrame,
        fitted: &Fitted,
        device: &B::Device,
    ) -> Result<Option<Apart>> {
        let left_out = design.covariates.iter().zip(&fitted.of_covariates).any(|(slope, place)| {
            slope.moderates && place.is_none() && slope.values.iter().any(|value| *value != 0.0)
        });
        if !left_out {
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
        let slopes = design.slopes_of_cells();
        for row in 0..rows {
            let Some(cell) = design.cell_of(row) else { continue };
            let sum = &mut sums[levels.part(cell, row)];
            let weight = self.weight_in_averages(sample, row);
            let mut add = |at: usize, value: f64, place: Option<usize>| {
                let known = weight * coefficient(at) * value;
                sum.known += known;
                sum.found += found[at].map_or(0.0, |own| weight * own * value);
                sum.size += known.abs();
                sum.lost |= found[at].is_some() && place.is_none() && value != 0.0;
            };
            add(cell, 1.0, fitted.of_cells[cell]);
            for at in &slopes[cell] {
                let value = design.covariates[*at].values[row];
                add(cells + at, value, fitted.of_covariates[*at]);
            }
        }
        let each = !self.family.is_linear() && self.scale == EtwfeScale::Response;
        Ok(Some(Apart { sums, each }))
    }
}

/// The known coefficient of a regressor, between ½ and 1½: no sums and differences of others are the same.
fn coefficient(regressor: usize) -> f64 {
    0.5 + (mix(regressor as u64) >> 11) as f64 / (1_u64 << 53) as f64
}
