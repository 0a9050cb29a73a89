//! From the cells of a continuous treatment and moments of their influence values to a result.

use std::ops::Range;
use std::time::Instant;

use super::ContDid;
use super::curve::{CohortCurve, Curves, DoseCurve};
use super::law::{no_law, unit};
use super::result::{ContDidResult, DoseEffects, DoseKnots, GroupKnots};
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::options::DoseTarget;
use crate::base::spectrum::Undetermined;
use crate::engine::backend::DidBackend;
use crate::engine::cell::{CellCurve, CellEstimate, DoseCell, PlannedCell, average};
use crate::engine::source::KeptColumn;
use crate::estimator::GroupTimeResult;
use crate::estimator::group_time::finish;
use crate::estimator::shell::kept::Kept;
use crate::estimator::shell::moments::InfluenceMoments;
use crate::read::panel::Sample;
use crate::result::estimates::{Cell, CellStatus, GroupTimeEffects};
use crate::result::inference::Joint;
use crate::result::settings::Settings;
use crate::result::timings::Timings;

/// A cell, or why there is none.
pub(super) type SolvedDoseCell = std::result::Result<DoseCell, CellStatus>;

/// Which influence column belongs to which estimate: a level and a slope for each of `M` cells, then the mean coefficients of each group's
/// curve, then the groups' shares.
pub(super) struct InfluenceColumns {
    cells: usize,
    estimates: Vec<Option<CellEstimate>>,
    curves: Vec<CurveColumns>,
    groups: usize,
    /// Columns whose variance is not known, ascending: of curves that go through the change of every treated unit, whose residuals say
    /// nothing of their errors.
    unknown: Vec<usize>,
}

/// Of a group that has a curve: its position, its columns, the cells that the curve is the mean of, and their treated units.
struct CurveColumns {
    group: usize,
    columns: Range<usize>,
    cells: Vec<usize>,
    treated: usize,
}

/// Treated units for each coefficient of a group's curve below which its standard errors are too small to go unsaid.
const FEW_TREATED: usize = 10;

/// The curve of a cell, if there is one.
fn curve_of(cell: &SolvedDoseCell) -> Option<&CellCurve> {
    cell.as_ref().ok()?.curve.as_ref().ok()
}

impl InfluenceColumns {
    /// Columns that there will be, at most.
    pub fn most(sample: &Sample, planned: &[PlannedCell]) -> usize {
        let functions = sample.doses.as_ref().map_or(0, |doses| doses.functions);
        2 * planned.len() + (functions + 1) * sample.groups.len()
    }

    pub fn new(sample: &Sample, planned: &[PlannedCell], cells: &[SolvedDoseCell]) -> Self {
        let level = |cell: &SolvedDoseCell| cell.as_ref().ok().map(|c| c.att.clone());
        let slope = |cell: &SolvedDoseCell| Some(curve_of(cell)?.acrt.clone());
        let mut estimates: Vec<Option<CellEstimate>> =
            cells.iter().map(level).chain(cells.iter().map(slope)).collect();
        let saturated = |(plan, cell): (&PlannedCell, &SolvedDoseCell)| {
            curve_of(cell).is_some_and(|curve| plan.n_treated <= curve.coefficients.len())
        };
        let pairs = planned.iter().zip(cells).enumerate().filter(|(_, pair)| saturated(*pair));
        let mut unknown: Vec<usize> = pairs.map(|(j, _)| cells.len() + j).collect();
        let mut curves = Vec::new();
        for (position, group) in sample.groups.iter().enumerate() {
            let is_post = |p: &PlannedCell| {
                p.cohort == group.start && sample.group(group) <= sample.periods[p.time]
            };
            let (own, solved): (Vec<usize>, Vec<&CellCurve>) = planned
                .iter()
                .zip(cells)
                .enumerate()
                .filter(|(_, (plan, _))| is_post(plan))
                .filter_map(|(j, (_, cell))| Some((j, curve_of(cell)?)))
                .unzip();
            let Some(first) = solved.first() else { continue };
            let start = estimates.len();
            let treated = own.iter().map(|j| planned[*j].n_treated).min().unwrap_or(0);
            let mean = |j: usize| Some(average(solved.iter().map(|curve| &curve.coefficients[j])));
            estimates.extend((0..first.coefficients.len()).map(mean));
            let columns = start..estimates.len();
            if treated <= columns.len() {
                unknown.extend(columns.clone());
            }
            curves.push(CurveColumns { group: position, columns, cells: own, treated });
        }
        Self { cells: cells.len(), estimates, curves, groups: sample.groups.len(), unknown }
    }

