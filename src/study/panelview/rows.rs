//! From what the rows show to the status of units, or of cohorts, by period.

use std::collections::BTreeMap;

use super::{TreatmentPattern, TreatmentStatus};
use crate::read::panel::overview::Overview;

/// The status in a period in which a unit of this group is observed.
fn status(group: f64, period: f64, periods: &[f64], ended: bool) -> TreatmentStatus {
    match (periods.first(), periods.last()) {
        (_, Some(last)) if group > *last => TreatmentStatus::NeverTreated,
        _ if ended => TreatmentStatus::Ended,
        _ if period < group => TreatmentStatus::NotYetTreated,
        (Some(first), _) if group <= *first => TreatmentStatus::AlwaysTreated,
        _ => TreatmentStatus::Treated,
    }
}

/// Who is treated from the first period on and has an end of treatment is not always treated.
fn without_always(statuses: &mut [TreatmentStatus]) {
    if statuses.contains(&TreatmentStatus::Ended) {
        let always = statuses.iter_mut().filter(|s| **s == TreatmentStatus::AlwaysTreated);
        always.for_each(|status| *status = TreatmentStatus::Treated);
    }
}

/// Patterns of units with a complete row, by cohort and then by period.
pub(super) fn patterns(overview: &Overview) -> Vec<TreatmentPattern> {
    let periods = overview.periods();
    let at = |period: &f64| periods.partition_point(|known| known < period);
    let mut all: BTreeMap<(u64, Vec<u8>), TreatmentPattern> = BTreeMap::new();
    let mut add = |group: f64, observed: &[f64], ended: &[f64], units: usize| {
        let mut statuses = vec![TreatmentStatus::Missing; periods.len()];
        for period in observed {
            statuses[at(period)] = status(group, *period, periods, ended.contains(period));
        }
        if observed.is_empty() || units == 0 {
            return;
        }
        without_always(&mut statuses);
        // Those first treated after the last period are never treated in the data.
        let group = Some(group).filter(|group| periods.last().is_some_and(|last| group <= last));
        let order = statuses.iter().map(|status| u8::from(*status == TreatmentStatus::Missing));
        let shape = statuses.iter().map(|status| *status as u8);
        let key = (ordered(group), order.chain(shape).collect());
        let empty = TreatmentPattern { group, units: 0, statuses, observed: vec![], ended: vec![] };
        all.entry(key).or_insert(empty).units += units;
    };
    let mut those_ended: BTreeMap<(u64, Vec<u64>), usize> = BTreeMap::new();
    let key = |group: f64, observed: &[f64]| {
        (group.to_bits(), observed.iter().map(|period| period.to_bits()).collect::<Vec<u64>>())
    };
    for (group, observed, ended, units) in overview.ended() {
        add(group, observed, ended, units);
        *those_ended.entry(key(group, observed)).or_default() += units;
    }
    for (group, observed, units) in overview.units() {
        let ended = match those_ended.is_empty() {
            true => 0,
            false => those_ended.get(&key(group, observed)).copied().unwrap_or(0),
        };
        add(group, observed, &[], units - ended);
    }
    all.into_values().collect()
}

/// A number in whose order the groups stand; the never-treated are last. Groups are not negative.
fn ordered(group: Option<f64>) -> u64 {
    group.map_or(u64::MAX, f64::to_bits)
}

/// Cohorts with the status of most of their units that are observed in a period.
pub(super) fn cohorts(overview: &Overview) -> Vec<TreatmentPattern> {
    let (periods, cells) = (overview.periods(), &overview.found.cells);
    let mut all: BTreeMap<u64, TreatmentPattern> = BTreeMap::new();
    for (g, group) in overview.group_values().iter().enumerate() {
        let units = overview.found.groups[g].units;
        if units == 0 {
            continue;
        }
        let inside = Some(*group).filter(|group| periods.last().is_some_and(|last| group <= last));
        let none = || vec![0; periods.len()];
        let cohort = all.entry(ordered(inside)).or_insert_with(|| TreatmentPattern {
            group: inside,
            units: 0,
            statuses: Vec::new(),
            observed: none(),
            ended: none(),
        });
        cohort.units += units;
        for (t, period) in periods.iter().enumerate() {
            cohort.observed[t] += cells.at(g, t).rows;
            cohort.ended[t] += cells.at(g, t).ended;
            let (observed, ended) = (cohort.observed[t], cohort.ended[t]);
            let status = match observed {
                0 => TreatmentStatus::Missing,
                _ => status(*group, *period, periods, 2 * ended > observed),
            };
            cohort.statuses.resize(periods.len(), TreatmentStatus::Missing);
            cohort.statuses[t] = status;
        }
    }
    for cohort in all.values_mut() {
        without_always(&mut cohort.statuses);
    }
    all.into_values().collect()
}
