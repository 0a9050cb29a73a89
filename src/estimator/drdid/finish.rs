//! From an estimate and its influence sums to a result: standard error and interval as in R `DRDID`.

use std::time::Instant;

use super::reweighted::cells;
use super::{Drdid, DrdidResult};
use crate::base::error::{DidWarning, Result};
use crate::base::options::{Bootstrap, DrdidMethod};
use crate::engine::backend::DidBackend;
use crate::engine::cell::{CellEstimate, Method, PlannedCell, Recipe, estimate};
use crate::engine::source::{KeptColumn, Reweighted, ReweightedDraws, Source};
use crate::estimator::group_time::overlap::overlap_warnings;
use crate::estimator::shell::moments::InfluenceMoments;
use crate::estimator::shell::setup;
use crate::estimator::weighting::form::Weights;
use crate::read::panel::Sample;
use crate::result::estimates::CellStatus;
use crate::result::inference::{DEGENERATE, Estimate, pointwise, spread_around, without_error};
use crate::result::settings::Settings;
use crate::result::timings::Timings;

/// R `DRDID`'s critical value of 95 % intervals.
const USUAL: f64 = 1.96;

/// A result in the making.
pub(super) struct UnfinishedResult<'a> {
    sample: &'a Sample,
    method: Method,
    /// Draws of a weighted bootstrap.
    pub draws: Option<Vec<f64>>,
    result: DrdidResult,
}

impl<'a> UnfinishedResult<'a> {
    pub fn new<B: DidBackend>(
        config: &Drdid<B>,
        sample: &'a Sample,
        method: Method,
        cell: &PlannedCell,
        settings: Settings,
        timings: Timings,
        dropped: Vec<String>,
    ) -> Self {
        // A panel's regression with fixed effects has a row for each unit and period.
        let rows = if settings.rows_are_units() { 1 } else { cell.sides.len() };
        let result = DrdidResult {
            estimate: Estimate::default(),
            status: CellStatus::Estimated,
            critical_value: critical_value(config.alpha),
            method: config.method,
            locally_efficient: config.locally_efficient || !config.repeated_cross_sections,
            trim_level: config.trim_level,
            calibrated: None,
            n_treated: cell.n_treated / rows,
            n_control: cell.n_control / rows,
            overlap: None,
            resampling: config.bootstrap.map(|_| config.resampling),
            draws: None,
            audit: sample.audit.clone(),
            warnings: setup::warnings(sample, &config.plan(method), dropped),
            settings,
            timings,
            influence: None,
            influence_files: None,
            weighting: None,
            scores: None,
        };
        Self { sample, method, draws: None, result }
    }

    /// There is no estimate.
    pub fn failed(mut self, status: CellStatus, start: Instant) -> DrdidResult {
        let reason = status.shown(self.sample.calendar.frequency);
        self.result.warnings.push(DidWarning::NoEstimate { reason });
        self.result.status = status;
        self.result.timings.total = start.elapsed().as_secs_f64();
        self.result
    }

    /// With what was done for the source.
    pub fn done_by(mut self, source: &dyn Source) -> Self {
        self.result.timings = self.result.timings.of(source);
        self
    }

    /// With what is known of the weights.
    pub fn weighed(mut self, Weights { weighting, scores }: Weights) -> Self {
        (self.result.weighting, self.result.scores) = (weighting, scores);
        self
    }

    /// The result, from moments of `columns` influence columns and the group share.
    pub fn finish(
        mut self,
        estimated: &CellEstimate,
        columns: usize,
        mut moments: InfluenceMoments,
        start: Instant,
    ) -> Result<DrdidResult> {
        let y_scale = self.sample.y_scale;
        let correction: f64 = moments.totals.iter().take(columns).sum();
        let att = (estimated.att + correction) * y_scale;
        if let Some(kept) = moments.kept.take() {
            // Rows of both periods are rows of the same units.
            let from = std::iter::once(0).chain((1..columns).rev()).collect();
            let column = KeptColumn { name: "att".into(), from };
            let kept = kept.finish(self.sample, &[column])?;
            (self.result.influence, self.result.influence_files) = (kept.here, kept.files);
        }
        let covariance = moments.covariance();
        let analytic = self.variance(&covariance, columns).sqrt() * y_scale;
        // Differs from DRDID 1.2.3, which has no limit: what is rounding beside the outcome is no standard error.
        let unit = self.sample.unit();
        let mut se = Some(analytic).filter(|se| se.is_finite() && *se > DEGENERATE * unit);
        if let Some(bootstrap) = self.result.settings.inference.bootstrap {
            let draws = self.draws.take().unwrap_or_else(|| {
                let all = moments.draws(&covariance, &bootstrap);
                sum_columns(&all, bootstrap.draws, columns)
            });
            let draws = draws.into_iter().map(|d| d * y_scale).collect();
            se = self.resampled(draws, bootstrap.draws, unit);
        }
        // If every draw failed, that is why.
        if se.is_none() && self.result.draws.as_ref().is_none_or(|draws| !draws.is_empty()) {
            let is_clustered = self.sample.n_clusters.is_some_and(|n| n < self.sample.n);
            self.result.warnings.push(without_error(att, analytic, unit, is_clustered));
        }
        self.result.estimate = Estimate::new(Some(att), se, self.result.critical_value);
        if self.result.method == DrdidMethod::DoublyRobustImproved {
            self.result.calibrated = Some(!estimated.not_calibrated);
        }
        self.result.overlap = estimated.overlap.filter(|_| self.method != Method::Twfe);
        self.warn(estimated, columns);
        self.result.timings.finish(start);
        Ok(self.result)
    }

