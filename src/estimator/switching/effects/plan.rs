//! Which effects and placebos there are, and the components that each is made of.

use std::collections::BTreeMap;

use super::component::{Controls, Horizon, SwitcherCohorts, View};
use super::history::ordered;
use super::options::{Direction, SwitchingOptions};
use super::rules::Unusable;
use super::sample::SwitchingSample;

/// Effects and placebos that are estimated.
#[derive(Clone, Debug)]
pub(super) struct EffectPlan {
    pub effects: usize,
    pub placebos: usize,
    pub directions: Vec<Direction>,
    /// Placebos that there are for some switcher of each direction.
    placebos_of: Vec<usize>,
    /// Effects, then placebos.
    pub columns: Vec<EffectColumn>,
}

/// An effect or placebo, and the horizons whose components it is the sum of; the last is its own.
#[derive(Clone, Debug)]
pub(super) struct EffectColumn {
    pub horizons: Vec<Horizon>,
}

impl EffectColumn {
    /// Its own horizon.
    pub fn own(&self) -> Horizon {
        self.horizons[self.horizons.len() - 1]
    }
}

impl EffectPlan {
    /// As many effects and placebos as were asked for, or as there are.
    pub fn new(sample: &SwitchingSample, options: &SwitchingOptions) -> Result<Self, Unusable> {
        let asked = |direction: &Direction| options.direction.is_none_or(|only| only == *direction);
        let most = |direction: Direction, of: &dyn Fn(usize) -> usize| {
            let groups = (0..sample.groups()).filter(|g| sample.direction[*g] == Some(direction));
            groups.map(of).max().unwrap_or(0)
        };
        let directions: Vec<Direction> = [Direction::In, Direction::Out]
            .into_iter()
            .filter(asked)
            .filter(|direction| most(*direction, &|g| sample.horizons(g)) > 0)
            .collect();
        let longest = directions.iter().map(|d| most(*d, &|g| sample.horizons(g))).max();
        let effects = longest.unwrap_or(0).min(options.effects);
        if effects == 0 {
            return Err(Unusable::NoEffect);
        }
        // A placebo with linear trends needs one more period; as in R, this is asked of each direction's longest.
        let before = usize::from(options.linear_trends);
        let placebos_of = directions
            .iter()
            .map(|direction| most(*direction, &|g| sample.placebos(g)).saturating_sub(before));
        let placebos_of: Vec<usize> = placebos_of.collect();
        let placebos = placebos_of.iter().copied().max().unwrap_or(0);
        let placebos = placebos.min(options.placebos).min(options.effects);
        let column = |placebo: bool, length: usize| {
            let first = if options.linear_trends { 1 } else { length };
            EffectColumn {
                horizons: (first..=length).map(|length| Horizon { placebo, length }).collect(),
            }
        };
        let columns = (1..=effects).map(|l| column(false, l));
        let columns = columns.chain((1..=placebos).map(|l| column(true, l))).collect();
        Ok(Self { effects, placebos, directions, placebos_of, columns })
    }

    /// Columns with the directions of the switchers that they are formed of.
    pub fn parts(&self) -> Vec<(usize, Direction)> {
        let of = |index: usize| {
            let Horizon { placebo, length } = self.columns[index].own();
            let directions = self.directions.iter().zip(&self.placebos_of);
            let there = directions.filter(move |(_, most)| !placebo || length <= **most);
            there.map(move |(direction, _)| (index, *direction))
        };
        (0..self.columns.len()).flat_map(of).collect()
    }

    /// All horizons.
    pub fn horizons(&self) -> Vec<Horizon> {
        let both = [(false, self.effects), (true, self.placebos)];
        let each = |(placebo, most)| (1..=most).map(move |length| Horizon { placebo, length });
        both.into_iter().flat_map(each).collect()
    }

    /// Which groups count for a column, if not all.
    pub fn members(
        &self,
        view: &View<'_>,
        options: &SwitchingOptions,
        column: &EffectColumn,
        controls: &BTreeMap<Horizon, Controls>,
    ) -> Option<Vec<bool>> {
        let Horizon { placebo, length } = column.own();
        let (effects, placebos) =
            if options.linear_trends { (length, length) } else { (self.effects, self.placebos) };
        let effects = (options.same_switchers || options.linear_trends).then_some(effects);
        let same_placebo = options.same_switchers_placebo || options.linear_trends;
        let placebos = (placebo && same_placebo).then_some(placebos);
        let effects = effects?;
        let mut members: Vec<bool> =
            (0..view.sample.groups()).map(|g| has_effects(view, g, effects, controls)).collect();
        if let Some(placebos) = placebos {
            let leads: Vec<Vec<f64>> = (1..=placebos).map(|q| lead_controls(view, q)).collect();
            for (g, member) in members.iter_mut().enumerate() {
                *member = *member && has_placebos(view, g, &leads);
            }
        }
        Some(members)
    }
}

