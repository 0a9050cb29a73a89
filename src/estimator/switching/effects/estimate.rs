//! Effects, placebos and the average total effect, with their influence values.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::component::{Component, ComponentPoint, Controls, Horizon, View, influence, point};
use super::controls::{Adjusted, Correction};
use super::covariance::{by_cluster, covariance};
use super::options::{Direction, SwitchingOptions};
use super::plan::{EffectColumn, EffectPlan, cohorts};
use super::rules::Unusable;
use super::sample::SwitchingSample;
use crate::base::parallel;
use crate::base::progress::tell;

/// One effect or placebo.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SwitchingEstimate {
    /// `None` without a switcher that has a control.
    pub estimate: Option<f64>,
    /// Cells of switchers and controls, and their weight.
    pub rows: usize,
    pub rows_weighted: f64,
    pub switchers: usize,
    pub switchers_weighted: f64,
}

/// Everything that is estimated.
#[derive(Clone, Debug)]
pub(crate) struct SwitchingEstimates {
    pub effects: Vec<SwitchingEstimate>,
    pub placebos: Vec<SwitchingEstimate>,
    /// `None` with linear trends.
    pub average: Option<SwitchingEstimate>,
    /// Covariance of effects, placebos and the average, row-major; 0 where there is no estimate.
    pub covariance: Vec<f64>,
    /// Influence of the clusters on effects, placebos and the average, whose products add up to the covariance.
    pub influence: Vec<Vec<f64>>,
    /// By what changes of the outcome are multiplied in effects, placebos and the average.
    pub scales: Vec<f64>,
    /// Controls that are the same for all groups that are compared, with the status quo treatments for which they are.
    pub constant: Vec<(usize, Vec<f64>)>,
    /// Status quo treatments for which some controls depend on others, and those that are left out for want of rows.
    pub collinear: Vec<f64>,
    pub left_out: Vec<f64>,
    pub groups_left_out: usize,
}

/// Estimates with their covariance.
pub(crate) fn estimate(
    sample: &SwitchingSample,
    options: &SwitchingOptions,
) -> Result<SwitchingEstimates, Unusable> {
    let plan = EffectPlan::new(sample, options)?;
    let adjusted = sample.has_controls().then(|| Adjusted::new(sample, &sample.weight));
    let view = view(sample, options, adjusted.as_ref(), &sample.weight);
    let points = Points::new(&view, options, &plan);
    let influence = by_cluster(sample, points.influence(&view, options, &plan, adjusted.as_ref()));
    let mut counted = points.count(&view, &plan);
    for (found, estimate) in counted.iter_mut().zip(points.estimates(options, &plan)) {
        found.estimate = estimate;
    }
    let average = counted.pop().filter(|_| !options.linear_trends);
    let placebos = counted.split_off(plan.effects);
    let groups_left_out = adjusted.as_ref().map_or(0, |adjusted| adjusted.lost_groups(sample));
    let (constant, collinear, left_out) =
        adjusted.map(|a| (a.constant, a.collinear, a.left_out)).unwrap_or_default();
    Ok(SwitchingEstimates {
        effects: counted,
        placebos,
        average,
        covariance: covariance(&influence),
        influence,
        scales: points.scales(options, &plan),
        constant,
        collinear,
        left_out,
        groups_left_out,
    })
}

/// Point estimates of effects, placebos and the average, with other weights of the cells.
pub(super) fn reweighted(
    sample: &SwitchingSample,
    options: &SwitchingOptions,
    plan: &EffectPlan,
    weight: &[f64],
) -> Vec<Option<f64>> {
    let adjusted = sample.has_controls().then(|| Adjusted::new(sample, weight));
    let view = view(sample, options, adjusted.as_ref(), weight);
    Points::new(&view, options, plan).estimates(options, plan)
}

fn view<'a>(
    sample: &'a SwitchingSample,
    options: &SwitchingOptions,
    adjusted: Option<&'a Adjusted>,
    weight: &'a [f64],
) -> View<'a> {
    let outcome = adjusted.map_or(&sample.outcome[..], |adjusted| &adjusted.outcome);
    View { sample, outcome, weight, only_never_switchers: options.only_never_switchers }
}

/// Estimates of all components.
struct Points {
    controls: BTreeMap<Horizon, Controls>,
    /// Groups that count for each column, if not all.
    members: Vec<Option<Vec<bool>>>,
    parts: Vec<DirectedColumn>,
}

/// The switchers of one direction in a column.
struct DirectedColumn {
    column: usize,
    direction: Direction,
    /// One for each horizon of the column.
    points: Vec<ComponentPoint>,
}

