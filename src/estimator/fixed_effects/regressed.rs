//! An outcome without its fixed effects, regressed on regressors without theirs.

use super::collinear::{Basis, Before};
use super::columns::FitColumns;
use super::least_squares::{LeastSquares, least_squares};
use super::problem::{Projected, Report, Where, project};
use super::sample::RegressionSample;
use super::sums;
use crate::base::error::{DidWarning, Result};

/// The regression of an outcome without its fixed effects on regressors without theirs.
pub(super) struct Regressed {
    /// Regressors with a coefficient.
    pub kept: Vec<usize>,
    pub fit: LeastSquares,
    pub columns: FitColumns,
    pub turn: Option<Vec<f64>>,
    /// The sum of squares of the outcome without its fixed effects, if there are any.
    pub within: Option<f64>,
    /// Levels' effects on the fit, factor after factor, but for the constant that centring removed; none without factors.
    pub effects: Option<Vec<f64>>,
    pub report: Option<Report>,
    pub warnings: Vec<DidWarning>,
}

/// With a value of each regressor for each row.
pub(super) fn regressed(
    sample: &RegressionSample,
    (names, values, before): (&[String], Vec<Vec<f64>>, &[Before]),
    outcome: Vec<f64>,
    place: &Where<'_>,
) -> Result<Regressed> {
    let weights = sample.weights.as_deref();
    let demeaner = place.demeaner(sample, weights)?;
    let Projected { mut residuals, effects, solved, warnings } = {
        let named = named(&sample.outcome_label, &outcome, names, &values);
        project(demeaner.as_ref(), &named, None)?
    };
    drop((demeaner, values, outcome));
    weigh(&mut residuals, weights);
    let columns = residuals.split_off(1);
    let outcome = residuals.pop().unwrap_or_default();
    let iterated = is_iterated(solved.as_ref());
    let basis = Basis::find(columns, before, place.options.tolerance, iterated);
    let fit = least_squares(&outcome, &basis)?;
    let Basis { kept, columns, turn, .. } = basis;
    let of_kept_columns: Vec<Vec<f64>> = match effects.is_empty() {
        true => Vec::new(),
        false => {
            [0].into_iter().chain(kept.iter().map(|j| j + 1)).map(|c| effects[c].clone()).collect()
        }
    };
    Ok(Regressed {
        within: (!sample.factors.is_empty()).then(|| sums::inner(&outcome, &outcome)),
        effects: effects_of_fit(&of_kept_columns, &fit.b),
        columns: FitColumns::Rows(columns),
        kept,
        fit,
        turn,
        report: solved,
        warnings,
    })
}

/// Multiplies columns by the roots of weights.
pub(super) fn weigh(columns: &mut [Vec<f64>], weights: Option<&[f64]>) {
    let Some(weights) = weights else { return };
    let roots = sums::of_rows(weights.len(), |row| weights[row].sqrt());
    for column in columns {
        sums::update(column, |row, value| value * roots[row]);
    }
}

/// The outcome and the regressors with their names.
pub(super) fn named<'a>(
    label: &'a str,
    outcome: &'a [f64],
    names: &'a [String],
    values: &'a [Vec<f64>],
) -> Vec<(&'a str, &'a [f64])> {
    let regressors = names.iter().zip(values).map(|(name, values)| (name.as_str(), &values[..]));
    [(label, outcome)].into_iter().chain(regressors).collect()
}

/// The fixed effects of a fit: effects of the outcome less effects of the regressors times their coefficients. `effects` holds the outcome's,
/// then those of each regressor.
pub(super) fn effects_of_fit(effects: &[Vec<f64>], b: &[f64]) -> Option<Vec<f64>> {
    let (of_outcome, of_regressors) = effects.split_first()?;
    let mut fit = of_outcome.clone();
    for (own, b) in of_regressors.iter().zip(b) {
        fit.iter_mut().zip(own).for_each(|(e, x)| *e -= b * x);
    }
    Some(fit)
}

/// Adds the constant that centring removed to the effects of the first factor.
pub(super) fn add_constant(
    effects: &mut Option<Vec<f64>>,
    sample: &RegressionSample,
    constant: f64,
) {
    if let (Some(effects), Some(first)) = (effects, sample.factors.first()) {
        effects[..first.levels].iter_mut().for_each(|e| *e += constant);
    }
}

/// Whether fixed effects were projected out iteratively.
pub(super) fn is_iterated(report: Option<&Report>) -> bool {
    report.into_iter().flat_map(|r| &r.columns).any(|c| c.iterations > 0)
}
