//! Effects by event time, from the coefficients of a regression.

use serde::{Deserialize, Serialize};

use super::inference::{Coefficient, Law};
use super::result::{RegressionResult, RegressionSettings};
use crate::aggregate::AggregatedRow;
use crate::error::{DidError, Result};
use crate::inference::Estimate;

/// Effects by event time, with their covariance: of [`SunAbraham`](crate::SunAbraham), or of a regression on
/// `i(event_time, ref = -1)`.
///
/// ```
/// use burn_did::{FixedEffects, Vcov, backend::Cpu, data};
///
/// let config = FixedEffects::<Cpu>::builder().formula("lemp ~ i(year, treat, ref = 2003) | countyreal + year");
/// let config = config.vcov(Vcov::cluster(["countyreal"])).build();
/// let fit = config.fit(&data::mpdta(), &Default::default())?;
/// let event_study = fit.event_study("year:treat")?;
/// assert_eq!((event_study.rows.len(), event_study.rows[0].reference), (5, true));
/// assert_eq!(event_study.betahat().len(), 4);
/// # Ok::<(), burn_did::DidError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[must_use]
#[non_exhaustive]
pub struct RegressionEventStudy {
    /// Rows in ascending order of event time, with references.
    pub rows: Vec<AggregatedRow>,
    /// Covariance of the rows' estimates `[rows][rows]`; 0 at references.
    pub vcov: Vec<Vec<f64>>,
    /// The column that event times are levels of, such as `year` in `i(year, treated)`; `None` if they count from the first treatment.
    #[serde(default)]
    pub of: Option<String>,
    /// Average effect at and after event time 0, where the estimator has one.
    pub overall: Option<Estimate>,
    /// Rows of the sample.
    pub n: usize,
    /// How the regression was made.
    pub settings: RegressionSettings,
}

impl RegressionEventStudy {
    /// Event times that are no reference.
    #[must_use]
    pub fn event_times(&self) -> Vec<f64> {
        self.estimated().map(|(_, row)| row.at).collect()
    }

    /// Effects at [`event_times`](Self::event_times).
    #[must_use]
    pub fn betahat(&self) -> Vec<f64> {
        self.estimated().filter_map(|(_, row)| row.estimate.att).collect()
    }

    /// Their covariance `[e][e]`.
    #[must_use]
    pub fn sigma(&self) -> Vec<Vec<f64>> {
        let entry = |i: usize, j: usize| self.vcov[i][j];
        let row = |(i, _): (usize, _)| self.estimated().map(|(j, _)| entry(i, j)).collect();
        self.estimated().map(row).collect()
    }

    /// Whether an event time is after the last reference, or not before 0 where none is compared with.
    pub(crate) fn is_post(&self, at: f64) -> bool {
        let last = self.rows.iter().filter(|r| r.reference).map(|r| r.at).next_back();
        match (&self.of, last) {
            (Some(_), Some(last)) => at > last,
            _ => at >= 0.0,
        }
    }

    /// What the rows are told apart by: the column's own name if it counts from no event, as years do.
    pub(crate) fn axis(&self) -> Option<&str> {
        let relative = self.rows.iter().any(|row| row.at < 0.0);
        self.of.as_deref().filter(|_| !relative)
    }

    fn estimated(&self) -> impl Iterator<Item = (usize, &AggregatedRow)> {
        let estimated =
            |(_, row): &(usize, &AggregatedRow)| !row.reference && row.estimate.att.is_some();
        self.rows.iter().enumerate().filter(estimated)
    }

    /// From event times and their linear combinations of a regression's coefficients; none for a reference.
    pub(super) fn new(
        fit: &RegressionResult,
        of: Option<&str>,
        mut times: Vec<(f64, Option<Vec<f64>>)>,
        overall: Option<Estimate>,
    ) -> Self {
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (b, covariance) = fit.joint();
        let zero = vec![0.0; b.len()];
        let weights: Vec<Vec<f64>> =
            times.iter().map(|(_, w)| w.clone().unwrap_or_else(|| zero.clone())).collect();
        let (values, variances) = super::inference::combine(&weights, &b, &covariance);
        let q = times.len();
        let critical = fit.law.critical(fit.settings.alpha);
        let row = |(i, (at, weights)): (usize, &(f64, Option<Vec<f64>>))| {
            let estimate = match weights {
                None => Estimate { att: Some(0.0), ..Estimate::default() },
                Some(_) => estimate(values[i], variances[i * q + i], fit.law, critical),
            };
            AggregatedRow { at: *at, estimate, reference: weights.is_none() }
        };
        Self {
            rows: times.iter().enumerate().map(row).collect(),
            vcov: variances.chunks(q.max(1)).map(<[f64]>::to_vec).collect(),
            of: of.map(ToOwned::to_owned),
            overall,
            n: fit.n,
            settings: fit.settings.clone(),
        }
    }
}

/// A value with its uncertainty.
pub(super) fn estimate(value: f64, variance: f64, law: Law, critical: f64) -> Estimate {
    Coefficient::new(String::new(), value, variance, law, critical).as_estimate()
}

impl RegressionResult {
    /// What the formula's `i()` are of, each as [`event_study`](Self::event_study) takes it.
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
    /// # Errors
    /// [`DidError::EmptyWindow`] if there is no such `i()`, or if its levels are no numbers.
    pub fn event_study(&self, of: &str) -> Result<RegressionEventStudy> {
        let found: Vec<_> = self.indicators.iter().filter(|i| i.of == of).collect();
        if found.is_empty() {
            let mut known: Vec<&str> = self.indicators.iter().map(|i| i.of.as_str()).collect();
            known.dedup();
            let known = if known.is_empty() { "none".to_owned() } else { known.join("`, `") };
            let what = format!("there is no `i()` of `{of}`; there is `{known}`");
            return Err(DidError::EmptyWindow { what });
        }
        let k = self.coefficients.len();
        let mut times = Vec::with_capacity(found.len());
        for indicated in found {
            let Ok(at) = indicated.level.parse::<f64>() else {
                let level = &indicated.level;
                let what = format!("`{level}` of `{of}` is no event time, which is a number");
                return Err(DidError::EmptyWindow { what });
            };
            match (indicated.coefficient, indicated.reference) {
                (Some(j), _) => {
                    let mut weights = vec![0.0; k];
                    weights[j] = 1.0;
                    times.push((at, Some(weights)));
                }
                (None, true) => times.push((at, None)),
                (None, false) => {}
            }
        }
        let column = of.split(':').next();
        Ok(RegressionEventStudy::new(self, column, times, None))
    }
}
