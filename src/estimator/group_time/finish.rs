//! From estimates of cells and moments of their influence values to group-time effects and their table.

use std::time::Instant;

use super::by_cluster::ByCluster;
use super::moments::EffectMoments;
use super::overlap::overlap_warnings;
use super::{GroupTimeCell, GroupTimeResult};
use crate::base::calendar::{Calendar, named};
use crate::base::error::{DidWarning, Result};
use crate::base::options::Band;
use crate::engine::cell::{CellEstimate, PlannedCell};
use crate::engine::source::KeptColumn;
use crate::estimator::shell::kept::Kept;
use crate::estimator::shell::moments::InfluenceMoments;
use crate::read::panel::{Sample, SampleAudit};
use crate::result::estimates::{Cell, CellStatus, GroupTimeEffects, Overlap};
use crate::result::inference::{Covariance, Critical, Joint, pointwise};
use crate::result::settings::Settings;
use crate::result::timings::Timings;

/// A cell's point estimate.
pub(crate) struct SolvedCell {
    pub att: f64,
    pub not_converged: bool,
    /// See [`Cell::sample_sd`].
    pub sample_sd: bool,
    /// Whether its influence values are not finite, so that its variance is not known.
    pub unknown: bool,
    pub overlap: Option<Overlap>,
}

impl From<CellEstimate> for SolvedCell {
    fn from(estimated: CellEstimate) -> Self {
        let CellEstimate { att, not_converged, overlap, .. } = estimated;
        Self { att, not_converged, sample_sd: false, unknown: false, overlap }
    }
}

/// A fit before inference.
pub(crate) struct PointFit {
    pub solved: Vec<std::result::Result<SolvedCell, CellStatus>>,
    /// `None` for point estimates only.
    pub moments: Option<EffectMoments>,
    /// Size of a standard error next to which one is rounding: see [`Joint::unit`].
    pub unit: f64,
    /// Whether what each cluster contributes is kept.
    pub keep_by_cluster: bool,
    pub settings: Settings,
    pub timings: Timings,
    /// Those of the sample and of the estimation.
    pub warnings: Vec<DidWarning>,
}

/// Forms covariance, draws, standard errors and bands.
pub(crate) fn result(
    sample: &Sample,
    planned: &[PlannedCell],
    fitted: PointFit,
    start: Instant,
) -> Result<GroupTimeResult> {
    let _span = tracing::info_span!("inference").entered();
    let PointFit { solved, moments, unit, keep_by_cluster, settings, timings, mut warnings } =
        fitted;
    let overlaps: Vec<Option<Overlap>> =
        solved.iter().map(|cell| cell.as_ref().ok().and_then(|cell| cell.overlap)).collect();
    let totals = moments.as_ref().map_or(&[][..], EffectMoments::totals);
    let mut effects = effects(sample, planned, solved, totals, &settings, &mut warnings);
    let mut by_cluster = None;
    let kept = match moments {
        Some(mut moments) => {
            if let Some(whole) = moments.whole() {
                warnings.extend(few_clusters(&effects, whole, &warnings));
            }
            let covariance = moments.covariance();
            fail_without_variance(&mut effects, &covariance, sample.y_scale, &mut warnings);
            let columns = kept_columns(sample, &effects);
            let kept = moments.take_kept().map(|kept| kept.finish(sample, &columns));
            let scales = scales(&effects, sample.y_scale);
            by_cluster = (keep_by_cluster && effects.joint.unknown.is_empty())
                .then(|| ByCluster::new(sample, moments.whole()?, &scales))
                .flatten();
            add_law(&mut effects, moments, covariance, &scales);
            effects.joint.unit = unit;
            kept.transpose()?.unwrap_or_default()
        }
        None => Kept::default(),
    };
    let of_cells = effects.cells.iter().zip(&overlaps);
    let estimated = of_cells.filter(|(cell, _)| cell.status == CellStatus::Estimated);
    warnings.extend(overlap_warnings(
        estimated.filter_map(|(cell, overlap)| Some((Some((cell.group, cell.time)), (*overlap)?))),
    ));
    let mut result = of_effects(effects, &sample.audit, settings, timings, warnings, start);
    for (cell, overlap) in result.cells.iter_mut().zip(overlaps) {
        cell.overlap = overlap.filter(|_| cell.status == CellStatus::Estimated);
    }
    let (influence, influence_of_shares) = (kept.here, kept.of_shares);
    let influence_files = kept.files;
    Ok(GroupTimeResult { influence, influence_of_shares, influence_files, by_cluster, ..result })
}

