//! Local projections, step by step.

use super::options::{LocalProjections, ProjectionMethod};
use super::plan::Plan;
use super::regression::{Bases, Fitted, Identity, Spread};
use super::result::{LocalProjectionsResult, ProjectionSettings};
use crate::base::calendar::shown;
use crate::base::counted::counted;
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::memory;
use crate::base::options::{ControlGroup, ProjectionBase};
use crate::engine::by_unit::{NEVER, ProjectionScores, ProjectionSums, Target};
use crate::estimator::by_unit::{
    Covariance, EventEffect, Influences, Opened, Regression, overflow,
};
use crate::estimator::fitting::fits;
use crate::read::input::Data;
use crate::read::panel::smallest_cohort;
use crate::result::inference::ClusterInfluence;

fits!(LocalProjections, output: LocalProjectionsResult);

impl LocalProjections {
    /// Estimates from a data frame, a lazy frame, or the path of CSV, parquet or Stata [files](crate::Data).
    ///
    /// # Errors
    /// Errors about a column or a file; [`DidError::Config`]; [`DidError::Panel`] for units with two rows in a period, periods that are not
    /// evenly spaced, a treatment that is not 0 or 1 or that ends without [`stable_periods`](Self::stable_periods);
    /// [`DidError::TimeVarying`] for units whose group or cluster changes; [`DidError::ColumnType`] for covariates that are no numbers;
    /// [`DidError::EmptyWindow`] if no effect can be estimated; [`DidError::TooFewPeriods`], [`DidError::TooFewClusters`],
    /// [`DidError::Weights`], [`DidError::OutOfRange`], [`DidError::Memory`].
    pub fn fit<'a>(&self, data: impl Into<Data<'a>>) -> Result<LocalProjectionsResult> {
        self.validate()?;
        self.asked().with(data.into(), |opened| fit(self, opened).map(|(result, ..)| result))
    }

    /// As [`fit`](Self::fit), by the workers of a cluster, with the same bits. The path stands for parquet files that this process and all
    /// workers see under the same names. Sums are formed by the workers; the influence values of units, a number for each effect, come
    /// back to this process, whatever [`with_influence`](crate::Cluster::with_influence) says.
    ///
    /// # Errors
    /// As [`fit`](Self::fit); [`DidError::Worker`] for what a worker finds wrong, [`DidError::Engine`] if workers do not answer.
    #[cfg(feature = "cluster")]
    pub fn fit_cluster(
        &self,
        cluster: &crate::Cluster,
        path: impl AsRef<std::path::Path>,
    ) -> Result<LocalProjectionsResult> {
        self.validate()?;
        let asked = self.asked();
        asked.on_cluster(cluster, path.as_ref(), |opened| {
            fit(self, opened).map(|(result, ..)| result)
        })
    }

    /// [`fit`](Self::fit) with the influence of the clusters on the effects, in their order; `None` without a column of clusters.
    ///
    /// # Errors
    /// As [`fit`](Self::fit).
    pub(crate) fn fit_with_influence<'a>(
        &self,
        data: impl Into<Data<'a>>,
    ) -> Result<(LocalProjectionsResult, Option<ClusterInfluence>)> {
        self.validate()?;
        self.asked().with(data.into(), |opened| {
            let (result, influences, rows) = fit(self, opened)?;
            Ok((result, influences.of_clusters(&rows)))
        })
    }
}

