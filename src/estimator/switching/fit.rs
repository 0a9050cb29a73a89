//! From data to a result.

use std::time::Instant;

use super::inference::{JointEstimates, Tested, of_regression};
use super::reading::{GroupPeriods, SwitchingColumns, none_left};
use super::result::event_study_order;
use super::{
    DidMultiplegt, DidMultiplegtResult, EffectsEqual, HeterogeneityRow, MultiplegtAudit,
    MultiplegtTests, SwitchingEffect,
};
use crate::base::counted::counted;
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::memory;
use crate::base::options::{ControlGroup, Precision};
use crate::base::random::uniform;
use crate::estimator::fitting::fits;
use crate::estimator::switching::effects::{
    Direction, DrawnEstimates, Dropped, GroupPeriodCells, SwitchingEstimate, SwitchingEstimates,
    SwitchingSample, Unusable, Varying, draw, equal_but_for_rounding, estimate, heterogeneity,
    prepare, split_by_rounding,
};
use crate::read::columns::MissingValues;
use crate::read::input::{Data, Read};
use crate::read::panel::Layout;
use crate::result::inference::{ClusterInfluence, Estimate, pointwise, rounding_between};
use crate::result::settings::{EstimatorSettings, Settings};
use crate::result::timings::Timings;

fits!(DidMultiplegt, output: DidMultiplegtResult);

