//! Effects by event time, from the coefficients of a regression.

use super::inference::{Coefficient, Law};
use super::result::RegressionResult;
use crate::base::error::{DidError, Result};
use crate::base::options::Band;
use crate::estimator::aggregate::{
    AggregatedRow, EventStudy, Provenance, RegressionProvenance, reference_row,
};
use crate::result::fit_notes::FitNotes;
use crate::result::inference::Estimate;

/// How much wider than another a step between event times may be and count as no wider: for rounding.
const UNEVEN: f64 = 1e-6;

/// From event times and their linear combinations of a regression's coefficients; none for a reference. `column` is the one that
/// event times are levels of.
pub(super) fn combined(
    fit: &RegressionResult,
    column: Option<&str>,
    mut times: Vec<(f64, Option<Vec<f64>>)>,
    overall: Option<Estimate>,
) -> EventStudy {
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (b, covariance) = fit.joint();
    let zero = vec![0.0; b.len()];
    let weights: Vec<Vec<f64>> =
        times.iter().map(|(_, w)| w.clone().unwrap_or_else(|| zero.clone())).collect();
    let (values, variances) = super::inference::combine(&weights, &b, &covariance);
    let q = times.len();
    let settings = &fit.settings;
    let critical = fit.law.critical(settings.alpha);
    let row = |(i, (at, weights)): (usize, &(f64, Option<Vec<f64>>))| match weights {
        None => reference_row(*at),
        Some(_) => {
            let estimate = estimate(values[i], variances[i * q + i], fit.law, critical);
            AggregatedRow { at: *at, estimate, reference: false }
        }
    };
    let known = |v: &f64| if v.is_finite() { *v } else { 0.0 };
    EventStudy {
        rows: times.iter().enumerate().map(row).collect(),
        vcov: variances.chunks(q.max(1)).map(|row| row.iter().map(known).collect()).collect(),
        overall,
        band: Band::Pointwise,
        alpha: settings.alpha,
        left_out: None,
        provenance: Provenance::Regression(RegressionProvenance {
            formula: settings.formula.clone(),
            outcome: settings.outcome.clone(),
            vcov: settings.vcov.label(),
            weights: settings.weights.clone(),
            n: fit.n,
            n_singletons: fit.n_singletons,
            column: column.map(ToOwned::to_owned),
            frequency: None,
            of_untreated: false,
        }),
        fit_notes: FitNotes::new(&fit.audit.files, &fit.warnings, None),
        universal: None,
    }
}

/// A value with its uncertainty.
pub(super) fn estimate(value: f64, variance: f64, law: Law, critical: f64) -> Estimate {
    Coefficient::new(String::new(), value, variance, law, critical).as_estimate()
}

impl RegressionResult {
    /// The variables of the formula's `i()` terms, each as [`event_study`](Self::event_study) takes it.
    pub fn event_studies(&self) -> impl Iterator<Item = &str> {
        let first = |index: usize| {
            let of = &self.indicators[index].of;
            self.indicators[..index].iter().all(|i| i.of != *of).then_some(of.as_str())
        };
        (0..self.indicators.len()).filter_map(first)
    }