    /// The estimates of the same columns from the cells of another sample, 0 where there is none in this one; `None` if the other
    /// lacks one.
    pub fn values_in(&self, cells: &[SolvedDoseCell]) -> Option<Vec<f64>> {
        let mut values = vec![0.0; self.estimates.len()];
        for (j, cell) in cells.iter().enumerate() {
            if self.estimates[j].is_some() {
                values[j] = cell.as_ref().ok()?.att.att;
            }
            if self.estimates[self.cells + j].is_some() {
                values[self.cells + j] = curve_of(cell)?.acrt.att;
            }
        }
        for curve in &self.curves {
            for cell in &curve.cells {
                let coefficients = &curve_of(&cells[*cell])?.coefficients;
                for (value, coefficients) in
                    values[curve.columns.clone()].iter_mut().zip(coefficients)
                {
                    *value += coefficients.att / curve.cells.len() as f64;
                }
            }
        }
        values.iter().all(|value| value.is_finite()).then_some(values)
    }

    pub fn estimates(&self) -> impl ExactSizeIterator<Item = Option<&CellEstimate>> {
        self.estimates.iter().map(Option::as_ref)
    }

    fn shares(&self) -> Range<usize> {
        self.estimates.len()..self.estimates.len() + self.groups
    }

    fn of(&self, target: DoseTarget) -> Range<usize> {
        match target {
            DoseTarget::Level => 0..self.cells,
            DoseTarget::Slope => self.cells..2 * self.cells,
        }
    }
}

/// A result in the making.
pub(super) struct Assembly<'a> {
    pub sample: &'a Sample,
    pub planned: &'a [PlannedCell],
    pub cells: &'a [SolvedDoseCell],
    pub columns: &'a InfluenceColumns,
    pub settings: Settings,
    pub timings: Timings,
    pub start: Instant,
    /// Deviations of the estimates, and of the shares, in the draws of a bootstrap that estimated everything anew.
    pub redrawn: Option<Vec<f64>>,
}