/// Whether all of so many effects can be estimated for a group.
fn has_effects(
    view: &View<'_>,
    g: usize,
    effects: usize,
    controls: &BTreeMap<Horizon, Controls>,
) -> bool {
    let sample = view.sample;
    effects <= sample.horizons(g)
        && (1..=effects).all(|length| {
            let horizon = Horizon { placebo: false, length };
            let t = sample.first_of(g) - 1 + length;
            !horizon.change(&view.outcome[sample.row(g)], t).is_nan()
                && controls[&horizon].weight[view.at(g, t)] > 0.0
        })
}

/// Whether the outcome and a control are there in each of so many periods before the one before the switch.
fn has_placebos(view: &View<'_>, g: usize, leads: &[Vec<f64>]) -> bool {
    let sample = view.sample;
    let row = &view.outcome[sample.row(g)];
    (1..).zip(leads).all(|(q, weights)| {
        let Some(base) = sample.first_of(g).checked_sub(1) else { return false };
        let Some(t) = base.checked_sub(q) else { return false };
        !(row[t] - row[base]).is_nan() && weights[view.at(g, t)] > 0.0
    })
}

/// Weight of the groups `[stratum, period]` that have not switched and are observed then and `q` periods later.
fn lead_controls(view: &View<'_>, q: usize) -> Vec<f64> {
    let sample = view.sample;
    let mut weights = vec![0.0; sample.strata.len() * sample.periods];
    for g in 0..sample.groups() {
        let row = sample.row(g);
        let outcome = &view.outcome[row.clone()];
        for t in view.control_periods(g, 0) {
            let later = outcome.get(t + q).copied().unwrap_or(f64::NAN);
            if !(outcome[t] - later).is_nan() {
                weights[view.at(g, t)] += view.weight[row.start + t];
            }
        }
    }
    weights
}

/// The cohorts by whose means the changes of switchers are centred: of one first switch and new treatment, or with
/// `less_conservative` of one path of treatments, if there are at least two groups on it.
pub(super) fn cohorts(
    sample: &SwitchingSample,
    options: &SwitchingOptions,
    horizon: Horizon,
) -> SwitcherCohorts {
    if !options.less_conservative || horizon.placebo {
        return SwitcherCohorts {
            ids: vec![sample.cohort.clone()],
            level: None,
            len: sample.cohorts,
            counts_clusters: sample.cluster.is_some(),
        };
    }
    let start = numbered((0..sample.groups()).map(|g| {
        let level = sample.stratum_of(g).level as u64;
        (level, u64::from(sample.first[g]))
    }));
    let mut paths = vec![start];
    let mut last: Vec<f64> =
        (0..sample.groups()).map(|g| sample.status_quos[sample.stratum_of(g).level]).collect();
    for step in 0..horizon.length {
        for (g, last) in last.iter_mut().enumerate() {
            let t = sample.first_of(g) + step;
            if let Some(new) = treatment(sample, g, t).filter(|new| !new.is_nan()) {
                *last = new;
            }
        }
        let before = &paths[paths.len() - 1];
        let next = before.iter().zip(&last).map(|(path, d)| (u64::from(*path), ordered(*d + 0.0)));
        paths.push(numbered(next));
    }
    let several = |path: &[u32]| {
        let mut count = vec![0_u32; path.len()];
        for p in path {
            count[*p as usize] += 1;
        }
        path.iter().map(|p| count[*p as usize] > 1).collect::<Vec<bool>>()
    };
    let (full, one) = (several(&paths[horizon.length]), several(&paths[1]));
    let level = full.iter().zip(&one).map(|(full, one)| match (full, one) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    });
    let with_trend = |path: &[u32]| {
        let trend = |g: usize| u64::from(sample.stratum_of(g).trend);
        numbered(path.iter().enumerate().map(|(g, path)| (u64::from(*path), trend(g))))
    };
    SwitcherCohorts {
        ids: [horizon.length, 1, 0].iter().map(|step| with_trend(&paths[*step])).collect(),
        level: Some(level.collect()),
        len: sample.groups(),
        counts_clusters: false,
    }
}

/// A group's treatment after it has switched, as it is compared: its direction if treatments are continuous.
fn treatment(sample: &SwitchingSample, g: usize, t: usize) -> Option<f64> {
    if t >= sample.periods {
        return None;
    }
    if sample.degree > 0 {
        return sample.direction[g].map(Direction::sign);
    }
    Some(sample.treatment[g * sample.periods + t])
}

/// Numbers of keys, from 0 in the order in which they occur.
fn numbered(keys: impl Iterator<Item = (u64, u64)>) -> Vec<u32> {
    let mut known: BTreeMap<(u64, u64), u32> = BTreeMap::new();
    keys.map(|key| {
        let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
        *known.entry(key).or_insert(next)
    })
    .collect()
}
