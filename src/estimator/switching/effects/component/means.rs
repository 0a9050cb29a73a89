//! Means from which changes are taken for the variance, with the degrees of freedom that they cost.

use rayon::prelude::*;

use super::point::{ComponentPoint, Controls};
use super::{Component, View};

/// A mean, and the factor by which a deviation from it is too small.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mean {
    pub mean: f64,
    pub factor: f64,
}

impl Mean {
    /// Of groups (or clusters) that are alone: nothing is taken off.
    const NONE: Self = Self { mean: 0.0, factor: 1.0 };

    /// `None` if there are fewer than two.
    fn of(sum: f64, weight: f64, count: u32) -> Option<Self> {
        let count = f64::from(count);
        (count >= 2.0).then(|| Self { mean: sum / weight, factor: (count / (count - 1.0)).sqrt() })
    }
}

/// Means of controls and of switchers.
pub(super) struct Means {
    /// Of controls, `[stratum, period]`.
    pub controls: Vec<Mean>,
    /// Of each switcher's cohort, in the order of the switchers.
    pub switchers: Vec<Mean>,
}

/// A cohort's sums.
#[derive(Clone, Copy, Debug, Default)]
struct CohortSums {
    weight: f64,
    change: f64,
    count: u32,
}

impl Means {
    /// `cohorts` covers all groups; with `by_cluster`, clusters are counted in place of groups.
    pub fn new(
        view: &View<'_>,
        component: &Component<'_>,
        controls: &Controls,
        point: &ComponentPoint,
        cohorts: &SwitcherCohorts,
    ) -> Self {
        let sample = view.sample;
        let l = component.horizon.length;
        let cells = controls.weight.len();
        let mut cohort = vec![[CohortSums::default(); 3]; cohorts.len];
        let mut switched = vec![CohortSums::default(); cells];
        for g in point.groups.iter().map(|g| *g as usize) {
            let row = sample.row(g);
            let t = sample.first_of(g) - 1 + l;
            let weight = view.weight[row.start + t];
            if weight <= 0.0 {
                continue;
            }
            let change = weight * component.horizon.change(&view.outcome[row], t);
            let add = |sums: &mut CohortSums| {
                sums.weight += weight;
                sums.change += change;
                sums.count += 1;
            };
            for (level, ids) in cohorts.ids.iter().enumerate() {
                add(&mut cohort[ids[g] as usize][level]);
            }
            add(&mut switched[view.at(g, t)]);
        }
        let counts = sample
            .cluster
            .as_ref()
            .map(|cluster| ClusterCounts::count(view, component, point, cluster, cells));
        let of_controls = |at: usize| match &counts {
            Some(counts) => counts.controls[at],
            None => controls.count[at],
        };
        let of_both = |at: usize| match &counts {
            Some(counts) => counts.both[at],
            None => controls.count[at] + switched[at].count,
        };
        let both = |at: usize| {
            let sum = controls.change[at] + switched[at].change;
            Mean::of(sum, controls.weight[at] + switched[at].weight, of_both(at))
        };
        let control = |at: usize| {
            if point.share[at] <= 0.0 {
                return Mean::NONE;
            }
            let of_cohort = Mean::of(controls.change[at], controls.weight[at], of_controls(at));
            of_cohort.or_else(|| both(at)).unwrap_or(Mean::NONE)
        };
        if cohorts.counts_clusters
            && let Some(cluster) = &sample.cluster
        {
            count_clusters(view, component, point, cluster, &cohorts.ids[0], &mut cohort);
        }
        let switcher = |g: &u32| {
            let g = *g as usize;
            let level = cohorts.level.as_ref().map_or(0, |level| usize::from(level[g]));
            let CohortSums { weight, change, count } =
                cohort[cohorts.ids[level][g] as usize][level];
            let at = view.at(g, sample.first_of(g) - 1 + l);
            Mean::of(change, weight, count).or_else(|| both(at)).unwrap_or(Mean::NONE)
        };
        Self {
            controls: (0..cells).map(control).collect(),
            switchers: point.groups.iter().map(switcher).collect(),
        }
    }
}

/// Cohorts of switchers by whose means changes are centred.
pub(in crate::estimator::switching::effects) struct SwitcherCohorts {
    /// Cohorts of all groups, from fine to coarse.
    pub ids: Vec<Vec<u32>>,
    /// Which of them is a group's; the first if there is one alone.
    pub level: Option<Vec<u8>>,
    /// Largest number of cohorts.
    pub len: usize,
    /// Whether clusters are counted in place of groups.
    pub counts_clusters: bool,
}

/// Numbers of distinct clusters `[stratum, period]`.
struct ClusterCounts {
    controls: Vec<u32>,
    /// Of controls and switchers together.
    both: Vec<u32>,
}

impl ClusterCounts {
    fn count(
        view: &View<'_>,
        component: &Component<'_>,
        point: &ComponentPoint,
        cluster: &[u32],
        cells: usize,
    ) -> Self {
        let sample = view.sample;
        let (periods, horizon) = (sample.periods, component.horizon);
        let mut switchers: Vec<Vec<u32>> = vec![Vec::new(); cells];
        for g in point.groups.iter().map(|g| *g as usize) {
            let t = sample.first_of(g) - 1 + horizon.length;
            if view.weight[sample.row(g).start + t] > 0.0 {
                switchers[view.at(g, t)].push(cluster[g]);
            }
        }
        let seen = || (vec![0_u32; sample.clusters()], 0_u32);
        let count = |(seen, stamp): &mut (Vec<u32>, u32), at: usize| {
            if point.share[at] <= 0.0 {
                return (0, 0);
            }
            *stamp += 1;
            let mut new = |cluster: u32| {
                let known = &mut seen[cluster as usize];
                let new = *known != *stamp;
                *known = *stamp;
                u32::from(new)
            };
            let (stratum, t) = (at / periods, at % periods);
            let mut controls = 0;
            for g in sample.strata[stratum].groups.clone() {
                let row = sample.row(g);
                let is_control = view.control_periods(g, horizon.length).contains(&t)
                    && view.weight[row.start + t] > 0.0
                    && !horizon.change(&view.outcome[row], t).is_nan();
                if is_control {
                    controls += new(cluster[g]);
                }
            }
            let switching_clusters: u32 = switchers[at].iter().map(|cluster| new(*cluster)).sum();
            (controls, controls + switching_clusters)
        };
        let counts = (0..cells).into_par_iter().map_init(seen, count);
        let (controls, both) = counts.unzip();
        Self { controls, both }
    }
}

/// Counts distinct clusters of cohorts, whose groups lie next to each other.
fn count_clusters(
    view: &View<'_>,
    component: &Component<'_>,
    point: &ComponentPoint,
    cluster: &[u32],
    ids: &[u32],
    cohorts: &mut [[CohortSums; 3]],
) {
    let mut seen = vec![u32::MAX; view.sample.clusters()];
    for sums in cohorts.iter_mut() {
        sums[0].count = 0;
    }
    for g in point.groups.iter().map(|g| *g as usize) {
        let t = view.sample.first_of(g) - 1 + component.horizon.length;
        if view.weight[view.sample.row(g).start + t] <= 0.0 {
            continue;
        }
        let known = &mut seen[cluster[g] as usize];
        if *known != ids[g] {
            *known = ids[g];
            cohorts[ids[g] as usize][0].count += 1;
        }
    }
}
