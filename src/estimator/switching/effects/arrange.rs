//! Groups in the order of their strata.

use super::cells::GroupPeriodCells;
use super::history::{History, ordered, value_of};
use super::options::{Direction, SwitchingOptions};
use super::sample::{NO_CLUSTER, Stratum, SwitchingSample};

/// What the rules leave.
pub(super) struct CellsAfterRules {
    pub cells: GroupPeriodCells,
    /// Outcomes before they are differenced, if they are asked for.
    pub levels: Vec<f64>,
    pub histories: Vec<History>,
    /// Status quo treatment and trend group.
    pub keys: Vec<(u64, u32)>,
    pub kept: Vec<bool>,
    pub scale: usize,
    pub start: usize,
    pub end: usize,
}

/// The sample of the groups that are kept.
pub(super) fn arrange(parts: CellsAfterRules, options: &SwitchingOptions) -> SwitchingSample {
    let CellsAfterRules { mut cells, levels, histories, keys, kept, scale, start, end } = parts;
    let old = cells.periods;
    let new_treatment = |g: usize| {
        let History { first, direction, .. } = histories[g];
        match (first.filter(|first| *first < end), direction) {
            (None, _) => histories[g].status_quo,
            (Some(_), direction) if options.continuous > 0 => sign(direction),
            (Some(first), _) => cells.treatment[g * old + first],
        }
    };
    let first = |g: usize| histories[g].first.unwrap_or(end).min(end);
    let mut order: Vec<usize> = (0..keys.len()).filter(|g| kept[*g]).collect();
    let rank = |g: usize| (keys[g], first(g), ordered(new_treatment(g)));
    order.sort_by_cached_key(|g| (rank(*g), *g));
    let mut sample = SwitchingSample {
        periods: end,
        scale,
        degree: options.continuous,
        first: order.iter().map(|g| u32::try_from(first(*g)).unwrap_or(u32::MAX)).collect(),
        direction: order.iter().map(|g| histories[*g].direction).collect(),
        status_quo: order.iter().map(|g| histories[*g].status_quo).collect(),
        start,
        ..SwitchingSample::default()
    };
    for (position, g) in order.iter().enumerate() {
        let same = position.checked_sub(1).map(|before| order[before]);
        let (key, level) = (keys[*g], value_of(keys[*g].0));
        if same.is_none_or(|before| keys[before].0 != key.0) {
            sample.status_quos.push(level);
        }
        if same.is_none_or(|before| keys[before] != key) {
            let level = sample.status_quos.len() - 1;
            let groups = position..position;
            let stratum = Stratum { groups, level, trend: key.1, end: histories[*g].end };
            sample.strata.push(stratum);
        }
        if same.is_none_or(|before| rank(before) != rank(*g)) {
            sample.cohorts += 1;
        }
        let stratum = sample.strata.len() - 1;
        sample.strata[stratum].groups.end = position + 1;
        sample.stratum.push(u32::try_from(stratum).unwrap_or(u32::MAX));
        sample.cohort.push(u32::try_from(sample.cohorts - 1).unwrap_or(u32::MAX));
    }
    let arranged = |values: &mut Vec<f64>| {
        let mut placed = Vec::with_capacity(order.len() * end);
        for g in &order {
            placed.extend(&values[g * old..g * old + end]);
        }
        *values = Vec::new();
        placed
    };
    sample.outcome = arranged(&mut cells.outcome);
    sample.treatment = arranged(&mut cells.treatment);
    sample.weight = arranged(&mut cells.weight);
    sample.controls = cells.controls.iter_mut().map(arranged).collect();
    if !levels.is_empty() {
        sample.levels = arranged(&mut { levels });
    }
    sample.start_weight =
        (0..order.len()).map(|g| sample.weight[g * end + start.min(end - 1)]).collect();
    for (at, weight) in sample.weight.iter_mut().enumerate() {
        if sample.outcome[at].is_nan() || sample.treatment[at].is_nan() {
            *weight = 0.0;
        }
    }
    sample.group = order.iter().map(|g| cells.group[*g]).collect();
    sample.traits = cells.traits;
    sample.traits.keep(&order);
    if let Some(cluster) = cells.cluster {
        sample.cluster = Some(order.iter().map(|g| cluster[*g]).collect());
        sample.renumber_clusters();
    }
    sample
}

fn sign(direction: Option<Direction>) -> f64 {
    direction.map_or(0.0, Direction::sign)
}

impl SwitchingSample {
    /// Numbers the clusters of the sample from 0, in the order of their codes.
    fn renumber_clusters(&mut self) {
        let Some(cluster) = &mut self.cluster else { return };
        let mut codes: Vec<u32> = cluster.iter().copied().filter(|c| *c != NO_CLUSTER).collect();
        codes.sort_unstable();
        codes.dedup();
        for code in cluster.iter_mut() {
            let rank = codes.partition_point(|c| c < code);
            *code = u32::try_from(rank).unwrap_or(NO_CLUSTER);
        }
        self.cluster_codes = codes;
    }
}
