//! Stacked difference-in-differences, step by step.

use super::options::{StackEffects, StackWeights, Stacked};
use super::plan::Plan;
use super::regression::Fitted;
use super::result::{StackSettings, StackedResult, SubExperiment};
use super::weighting::{groups, weighting};
use crate::base::counted::counted;
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::memory;
use crate::engine::by_unit::{StackScores, StackSums, StackWeighting};
use crate::estimator::by_unit::{
    Covariance, EventEffect, Influences, Opened, Regression, combined, overflow,
};
use crate::estimator::fitting::fits;
use crate::read::input::Data;
use crate::result::estimates::CellStatus;
use crate::result::inference::{ClusterInfluence, Estimate};

fits!(Stacked, output: StackedResult);

impl Stacked {
    /// Estimates from a data frame, a lazy frame, or the path of CSV, parquet or Stata [files](crate::Data).
    ///
    /// # Errors
    /// Errors about a column or a file; [`DidError::Config`]; [`DidError::Panel`] for units with two rows in a period, or periods that are
    /// not evenly spaced; [`DidError::TimeVarying`] for units whose group or cluster changes; [`DidError::ColumnType`] for covariates that
    /// are no numbers; [`DidError::EmptyWindow`] if no cohort has a window with controls; [`DidError::TooFewPeriods`],
    /// [`DidError::TooFewClusters`], [`DidError::Weights`], [`DidError::OutOfRange`], [`DidError::Memory`].
    pub fn fit<'a>(&self, data: impl Into<Data<'a>>) -> Result<StackedResult> {
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
    ) -> Result<StackedResult> {
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
    ) -> Result<(StackedResult, Option<ClusterInfluence>)> {
        self.validate()?;
        self.asked().with(data.into(), |opened| {
            let (result, influences, rows) = fit(self, opened)?;
            Ok((result, influences.of_clusters(&rows)))
        })
    }
}

/// Reads the rows, and estimates all effects; with their influence values, and which of them each effect has.
fn fit(
    options: &Stacked,
    opened: &Opened<'_>,
) -> Result<(StackedResult, Influences, Vec<Option<usize>>)> {
    let plan = Plan::new(options, opened)?;
    let targets = plan.pass.events() - 1;
    check_influences(&plan, opened)?;
    let sums = opened.source.sums(&plan.pass)?;
    let weighting = weighting(&sums, options.stack_weights);
    let groups = groups(&sums, &weighting, options.effects, plan.pass.covariates() + 1);
    let spread: Vec<f64> =
        (1..=plan.pass.covariates()).map(|number| opened.variance(number)).collect();
    let parameters = parameters(&plan, &sums, &weighting);
    let fitted = Fitted::new(&plan.pass, &groups, &spread, parameters)
        .ok_or_else(|| nothing(&plan, opened))?;
    if fitted.estimates.iter().flatten().any(|estimate| !estimate.is_finite()) {
        return Err(overflow(&options.outcome));
    }
    let mut influences = influences(&plan, opened, &fitted, &weighting)?;
    let regressions: Vec<Regression> = (0..targets).map(|_| fitted.regression).collect();
    let covariance =
        influences.covariance(&regressions, options.cluster.as_deref(), opened.level())?;
    let events = i64::from(options.pre_window);
    let times: Vec<i64> = (-events..=i64::from(options.post_window)).collect();
    let rows: Vec<Option<usize>> = (0..plan.pass.events())
        .map(|event| match event.cmp(&plan.pass.base()) {
            std::cmp::Ordering::Less => Some(event),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(event - 1),
        })
        .collect();
    let effect = |(event, at): (usize, &i64)| match rows[event] {
        None => EventEffect::reference(*at),
        Some(target) => {
            let [controls, treated] = counts(&sums, &weighting, event);
            let estimate = covariance.estimate(target, fitted.estimates[target], options.alpha);
            EventEffect {
                event_time: *at,
                estimate,
                unknown: covariance.unknown(target, &estimate),
                status: match fitted.estimates[target] {
                    Some(_) => CellStatus::Estimated,
                    None if treated == 0 => CellStatus::NoTreated { period: None },
                    None => CellStatus::NoControls { period: None },
                },
                n_rows: controls + treated,
                n_treated: treated,
                n_clusters: covariance.clusters[target],
            }
        }
    };
    let result = StackedResult {
        sample: opened.sample(&plan.pass.timeline, sums.units, sums.without_weight),
        settings: settings(options),
        alpha: options.alpha,
        effects: times.iter().enumerate().map(effect).collect(),
        vcov: covariance.of_effects(&rows),
        overall: overall(&plan, &fitted, &covariance),
        sub_experiments: sub_experiments(&plan, &sums, &weighting),
        n_stacked: stacked(&sums, &weighting),
        n_clusters: covariance.clusters.iter().copied().max().unwrap_or(0),
        warnings: warnings(&plan, opened, &fitted, &weighting, &covariance),
        influence: influences.kept(names(options)),
    };
    Ok((result, influences, rows))
}