/// The table of effects that have their law, with a test of those before treatment.
pub(crate) fn of_effects(
    effects: GroupTimeEffects,
    audit: &SampleAudit,
    settings: Settings,
    mut timings: Timings,
    mut warnings: Vec<DidWarning>,
    start: Instant,
) -> GroupTimeResult {
    let (cells, critical) = table(&effects, &mut warnings);
    // Without a standard error there is no interval to be the band.
    if cells.iter().all(|cell| cell.estimate.se.is_none()) {
        warnings.retain(|warning| *warning != DidWarning::BandOfOne);
    }
    let wald = super::contrast::pre_test(&effects, &cells, &mut warnings);
    timings.finish(start);
    GroupTimeResult {
        cells,
        critical_value: critical.value,
        band: critical.band,
        wald,
        audit: audit.clone(),
        warnings,
        settings,
        timings,
        comparisons: None,
        effects,
        influence: None,
        influence_of_shares: None,
        influence_files: None,
        weighting: None,
        scores: None,
        by_cluster: None,
    }
}

/// A warning of groups whose units are in few clusters, but for those of few units, which were told.
fn few_clusters(
    effects: &GroupTimeEffects,
    moments: &InfluenceMoments,
    warnings: &[DidWarning],
) -> Option<DidWarning> {
    /// Clusters that a group needs.
    const ENOUGH: usize = 5;
    let is_told = |group: &f64| {
        let of = |warning: &DidWarning| matches!(warning, DidWarning::SmallGroups { groups, .. } if groups.contains(group));
        warnings.iter().any(of)
    };
    // Behind the effects are the groups' shares, to which the clusters of their units alone contribute.
    let clusters = |(g, group): (usize, &f64)| {
        let sums = moments.of_clusters(effects.cells.len() + g)?;
        Some((*group, sums.iter().filter(|sum| **sum != 0.0).count()))
    };
    let groups = effects.groups.iter().enumerate().filter_map(clusters);
    let groups = groups.filter(|(group, clusters)| *clusters < ENOUGH && !is_told(group));
    let groups: Vec<(f64, usize)> = groups.collect();
    (!groups.is_empty()).then_some(DidWarning::FewClustersOfGroups { groups })
}

/// Names of the influence columns, one per cell.
fn kept_columns(sample: &Sample, effects: &GroupTimeEffects) -> Vec<KeptColumn> {
    let column = |(j, cell): (usize, &Cell)| KeptColumn {
        name: column_name("att", sample, cell.group, cell.time),
        from: effects
            .att(j)
            .filter(|_| !effects.joint.is_unknown(j))
            .map(|_| j)
            .into_iter()
            .collect(),
    };
    effects.cells.iter().enumerate().map(column).collect()
}

/// Name of a column of influence values: its parameter and its cell.
pub(crate) fn column_name(of: &str, sample: &Sample, group: f64, time: f64) -> String {
    let Calendar { frequency, .. } = sample.calendar;
    format!("{of}({},{})", named(group, frequency), named(time, frequency))
}