    /// The coefficients of an `i()` as effects by event time. `of` is its column, or the columns as they stand in the names of
    /// coefficients: `event_time` of `i(event_time, ref = -1)`, `year:treat` of `i(year, treat, ref = 2003)`.
    ///
    /// A level without a coefficient is a reference if it is between those that have one, or next to them. One that is farther off,
    /// as -1000 in `i(event_time, ref = c(-1, -1000))`, or is no number, stands for the never treated and has no row.
    ///
    /// ```
    /// use burn_did::{FixedEffects, backend::Cpu, data, regression::Vcov};
    ///
    /// let config = FixedEffects::<Cpu>::builder().formula("lemp ~ i(year, treat, ref = 2003) | countyreal + year");
    /// let config = config.vcov(Vcov::cluster(["countyreal"])).build();
    /// let fit = config.fit(&data::mpdta())?;
    /// let event_study = fit.event_study("year:treat")?;
    /// assert_eq!((event_study.rows.len(), event_study.rows[0].reference), (5, true));
    /// assert_eq!(event_study.coefficients().len(), 4);
    /// # Ok::<(), burn_did::DidError>(())
    /// ```
    ///
    /// # Errors
    /// [`DidError::EmptyWindow`] if there is no such `i()`, or if its levels with a coefficient are no numbers.
    pub fn event_study(&self, of: &str) -> Result<EventStudy> {
        let levels: Vec<_> = self.indicators.iter().filter(|i| i.of == of).collect();
        if levels.is_empty() {
            let mut known: Vec<&str> = self.indicators.iter().map(|i| i.of.as_str()).collect();
            known.sort_unstable();
            known.dedup();
            let known = if known.is_empty() { "none".to_owned() } else { known.join("`, `") };
            let what = format!("there is no `i()` of `{of}`; there is `{known}`");
            return Err(DidError::EmptyWindow { what });
        }
        let k = self.coefficients.len();
        let mut times = Vec::with_capacity(levels.len());
        let (mut indicators, mut left_out) = (Vec::new(), Vec::new());
        for indicated in levels {
            let at = indicated.level.parse::<f64>().ok();
            if indicated.reference {
                left_out.extend(at.filter(|at| at.is_finite()));
                continue;
            }
            let Some(at) = at else {
                let level = &indicated.level;
                let what = format!("`{level}` of `{of}` is no event time, which is a number");
                return Err(DidError::EmptyWindow { what });
            };
            indicators.push(at);
            if let Some(j) = indicated.coefficient {
                let mut weights = vec![0.0; k];
                weights[j] = 1.0;
                times.push((at, Some(weights)));
            }
        }
        times.extend(references(&indicators, &left_out).into_iter().map(|at| (at, None)));
        let column = of.split(':').next();
        Ok(combined(self, column, times, None))
    }
}

/// Levels without an indicator that are event times: those between the levels that have one, or the nearest if there are none
/// between, and what goes on from there in steps that are no wider.
fn references(indicators: &[f64], left_out: &[f64]) -> Vec<f64> {
    let with = indicators.iter().map(|at| (*at, true));
    let mut levels: Vec<(f64, bool)> = with.chain(left_out.iter().map(|at| (*at, false))).collect();
    levels.sort_by(|a, b| a.0.total_cmp(&b.0));
    let first = levels.iter().position(|level| level.1);
    let (Some(mut first), Some(mut last)) = (first, levels.iter().rposition(|level| level.1))
    else {
        return left_out.to_vec();
    };
    let step = |level: usize| levels[level + 1].0 - levels[level].0;
    let mut widest = (first..last).map(step).fold(0.0, f64::max);
    if levels[first..=last].iter().all(|level| level.1) {
        let before = first.checked_sub(1).map_or(f64::INFINITY, step);
        let after = if last + 1 < levels.len() { step(last) } else { f64::INFINITY };
        widest = widest.max(before.min(after));
    }
    widest *= 1.0 + UNEVEN;
    while first > 0 && step(first - 1) <= widest {
        first -= 1;
    }
    while last + 1 < levels.len() && step(last) <= widest {
        last += 1;
    }
    levels[first..=last].iter().filter(|level| !level.1).map(|level| level.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_for_the_never_treated_are_no_event_times() {
        let event_times = [-4.0, -3.0, -2.0, 0.0, 1.0, 2.0];
        for never in [-1000.0, 1000.0, -99.0, 10.0] {
            assert_eq!(references(&event_times, &[never, -1.0]), [-1.0]);
        }
        // Two references, and levels that an `i()` does not keep.
        assert_eq!(references(&event_times, &[-5.0, -1.0]), [-5.0, -1.0]);
        assert_eq!(
            references(&[2004.0, 2005.0], &[2002.0, 2003.0, 2006.0]),
            [2002.0, 2003.0, 2006.0]
        );
        // The first, the last, and steps that are not even.
        assert_eq!(references(&[2004.0, 2005.0], &[2003.0, 9999.0]), [2003.0]);
        assert_eq!(references(&[2005.0, 2007.0], &[2000.0]), [2000.0]);
        assert_eq!(references(&[1.0], &[0.0, 1000.0]), [0.0]);
        assert_eq!(references(&[0.1, 0.2], &[0.2 + 0.1]), [0.2 + 0.1]);
        assert!(references(&[1.0, 2.0], &[]).is_empty());
        assert_eq!(references(&[], &[1.0]), [1.0]);
    }
}