fn settings(options: &Stacked) -> StackSettings {
    StackSettings {
        pre_window: options.pre_window,
        post_window: options.post_window,
        control_group: options.control_group,
        stack_weights: options.stack_weights,
        effects: options.effects,
        independent_copies: options.independent_copies,
        rank_periods: options.rank_periods,
    }
}

/// An error unless influence values have room.
fn check_influences(plan: &Plan<'_>, opened: &Opened<'_>) -> Result<()> {
    let options = plan.options;
    let labels =
        32 * u128::from(options.cluster.is_some()) + 48 * u128::from(options.keep_influence);
    let copies = if options.keep_influence { 3 } else { 2 };
    let each = 8 * copies * (plan.pass.events() as u128) + labels;
    let units = opened.units() as u128 * copies_of(plan) as u128;
    memory::check("influence values by unit", each * units, "ask for a shorter window")
}

/// Copies of a unit that have influence values of their own.
fn copies_of(plan: &Plan<'_>) -> usize {
    if plan.options.independent_copies { plan.pass.cohorts.len() } else { 1 }
}

/// The effects that count among the parameters: of treated units, and of event times, one of which follows from the others.
fn parameters(plan: &Plan<'_>, sums: &StackSums, weighting: &StackWeighting) -> usize {
    let is_there = |sub: usize, event: usize, arm: usize| {
        weighting.of(sub, event, arm == 1) > 0.0 && sums.arms(sub, event)[arm].rows > 0.0
    };
    let events = |sub: usize| {
        (0..plan.pass.events()).filter(move |event| (0..2).any(|arm| is_there(sub, *event, arm)))
    };
    let subs = || (0..plan.pass.cohorts.len()).filter(|sub| weighting.kept[*sub]);
    match plan.options.effects {
        StackEffects::Pooled => {
            let known = |event: &usize| subs().any(|sub| events(sub).any(|own| own == *event));
            (0..plan.pass.events()).filter(known).count() + 1
        }
        StackEffects::SubExperiment => {
            (subs().map(|sub| events(sub).count() + 2).sum::<usize>()).saturating_sub(1)
        }
    }
}