impl DirectedColumn {
    /// The point at the column's own horizon, if all can be estimated.
    fn own(&self) -> Option<&ComponentPoint> {
        let all = self.points.iter().all(|point| point.weight > 0.0);
        self.points.last().filter(|_| all)
    }

    fn weight(&self) -> f64 {
        self.own().map_or(0.0, |point| point.weight)
    }

    fn estimate(&self) -> f64 {
        self.direction.sign() * self.points.iter().map(|point| point.estimate).sum::<f64>()
    }
}

impl Points {
    fn new(view: &View<'_>, options: &SwitchingOptions, plan: &EffectPlan) -> Self {
        let horizons = plan.horizons();
        let controls: BTreeMap<Horizon, Controls> =
            horizons.into_par_iter().map(|h| (h, Controls::new(view, h))).collect();
        let members: Vec<Option<Vec<bool>>> = plan
            .columns
            .par_iter()
            .map(|column| plan.members(view, options, column, &controls))
            .collect();
        let part = |(column, direction): (usize, Direction)| {
            let members = members[column].as_deref();
            let of = |horizon: &Horizon| {
                let component = Component { horizon: *horizon, direction, members };
                point(view, &component, &controls[horizon])
            };
            DirectedColumn {
                column,
                direction,
                points: plan.columns[column].horizons.iter().map(of).collect(),
            }
        };
        let all = plan.parts();
        let parts =
            parallel::map_telling("effects and placebos", all.len(), |index| part(all[index]));
        Self { controls, members, parts }
    }

    fn parts_of(&self, column: usize) -> impl Iterator<Item = &DirectedColumn> {
        self.parts.iter().filter(move |part| part.column == column)
    }

    /// Weight of a column's switchers.
    fn weight(&self, column: usize) -> f64 {
        self.parts_of(column).map(DirectedColumn::weight).sum()
    }

    /// What a column is divided by: the change of the treatment, or 1.
    fn normaliser(&self, column: usize, options: &SwitchingOptions) -> f64 {
        if !options.normalized {
            return 1.0;
        }
        let change =
            |part: &DirectedColumn| part.weight() * part.own().map_or(0.0, |own| own.cumulative);
        self.parts_of(column).map(change).sum::<f64>() / self.weight(column)
    }

    /// By what changes of the outcome are multiplied in effects, placebos and the average; 0 where there is no estimate.
    fn scales(&self, options: &SwitchingOptions, plan: &EffectPlan) -> Vec<f64> {
        let of_column = |column: usize| self.normaliser(column, options).recip();
        let weight: f64 = (0..plan.effects).map(|column| self.weight(column)).sum();
        let all = (0..plan.columns.len()).map(of_column).chain([weight / self.dose(plan)]);
        all.map(|scale| if scale.is_finite() { scale.abs() } else { 0.0 }).collect()
    }

    /// Sum over effects and directions of the switchers' weight times the change of their treatment.
    fn dose(&self, plan: &EffectPlan) -> f64 {
        let effects = self.parts.iter().filter(|part| part.column < plan.effects);
        effects.map(|part| part.weight() * part.own().map_or(0.0, |own| own.current)).sum()
    }

    /// Effects, placebos and the average.
    fn estimates(&self, options: &SwitchingOptions, plan: &EffectPlan) -> Vec<Option<f64>> {
        let column = |column: usize| {
            let weight = self.weight(column);
            let usable = |part: &&DirectedColumn| part.weight() > 0.0;
            let parts = self.parts_of(column).filter(usable);
            let sum: f64 = parts.map(|part| part.weight() * part.estimate()).sum();
            let estimate = sum / weight / self.normaliser(column, options);
            Some(estimate).filter(|estimate| weight > 0.0 && estimate.is_finite())
        };
        let mut estimates: Vec<Option<f64>> = (0..plan.columns.len()).map(column).collect();
        let effects = self.parts.iter().filter(|part| part.column < plan.effects);
        let effects = effects.filter(|part| part.weight() > 0.0);
        let sum: f64 = effects.map(|part| part.weight() * part.estimate()).sum();
        let average = sum / self.dose(plan);
        estimates.push(Some(average).filter(|a| a.is_finite() && !options.linear_trends));
        estimates
    }

