//! Which averages the regression determines, where slopes were left out.
//!
//! A slope that follows from other regressors is left out, and stands as 0 in sums. A sum that does not depend on which of them are left out
//! is found by a regression of an outcome that is made of known coefficients: it is what that regression gives back.

use polars::prelude::{Column, DataFrame, IdxCa};

use super::design::{Covariate, Design};
use super::levels::Levels;
use super::margins::Fitted;
use super::options::{Etwfe, EtwfeScale};
use super::sample::Sample;
use crate::base::error::Result;
use crate::base::segment::mix;
use crate::engine::backend::DidBackend;
use crate::estimator::fixed_effects::{EstimatedRegression, Family, Vcov, gather};

/// A difference from what is known beyond this part of its size is not rounding.
const DIFFERENT: f64 = 1e-5;

/// What the effects of a part add up to, by known coefficients and by those that the regression of their outcome has.
#[derive(Clone, Copy, Default)]
struct Sum {
    known: f64,
    found: f64,
    size: f64,
    /// Whether a slope was left out for another reason, as those of separated rows are, or the effect of a row is not known where each must be.
    lost: bool,
}

impl Sum {
    /// Whether it is what is known, but for rounding.
    fn is_known(&self) -> bool {
        !self.lost && (self.known - self.found).abs() <= DIFFERENT * self.size
    }

    fn add(&mut self, other: &Self) {
        self.known += other.known;
        self.found += other.found;
        self.size += other.size;
        self.lost |= other.lost;
    }
}

/// Which averages do not depend on the slopes that were left out.
pub(super) struct Apart {
    /// `[cells][levels]`.
    sums: Vec<Sum>,
}

impl Apart {
    /// Whether the average over some parts is known.
    pub fn is_known(&self, parts: &[usize]) -> bool {
        let mut total = Sum::default();
        for part in parts {
            total.add(&self.sums[*part]);
        }
        total.is_known()
    }
}

/// The data of a regression, and the rows that it used of them.
pub(super) struct UsedRows<'a> {
    pub frame: &'a DataFrame,
    pub used: &'a [u32],
}

impl<B: DidBackend> Etwfe<B> {
    /// Which averages are known, by the rows that were used of a frame; `None` if nothing was left out, so that all are, or nobody asks.
    pub(super) fn apart(
        &self,
        sample: &Sample,
        design: &Design,
        levels: &Levels,
        fitted: &Fitted,
        rows: UsedRows<'_>,
        device: &B::Device,
    ) -> Result<Option<Apart>> {
        let size =
            |slope: &Covariate| slope.values.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let sizes: Vec<f64> = design.covariates.iter().map(size).collect();
        let left_out = sizes.iter().zip(&fitted.of_covariates);
        let mut left_out = left_out.filter(|(size, place)| **size > 0.0 && place.is_none());
        if self.undetermined || left_out.next().is_none() {
            return Ok(None);
        }
        let UsedRows { frame, used } = rows;
        let rows = sample.rows.len();
        let mut outcome = vec![0.0; rows];
        for (row, value) in outcome.iter_mut().enumerate() {
            *value += design.cell_of(row).map_or(0.0, coefficient);
        }
        let cells = design.cells.len();
        // Whatever unit a covariate is measured in, its slopes move the outcome as much as others do.
        let of_slope =
            |(at, size): (usize, &f64)| if *size > 0.0 { coefficient(at) / size } else { 0.0 };
        let known: Vec<f64> =
            (0..cells).map(coefficient).chain((cells..).zip(&sizes).map(of_slope)).collect();
        for (slope, known) in design.covariates.iter().zip(&known[cells..]) {
            outcome.iter_mut().zip(&slope.values).for_each(|(sum, value)| *sum += known * value);
        }
        let mut frame = frame.clone();
        frame.with_column(Column::new(self.outcome.as_str().into(), outcome))?;
        let frame = frame.take(&IdxCa::from_vec("".into(), used.to_vec()))?;
        let mut regression = self.regression(sample);
        (regression.family, regression.vcov) = (Family::Gaussian, Vcov::Iid);
        regression.keep_influence = false;
        let EstimatedRegression { result, regressors, .. } =
            regression.fit_regressors(&frame, device, &|rows| {
                design.regressors(&gather(rows, |row| used[row]))
            })?;
        let mut found = vec![None; cells + design.covariates.len()];
        for (of, own) in regressors.iter().zip(&result.coefficients) {
            if let Some(of) = of {
                found[*of] = Some(own.estimate);
            }
        }
        // Averages of effects that are no sums of coefficients need the effect of each row.
        let each = !self.family.is_linear() && self.scale == EtwfeScale::Response;
        let mut sums = vec![Sum::default(); cells * levels.len()];
        let slopes = design.slopes_of_cells();
        let mut is_used = vec![false; rows];
        for row in used {
            is_used[*row as usize] = true;
        }
        for row in 0..rows {
            let Some(cell) = design.cell_of(row) else { continue };
            let weight = self.weight_in_averages(sample, row);
            let mut of_row = Sum::default();
            let mut add = |at: usize, value: f64, place: Option<usize>| {
                let known = weight * known[at] * value;
                of_row.add(&Sum {
                    known,
                    found: found[at].map_or(0.0, |own| weight * own * value),
                    size: known.abs(),
                    lost: found[at].is_some() && place.is_none() && value != 0.0,
                });
            };
            add(cell, 1.0, fitted.of_cells[cell]);
            for at in &slopes[cell] {
                let value = design.covariates[*at].values[row];
                add(cells + at, value, fitted.of_covariates[*at]);
            }
            of_row.lost |= each && !(is_used[row] && of_row.is_known());
            sums[levels.part(cell, row)].add(&of_row);
        }
        Ok(Some(Apart { sums }))
    }
}

/// The known coefficient of a regressor, between ½ and 1½: no sums and differences of others are the same.
fn coefficient(regressor: usize) -> f64 {
    0.5 + (mix(regressor as u64) >> 11) as f64 / (1_u64 << 53) as f64
}
