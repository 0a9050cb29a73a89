//! From sums over influence values to a result.

use std::time::Instant;

use super::result::{AttGtCell, AttGtResult, Influence, Timings};
use super::saved::Format;
use crate::cell::{CellEstimate, PlannedCell};
use crate::error::{DidWarning, Result};
use crate::estimates::{Cell, CellStatus, Estimate, Estimates, GroupShare};
use crate::inference::{Critical, Projection, gaussian_draws, multipliers, pointwise};
use crate::kernel::cluster_draws;
use crate::options::{Band, Bootstrap, Multiplier};
use crate::panel::Sample;
use crate::pass::InfluenceStat;
use crate::report::Settings;

/// A cell's point estimate.
pub(super) struct Solved {
    pub att: f64,
    pub not_converged: bool,
    /// See [`Cell::sample_sd`].
    pub sample_sd: bool,
}

impl From<CellEstimate> for Solved {
    fn from(estimated: CellEstimate) -> Self {
        let CellEstimate { att, not_converged, .. } = estimated;
        Self { att, not_converged, sample_sd: false }
    }
}

/// What the estimation produced.
pub(super) struct Outcome {
    pub solved: Vec<std::result::Result<Solved, CellStatus>>,
    /// `None` for point estimates only.
    pub stat: Option<InfluenceStat>,
    pub settings: Settings,
    pub timings: Timings,
    /// So far.
    pub warnings: Vec<DidWarning>,
}

/// Forms covariance, draws, standard errors and bands.
pub(super) fn result(
    sample: &Sample,
    planned: &[PlannedCell],
    outcome: Outcome,
    keep_influence: bool,
    start: Instant,
) -> Result<AttGtResult> {
    let _span = tracing::info_span!("inference").entered();
    let Outcome { solved, stat, settings, mut timings, mut warnings } = outcome;
    let mut cells = cells(sample, planned, solved, &mut warnings);
    let shares = sample
        .groups
        .iter()
        .map(|g| GroupShare {
            group: sample.group(g),
            share: sample.shares[g.clone()].iter().sum(),
        })
        .collect();
    let columns = cells.len() + sample.groups.len();
    let stat = stat.map(|stat| {
        let (stat, sums) = take_sums(stat, columns, sample.n_clusters);
        correct_rounding(&mut cells, &sums, sample.y_scale);
        stat
    });
    let mut estimates = Estimates {
        cells,
        shares,
        periods: sample.periods.clone(),
        calendar: sample.calendar,
        n: sample.n,
        n_clusters: sample.n_clusters,
        covariance: None,
        draws: None,
        inference: settings.inference,
    };
    let influence = match stat {
        Some(stat) => {
            let covariance = covariance(&stat, sample.n_clusters, columns);
            fail_without_variance(&mut estimates.cells, &covariance, sample.y_scale, &mut warnings);
            let kept = |c: &Cell| c.att.is_some();
            let kept: Vec<bool> = estimates.cells.iter().map(kept).collect();
            let rows = keep_influence.then(|| influence(sample, &kept, &stat));
            add_inference(&mut estimates, stat, &covariance, sample.y_scale);
            rows
        }
        None => None,
    };
    let (table, critical) = table(&estimates, &mut warnings);
    let wald = super::contrast::pre_test(&estimates, &table, &mut warnings);
    timings.total = start.elapsed().as_secs_f64();
    timings.inference = timings.total - timings.read - timings.ingest - timings.estimate;
    Ok(AttGtResult {
        format: Format,
        cells: table,
        critical_value: critical.value,
        band: critical.band,
        wald,
        audit: sample.audit.clone(),
        warnings,
        settings,
        timings,
        comparisons: Vec::new(),
        estimates,
        influence,
    })
}