    /// Influence of each group on effects, placebos and the average, column by column; 0 where there is no estimate.
    fn influence(
        &self,
        view: &View<'_>,
        options: &SwitchingOptions,
        plan: &EffectPlan,
        adjusted: Option<&Adjusted>,
    ) -> Vec<Vec<f64>> {
        let groups = view.sample.groups();
        let average = plan.columns.len();
        let mut columns = vec![vec![0.0; groups]; average + 1];
        let dose = self.dose(plan);
        for (at, part) in (0..).zip(&self.parts).filter(|(_, part)| part.weight() > 0.0) {
            tell("influence values", at, self.parts.len() as u64);
            let mut sum = vec![0.0; groups];
            for (horizon, point) in plan.columns[part.column].horizons.iter().zip(&part.points) {
                let component = Component {
                    horizon: *horizon,
                    direction: part.direction,
                    members: self.members[part.column].as_deref(),
                };
                let controls = &self.controls[horizon];
                let cohorts = cohorts(view.sample, options, *horizon);
                influence(view, &component, controls, point, &cohorts, &mut sum);
                if let Some(adjusted) = adjusted {
                    let separate = options.separate_control_variance;
                    let correction =
                        Correction::new(adjusted, view, &component, controls, point, separate);
                    correction.subtract(view, &mut sum);
                }
            }
            let signed_weight = part.direction.sign() * part.weight();
            let scale =
                signed_weight / self.weight(part.column) / self.normaliser(part.column, options);
            add(&mut columns[part.column], scale, &sum);
            if part.column < plan.effects && !options.linear_trends {
                add(&mut columns[average], signed_weight / dose, &sum);
            }
        }
        columns.iter_mut().filter(|c| !c.iter().all(|u| u.is_finite())).for_each(|c| c.fill(0.0));
        columns
    }

    /// Numbers of switchers and of cells that are compared.
    fn count(&self, view: &View<'_>, plan: &EffectPlan) -> Vec<SwitchingEstimate> {
        let sample = view.sample;
        let used: Vec<Used<'_>> = (0..plan.columns.len())
            .map(|column| Used::new(self, sample.groups(), column, &plan.columns[column]))
            .collect();
        let average = used.len();
        let tiles: Vec<Vec<(usize, f64)>> = sample
            .tiles()
            .par_iter()
            .map(|(_, groups)| {
                let mut counts = vec![(0, 0.0); average + 1];
                let mut any = vec![false; sample.periods];
                for g in groups.clone() {
                    let start = sample.row(g).start;
                    any.fill(false);
                    for (column, (used, (count, weight))) in
                        used.iter().zip(&mut counts).enumerate()
                    {
                        used.each(view, g, |t| {
                            *count += 1;
                            *weight += view.weight[start + t];
                            any[t] |= column < plan.effects;
                        });
                    }
                    for t in (0..sample.periods).filter(|t| any[*t]) {
                        counts[average].0 += 1;
                        counts[average].1 += view.weight[start + t];
                    }
                }
                counts
            })
            .collect();
        let mut estimates = vec![SwitchingEstimate::default(); average + 1];
        for counts in tiles {
            for (estimates, (rows, weight)) in estimates.iter_mut().zip(counts) {
                estimates.rows += rows;
                estimates.rows_weighted += weight;
            }
        }
        for part in &self.parts {
            let Some(own) = part.own() else { continue };
            let average = (part.column < plan.effects).then_some(average);
            for column in [Some(part.column), average].into_iter().flatten() {
                estimates[column].switchers += own.switchers;
                estimates[column].switchers_weighted += own.weight;
            }
        }
        estimates
    }
}

/// Cells that a column compares.
struct Used<'a> {
    horizon: Horizon,
    switches: Vec<bool>,
    shares: Vec<&'a [f64]>,
}

impl<'a> Used<'a> {
    fn new(points: &'a Points, groups: usize, number: usize, column: &EffectColumn) -> Self {
        let mut used =
            Self { horizon: column.own(), switches: vec![false; groups], shares: Vec::new() };
        for own in points.parts_of(number).filter_map(DirectedColumn::own) {
            own.groups.iter().for_each(|g| used.switches[*g as usize] = true);
            used.shares.push(&own.share);
        }
        used
    }

    /// Visits the periods of a group's cells.
    fn each(&self, view: &View<'_>, g: usize, mut visit: impl FnMut(usize)) {
        let sample = view.sample;
        let row = sample.row(g);
        let (outcome, weight) = (&view.outcome[row.clone()], &view.weight[row]);
        for t in view.control_periods(g, self.horizon.length) {
            let at = view.at(g, t);
            let compared = weight[t] > 0.0 && self.shares.iter().any(|share| share[at] > 0.0);
            if compared && !self.horizon.change(outcome, t).is_nan() {
                visit(t);
            }
        }
        let t = sample.first_of(g) + self.horizon.length - 1;
        if self.switches[g] && weight[t] > 0.0 {
            visit(t);
        }
    }
}

fn add(sum: &mut [f64], factor: f64, values: &[f64]) {
    sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value);
}
