//! The regression of a sample's outcome on its regressors, by least squares.

use super::collinear::Before;
use super::columns::FitColumns;
use super::patterns::CellPatterns;
use super::problem::{CellIndicators, Regressor, Report, Where, centre};
use super::regressed::{Regressed, add_constant, is_iterated, regressed};
use super::sample::RegressionSample;
use super::sums;
use crate::base::counted::{NAMED_COLUMNS, listed};
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::progress::tell;

/// Name of the constant.
pub(super) const CONSTANT: &str = "(Intercept)";

/// What rounding may leave of a column.
const ROUNDING: f64 = 1e-12;

/// Regressors about their means, where a constant or fixed effects span these.
pub(super) struct CentredRegressors {
    pub names: Vec<String>,
    pub values: Vec<Vec<f64>>,
    pub means: Vec<f64>,
    pub before: Vec<Before>,
    /// Terms of the formula that have no column.
    pub without: Vec<String>,
    /// Whether the first is the constant.
    pub constant: bool,
    /// The regressors by the levels that share them, in the place of their values.
    pub patterns: Option<CellPatterns>,
}

/// What was estimated, and what its covariance is formed of.
pub(super) struct LinearFit {
    /// Regressors with a coefficient.
    pub kept: Vec<usize>,
    pub b: Vec<f64>,
    /// The kept columns, multiplied by the roots of the weights, and what they are multiplied by beside.
    pub columns: FitColumns,
    pub turn: Option<Vec<f64>>,
    /// Residuals, multiplied by the roots of the weights.
    pub residuals: Vec<f64>,
    /// Inverse of the columns' cross-products.
    pub bread: Vec<f64>,
    /// Dispersion times `n - 1`.
    pub dispersion: f64,
    pub quality: Quality,
    /// Outcome less what was fitted, by row of the sample.
    pub raw_residuals: Vec<f64>,
    /// Levels' effects on the fit, factor after factor; none without factors.
    pub effects: Option<Vec<f64>>,
    pub report: Option<Report>,
    pub warnings: Vec<DidWarning>,
    /// Steps of iterated least squares.
    pub steps: Option<usize>,
    /// What the constant has besides: the mean of an outcome that was centred.
    pub mean: f64,
}

/// How well it fits.
pub(super) struct Quality {
    /// Residual sum of squares, or the deviance.
    pub rss: f64,
    /// Sum of squares of the outcome about its mean, and of what fixed effects leave of it; of a Poisson regression, the sum of the
    /// outcome, which its deviance is measured by.
    pub total: f64,
    pub within: Option<f64>,
    /// Sum of the lengths of the regressors times their coefficients: they may be much longer than the outcome that they fit.
    pub fitted: f64,
    /// What rounding may leave of residuals that are zero: the length of all, in units of the residuals of the covariance.
    pub rounding: f64,
    /// Logarithms of the likelihood, of the fit and of a constant mean.
    pub likelihood: Option<(f64, f64)>,
    /// The square of the correlation of outcomes and fitted means, by maximum likelihood.
    pub squared_correlation: Option<f64>,
}

impl LinearFit {
    /// Whether what is left of the outcome is no more than the error of the computation: of rounding, or of fixed effects that
    /// were projected out iteratively, up to ten tolerances.
    pub fn is_exact(&self, tolerance: f64) -> bool {
        let error = self.error(tolerance);
        // Alternating projections leave so much of an outcome that fixed effects span.
        let by_map = self.report.as_ref().is_some_and(|report| report.solver == "map");
        let spanned = if by_map { tolerance.max(ROUNDING) } else { ROUNDING };
        let total = self.quality.within.unwrap_or(self.quality.total);
        self.quality.rss <= error.powi(2) * total
            || self.quality.rss <= ROUNDING.powi(2) * self.quality.fitted.powi(2)
            || self.quality.within.is_some_and(|w| w <= spanned.powi(2) * self.quality.total)
    }

    /// What the computation may leave of a column that is zero, as a part of it.
    pub fn error(&self, tolerance: f64) -> f64 {
        let iterated = is_iterated(self.report.as_ref());
        if iterated { ROUNDING.max(10.0 * tolerance) } else { ROUNDING }
    }
}

impl CentredRegressors {
    /// Indicators of cells stand first. `shared` if levels may share their values.
    pub fn new(
        cells: Option<CellIndicators>,
        columns: Vec<Regressor>,
        sample: &RegressionSample,
        constant: bool,
        shared: bool,
    ) -> Result<Self> {
        let weights = sample.weights.as_deref();
        let n = sample.rows.len();
        let total = weights.map_or(n as f64, |w| sums::sum(n, |row| w[row]));
        let spanned = constant || !sample.factors.is_empty();
        let needs_constant = constant && sample.factors.is_empty();
        let mut all = Self {
            names: vec![],
            values: vec![],
            means: vec![],
            before: vec![],
            without: vec![],
            constant: needs_constant,
            patterns: None,
        };
        if needs_constant {
            all.push(CONSTANT.to_owned(), vec![1.0; n], 0.0, Before { raw: total, centred: total });
        }
        let mut indicators = Vec::new();
        if let Some(cells) = cells {
            if shared && columns.is_empty() {
                all.patterns = CellPatterns::find(sample, &cells.codes);
            }
            match &all.patterns {
                Some(patterns) => {
                    for (name, raw) in cells.names.into_iter().zip(patterns.weights_of_cells()) {
                        let mean = raw / total;
                        all.names.push(name);
                        all.means.push(mean);
                        all.before.push(Before { raw, centred: raw * (1.0 - mean) });
                    }
                }
                None => indicators = cells.columns()?,
            }
        }
        let of_values: Vec<Regressor> = indicators.into_iter().chain(columns).collect();
        let count = of_values.len() as u64;
        for (at, Regressor { name, mut values, .. }) in (0..).zip(of_values) {
            if sums::are_long(n) {
                tell("regressors", at, count);
            }
            if spanned {
                let centred = centre(&mut values, weights, total);
                all.push(name, values, centred.mean, centred.before);
            } else {
                let weight = |row: usize| weights.map_or(1.0, |w| w[row]);
                let raw = sums::sum(n, |row| weight(row) * values[row] * values[row]);
                all.push(name, values, 0.0, Before { raw, centred: raw });
            }
        }
        Ok(all)
    }