impl Assembly<'_> {
    pub fn result<B: DidBackend>(
        self,
        config: &ContDid<B>,
        mut moments: InfluenceMoments,
    ) -> Result<ContDidResult> {
        let _span = tracing::info_span!("inference").entered();
        let influence = moments.kept.take();
        let influence =
            influence.map(|influence| influence.finish(self.sample, &self.kept_columns()));
        let influence = influence.transpose()?.unwrap_or_default();
        let joint = self.joint(moments)?;
        let cohorts: Vec<CohortCurve> = self
            .columns
            .curves
            .iter()
            .scan(0, |first, CurveColumns { group, columns, .. }| {
                let group = &self.sample.groups[*group];
                let curve = CohortCurve {
                    group: self.sample.group(group),
                    splines: self.splines(group.start)?,
                    first: *first,
                    undetermined: Undetermined::default(),
                };
                *first += columns.len();
                Some(curve)
            })
            .collect();
        if cohorts.is_empty() {
            return Err(self.no_curve());
        }
        let of_curves = self.columns.curves.iter();
        let coefficients = of_curves.clone().flat_map(|curve| curve.columns.clone());
        let shares = of_curves.map(|curve| self.columns.shares().start + curve.group);
        let parameters: Vec<usize> = coefficients.chain(shares).collect();
        let curves = Curves {
            cohorts,
            joint: joint.select(&parameters).ok_or_else(no_law)?,
            shares: config.shares,
            errors: config.curve_errors,
            size: self.sample.y_size,
            bands: None,
        };
        let warnings = self.warnings();
        let level = self.effects(&joint, DoseTarget::Level, warnings.clone())?;
        let slope = self.effects(&joint, DoseTarget::Slope, warnings)?;
        finish(config, self.sample, curves, [level, slope], (self.knots(), self.start), influence)
    }

    /// Names of the influence columns: levels, slopes, and the coefficients of curves.
    fn kept_columns(&self) -> Vec<KeptColumn> {
        let Self { sample, planned, columns, .. } = self;
        let of_cell = |of: &str, plan: &PlannedCell| {
            let (group, time) = (sample.cohorts[plan.cohort].group, sample.periods[plan.time]);
            finish::column_name(of, sample, group, time)
        };
        let cells = ["att", "acrt"].into_iter().flat_map(|of| planned.iter().map(move |p| (of, p)));
        let of_curve = |curve: &CurveColumns| {
            let group = sample.calendar.shown(sample.group(&sample.groups[curve.group]));
            (1..=curve.columns.len()).map(|j| format!("beta{j}({group})")).collect::<Vec<_>>()
        };
        let names = cells.map(|(of, plan)| of_cell(of, plan));
        let names = names.chain(columns.curves.iter().flat_map(of_curve));
        let column = |((j, estimate), name): ((usize, Option<&CellEstimate>), String)| KeptColumn {
            name,
            from: estimate.map(|_| j).into_iter().collect(),
        };
        columns.estimates().enumerate().zip(names).map(column).collect()
    }

    /// All parameters, in units of the outcome, with their joint law.
    fn joint(&self, mut moments: InfluenceMoments) -> Result<Joint> {
        let y_scale = self.sample.y_scale;
        let totals = moments.totals.clone();
        let covariance = moments.covariance();
        let m = covariance.len().isqrt();
        let shares = self.columns.shares();
        let value = |(j, estimate): (usize, Option<&CellEstimate>)| {
            let correction = totals.get(j).copied().unwrap_or(0.0);
            Some((estimate?.att + correction) * y_scale)
        };
        let mut values: Vec<Option<f64>> =
            self.columns.estimates().enumerate().map(value).collect();
        let share = |cohorts: &Range<usize>| self.sample.shares[cohorts.clone()].iter().sum();
        values.extend(self.sample.groups.iter().map(|cohorts| Some(share(cohorts))));
        let scale = |j: usize| match values[j] {
            None => 0.0,
            Some(_) if shares.contains(&j) => 1.0,
            Some(_) => y_scale,
        };
        let scales: Vec<f64> = (0..m).map(scale).collect();
        let times = |v: f64, scale: f64| if scale == 0.0 { 0.0 } else { v * scale };
        let scaled = |(e, v): (usize, &f64)| times(times(*v, scales[e / m]), scales[e % m]);
        let all: Vec<f64> = covariance.iter().enumerate().map(scaled).collect();
        if (0..m).any(|j| !all[j * m + j].is_finite()) {
            let problem = String::from(
                "the variance of an estimate is not finite; outcomes, doses or weights are too large or too small to be squared: measure them in another unit",
            );
            return Err(DidError::Doses { problem });
        }
        let draws = self.settings.inference.bootstrap.as_ref().map(|bootstrap| {
            let redrawn = self.redrawn.clone();
            let mut draws = redrawn.unwrap_or_else(|| moments.draws(&covariance, bootstrap));
            for (column, scale) in draws.chunks_exact_mut(bootstrap.draws).zip(&scales) {
                for d in column {
                    *d = times(*d, *scale);
                }
            }
            draws
        });
        let (n, n_clusters) = (self.sample.n, self.sample.n_clusters);
        let unknown = self.columns.unknown.clone();
        Ok(Joint { values, covariance: Some(all.into()), draws, n, n_clusters, unit: 1.0, unknown })
    }

    fn splines(&self, cohort: usize) -> Option<crate::base::splines::Splines> {
        let stratum = self.sample.stratum(cohort, 0);
        self.sample.doses.as_ref()?.splines.get(stratum)?.clone()
    }

    /// Levels or slopes of all cells.
    fn effects(
        &self,
        joint: &Joint,
        target: DoseTarget,
        warnings: Vec<DidWarning>,
    ) -> Result<GroupTimeResult> {
        let parameters: Vec<usize> = self.columns.of(target).chain(self.columns.shares()).collect();
        let joint = joint.select(&parameters).ok_or_else(no_law)?;
        let range = self.sample.doses.as_ref().map_or((0.0, 1.0), |doses| doses.range);
        let joint = Joint { unit: unit(target, self.sample.y_size, range), ..joint };
        let settings = self.settings.clone().with_target(target);
        let status = |cell: &SolvedDoseCell| match (cell, target) {
            (Err(status), _) => status.clone(),
            (Ok(DoseCell { curve: Err(status), .. }), DoseTarget::Slope) => status.clone(),
            (Ok(_), _) => CellStatus::Estimated,
        };
        let statuses = self.cells.iter().map(status);
        let effects = effects(self.sample, self.planned, statuses, joint, &settings);
        Ok(finish::of_effects(
            effects,
            &self.sample.audit,
            settings,
            self.timings,
            warnings,
            self.start,
        ))
    }

    fn warnings(&self) -> Vec<DidWarning> {
        let mut warnings = self.sample.warnings.clone();
        warnings.extend(failures(self.sample, self.planned, self.cells));
        let doses = self.sample.doses.iter();
        for (group, doses) in doses.flat_map(|d| self.sample.groups.iter().map(move |g| (g, d))) {
            let knots = doses.dropped[self.sample.stratum(group.start, 0)];
            if knots > 0 {
                warnings.push(DidWarning::DroppedKnots { group: self.sample.group(group), knots });
            }
        }
        warnings.extend(self.without_curves());
        let few = self.columns.curves.iter().filter(|c| c.treated < FEW_TREATED * c.columns.len());
        warnings.extend(few.map(|curve| DidWarning::FewTreated {
            group: self.sample.group(&self.sample.groups[curve.group]),
            units: curve.treated,
            coefficients: curve.columns.len(),
        }));
        warnings
    }

    /// One warning for each group that has effects and no curve.
    fn without_curves(&self) -> Vec<DidWarning> {
        let share = |group: &Range<usize>| self.sample.shares[group.clone()].iter().sum::<f64>();
        let all: f64 = self.sample.groups.iter().map(share).sum();
        let groups = self.sample.groups.iter().enumerate();
        let without = groups.filter(|(g, _)| self.columns.curves.iter().all(|c| c.group != *g));
        let warning = |(_, group): (usize, &Range<usize>)| {
            let cells_of_group =
                self.planned.iter().zip(self.cells).filter(|(p, _)| p.cohort == group.start);
            let status = cells_of_group
                .filter_map(|(_, cell)| cell.as_ref().ok()?.curve.as_ref().err())
                .next();
            Some(DidWarning::NoCurve {
                group: self.sample.group(group),
                reason: status?.shown(self.sample.calendar.frequency),
                share: share(group) / all,
            })
        };
        without.filter_map(warning).collect()
    }

    fn knots(&self) -> DoseKnots {
        let doses = self.sample.doses.clone().unwrap_or_default();
        let of_group = |group: &Range<usize>| {
            let stratum = self.sample.stratum(group.start, 0);
            let splines = doses.splines.get(stratum)?.as_ref()?;
            Some(GroupKnots {
                group: self.sample.group(group),
                breakpoints: splines.breakpoints().to_vec(),
            })
        };
        DoseKnots {
            degree: doses.splines.iter().flatten().map(|s| s.degree()).max().unwrap_or(0),
            interior: doses.knots,
            groups: self.sample.groups.iter().filter_map(of_group).collect(),
            range: doses.range,
            percentiles: doses.percentiles,
        }
    }

    /// Why there is no curve at all.
    fn no_curve(&self) -> DidError {
        let status = self.cells.iter().rev().find_map(|cell| match cell {
            Err(status) | Ok(DoseCell { curve: Err(status), .. }) => Some(status),
            Ok(_) => None,
        });
        let reason = match status {
            Some(status) => status.shown(self.sample.calendar.frequency),
            None => "no group is treated in a period of the sample".into(),
        };
        DidError::Doses { problem: format!("no group has a dose-response curve: {reason}") }
    }
}

