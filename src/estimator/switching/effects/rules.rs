//! Which groups and cells are compared, and since when a group has switched.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::slice::ParallelSliceMut;

use super::arrange::{CellsAfterRules, arrange};
use super::cells::GroupPeriodCells;
use super::dropped::Dropped;
use super::history::{History, ordered};
use super::missing_treatment::{Observed, settle};
use super::options::{Direction, SwitchingOptions};
use super::sample::SwitchingSample;

/// Why nothing can be estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unusable {
    /// There are no rows with an outcome, a treatment, a group and a period.
    Empty,
    /// In no stratum does the period of the first switch vary.
    NoVariation,
    /// No group that switches has a control.
    NoEffect,
}

/// Treatments that differ by up to this part of them are written differently, not different.
const ROUNDING: f64 = 1e-12;

/// Groups that may be compared: their status quo treatment (0 for all if it is continuous) and their trend group.
type StatusQuoKey = (u64, u32);

/// Applies the rules, and arranges the groups that are left.
pub(crate) fn prepare(
    mut cells: GroupPeriodCells,
    options: &SwitchingOptions,
    keep_levels: bool,
) -> Result<(SwitchingSample, Dropped), Unusable> {
    let mut dropped = Dropped {
        groups_empty: cells.empty_groups,
        rows_averaged: cells.shared,
        ..Dropped::default()
    };
    if cells.group.is_empty() {
        return Err(Unusable::Empty);
    }
    let observed: Vec<Observed> = (0..cells.group.len()).map(|g| Observed::of(&cells, g)).collect();
    let mut histories: Vec<History> = (0..cells.group.len())
        .map(|g| history(&mut cells, g, observed[g].status_quo, options, &mut dropped))
        .collect();
    let keys: Vec<StatusQuoKey> =
        (0..histories.len()).map(|g| key(&cells, &histories, g, options)).collect();
    let mut kept = vary(&keys, &histories);
    dropped.groups_without_variation = kept.iter().filter(|k| !**k).count();
    let scale = kept.iter().filter(|k| **k).count();
    if scale == 0 {
        return Err(Unusable::NoVariation);
    }
    let (mut start, end) = drop_uncontrolled(&mut cells, &keys, &histories, &kept, &mut dropped);
    for g in (0..histories.len()).filter(|g| kept[*g]) {
        let history = &mut histories[g];
        history.first = history.first.filter(|first| *first < end);
        settle(&mut cells, g, end, &observed[g], history, options, &mut dropped);
    }
    let levels = if keep_levels { cells.outcome.clone() } else { Vec::new() };
    if options.linear_trends {
        difference(&mut cells, &histories, &mut kept, &mut dropped);
        start = start.max(1);
    }
    find_directions(&cells, &keys, &mut histories, &mut kept, start..end, &mut dropped);
    let parts = CellsAfterRules { cells, levels, histories, keys, kept, scale, start, end };
    Ok((arrange(parts, options), dropped))
}

fn key(
    cells: &GroupPeriodCells,
    histories: &[History],
    g: usize,
    options: &SwitchingOptions,
) -> StatusQuoKey {
    // After this map the bits sort as the numbers do, and −0 equals 0.
    let value = if options.continuous > 0 { 0.0 } else { histories[g].status_quo + 0.0 };
    (ordered(value), cells.trend[g])
}

/// Whether two treatments differ, and by rounding alone.
fn near(a: f64, b: f64) -> bool {
    a != b && (a - b).abs() <= ROUNDING * a.abs().max(b.abs())
}

/// Two treatments after the first switch that differ by rounding alone, of groups that are otherwise one cohort of the variance.
pub(crate) fn split_by_rounding(sample: &SwitchingSample) -> Option<(f64, f64)> {
    let new = |g: usize| {
        let first = sample.first_of(g);
        (first < sample.periods).then(|| sample.treatment[sample.row(g).start + first])
    };
    let neighbours = (1..sample.groups()).map(|g| (g - 1, g)).filter(|(a, b)| {
        sample.stratum[*a] == sample.stratum[*b] && sample.first[*a] == sample.first[*b]
    });
    let mut pairs = neighbours.filter_map(|(a, b)| new(a).zip(new(b)));
    pairs.find(|(a, b)| sample.degree == 0 && near(*a, *b))
}

/// Two treatments that differ by rounding alone, in one group or as the first of two.
pub(crate) fn equal_but_for_rounding(cells: &GroupPeriodCells) -> Option<(f64, f64)> {
    let mut firsts = Vec::with_capacity(cells.group.len());
    for row in cells.treatment.chunks_exact(cells.periods.max(1)) {
        let mut last = f64::NAN;
        for d in row.iter().copied().filter(|d| !d.is_nan()) {
            if last.is_nan() {
                firsts.push(d);
            } else if near(last, d) {
                return Some((last.min(d), last.max(d)));
            }
            last = d;
        }
    }
    firsts.par_sort_unstable_by(f64::total_cmp);
    firsts.windows(2).find(|pair| near(pair[0], pair[1])).map(|pair| (pair[0], pair[1]))
}