/// The effects without their law. Each cell's summed influence is added to its estimate, where there are sums.
fn effects(
    sample: &Sample,
    planned: &[PlannedCell],
    solved: Vec<std::result::Result<SolvedCell, CellStatus>>,
    totals: &[f64],
    settings: &Settings,
    warnings: &mut Vec<DidWarning>,
) -> GroupTimeEffects {
    let is_unknown = |solved: &std::result::Result<SolvedCell, CellStatus>| {
        solved.as_ref().is_ok_and(|solved| solved.unknown)
    };
    let unknown: Vec<usize> = (0..solved.len()).filter(|j| is_unknown(&solved[*j])).collect();
    let cell = |(plan, solved): (&PlannedCell, std::result::Result<SolvedCell, CellStatus>)| {
        let (group, time) = (sample.cohorts[plan.cohort].group, sample.periods[plan.time]);
        let sample_sd = solved.as_ref().is_ok_and(|s| s.sample_sd);
        let (att, status) = match solved {
            Ok(solved) => {
                if solved.not_converged {
                    warnings.push(DidWarning::NotConverged { group, time });
                }
                if solved.unknown {
                    warnings.push(DidWarning::InfluenceNotFinite { group, time });
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
        (Cell { group, time, status, n_treated, n_control, sample_sd }, att)
    };
    let (cells, mut values): (Vec<Cell>, Vec<Option<f64>>) =
        planned.iter().zip(solved).map(cell).unzip();
    warn_of_weights(sample, planned, warnings);
    let corrected = cells.iter().zip(&mut values).zip(totals);
    for ((_, value), total) in corrected.filter(|((c, _), _)| c.status == CellStatus::Estimated) {
        *value = value.map(|att| att + total * sample.y_scale);
    }
    let of = settings.shares_of().unwrap_or_default();
    let share = |cohorts| sample.counted(cohorts, of).map(|c| sample.shares[c]).sum();
    values.extend(sample.groups.iter().map(|cohorts| Some(share(cohorts))));
    let (n, n_clusters) = (sample.n, sample.n_clusters);
    GroupTimeEffects {
        cells,
        groups: sample.groups.iter().map(|cohorts| sample.group(cohorts)).collect(),
        periods: sample.periods.clone(),
        calendar: sample.calendar,
        joint: Joint { values, covariance: None, draws: None, n, n_clusters, unit: 1.0, unknown },
        inference: settings.inference,
    }
}

/// Says which groups' weights come from a period in which not all of their units are observed.
fn warn_of_weights(sample: &Sample, planned: &[PlannedCell], warnings: &mut Vec<DidWarning>) {
    for plan in planned {
        if let Some(period) = plan.incomplete_weights {
            let (group, period) = (sample.cohorts[plan.cohort].group, sample.periods[period]);
            let warning = DidWarning::MissingWeightPeriod { group, period };
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
    }
}

/// Estimates whose influence values have no finite sum of squares are none.
fn fail_without_variance(
    effects: &mut GroupTimeEffects,
    covariance: &Covariance,
    y_scale: f64,
    warnings: &mut Vec<DidWarning>,
) {
    let variances = covariance.variances(effects.joint.len());
    for (j, (cell, variance)) in effects.cells.iter_mut().zip(variances).enumerate() {
        let value = &mut effects.joint.values[j];
        if value.is_none() || (variance * y_scale * y_scale).is_finite() {
            continue;
        }
        let message = "its variance is not finite; outcomes, covariates or weights of its units are too large to be squared";
        cell.status = CellStatus::Estimator { message: message.into() };
        *value = None;
        let (group, time, reason) = (cell.group, cell.time, message.into());
        warnings.push(DidWarning::FailedCell { group, time, reason });
    }
}

/// What turns influence values into units of the estimates: effects and, behind them, shares; 0 where there is no estimate.
fn scales(effects: &GroupTimeEffects, y_scale: f64) -> Vec<f64> {
    let cells = effects.cells.len();
    let scale = |(j, value): (usize, &Option<f64>)| match value {
        None => 0.0,
        Some(_) if j < cells => y_scale,
        Some(_) => 1.0,
    };
    effects.joint.values.iter().enumerate().map(scale).collect()
}

/// Covariance and draws in units of the outcome (shares have none); 0 where there is no estimate.
fn add_law(
    effects: &mut GroupTimeEffects,
    moments: EffectMoments,
    mut covariance: Covariance,
    scales: &[f64],
) {
    let joint = &mut effects.joint;
    if let Some(bootstrap) = &effects.inference.bootstrap {
        let mut draws = moments.draws(&covariance, joint.len(), bootstrap);
        for (column, scale) in draws.chunks_exact_mut(bootstrap.draws).zip(scales) {
            for d in column {
                *d = if *scale == 0.0 { 0.0 } else { *d * scale };
            }
        }
        joint.draws = Some(draws);
    }
    covariance.scale(scales);
    joint.covariance = Some(covariance);
}

/// Cells with standard errors and intervals.
fn table(
    effects: &GroupTimeEffects,
    warnings: &mut Vec<DidWarning>,
) -> (Vec<GroupTimeCell>, Critical) {
    let inference = &effects.inference;
    let cells: Vec<usize> = (0..effects.cells.len()).collect();
    let none = || Critical { value: pointwise(inference.alpha), band: Band::Pointwise };
    let (standard_errors, critical) = match effects.joint.select(&cells) {
        None => (vec![None; cells.len()], none()),
        Some(joint) => {
            let mut se = joint.standard_errors();
            let is_reference = |cell: usize| effects.cells[cell].status == CellStatus::Reference;
            warnings.extend(joint.missing(&se, is_reference));
            let critical = joint.critical(inference, &se, false, warnings);
            if joint.n_clusters.is_none() && joint.draws.is_none() {
                let n = joint.n as f64;
                let factor = (n / (n - 1.0)).sqrt();
                let sample_sd = se.iter_mut().zip(&effects.cells).filter(|(_, c)| c.sample_sd);
                sample_sd.for_each(|(se, _)| *se = se.map(|se| se * factor));
            }
            (se, critical)
        }
    };
    let cell = |((cell, att), se): ((&Cell, &Option<f64>), Option<f64>)| GroupTimeCell {
        group: cell.group,
        time: cell.time,
        estimate: critical.estimate(*att, se, inference.alpha),
        status: cell.status.clone(),
        n_treated: cell.n_treated,
        n_control: cell.n_control,
        overlap: None,
    };
    let estimated = effects.cells.iter().zip(&effects.joint.values);
    (estimated.zip(standard_errors).map(cell).collect(), critical)
}