/// Reads the rows, and estimates all horizons; with the influence values of all of them, and which of them each effect has.
fn fit(
    options: &LocalProjections,
    opened: &Opened<'_>,
) -> Result<(LocalProjectionsResult, Influences, Vec<Option<usize>>)> {
    if options.stable_periods.is_none() {
        check_absorbing(opened)?;
    }
    let plan = Plan::new(options, opened)?;
    check_influences(&plan, opened)?;
    let sums = opened.source.sums(&plan.pass)?;
    check_treatment(options, &sums)?;
    let spread = spread(&plan, opened);
    let fitted: Vec<Fitted> = (0..plan.pass.targets.len())
        .map(|target| estimate(&plan, &sums, target, &spread))
        .collect();
    if fitted.iter().any(|of| of.estimate.is_some_and(|estimate| !estimate.is_finite())) {
        return Err(overflow(&options.outcome));
    }
    if fitted.iter().all(|of| of.estimate.is_none()) {
        return Err(nothing(&plan, opened));
    }
    let mut influences = influences(&plan, opened, &fitted)?;
    let regressions: Vec<Regression> = fitted.iter().map(|of| of.regression).collect();
    let covariance =
        influences.covariance(&regressions, options.cluster.as_deref(), opened.level())?;
    let effect = |target: usize, event_time: i64| {
        effect(&fitted[target], &covariance, target, event_time, options.alpha)
    };
    let place = |of: Target| plan.pass.targets.iter().position(|target| *target == of);
    let times: Vec<i64> =
        (-i64::from(options.pre_window.max(1))..=i64::from(options.post_window)).collect();
    let rows: Vec<Option<usize>> = times.iter().map(|at| place(Target::At(*at))).collect();
    let effects = times.iter().zip(&rows).map(|(at, row)| match row {
        Some(target) => effect(*target, *at),
        None => EventEffect::reference(*at),
    });
    let pooled = place(Target::Post).map(|target| effect(target, 0));
    let result = LocalProjectionsResult {
        sample: opened.sample(&plan.pass.timeline, sums.units, sums.without_weight),
        settings: settings(options),
        alpha: options.alpha,
        effects: effects.collect(),
        vcov: covariance.of_effects(&rows),
        pooled: pooled.unwrap_or_else(|| EventEffect::reference(0)),
        pooled_before: place(Target::Pre)
            .map(|target| effect(target, -i64::from(options.pre_window))),
        n_clusters: covariance.clusters.iter().copied().max().unwrap_or(0),
        warnings: warnings(&plan, opened, &fitted, &covariance),
        influence: influences.kept(names(&plan)),
    };
    Ok((result, influences, rows))
}

fn settings(options: &LocalProjections) -> ProjectionSettings {
    ProjectionSettings {
        pre_window: options.pre_window,
        post_window: options.post_window,
        method: options.method,
        control_group: options.control_group,
        base: options.base,
        no_composition_changes: options.no_composition_changes,
        outcome_lags: options.outcome_lags,
        stable_periods: options.stable_periods,
        rank_periods: options.rank_periods,
    }
}

/// An error for a treatment that ends.
fn check_absorbing(opened: &Opened<'_>) -> Result<()> {
    let Some(column) = &opened.columns.treatment else { return Ok(()) };
    let cells = &opened.overview.found.cells;
    let places =
        (0..cells.groups.len()).flat_map(|g| (0..cells.periods.len()).map(move |t| (g, t)));
    let ended: usize = places.map(|(g, t)| cells.at(g, t).ended).sum();
    match ended {
        0 => Ok(()),
        rows => Err(DidError::Panel {
            problem: format!(
                "column `{column}` (treatment) goes back to 0 in {}; set `stable_periods` (`--nonabsorbing-lag`) to the periods after which effects are stable, or see `DidMultiplegt`",
                counted(rows, "row", "rows")
            ),
        }),
    }
}

/// An error for a treatment that is neither 0 nor 1.
fn check_treatment(options: &LocalProjections, sums: &ProjectionSums) -> Result<()> {
    let Some((unit, value)) = &sums.odd else { return Ok(()) };
    Err(DidError::Panel {
        problem: format!(
            "column `{}` (treatment) must be 0 or 1, and unit {unit} has {value}; `DidMultiplegt` takes other treatments",
            options.treatment.as_deref().unwrap_or_default()
        ),
    })
}

/// An error unless influence values have room.
fn check_influences(plan: &Plan<'_>, opened: &Opened<'_>) -> Result<()> {
    let columns = &plan.options;
    let labels =
        32 * u128::from(columns.cluster.is_some()) + 48 * u128::from(columns.keep_influence);
    let copies = if columns.keep_influence { 3 } else { 2 };
    let each = 8 * copies * plan.pass.targets.len() as u128 + labels;
    memory::check(
        "influence values by unit",
        each * opened.units() as u128,
        "ask for a shorter window",
    )
}

fn spread(plan: &Plan<'_>, opened: &Opened<'_>) -> Spread {
    let covariates = plan.options.covariates.len();
    let own = (1..=covariates).map(|number| opened.variance(number));
    // Sums of changes follow on those of levels.
    let lagged = (0..plan.options.outcome_lags).map(|_| opened.variance(covariates + 1));
    Spread(own.chain(lagged).collect())
}