impl DidMultiplegt {
    /// Estimates from a data frame, a lazy frame, or the path of CSV, parquet or Stata [files](crate::Data), which are read as a whole.
    ///
    /// # Errors
    /// [`DidError`] naming the option, column or group at fault. An effect that no switcher has a control for is not an error: it
    /// has no estimate.
    pub fn fit<'a>(&self, data: impl Into<Data<'a>>) -> Result<DidMultiplegtResult> {
        self.fit_with_influence(data).map(|(result, _)| result)
    }

    /// [`fit`](Self::fit) with the influence of the clusters on the rows of the event study; `None` without a column of clusters.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub(crate) fn fit_with_influence<'a>(
        &self,
        data: impl Into<Data<'a>>,
    ) -> Result<(DidMultiplegtResult, Option<ClusterInfluence>)> {
        self.validate()?;
        let _span = tracing::info_span!("fit", estimator = "did_multiplegt").entered();
        let start = Instant::now();
        let (data, columns) = (data.into(), self.columns()?);
        let missing = MissingValues::new(self.missing_values.as_deref());
        let (mut read, files, read_as_missing, seconds) = data.reading(&missing, |data| {
            let Read { frame, files, read_as_missing } =
                data.read(&columns.wanted(), &missing, None)?;
            let seconds = start.elapsed().as_secs_f64();
            let read = GroupPeriods::read(&frame, &columns, &missing)?;
            Ok((read, files, read_as_missing, seconds))
        })?;
        let mut audit = MultiplegtAudit {
            files,
            read_as_missing,
            rows_in: read.rows_in,
            rows_missing: std::mem::take(&mut read.rows_missing),
            periods: read.periods.clone(),
            controls: read.controls.clone(),
            ..MultiplegtAudit::default()
        };
        audit.read_as_missing.append(&mut read.read_as_missing);
        self.check_memory(&read)?;
        let cells = GroupPeriodCells::new(std::mem::take(&mut read.rows));
        let cells = cells.map_err(|varying| varies(varying, &columns, &read))?;
        let rounding = equal_but_for_rounding(&cells);
        let constant = cells.has_constant_treatments();
        let (sample, dropped) = prepare(cells, &self.options(), !self.traits().is_empty())
            .map_err(|unusable| self.unusable(unusable, rounding, constant))?;
        let rounding = rounding.or_else(|| split_by_rounding(&sample));
        audit.count(&sample, &dropped);
        if let (Some(column), 0) = (&columns.weights, audit.cells) {
            let problem = "no cell with an outcome and a treatment has a positive weight".into();
            return Err(DidError::Weights { column: column.clone(), problem });
        }
        if let (Some(column), clusters @ (0 | 1)) = (&columns.cluster, sample.clusters()) {
            let column = column.clone();
            return Err(DidError::TooFewClusters { column, clusters });
        }
        let timings = Timings { read: seconds, ..Timings::default() };
        let timings = Timings { ingest: start.elapsed().as_secs_f64() - seconds, ..timings };
        self.estimate(PreparedGroups { sample, columns, read, rounding, audit, timings, start })
    }

    /// Cells of groups and periods are held as a whole: outcome, treatment, weight and controls, twice while they are arranged; then the
    /// influence of the groups, and of draws the estimates.
    fn check_memory(&self, read: &GroupPeriods) -> Result<()> {
        let groups = read.rows.groups as u128;
        let cells = groups * read.rows.periods as u128;
        let columns = 2 * (3 + read.rows.controls.len() as u128) + 1;
        let draws = self.bootstrap.map_or(0, |b| b.draws as u128);
        let asked = self.effects as u128 + self.placebos as u128;
        // There are no more effects and placebos than periods.
        let influence = groups * asked.min(2 * read.rows.periods as u128);
        memory::check(
            "the cells of groups and periods",
            8 * (cells * columns + influence + draws * 2 * (asked + 2)),
            "put periods on a coarser grid, or take fewer groups",
        )
    }

    fn unusable(
        &self,
        unusable: Unusable,
        rounding: Option<(f64, f64)>,
        constant: bool,
    ) -> DidError {
        let why = match unusable {
            Unusable::Empty => return none_left(&[]),
            Unusable::NoVariation if rounding.is_some() => {
                "treatments that differ by rounding alone count as different; round the column (where several rows are averaged, after averaging them)"
            }
            Unusable::NoVariation if constant => {
                "it is the same in all periods of every group; give the treatment that a group has in each period, and not whether or when it is first treated (`AttGt` and others take the period of first treatment)"
            }
            Unusable::NoVariation => {
                "among groups of the same treatment in their first period (and trend group), all switch in the same period or none does; if it has many values, set `continuous`"
            }
            Unusable::NoEffect => {
                "no group that switches, of those asked for, has a control: a group of the same first treatment that has not switched yet"
            }
        };
        DidError::NoSwitchers { column: self.treatment.clone(), why }
    }

    fn estimate(
        &self,
        prepared: PreparedGroups,
    ) -> Result<(DidMultiplegtResult, Option<ClusterInfluence>)> {
        let PreparedGroups { sample, columns, read, rounding, mut audit, mut timings, start } =
            prepared;
        let options = self.options();
        let before = start.elapsed().as_secs_f64();
        let mut estimated =
            estimate(&sample, &options).map_err(|e| self.unusable(e, rounding, false))?;
        audit.dropped.groups_without_residuals = estimated.groups_left_out;
        timings.estimate = start.elapsed().as_secs_f64() - before;
        let draws = self.draws(&sample)?;
        let mut warnings = self.warnings(&sample, &read, &estimated, &audit);
        if let Some((smaller, larger)) = rounding {
            warnings.push(DidWarning::RoundedTreatments { smaller, larger });
        }
        let all = estimated.effects.iter().chain(&estimated.placebos);
        let rounding = rounding_of(&sample);
        let mut law = JointEstimates {
            values: all.chain(&estimated.average).map(|found| found.estimate).collect(),
            covariance: estimated.covariance,
            rounding: estimated.scales.iter().map(|scale| scale * rounding).collect(),
        };
        if estimated.average.is_none() {
            law.values.push(None);
        }
        if let Some(draws) = &draws {
            let failed = law.resampled(draws);
            if failed > 0 {
                warnings.push(DidWarning::FailedDraws { draws: failed });
            }
        }
        let (effects, placebos) = (estimated.effects.len(), estimated.placebos.len());
        let critical_value = pointwise(self.alpha);
        let shown = |horizon: i64, index: usize, found: &SwitchingEstimate| SwitchingEffect {
            horizon,
            estimate: Estimate::new(found.estimate, law.se(index), critical_value),
            n_obs: found.rows,
            n_switchers: found.switchers,
            n_obs_weighted: found.rows_weighted,
            n_switchers_weighted: found.switchers_weighted,
        };
        warnings.extend(without_standard_error(&law, effects, &sample));
        let tests = self.tests(&law, effects, placebos, &mut warnings);
        let covariances =
            |i: usize| (0..effects + placebos).map(|j| law.covariance(i, j)).collect();
        let mut result = DidMultiplegtResult {
            effects: (1..)
                .zip(&estimated.effects)
                .enumerate()
                .map(|(i, (horizon, found))| shown(horizon, i, found))
                .collect(),
            placebos: (1..)
                .zip(&estimated.placebos)
                .enumerate()
                .map(|(i, (horizon, found)): (usize, (i64, _))| shown(-horizon, effects + i, found))
                .collect(),
            average: estimated.average.map(|found| shown(0, effects + placebos, &found)),
            vcov: (0..effects + placebos).map(covariances).collect(),
            tests,
            heterogeneity: self.heterogeneity(&sample, effects, placebos, &mut warnings),
            critical_value,
            normalized: self.normalized,
            settings: self.settings(&sample, &columns, &audit),
            audit,
            warnings,
            timings,
        };
        let influence = read.cluster_labels(&sample.cluster_codes).map(|clusters| {
            let column = |position: Option<usize>| {
                position.map_or_else(Vec::new, |i| std::mem::take(&mut estimated.influence[i]))
            };
            let order = event_study_order(effects, placebos).into_iter();
            ClusterInfluence { clusters, columns: order.map(column).collect() }
        });
        result.timings.finish(start);
        Ok((result, influence))
    }

    fn draws(&self, sample: &SwitchingSample) -> Result<Option<DrawnEstimates>> {
        let Some(bootstrap) = self.bootstrap else { return Ok(None) };
        let _span = tracing::info_span!("bootstrap", draws = bootstrap.draws).entered();
        let number = |draw: usize, position: usize| {
            uniform(bootstrap.seed, u32::try_from(draw).unwrap_or(u32::MAX), position as u64)
        };
        let draws = draw(sample, &self.options(), bootstrap.draws, &number);
        draws.map(Some).map_err(|e| self.unusable(e, None, false))
    }

    fn tests(
        &self,
        law: &JointEstimates,
        effects: usize,
        placebos: usize,
        warnings: &mut Vec<DidWarning>,
    ) -> MultiplegtTests {
        let mut of = |tested: Option<Tested>, test: &str| {
            let tested = tested?;
            if tested.singular {
                warnings.push(DidWarning::SingularTest { test: test.to_owned() });
            }
            Some(tested.wald)
        };
        let equal = self.effects_equal.and_then(|range| match range {
            EffectsEqual::All => law.equal(0..effects),
            EffectsEqual::Between(from, to) => {
                (to <= effects).then(|| law.equal(from - 1..to)).flatten()
            }
        });
        let tests = MultiplegtTests {
            effects: of(law.zero(0..effects), "all effects are zero"),
            placebos: of(law.zero(effects..effects + placebos), "all placebos are zero"),
            equal: of(equal, "effects are equal"),
        };
        if self.effects_equal.is_some() && tests.equal.is_none() {
            let option = "effects_equal".to_owned();
            let reason = "fewer than two of the effects are estimated, or not all of them, or one has no standard error";
            warnings.push(DidWarning::without_effect(option, reason));
        }
        tests
    }

    fn heterogeneity(
        &self,
        sample: &SwitchingSample,
        effects: usize,
        placebos: usize,
        warnings: &mut Vec<DidWarning>,
    ) -> Vec<HeterogeneityRow> {
        let Some(asked) = &self.predict_heterogeneity else { return Vec::new() };
        if self.normalized {
            let option = "predict_heterogeneity".to_owned();
            let reason = "effects are normalized".to_owned();
            warnings.push(DidWarning::without_effect(option, reason));
            return Vec::new();
        }
        let (varying, columns): (Vec<usize>, Vec<usize>) =
            (0..asked.covariates.len()).partition(|column| sample.traits.varies[*column]);
        for column in varying {
            let option = format!("predict_heterogeneity: {}", asked.covariates[column]);
            let reason = "it changes over time within groups".to_owned();
            warnings.push(DidWarning::without_effect(option, reason));
        }
        if columns.is_empty() {
            return Vec::new();
        }
        let chosen = |l: &usize| asked.effects.is_empty() || asked.effects.contains(l);
        if let Some(large) = asked.effects.iter().find(|l| **l > effects) {
            let option = format!("predict_heterogeneity: effect {large}");
            let reason = format!("{} estimated", counted(effects, "effect is", "effects are"));
            warnings.push(DidWarning::without_effect(option, reason));
        }
        // The trend of a placebo's change would be the change itself.
        let placebos = if self.linear_trends { 0 } else { placebos };
        let of_placebos = (1..=placebos).filter(chosen).map(|l| -(l as i64));
        let horizons = (1..=effects).filter(chosen).map(|l| l as i64).chain(of_placebos);
        let regressions: Vec<_> =
            horizons.map(|l| heterogeneity(sample, &self.options(), &columns, l)).collect();
        for regression in
            regressions.iter().filter(|regressions| regressions.coefficients.is_none())
        {
            let option = format!("predict_heterogeneity: effect {}", regression.effect);
            let reason = "in cohorts of one first switch the columns do not vary, depend on each other, or have too few groups";
            warnings.push(DidWarning::without_effect(option, reason));
        }
        let row = |position: usize, column: usize| {
            let name = asked.covariates[column].clone();
            regressions.iter().map(move |regression| {
                let (estimates, p_all) = of_regression(regression, self.alpha);
                HeterogeneityRow {
                    effect: regression.effect,
                    covariate: name.clone(),
                    estimate: estimates.get(position).copied().unwrap_or_default(),
                    n: regression.n,
                    p_all,
                }
            })
        };
        let rows = columns.iter().enumerate().flat_map(|(position, column)| row(position, *column));
        let mut rows: Vec<HeterogeneityRow> = rows.collect();
        rows.sort_by(|a, b| (&a.covariate, a.effect).cmp(&(&b.covariate, b.effect)));
        rows
    }

    fn warnings(
        &self,
        sample: &SwitchingSample,
        read: &GroupPeriods,
        estimated: &SwitchingEstimates,
        audit: &MultiplegtAudit,
    ) -> Vec<DidWarning> {
        let mut warnings: Vec<DidWarning> =
            DidWarning::dropped_rows(&audit.rows_missing).into_iter().collect();
        if !read.infinite.is_empty() {
            warnings.push(DidWarning::InfiniteValues { columns: read.infinite.clone() });
        }
        if !read.rounded.is_empty() {
            warnings.push(DidWarning::RoundedIntegers { columns: read.rounded.clone() });
        }
        let (effects, placebos) = (estimated.effects.len(), estimated.placebos.len());
        if effects < self.effects {
            warnings.push(DidWarning::FewerEffects { asked: self.effects, effects });
        }
        if placebos < self.placebos {
            warnings.push(DidWarning::FewerPlacebos { asked: self.placebos, placebos });
        }
        for (sign, founds) in [(1, &estimated.effects), (-1, &estimated.placebos)] {
            let missing = (1..).zip(founds).filter(|(_, found)| found.estimate.is_none());
            warnings.extend(missing.map(|(l, found)| match found.switchers {
                0 => DidWarning::NoSwitchersAt { horizon: sign * l },
                _ => DidWarning::NoChangeOfTreatment { horizon: sign * l },
            }));
        }
        let average = &estimated.average;
        if average.as_ref().is_some_and(|found| found.estimate.is_none() && found.switchers > 0) {
            warnings.push(DidWarning::NoChangeOfTreatment { horizon: 0 });
        }
        for (control, treatments) in &estimated.constant {
            let (column, treatments) = (read.controls[*control].clone(), treatments.clone());
            warnings.push(DidWarning::ConstantControl { column, treatments });
        }
        if !estimated.collinear.is_empty() {
            let treatments = estimated.collinear.clone();
            warnings.push(DidWarning::CollinearControls { treatments });
        }
        if !estimated.left_out.is_empty() {
            let treatments = estimated.left_out.clone();
            warnings.push(DidWarning::ControlsWithoutRows { treatments });
        }
        let several = !read.controls.is_empty() && sample.status_quos.len() > 1;
        if several && !self.separate_control_variance {
            warnings.push(DidWarning::ControlVariance);
        }
        warnings.extend(DidWarning::few_clusters(sample.clusters()));
        warnings
    }

    fn settings(
        &self,
        sample: &SwitchingSample,
        columns: &SwitchingColumns,
        audit: &MultiplegtAudit,
    ) -> Settings {
        let control_group = if self.only_never_switchers {
            ControlGroup::NeverTreated
        } else {
            ControlGroup::NotYetTreated
        };
        let balanced = audit.cells == sample.groups() * sample.periods;
        Settings {
            estimator: EstimatorSettings::DidMultiplegt {
                control_group,
                normalized: self.normalized,
            },
            backend: "host".into(),
            precision: Precision::F64,
            outcome: self.outcome.clone(),
            covariates: self.covariates.clone(),
            weights: self.weights.clone(),
            cluster: columns.cluster.clone(),
            frequency: self.frequency,
            layout: if balanced { Layout::Balanced } else { Layout::Unbalanced },
            n_units: sample.groups(),
            n_rows: audit.cells,
            n_clusters: sample.cluster.as_ref().map(|_| sample.clusters()),
            inference: self.inference(),
        }
    }
}