    /// Standard error and critical value from the draws of outcomes in this `unit`; `asked` is the number of draws requested.
    fn resampled(&mut self, draws: Vec<f64>, asked: usize, unit: f64) -> Option<f64> {
        if draws.len() < asked {
            let failed = asked - draws.len();
            self.result.warnings.push(DidWarning::FailedDraws { draws: failed });
        }
        let spread = spread_around(&draws, 1.0 - self.result.settings.inference.alpha, unit);
        if let Some((_, critical)) = spread {
            self.result.critical_value = critical;
        }
        self.result.draws = Some(draws);
        spread.map(|(se, _)| se)
    }

    /// The variance, as in R `DRDID`: of the regression with fixed effects with a degree of freedom for the mean, and in a
    /// panel with the rows of a unit taken as independent.
    fn variance(&self, covariance: &[f64], columns: usize) -> f64 {
        let m = columns + 1;
        let by_row = columns > 1 && self.sample.n_clusters.is_none();
        let pairs = (0..columns).flat_map(|i| (0..columns).map(move |j| (i, j)));
        let variance: f64 =
            pairs.filter(|(i, j)| !by_row || i == j).map(|(i, j)| covariance[i * m + j]).sum();
        let rows = self.result.audit.rows as f64;
        if self.method == Method::Twfe && self.sample.n_clusters.is_none() {
            variance * rows / (rows - 1.0)
        } else {
            variance
        }
    }

    fn warn(&mut self, estimated: &CellEstimate, columns: usize) {
        let analytic = self.result.settings.inference.bootstrap.is_none();
        let overlap = self.result.overlap;
        let warnings = &mut self.result.warnings;
        warnings.extend(overlap_warnings(overlap.map(|overlap| (None, overlap))));
        if estimated.not_converged {
            warnings.push(DidWarning::ScoreNotConverged);
        }
        if estimated.not_calibrated {
            warnings.push(DidWarning::NotCalibrated);
        }
        if columns > 1 && self.sample.n_clusters.is_none() && analytic {
            warnings.push(DidWarning::RowsAsIndependent);
        }
    }
}

fn critical_value(alpha: f64) -> f64 {
    let usual = alpha.to_bits() == 0.05f64.to_bits();
    if usual { USUAL } else { pointwise(alpha) }
}

/// Sum of the first columns of draws `[m, R]`.
fn sum_columns(draws: &[f64], count: usize, columns: usize) -> Vec<f64> {
    let mut sum = vec![0.0; count];
    for column in draws.chunks_exact(count).take(columns) {
        crate::engine::pass::add(&mut sum, column);
    }
    sum
}

/// Deviations of the estimates with bootstrap weights from the one without; those that failed are left out.
pub(super) fn weighted_draws(
    source: &dyn Source,
    cell: &PlannedCell,
    recipe: &Recipe,
    estimated: &CellEstimate,
    bootstrap: Bootstrap,
) -> Result<Vec<f64>> {
    let recipe = Recipe { start: estimated.gamma.clone(), ..recipe.clone() };
    let by_cluster = source.sample().n_clusters.is_some();
    let mut deviations = Vec::with_capacity(bootstrap.draws);
    for draws in ReweightedDraws::batches(bootstrap.seed, bootstrap.draws, by_cluster) {
        let reweighted = Reweighted { source, draws };
        let results = estimate(&reweighted, &cells(&reweighted, cell), &recipe)?;
        let drawn = results.cells.into_iter().flatten().map(|drawn| drawn.att - estimated.att);
        deviations.extend(drawn.filter(|deviation| deviation.is_finite()));
    }
    Ok(deviations)
}
