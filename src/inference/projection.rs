//! Linear maps of the estimates: their variance, draws, standard errors and critical values.

use super::{DEGENERATE, SupT, bootstrap, sup_t};
use crate::error::DidWarning;
use crate::estimates::Estimates;
use crate::options::{Band, Inference};

/// Fewer clusters than this and the band takes the t law with one degree of freedom less than clusters.
const FEW_CLUSTERS: usize = 50;

/// Largest error of a uniform critical value without a warning.
const STATED: f64 = 2e-3;

/// A critical value above this is reported with a warning, as in R `did`.
const LARGE: f64 = 7.0;

/// Covariance and draws of several linear combinations of the columns of [`Estimates`].
pub(crate) struct Projection {
    /// `[q, q]`, row-major.
    pub covariance: Vec<f64>,
    /// `[q][R]`.
    draws: Option<Vec<Vec<f64>>>,
    /// From draws to the scale of R's `bres`.
    scale: f64,
    clusters: Option<usize>,
}

/// A critical value and what its intervals are.
pub(crate) struct Critical {
    pub value: f64,
    pub band: Band,
}

impl Projection {
    /// `None` if only point estimates exist.
    pub fn new(estimates: &Estimates, weights: &[Vec<f64>]) -> Option<Self> {
        let covariance = estimates.covariance.as_ref()?;
        let m = estimates.columns();
        debug_assert!(weights.iter().all(|w| w.len() == m));
        // Most combinations are of few columns.
        let terms: Vec<Vec<(usize, f64)>> = weights.iter().map(|w| nonzero(w)).collect();
        let half: Vec<Vec<f64>> = terms.iter().map(|w| combine(covariance, m, w)).collect();
        let value = |w: &[(usize, f64)], h: &[f64]| w.iter().map(|(j, w)| w * h[*j]).sum::<f64>();
        let pairs = terms.iter().flat_map(|w| half.iter().map(move |h| value(w, h)));
        let draws = estimates.draws.as_ref().map(|d| {
            let count = d.len() / m.max(1);
            terms.iter().map(|w| combine(d, count, w)).collect()
        });
        let n = estimates.n as f64;
        let scale = n / (estimates.n_clusters.unwrap_or(estimates.n) as f64).sqrt();
        Some(Self { covariance: pairs.collect(), draws, scale, clusters: estimates.n_clusters })
    }

    fn len(&self) -> usize {
        self.covariance.len().isqrt()
    }

    /// Analytic standard errors; `None` where there is no variation.
    fn analytic(&self) -> Vec<Option<f64>> {
        let q = self.len();
        let se = |j: usize| self.covariance[j * q + j].sqrt();
        (0..q).map(|j| Some(se(j)).filter(|s| s.is_finite() && *s > DEGENERATE)).collect()
    }

    /// Standard errors: from the draws if there are any.
    pub fn standard_errors(&self) -> Vec<Option<f64>> {
        let analytic = self.analytic();
        let Some(draws) = &self.draws else { return analytic };
        let spread = |(analytic, draws): (Option<f64>, &Vec<f64>)| {
            analytic?;
            bootstrap::spread(draws, self.scale).filter(|s| *s > DEGENERATE)
        };
        analytic.into_iter().zip(draws).map(spread).collect()
    }

    /// Critical value of the intervals; pointwise ones where no uniform value exists or, if `floor` is set as R does for
    /// aggregates, where it is below the pointwise value.
    pub fn critical(
        &self,
        inference: &Inference,
        standard_errors: &[Option<f64>],
        floor: bool,
        warnings: &mut Vec<DidWarning>,
    ) -> Critical {
        let z = super::pointwise(inference.alpha);
        let pointwise = Critical { value: z, band: Band::Pointwise };
        if inference.band == Band::Pointwise || standard_errors.is_empty() {
            return pointwise;
        }
        let level = 1.0 - inference.alpha;
        let value = match &self.draws {
            Some(draws) => {
                let columns: Vec<(&[f64], f64)> = draws
                    .iter()
                    .zip(standard_errors)
                    .filter_map(|(d, se)| Some((d.as_slice(), (*se)?)))
                    .collect();
                bootstrap::sup_t_quantile(&columns, level)
            }
            None => {
                let found = self.analytic_sup_t(standard_errors, level);
                if let Some(SupT { value, error }) = found.filter(|f| f.error > STATED) {
                    warnings.push(DidWarning::RoughCriticalValue { value, error });
                }
                found.map(|found| found.value)
            }
        };
        let instead = |reason: &str| DidWarning::PointwiseInstead { reason: reason.to_owned() };
        match value {
            None => {
                warnings.push(instead("no estimate has a standard error"));
                pointwise
            }
            Some(value) if !value.is_finite() || floor && value < z - 1e-12 => {
                warnings
                    .push(instead("the simultaneous critical value is below the pointwise one"));
                pointwise
            }
            Some(value) => {
                if value >= LARGE {
                    warnings.push(DidWarning::LargeCriticalValue { value });
                }
                Critical { value, band: Band::Uniform }
            }
        }
    }

    fn analytic_sup_t(&self, standard_errors: &[Option<f64>], level: f64) -> Option<SupT> {
        let q = self.len();
        let kept: Vec<(usize, f64)> =
            standard_errors.iter().enumerate().filter_map(|(j, s)| Some((j, (*s)?))).collect();
        if kept.is_empty() {
            return None;
        }
        let correlation: Vec<f64> = kept
            .iter()
            .flat_map(|(i, si)| {
                kept.iter().map(move |(j, sj)| self.covariance[i * q + j] / (si * sj))
            })
            .collect();
        let df = self.clusters.filter(|c| *c < FEW_CLUSTERS).map(|c| c as f64 - 1.0);
        Some(sup_t(&correlation, kept.len(), level, df.filter(|df| *df >= 1.0)))
    }
}

/// Weights other than zero, with their columns.
fn nonzero(weights: &[f64]) -> Vec<(usize, f64)> {
    weights.iter().copied().enumerate().filter(|(_, w)| *w != 0.0).collect()
}

/// `Σ_j w_j d_j` of rows `d_j` of `count` entries.
fn combine(rows: &[f64], count: usize, weights: &[(usize, f64)]) -> Vec<f64> {
    let mut out = vec![0.0; count];
    for (j, w) in weights {
        let row = &rows[j * count..(j + 1) * count];
        out.iter_mut().zip(row).for_each(|(o, d)| *o += w * d);
    }
    out
}