    fn push(&mut self, name: String, values: Vec<f64>, mean: f64, before: Before) {
        self.names.push(name);
        self.values.push(values);
        self.means.push(mean);
        self.before.push(before);
    }

    /// Names of the regressors that are not kept, and terms without a column; an error if no regressor is kept.
    pub fn dropped(&self, kept: &[usize]) -> Result<Vec<String>> {
        let dropped = (0..self.names.len()).filter(|j| !kept.contains(j));
        let mut dropped: Vec<String> = dropped.map(|j| self.names[j].clone()).collect();
        let constants = usize::from(self.constant);
        if kept.len() <= constants && self.names.len() > constants {
            return Err(DidError::AllCollinear { columns: listed(&dropped, NAMED_COLUMNS, "") });
        }
        dropped.extend_from_slice(&self.without);
        Ok(dropped)
    }

    /// Turns the constant of the regression on centred regressors into the constant for the regressors themselves; `mean` is the mean
    /// of the outcome.
    pub fn uncentred(&self, kept: &[usize], b: &mut [f64], mean: f64) {
        if self.constant {
            b[0] += mean - (1..b.len()).map(|j| self.means[kept[j]] * b[j]).sum::<f64>();
        }
    }

    /// Matrix `[k, k]` that turns coefficients of a basis into coefficients of the kept regressors; `turn` turns them into
    /// coefficients of the centred regressors. `None` if they are the same.
    pub fn back(&self, kept: &[usize], turn: Option<&[f64]>) -> Option<Vec<f64>> {
        if !self.constant {
            return turn.map(<[f64]>::to_vec);
        }
        let k = kept.len();
        let identity = |e: usize| f64::from(u8::from(e / k == e % k));
        let mut back = turn.map_or_else(|| (0..k * k).map(identity).collect(), <[f64]>::to_vec);
        for column in 0..k {
            let shift: f64 = (1..k).map(|j| self.means[kept[j]] * back[j * k + column]).sum();
            back[column] -= shift;
        }
        Some(back)
    }
}

/// Least squares.
pub(super) fn gaussian(
    sample: &RegressionSample,
    regressors: &mut CentredRegressors,
    place: &Where<'_>,
) -> Result<LinearFit> {
    let weights = sample.weights.as_deref();
    let n = sample.rows.len();
    let weight = |row: usize| weights.map_or(1.0, |w| w[row]);
    let total_weight = weights.map_or(n as f64, |w| sums::sum(n, |row| w[row]));
    let mut outcome = sample.outcome.clone();
    let about = centre(&mut outcome, weights, total_weight);
    let spanned = regressors.constant || !sample.factors.is_empty();
    if !spanned {
        outcome.clone_from(&sample.outcome);
    }
    let mean = if spanned { about.mean } else { 0.0 };
    let Regressed { kept, fit, columns, turn, within, mut effects, report, warnings } =
        match regressors.patterns.take() {
            Some(patterns) => {
                let CentredRegressors { names, means, before, .. } = &*regressors;
                patterns.regressed(sample, (names, means, before), outcome, place)?
            }
            None => {
                let values = std::mem::take(&mut regressors.values);
                regressed(sample, (&regressors.names, values, &regressors.before), outcome, place)?
            }
        };
    let shifts = kept.iter().zip(&fit.b).map(|(j, b)| b * regressors.means[*j]);
    let constant = mean - shifts.sum::<f64>();
    add_constant(&mut effects, sample, constant);
    let mut raw_residuals = fit.residuals.clone();
    if weights.is_some() {
        sums::update(&mut raw_residuals, |row, e| e / weight(row).sqrt());
    }
    let length = |(j, b): (&usize, &f64)| b.abs() * regressors.before[*j].centred.sqrt();
    let fitted = kept.iter().zip(&fit.b).map(length).sum::<f64>();
    let quality = Quality {
        rss: fit.rss,
        total: about.before.centred,
        within,
        fitted,
        rounding: f64::EPSILON * (about.before.centred.sqrt() + fitted),
        likelihood: None,
        squared_correlation: None,
    };
    Ok(LinearFit {
        kept,
        b: fit.b,
        columns,
        turn,
        residuals: fit.residuals,
        bread: fit.bread,
        dispersion: fit.rss,
        quality,
        raw_residuals,
        effects,
        report,
        warnings,
        steps: None,
        mean,
    })
}