/// First switch of a group; its rows are removed from where the treatment has been on both sides of the status quo.
fn history(
    cells: &mut GroupPeriodCells,
    g: usize,
    status_quo: f64,
    options: &SwitchingOptions,
    dropped: &mut Dropped,
) -> History {
    let periods = cells.periods;
    let row = &cells.treatment[g * periods..(g + 1) * periods];
    let (mut above, mut below, mut first, mut both) = (false, false, None, None);
    for (t, d) in row.iter().enumerate().filter(|(_, d)| !d.is_nan()) {
        above |= *d > status_quo;
        below |= *d < status_quo;
        if above && below && !options.keep_bidirectional {
            both = Some(t);
            break;
        }
        if first.is_none() && *d != status_quo {
            first = Some(t);
        }
    }
    if let Some(t) = both {
        dropped.groups_bidirectional += 1;
        dropped.cells_bidirectional += cells.remove(g, t..periods);
    }
    History { status_quo, first, end: periods, direction: None }
}

/// Whether the first switch varies among the groups that each group may be compared with.
fn vary(keys: &[StatusQuoKey], histories: &[History]) -> Vec<bool> {
    let mut firsts: BTreeMap<StatusQuoKey, (Option<usize>, bool)> = BTreeMap::new();
    for (key, history) in keys.iter().zip(histories) {
        let (first, varies) = firsts.entry(*key).or_insert((history.first, false));
        *varies |= *first != history.first;
    }
    keys.iter().map(|key| firsts[key].1).collect()
}

/// Removes the rows of periods in which every group of a stratum has switched. Returns the first period with rows, and the one
/// after the last.
fn drop_uncontrolled(
    cells: &mut GroupPeriodCells,
    keys: &[StatusQuoKey],
    histories: &[History],
    kept: &[bool],
    dropped: &mut Dropped,
) -> (usize, usize) {
    let periods = cells.periods;
    let mut controlled: BTreeMap<StatusQuoKey, Vec<bool>> = BTreeMap::new();
    for g in (0..keys.len()).filter(|g| kept[*g]) {
        let row = controlled.entry(keys[g]).or_insert_with(|| vec![false; periods]);
        let weights = &cells.weight[g * periods..(g + 1) * periods];
        let until = histories[g].first.unwrap_or(periods);
        for (known, weight) in row.iter_mut().zip(weights).take(until) {
            *known |= !weight.is_nan();
        }
    }
    let (mut start, mut end) = (periods, 0);
    for g in (0..keys.len()).filter(|g| kept[*g]) {
        let row = &controlled[&keys[g]];
        for (t, controlled) in row.iter().enumerate() {
            if !controlled {
                dropped.cells_without_controls += cells.remove(g, t..t + 1);
            } else if !cells.weight[g * periods + t].is_nan() {
                (start, end) = (start.min(t), end.max(t + 1));
            }
        }
    }
    (start, end)
}

/// Puts first differences in place of outcomes and controls.
fn difference(
    cells: &mut GroupPeriodCells,
    histories: &[History],
    kept: &mut [bool],
    dropped: &mut Dropped,
) {
    for (kept, history) in kept.iter_mut().zip(histories) {
        if *kept && history.first == Some(1) {
            *kept = false;
            dropped.groups_without_trend += 1;
        }
    }
    let periods = cells.periods;
    let change = |values: &mut Vec<f64>| {
        for row in values.chunks_exact_mut(periods) {
            for t in (1..periods).rev() {
                row[t] -= row[t - 1];
            }
            row[0] = f64::NAN;
        }
    };
    change(&mut cells.outcome);
    cells.controls.iter_mut().for_each(change);
}

/// Whether treatments rise or fall on average, from the first switch to the last period with a control.
fn find_directions(
    cells: &GroupPeriodCells,
    keys: &[StatusQuoKey],
    histories: &mut [History],
    kept: &mut [bool],
    periods: Range<usize>,
    dropped: &mut Dropped,
) {
    let end = periods.end;
    let there = |g: usize, t: usize| !cells.weight[g * cells.periods + t].is_nan();
    let groups = || (0..keys.len()).filter(|g| kept[*g]);
    // Periods of some row. As in R, a group without a row in one of them counts as if its treatment were known to the last.
    let observed: Vec<usize> = periods.filter(|t| groups().any(|g| there(g, *t))).collect();
    let mut ends: BTreeMap<StatusQuoKey, usize> = BTreeMap::new();
    for g in groups() {
        let first = histories[g].first.unwrap_or(end);
        let has_gap = !cells.by_trend && observed.iter().any(|t| !there(g, *t));
        let last_of_group = if has_gap { first } else { first.min(histories[g].end) };
        let last = ends.entry(keys[g]).or_default();
        *last = last_of_group.max(*last);
    }
    for (g, kept) in kept.iter_mut().enumerate().filter(|(_, kept)| **kept) {
        let history = &mut histories[g];
        history.end = ends[&keys[g]];
        let Some(first) = history.first.filter(|first| *first < history.end) else { continue };
        let row = &cells.treatment[g * cells.periods..(g + 1) * cells.periods];
        let after = row[first..history.end].iter().filter(|d| !d.is_nan());
        // Of the changes, so that it is zero where they cancel, whatever the level.
        let changes = after.clone().map(|d| d - history.status_quo);
        let largest = after.clone().fold(history.status_quo.abs(), |m, d| m.max(d.abs()));
        let change = changes.sum::<f64>() / after.count() as f64;
        if change.abs() <= ROUNDING * largest {
            *kept = false;
            dropped.groups_without_direction += 1;
        } else if !change.is_nan() {
            history.direction = Some(if change > 0.0 { Direction::In } else { Direction::Out });
        }
    }
}