fn cells(
    sample: &Sample,
    planned: &[PlannedCell],
    solved: Vec<std::result::Result<Solved, CellStatus>>,
    warnings: &mut Vec<DidWarning>,
) -> Vec<Cell> {
    let cell = |(plan, solved): (&PlannedCell, std::result::Result<Solved, CellStatus>)| {
        let (group, time) = (sample.cohorts[plan.cohort].group, sample.periods[plan.time]);
        let sample_sd = solved.as_ref().is_ok_and(|s| s.sample_sd);
        let (att, status) = match solved {
            Ok(solved) => {
                if solved.not_converged {
                    warnings.push(DidWarning::NotConverged { group, time });
                }
                (Some(solved.att * sample.y_scale), CellStatus::Estimated)
            }
            Err(CellStatus::Reference) => (Some(0.0), CellStatus::Reference),
            Err(status) => {
                let reason = status.shown(sample.calendar.frequency);
                warnings.push(DidWarning::FailedCell { group, time, reason });
                (None, status)
            }
        };
        let (n_treated, n_control) = (plan.n_treated, plan.n_control);
        Cell { group, time, att, status, n_treated, n_control, sample_sd }
    };
    let cells = planned.iter().zip(solved).map(cell).collect();
    for plan in planned {
        if let Some(period) = plan.incomplete_weights {
            let (group, period) = (sample.cohorts[plan.cohort].group, sample.periods[period]);
            let warning = DidWarning::MissingWeightPeriod { group, period };
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
    }
    cells
}

/// Adds each cell's summed influence to its estimate, where there are sums.
fn correct_rounding(cells: &mut [Cell], sums: &[f64], y_scale: f64) {
    for (cell, sum) in cells.iter_mut().zip(sums).filter(|(c, _)| c.status == CellStatus::Estimated)
    {
        cell.att = cell.att.map(|att| att + sum * y_scale);
    }
}

/// Takes the column of ones out of the sums, if there is one; returns what it says each column sums to.
pub(super) fn take_sums(
    mut stat: InfluenceStat,
    columns: usize,
    n_clusters: Option<usize>,
) -> (InfluenceStat, Vec<f64>) {
    let all = stat.cross.len().isqrt();
    if all == columns {
        return (stat, Vec::new());
    }
    let sums = match n_clusters {
        Some(clusters) => stat.clusters.chunks_exact(clusters).map(|c| c.iter().sum()).collect(),
        None => stat.cross[columns * all..].to_vec(),
    };
    let square = stat.cross.chunks_exact(all).take(columns);
    stat.cross = square.flat_map(|row| &row[..columns]).copied().collect();
    stat.clusters.truncate(columns * n_clusters.unwrap_or(0));
    stat.draws.truncate(stat.draws.len() / all * columns);
    (stat, sums)
}

/// Covariance `[m, m]` of the columns, from cluster sums if there are clusters.
pub(super) fn covariance(stat: &InfluenceStat, n_clusters: Option<usize>, m: usize) -> Vec<f64> {
    match n_clusters {
        Some(clusters) => cross(&stat.clusters, clusters, m),
        None => stat.cross.clone(),
    }
}

/// Bootstrap draws `[m, R]` of the columns.
pub(super) fn draws(
    stat: InfluenceStat,
    covariance: &[f64],
    n_clusters: Option<usize>,
    m: usize,
    bootstrap: &Bootstrap,
) -> Vec<f64> {
    match (multipliers(bootstrap), n_clusters) {
        (None, _) => {
            debug_assert_eq!(bootstrap.multiplier, Multiplier::Gaussian);
            gaussian_draws(covariance, m, bootstrap)
        }
        (Some(spec), Some(clusters)) => cluster_draws(&stat.clusters, clusters, &spec),
        (Some(_), None) => stat.draws,
    }
}

/// Estimates whose influence values have no finite sum of squares are none.
fn fail_without_variance(
    cells: &mut [Cell],
    covariance: &[f64],
    y_scale: f64,
    warnings: &mut Vec<DidWarning>,
) {
    let m = covariance.len().isqrt();
    for (j, cell) in cells.iter_mut().enumerate().filter(|(_, c)| c.att.is_some()) {
        if (covariance[j * m + j] * y_scale * y_scale).is_finite() {
            continue;
        }
        let message = "its variance is not finite; outcomes, covariates or weights of its units are too large to be squared";
        cell.status = CellStatus::Estimator { message: message.into() };
        cell.att = None;
        let (group, time, reason) = (cell.group, cell.time, message.into());
        warnings.push(DidWarning::FailedCell { group, time, reason });
    }
}

/// Covariance and draws in units of the outcome; 0 where there is no estimate.
fn add_inference(estimates: &mut Estimates, stat: InfluenceStat, unscaled: &[f64], y_scale: f64) {
    let m = estimates.columns();
    let cells = &estimates.cells;
    let scale = |j: usize| match cells.get(j) {
        Some(cell) if cell.att.is_none() => 0.0,
        Some(_) => y_scale,
        None => 1.0,
    };
    let times = |v: f64, scale: f64| if scale == 0.0 { 0.0 } else { v * scale };
    let scaled = |(e, v): (usize, &f64)| times(times(*v, scale(e / m)), scale(e % m));
    let covariance: Vec<f64> = unscaled.iter().enumerate().map(scaled).collect();
    let clusters = estimates.n_clusters;
    if let Some(bootstrap) = &estimates.inference.bootstrap {
        let mut draws = draws(stat, unscaled, clusters, m, bootstrap);
        for (j, column) in draws.chunks_exact_mut(bootstrap.draws).enumerate() {
            for d in column {
                *d = times(*d, scale(j));
            }
        }
        estimates.draws = Some(draws);
    }
    estimates.covariance = Some(covariance);
}

/// `S'S` of cluster sums `[m, C]`.
fn cross(sums: &[f64], clusters: usize, m: usize) -> Vec<f64> {
    let column = |j: usize| &sums[j * clusters..(j + 1) * clusters];
    (0..m * m).map(|e| crate::solve::dot(column(e / m), column(e % m))).collect()
}

/// Cells with standard errors and intervals.
fn table(estimates: &Estimates, warnings: &mut Vec<DidWarning>) -> (Vec<AttGtCell>, Critical) {
    let inference = &estimates.inference;
    let weights: Vec<Vec<f64>> =
        (0..estimates.cells.len()).map(|j| estimates.unit_weight(j)).collect();
    let none = || Critical { value: pointwise(inference.alpha), band: Band::Pointwise };
    let (standard_errors, critical) = match Projection::new(estimates, &weights) {
        None => (vec![None; weights.len()], none()),
        Some(projection) => {
            let mut se = projection.standard_errors();
            let critical = projection.critical(inference, &se, false, warnings);
            if estimates.n_clusters.is_none() && estimates.draws.is_none() {
                let n = estimates.n as f64;
                let factor = (n / (n - 1.0)).sqrt();
                let sample_sd = se.iter_mut().zip(&estimates.cells).filter(|(_, c)| c.sample_sd);
                sample_sd.for_each(|(se, _)| *se = se.map(|se| se * factor));
            }
            (se, critical)
        }
    };
    let cell = |(cell, se): (&Cell, Option<f64>)| AttGtCell {
        group: cell.group,
        time: cell.time,
        estimate: Estimate::new(cell.att, se, critical.value),
        status: cell.status.clone(),
        n_treated: cell.n_treated,
        n_control: cell.n_control,
    };
    (estimates.cells.iter().zip(standard_errors).map(cell).collect(), critical)
}

/// Influence values by unit, in the order of the units' labels; `kept` says which columns have values.
pub(super) fn influence(sample: &Sample, kept: &[bool], stat: &InfluenceStat) -> Influence {
    let n = sample.n;
    let empty = |kept: &bool| if *kept { vec![0.0; n] } else { Vec::new() };
    let mut columns: Vec<Vec<f64>> = kept.iter().map(empty).collect();
    for (ranks, active, block) in &stat.rows {
        for (j, values) in active.iter().zip(block.chunks_exact(ranks.len().max(1))) {
            let Some(column) = columns.get_mut(*j).filter(|c| !c.is_empty()) else { continue };
            for (rank, value) in ranks.iter().zip(values) {
                column[*rank as usize] = value * n as f64 * sample.y_scale;
            }
        }
    }
    let units = match &sample.labels {
        Some(labels) => labels.clone(),
        None => (0..n).map(|i| i.to_string()).collect(),
    };
    Influence { units, columns }
}