/// One warning for each cell that could not be estimated.
pub(super) fn failures<'a, T>(
    sample: &'a Sample,
    planned: &'a [PlannedCell],
    cells: &'a [std::result::Result<T, CellStatus>],
) -> impl Iterator<Item = DidWarning> + 'a {
    planned.iter().zip(cells).filter_map(|(plan, cell)| {
        let status = cell.as_ref().err().filter(|status| !status.is_estimated())?;
        Some(DidWarning::FailedCell {
            group: sample.cohorts[plan.cohort].group,
            time: sample.periods[plan.time],
            reason: status.shown(sample.calendar.frequency),
        })
    })
}

/// Effects of all cells, whose law `joint` is with the groups' shares.
pub(super) fn effects(
    sample: &Sample,
    planned: &[PlannedCell],
    statuses: impl Iterator<Item = CellStatus>,
    mut joint: Joint,
    settings: &Settings,
) -> GroupTimeEffects {
    let cell = |(plan, status): (&PlannedCell, CellStatus)| Cell {
        group: sample.cohorts[plan.cohort].group,
        time: sample.periods[plan.time],
        status,
        n_treated: plan.n_treated,
        n_control: plan.n_control,
        sample_sd: false,
    };
    let cells: Vec<Cell> = planned.iter().zip(statuses).map(cell).collect();
    for (cell, value) in cells.iter().zip(&mut joint.values) {
        if cell.status == CellStatus::Reference {
            *value = Some(0.0);
        }
    }
    GroupTimeEffects {
        cells,
        groups: sample.groups.iter().map(|cohorts| sample.group(cohorts)).collect(),
        periods: sample.periods.clone(),
        calendar: sample.calendar,
        joint,
        inference: settings.inference,
    }
}