/// Reads the rows once more for their influence values.
fn influences(
    plan: &Plan<'_>,
    opened: &Opened<'_>,
    fitted: &Fitted,
    weighting: &StackWeighting,
) -> Result<Influences> {
    let options = plan.options;
    let scores = StackScores {
        plan: plan.pass.clone(),
        weighting: weighting.clone(),
        groups: (0..plan.pass.cohorts.len()).map(|sub| options.effects.group(sub)).collect(),
        fit: fitted.fit.clone(),
        apart: options.independent_copies,
    };
    Influences::read(opened, scores, options.cluster.is_some(), options.keep_influence)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts of rows")]
fn rows(sums: &StackSums, weighting: &StackWeighting, sub: usize, event: usize) -> [usize; 2] {
    let arms = sums.arms(sub, event);
    [0, 1].map(|arm| match weighting.of(sub, event, arm == 1) > 0.0 {
        true => arms[arm].rows as usize,
        false => 0,
    })
}

/// Rows of controls, then of the treated, at an event time.
fn counts(sums: &StackSums, weighting: &StackWeighting, event: usize) -> [usize; 2] {
    let all = (0..weighting.kept.len()).map(|sub| rows(sums, weighting, sub, event));
    all.fold([0, 0], |[a, b], [c, d]| [a + c, b + d])
}

/// Rows of the stack.
fn stacked(sums: &StackSums, weighting: &StackWeighting) -> usize {
    (0..weighting.events).map(|event| counts(sums, weighting, event).iter().sum::<usize>()).sum()
}

fn sub_experiments(
    plan: &Plan<'_>,
    sums: &StackSums,
    weighting: &StackWeighting,
) -> Vec<SubExperiment> {
    let sub = |(sub, cohort): (usize, &usize)| {
        let all: Vec<[usize; 2]> =
            (0..plan.pass.events()).map(|event| rows(sums, weighting, sub, event)).collect();
        SubExperiment {
            cohort: plan.pass.timeline.first_treated(*cohort),
            n_treated: all.iter().map(|[_, treated]| treated).sum(),
            n_control: all.iter().map(|[controls, _]| controls).sum(),
            control_weights: (0..plan.pass.events())
                .map(|event| weighting.of(sub, event, false))
                .collect(),
        }
    };
    let all = plan.pass.cohorts.iter().enumerate().filter(|(sub, _)| weighting.kept[*sub]);
    all.map(sub).collect()
}

/// The mean of the effects after treatment.
fn overall(plan: &Plan<'_>, fitted: &Fitted, covariance: &Covariance) -> Estimate {
    let targets = fitted.estimates.len();
    let (first, number) = (plan.pass.base(), targets - plan.pass.base());
    let post: Option<Vec<f64>> = fitted.estimates[first..].iter().copied().collect();
    let Some(post) = post else { return Estimate::default() };
    let share = 1.0 / number as f64;
    let weights: Vec<f64> =
        (0..targets).map(|target| if target >= first { share } else { 0.0 }).collect();
    let variance = combined(&covariance.values, targets, &weights);
    covariance.of_variance(first, share * post.iter().sum::<f64>(), variance, plan.options.alpha)
}

fn warnings(
    plan: &Plan<'_>,
    opened: &Opened<'_>,
    fitted: &Fitted,
    weighting: &StackWeighting,
    covariance: &Covariance,
) -> Vec<DidWarning> {
    let mut warnings = opened.warnings();
    warnings.extend(plan.warnings.iter().cloned());
    let overview = &opened.overview;
    let groups = overview.group_values().iter().zip(&overview.found.groups);
    let already = groups.filter(|(group, _)| plan.pass.timeline.start(**group) == 0);
    let units: usize = already.map(|(_, of)| of.units).sum();
    if units > 0 {
        warnings.push(DidWarning::AlreadyTreated { units, anticipation: 0 });
    }
    let is_changing = |name: &&String| {
        overview.found.varying.iter().any(|(column, units)| column == *name && *units > 0)
    };
    let columns: Vec<String> =
        plan.options.covariates.iter().filter(is_changing).cloned().collect();
    if !columns.is_empty() {
        warnings.push(DidWarning::ChangingCovariates { columns });
    }
    let periods = |cohorts: &[usize]| -> Vec<f64> {
        cohorts.iter().map(|cohort| plan.pass.timeline.first_treated(*cohort)).collect()
    };
    if !plan.trimmed.is_empty() {
        warnings.push(DidWarning::TrimmedCohorts { cohorts: periods(&plan.trimmed) });
    }
    let lost = plan.pass.cohorts.iter().zip(&weighting.kept).filter(|(_, kept)| !**kept);
    let lost: Vec<usize> = lost.map(|(cohort, _)| *cohort).collect();
    if !lost.is_empty() {
        warnings.push(DidWarning::CohortsWithoutControls { cohorts: periods(&lost) });
    }
    if plan.options.stack_weights == StackWeights::Unweighted {
        warnings.push(DidWarning::UnweightedStack);
    }
    if plan.options.independent_copies {
        warnings.push(DidWarning::IndependentCopies);
    }
    if !fitted.dependent.is_empty() {
        let columns = &plan.options.covariates;
        let columns = fitted.dependent.iter().map(|j| columns[*j].clone()).collect();
        warnings.push(DidWarning::CollinearRegressors { columns });
    }
    let kept = plan.pass.cohorts.iter().zip(&weighting.kept).filter(|(_, kept)| **kept);
    let kept: Vec<usize> = kept.map(|(cohort, _)| *cohort).collect();
    warnings.extend(
        opened.few_treated(&|group| kept.contains(&plan.pass.timeline.start(group)), usize::MAX),
    );
    warnings.extend(covariance.warning());
    warnings
}

/// Names of the targets.
fn names(options: &Stacked) -> Vec<String> {
    let times = -i64::from(options.pre_window)..=i64::from(options.post_window);
    times.filter(|at| *at != -1).map(|at| format!("effect({at})")).collect()
}

fn nothing(plan: &Plan<'_>, opened: &Opened<'_>) -> DidError {
    let options = plan.options;
    DidError::EmptyWindow {
        what: format!(
            "no cohort with a window from {} before treatment to {} after it has controls that are not treated in it; choose a shorter window, or other controls (`control_group`){}",
            counted(options.pre_window, "period", "periods"),
            options.post_window,
            opened.also()
        ),
    }
}