/// What rounding may leave of the standard error of a change of the outcome that is zero.
fn rounding_of(sample: &SwitchingSample) -> f64 {
    let cells = sample.outcome.iter().zip(&sample.weight);
    let outcomes = cells.filter(|(y, weight)| !y.is_nan() && **weight > 0.0).map(|(y, _)| *y);
    let (low, high) = outcomes
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
    rounding_between(low, high)
}

/// Estimates without a standard error, if there are any.
fn without_standard_error(
    law: &JointEstimates,
    effects: usize,
    sample: &SwitchingSample,
) -> Option<DidWarning> {
    let average = law.values.len() - 1;
    let missing = (0..=average).filter(|i| law.values[*i].is_some() && law.se(*i).is_none());
    let horizon = |i: usize| match i {
        i if i == average => 0,
        i if i < effects => i as i64 + 1,
        i => effects as i64 - i as i64 - 1,
    };
    let horizons: Vec<i64> = missing.map(horizon).collect();
    let outcomes = sample.outcome.iter().filter(|y| !y.is_nan());
    let largest = outcomes.fold(0.0_f64, |largest, y| largest.max(y.abs()));
    let out_of_range = largest > 0.0 && !(largest * largest).is_normal();
    (!horizons.is_empty()).then_some(DidWarning::NoStandardError { horizons, out_of_range })
}