/// The result with the table of its curves, overall effects and event study.
pub(super) fn finish<B: DidBackend>(
    config: &ContDid<B>,
    sample: &Sample,
    curves: Curves,
    [mut level, mut slope]: [GroupTimeResult; 2],
    (knots, start): (DoseKnots, Instant),
    kept: Kept,
) -> Result<ContDidResult> {
    let quantiles = sample.doses.as_ref().map_or(&[][..], |doses| &doses.quantiles);
    // Behind them are those at which dimensions are compared.
    let shown = &quantiles[..config.grid.probabilities().len().min(quantiles.len())];
    let doses = config.grid.doses(knots.range, shown);
    let band = level.settings.inference.band;
    // The band asked for is that of the curve.
    for cells in [&mut level, &mut slope] {
        cells.warnings.retain(|warning| *warning != DidWarning::BandOfOne);
    }
    let mut result = ContDidResult {
        method: config.method,
        target: config.target,
        aggregation: config.aggregation,
        overall: DoseEffects::default(),
        dose: DoseCurve::default(),
        knots,
        warnings: level.warnings.clone(),
        level,
        slope,
        curves,
        influence: kept.here,
        influence_files: kept.files,
    };
    result.overall = result.overall_effects()?;
    let mut warnings_of_curve = Vec::new();
    result.dose = result.curve(&doses, band, &mut warnings_of_curve)?;
    for warning in warnings_of_curve.into_iter().chain(result.slope.warnings.clone()) {
        if !result.warnings.contains(&warning) {
            result.warnings.push(warning);
        }
    }
    result.level.timings.finish(start);
    Ok(result)
}