fn estimate(plan: &Plan<'_>, sums: &ProjectionSums, target: usize, spread: &Spread) -> Fitted {
    let of = plan.pass.targets[target];
    let is_before = matches!(of, Target::At(..0) | Target::Pre);
    let of_all_before = plan.options.base == ProjectionBase::AllBefore;
    let identity = match () {
        () if plan.pass.is_identity(of) => Identity::Certain,
        () if is_before && of_all_before && plan.options.outcome_lags > 0 => Identity::Perhaps,
        () => Identity::None,
    };
    let bases =
        Bases::new(sums, target, plan.pass.timeline.steps, plan.pass.regressors(), identity);
    match plan.options.method {
        ProjectionMethod::Adjusted => bases.adjusted(spread),
        method => bases.squares(method, spread),
    }
}

/// Reads the rows once more for their influence values.
fn influences(plan: &Plan<'_>, opened: &Opened<'_>, fitted: &[Fitted]) -> Result<Influences> {
    let scores = fitted.iter().map(|of| of.scores.clone()).collect();
    let scores = ProjectionScores { plan: plan.pass.clone(), scores };
    let (clustered, named) = (plan.options.cluster.is_some(), plan.options.keep_influence);
    Influences::read(opened, scores, clustered, named)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts of rows")]
fn effect(
    fitted: &Fitted,
    covariance: &Covariance,
    target: usize,
    event_time: i64,
    alpha: f64,
) -> EventEffect {
    let estimate = covariance.estimate(target, fitted.estimate, alpha);
    EventEffect {
        event_time,
        estimate,
        status: fitted.status.clone(),
        unknown: covariance.unknown(target, &estimate),
        n_rows: fitted.n_rows as usize,
        n_treated: fitted.n_treated as usize,
        n_clusters: if fitted.estimate.is_some() { covariance.clusters[target] } else { 0 },
    }
}

fn warnings(
    plan: &Plan<'_>,
    opened: &Opened<'_>,
    fitted: &[Fitted],
    covariance: &Covariance,
) -> Vec<DidWarning> {
    let mut warnings = opened.warnings();
    warnings.extend(plan.warnings.iter().cloned());
    let overview = &opened.overview;
    if plan.options.stable_periods.is_none() {
        let groups = overview.group_values().iter().zip(&overview.found.groups);
        let already = groups.filter(|(group, _)| plan.pass.timeline.start(**group) == 0);
        let units: usize = already.map(|(_, of)| of.units).sum();
        if units > 0 {
            warnings.push(DidWarning::AlreadyTreated { units, anticipation: 0 });
        }
    }
    let weights = plan.options.weights.as_ref();
    let varying = |(column, units): &(String, usize)| Some(column) == weights && *units > 0;
    if overview.found.varying.iter().any(varying) {
        warnings.push(DidWarning::WeightsOfStart);
    }
    warnings.extend(collinear(plan, fitted));
    let smallest = smallest_cohort(plan.options.covariates.len());
    let most = fitted.iter().map(|of| of.n_treated as usize).max().unwrap_or(0);
    warnings.extend(opened.few_treated(&|group| plan.pass.timeline.is_inside(group), most));
    warnings.extend(few_treated(plan, fitted, smallest).filter(|_| most >= smallest));
    warnings.extend(covariance.warning());
    warnings
}

/// A warning of effects that rest on fewer treated units than the `smallest` cohort is to have.
fn few_treated(plan: &Plan<'_>, fitted: &[Fitted], smallest: usize) -> Option<DidWarning> {
    let few = fitted.iter().zip(&plan.pass.targets);
    let few = few.map(|(of, target)| (of.estimate.map(|_| of.n_treated as usize), target));
    let few =
        few.filter_map(|(units, target)| Some((units.filter(|units| *units < smallest)?, target)));
    let effects = few.clone().count();
    let (units, target) = few.min_by_key(|(units, _)| *units)?;
    Some(DidWarning::FewTreatedEffects { effects, units, example: target.name() })
}

/// Regressors that were left out, of all regressions or of some.
fn collinear(plan: &Plan<'_>, fitted: &[Fitted]) -> Vec<DidWarning> {
    let estimated =
        || fitted.iter().zip(&plan.pass.targets).filter(|(of, _)| of.estimate.is_some());
    let without = |j: usize| -> Vec<String> {
        let targets = estimated().filter(|(of, _)| of.dependent.contains(&j));
        targets.map(|(_, target)| target.name()).collect()
    };
    let mut found: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    for (j, name) in plan.names().into_iter().enumerate() {
        let effects = without(j);
        match found.iter_mut().find(|(known, _)| *known == effects) {
            _ if effects.is_empty() => {}
            Some((_, columns)) => columns.push(name),
            None => found.push((effects, vec![name])),
        }
    }
    let all = estimated().count();
    let warning = |(effects, columns): (Vec<String>, Vec<String>)| match effects.len() == all {
        true => DidWarning::CollinearRegressors { columns },
        false => DidWarning::CollinearInEffects { columns, effects },
    };
    found.into_iter().map(warning).collect()
}

/// Names of the targets.
fn names(plan: &Plan<'_>) -> Vec<String> {
    let name = |target: &Target| match target {
        Target::At(event_time) => format!("effect({event_time})"),
        Target::Post => "pooled".into(),
        Target::Pre => "pooled_before".into(),
    };
    plan.pass.targets.iter().map(name).collect()
}

/// The error if there is no effect at all.
fn nothing(plan: &Plan<'_>, opened: &Opened<'_>) -> DidError {
    let options = plan.options;
    let inside = plan.pass.timeline.cohorts().into_iter().any(|start| start > 0);
    let what = match (inside, options.control_group) {
        (false, _) => format!(
            "no unit's treatment starts after the first of the {} periods: see column `{}`",
            opened.overview.periods().len(),
            options.group.as_ref().or(options.treatment.as_ref()).map_or("", |name| name)
        ),
        (true, ControlGroup::NeverTreated) => {
            let never = opened
                .overview
                .group_values()
                .iter()
                .any(|g| plan.pass.timeline.start(*g) == NEVER);
            match never {
                false => {
                    "nobody is never treated; compare with those not yet treated (`control_group`)"
                        .into()
                }
                true => no_effect(plan, opened),
            }
        }
        (true, ControlGroup::NotYetTreated) => no_effect(plan, opened),
    };
    DidError::EmptyWindow { what }
}

fn no_effect(plan: &Plan<'_>, opened: &Opened<'_>) -> String {
    let options = plan.options;
    let starts: Vec<usize> = opened
        .overview
        .group_values()
        .iter()
        .map(|group| plan.pass.timeline.start(*group))
        .collect();
    let mut inside: Vec<usize> =
        starts.iter().copied().filter(|start| !matches!(*start, 0 | NEVER)).collect();
    inside.dedup();
    if inside.len() == 1 && !starts.contains(&NEVER) && options.stable_periods.is_none() {
        let period = shown(plan.pass.timeline.first_treated(inside[0]), options.frequency);
        return format!(
            "no effect can be estimated: all treatments that start in the data start in {period}, so that there are no controls; add units that are never treated, or later"
        );
    }
    let base = match options.base {
        ProjectionBase::Mean(periods) if periods > 1 => {
            format!("all {periods} periods before, of which the base is the mean (`base`)")
        }
        _ => "the period before".to_owned(),
    };
    let (lags, change) = match options.outcome_lags {
        0 => (String::new(), String::new()),
        lags => (
            format!(", and in all {} periods before for lagged changes (`outcome_lags`)", lags + 1),
            "fewer lagged changes, ".to_owned(),
        ),
    };
    let after = match options.no_composition_changes {
        true => ", and in all periods of the window after it (`no_composition_changes`)",
        false => "",
    };
    let shorter = match options.base {
        ProjectionBase::Mean(periods) if periods > 1 => "a base of fewer periods, ",
        _ => "",
    };
    format!(
        "no effect from {} before treatment to {} after it can be estimated: in no period do some units start treatment and others serve as controls that are all observed in it and in {base}{lags}{after}; choose {shorter}{change}a shorter window, or count observed periods (`rank_periods`, --rank-periods){}",
        counted(options.pre_window, "period", "periods"),
        options.post_window,
        opened.also()
    )
}