/// What estimation starts from.
struct PreparedGroups {
    sample: SwitchingSample,
    columns: SwitchingColumns,
    read: GroupPeriods,
    /// Treatments that differ by rounding alone.
    rounding: Option<(f64, f64)>,
    audit: MultiplegtAudit,
    timings: Timings,
    start: Instant,
}

impl MultiplegtAudit {
    fn count(&mut self, sample: &SwitchingSample, dropped: &Dropped) {
        self.dropped = *dropped;
        self.groups = sample.groups();
        let of = |direction| sample.direction.iter().filter(|d| **d == Some(direction)).count();
        (self.switchers_in, self.switchers_out) = (of(Direction::In), of(Direction::Out));
        let never = (0..sample.groups()).filter(|g| sample.never_switches(*g));
        self.never_switchers = never.count();
        self.cells = sample.weight.iter().filter(|w| **w > 0.0).count();
    }
}

/// The error of a column that changes within a group.
fn varies(varying: Varying, columns: &SwitchingColumns, read: &GroupPeriods) -> DidError {
    let (group, column, role, remedy) = match varying {
        Varying::Trend { group } => (
            group,
            columns.trends.join(", "),
            "trend group",
            "groups with trends of their own must not change over time",
        ),
        Varying::Cluster { group } => (
            group,
            columns.cluster.clone().unwrap_or_default(),
            "cluster",
            "every group must be in one cluster",
        ),
    };
    DidError::TimeVarying { column, role, unit: read.label(group), remedy }
}
