//! What an average leaves out of what was asked for.
//!
//! Weights are the weights of the requested average. They follow from the linear form of the aggregation with a value at every cell: the
//! weights on cells do not depend on the values.

use serde::{Deserialize, Serialize};

use super::weights::{LinearAggregation, Selection, linear};
use super::{Aggregation, AggregationKind};
use crate::base::error::{DidError, DidWarning, Result};
use crate::report::facts::some_times;
use crate::result::estimates::{CellStatus, GroupTimeEffects, RegressionUnits};
use crate::result::inference::{Combination, Joint};

/// Cells that belong to an average, which was formed without them: those without an estimate, and those of groups that fall out of the
/// window with them ([`Aggregation::na_rm`](super::Aggregation::na_rm)).
///
/// ```
/// use burn_did::group_time::LeftOut;
/// let text = r#"{"share": 0.8, "of": 2, "cells": [], "groups": [], "rows": []}"#;
/// let left_out: LeftOut = serde_json::from_str(text).expect("as a saved result has it");
/// assert_eq!(left_out.share, 0.8);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeftOut {
    /// Share of the weight of the overall average that is on these cells, between 0 and 1. 0 if they are all before treatment.
    pub share: f64,
    /// How many cells the rows and the overall average were to have.
    pub of: usize,
    /// The cells, by group and period.
    pub cells: Vec<LeftOutCell>,
    /// Their groups, ascending.
    pub groups: Vec<LeftOutGroup>,
    /// The rows that lack cells, ascending.
    pub rows: Vec<LeftOutRow>,
}

impl LeftOut {
    /// The warning that an average leaves out these cells.
    #[must_use]
    pub fn warning(&self) -> DidWarning {
        DidWarning::CellsLeftOut {
            cells: self.cells.len(),
            of: self.of,
            share: self.share,
            groups: self.groups.iter().map(|g| g.group).collect(),
            lost: self.cells.iter().filter(|c| c.status == CellStatus::Estimated).count(),
        }
    }

    /// Rows that have an estimate without some of their cells.
    #[cfg(feature = "plot")]
    pub(crate) fn partial(&self) -> impl Iterator<Item = f64> {
        self.rows.iter().filter(|row| row.share > 0.0 && !row.is_empty()).map(|row| row.at)
    }
}

/// A cell that was left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeftOutCell {
    /// First treated period of its group.
    pub group: f64,
    /// Its period.
    pub time: f64,
    /// Why it has no estimate; [`CellStatus::Estimated`] if it has one, and its group falls out of the window without the cells that have none.
    pub status: CellStatus,
}

/// A group with cells that were left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeftOutGroup {
    /// First treated period.
    pub group: f64,
    /// The group's share of the weight of all treated units, between 0 and 1.
    pub treated_share: f64,
    /// Its treated units (rows, for repeated cross sections).
    pub n_treated: usize,
    /// Cells of the group that were left out.
    pub cells: usize,
    /// Cells of the group that the average was to have.
    pub of: usize,
}

/// A row of an average that lacks cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeftOutRow {
    /// Event time, group or period.
    pub at: f64,
    /// Share of the row's weight that is on cells that were left out, between 0 and 1; 1 if there is no estimate.
    pub share: f64,
}

impl LeftOutRow {
    /// Whether all cells of the row were left out, so that there is no estimate.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.share >= 1.0
    }
}

/// What a window asked for ([`Aggregation::min_e`], [`Aggregation::max_e`], [`Aggregation::balance_e`]) leaves out of the overall average.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Window {
    /// Event times that the overall average is over, ascending.
    pub event_times: Vec<f64>,
    /// Event times at or after treatment that are outside the window, ascending.
    pub outside: Vec<f64>,
    /// First treated periods of groups that have no part in the average, ascending.
    pub groups: Vec<f64>,
    /// The share of these groups in the weight of all treated units, between 0 and 1.
    pub treated_share: f64,
}

/// The effects with a value at every cell.
fn filled(effects: &GroupTimeEffects) -> GroupTimeEffects {
    let values = effects.joint.values.iter().map(|v| Some(v.unwrap_or(0.0))).collect();
    let unknown = effects.joint.unknown.clone();
    let joint = Joint { values, covariance: None, draws: None, unknown, ..effects.joint };
    let (cells, groups, periods) =
        (effects.cells.clone(), effects.groups.clone(), effects.periods.clone());
    GroupTimeEffects { cells, groups, periods, joint, ..*effects }
}

/// The share of a group in the weight of all treated units.
fn treated_share(effects: &GroupTimeEffects, group: f64) -> f64 {
    let share = |g: f64| {
        let share = effects.share_of(g).and_then(|share| effects.joint.values[share]);
        share.unwrap_or(0.0)
    };
    let all: f64 = effects.groups.iter().map(|g| share(*g)).sum();
    if all > 0.0 { share(group) / all } else { 0.0 }
}

/// The cells of the average asked for that the one without missing cells does not use: those without an estimate, and those of groups that
/// fall out of the window with them. `None` if all have an estimate.
pub(super) fn left_out(effects: &GroupTimeEffects, options: &Aggregation) -> Option<LeftOut> {
    let m = effects.cells.len();
    let missing: Vec<usize> = (0..m).filter(|j| effects.att(*j).is_none()).collect();
    if missing.is_empty() {
        return None;
    }
    let asked = linear(&filled(effects), &options.na_rm(true), &mut Vec::new()).ok()?;
    let of = cells_of(&asked, m);
    let used = linear(effects, &options.na_rm(true), &mut Vec::new());
    let used = used.map_or_else(|_| Vec::new(), |used| cells_of(&used, m));
    let is_missing = |j: &usize| missing.binary_search(j).is_ok();
    // If nothing can be averaged, what is missing is why.
    let is_out = |j: &usize| match used.is_empty() {
        true => is_missing(j),
        false => used.binary_search(j).is_err(),
    };
    let out: Vec<usize> = of.iter().copied().filter(is_out).collect();
    if !out.iter().any(is_missing) {
        return None;
    }
    let rows = asked.rows.iter().map(|r| (r.at, share_on(&out, &r.combination, m)));
    let rows = rows.filter(|(_, share)| *share > 0.0);
    let in_group = |cells: &[usize], group: f64| -> usize {
        cells.iter().filter(|j| effects.cells[**j].group == group).count()
    };
    let of_group = |group: f64| {
        let cells = out.iter().map(|j| &effects.cells[*j]).filter(|c| c.group == group);
        LeftOutGroup {
            group,
            treated_share: treated_share(effects, group),
            n_treated: cells.map(|c| c.n_treated).max().unwrap_or(0),
            cells: in_group(&out, group),
            of: in_group(&of, group),
        }
    };
    let cell = |j: &usize| {
        let cell = &effects.cells[*j];
        LeftOutCell { group: cell.group, time: cell.time, status: cell.status.clone() }
    };
    let with_cells = effects.groups.iter().filter(|g| in_group(&out, **g) > 0);
    Some(LeftOut {
        share: asked.overall.as_ref().map_or(0.0, |overall| share_on(&out, overall, m)),
        of: of.len(),
        cells: out.iter().map(cell).collect(),
        groups: with_cells.map(|g| of_group(*g)).collect(),
        rows: rows.map(|(at, share)| LeftOutRow { at, share }).collect(),
    })
}

/// The cells, of `m`, that have weight in a row or in the overall average, ascending.
fn cells_of(average: &LinearAggregation, m: usize) -> Vec<usize> {
    let combinations = || average.rows.iter().map(|r| &r.combination).chain(&average.overall);
    (0..m).filter(|j| combinations().any(|c| c.weights[*j] != 0.0)).collect()
}

/// The weight that is on some of the `m` cells: exactly 1 if all of it is.
fn share_on(some: &[usize], average: &Combination, m: usize) -> f64 {
    let on = |j: &usize| average.weights[*j] != 0.0;
    let all = (0..m).filter(on).count();
    match some.iter().filter(|j| on(j)).count() {
        0 => 0.0,
        count if count == all => 1.0,
        _ => some.iter().map(|j| average.weights[*j]).sum::<f64>().clamp(0.0, BELOW_ONE),
    }
}

/// The largest share that is not all.
const BELOW_ONE: f64 = 1.0 - f64::EPSILON;

/// What the window leaves out of the overall average; `None` if that is nothing.
pub(super) fn window(effects: &GroupTimeEffects, options: &Aggregation) -> Option<Window> {
    let Aggregation { kind, min_e, max_e, balance_e, na_rm } = *options;
    let limited = match kind {
        AggregationKind::Dynamic => min_e.is_some() || max_e.is_some() || balance_e.is_some(),
        AggregationKind::Simple | AggregationKind::Group => max_e.is_some(),
        AggregationKind::Calendar => false,
    };
    if !limited {
        return None;
    }
    let filled = filled(effects);
    let of_overall = |options: &Aggregation| -> Option<Vec<usize>> {
        let overall = linear(&filled, options, &mut Vec::new()).ok()?.overall?;
        Some((0..filled.cells.len()).filter(|j| overall.weights[*j] != 0.0).collect())
    };
    let all = of_overall(&Aggregation::new(kind).na_rm(na_rm))?;
    let cells_used = of_overall(options)?;
    let selection = Selection::new(&filled, options);
    let times = |cells: &[usize]| {
        let mut times: Vec<f64> =
            cells.iter().map(|j| selection.event_time(&filled.cells[*j])).collect();
        times.sort_unstable_by(f64::total_cmp);
        times.dedup();
        times
    };
    let event_times = times(&cells_used);
    let mut outside = times(&all);
    outside.retain(|e| !event_times.contains(e));
    let has = |cells: &[usize], group: f64| cells.iter().any(|j| filled.cells[*j].group == group);
    let mut groups = effects.groups.clone();
    groups.retain(|g| has(&all, *g) && !has(&cells_used, *g));
    // A sum of no numbers would be -0.
    let treated_share = groups.iter().fold(0.0, |sum, g| sum + treated_share(effects, *g));
    let nothing = outside.is_empty() && groups.is_empty();
    (!nothing).then_some(Window { event_times, outside, groups, treated_share })
}

/// An error if cells have no estimate that an average may not leave out, or if none has one.
pub(super) fn refuse_missing(effects: &GroupTimeEffects, options: &Aggregation) -> Result<()> {
    let missing = || (0..effects.cells.len()).filter(|j| effects.att(*j).is_none());
    let count = missing().count();
    if count == 0 || (options.na_rm && count < effects.cells.len()) {
        return Ok(());
    }
    let cell = |j: usize| {
        let cell = &effects.cells[j];
        LeftOutCell { group: cell.group, time: cell.time, status: cell.status.clone() }
    };
    let cells: Vec<LeftOutCell> = missing().map(cell).collect();
    let share = left_out(effects, options).map_or(0.0, |left_out| left_out.share);
    Err(DidError::MissingCells {
        count,
        cells: listed(&cells, effects.calendar.frequency).join("; "),
        remedy: remedy(&cells),
        share: Some(share),
    })
}

/// Why a cell with an estimate is left out.
const OF_A_LOST_GROUP: &str =
    "it has an estimate, but its group has none in the window as `na_rm` counts it";

/// What gives cells an estimate without a change of what is averaged.
pub(crate) fn remedy(cells: &[LeftOutCell]) -> &'static str {
    let any = |of: fn(&CellStatus) -> bool| cells.iter().any(|cell| of(&cell.status));
    let is_singular = |status: &CellStatus| {
        matches!(status, CellStatus::SingularDesign { .. } | CellStatus::SingularInformation)
    };
    let of_treated = |status: &CellStatus| {
        matches!(status, CellStatus::SingularDesign { among: RegressionUnits::Treated, .. })
    };
    let mut singular = cells.iter().filter(|cell| is_singular(&cell.status)).peekable();
    if any(|s| matches!(s, CellStatus::Overlap { .. } | CellStatus::NoControlWeight)) {
        "outcome regression, which needs no propensity score, or fewer covariates"
    } else if singular.peek().is_some() {
        match singular.all(|cell| of_treated(&cell.status)) {
            true => {
                "outcome regression, which needs no regression of treated units, or fewer covariates"
            }
            false => "fewer covariates",
        }
    } else if any(|s| matches!(s, CellStatus::SingularCurve { .. } | CellStatus::FewDoses { .. })) {
        "a lower degree or fewer knots"
    } else if any(|s| matches!(s, CellStatus::NoControls { .. })) {
        "another control group, or a window without these cells"
    } else {
        "a window without these cells"
    }
}

/// Cells in words; cells of a group that failed for the same reason are listed together.
pub(crate) fn listed(
    cells: &[LeftOutCell],
    frequency: Option<crate::base::calendar::Frequency>,
) -> Vec<String> {
    let shown = |period: f64| crate::base::calendar::shown(period, frequency);
    let alike =
        |a: &LeftOutCell, b: &LeftOutCell| a.group == b.group && a.status.code() == b.status.code();
    let mut kinds: Vec<Vec<&LeftOutCell>> = Vec::new();
    for cell in cells {
        match kinds.iter_mut().find(|kind| alike(kind[0], cell)) {
            Some(kind) => kind.push(cell),
            None => kinds.push(vec![cell]),
        }
    }
    let line = |kind: &Vec<&LeftOutCell>| {
        let times: Vec<String> = kind.iter().map(|c| shown(c.time)).collect();
        let times = match times.as_slice() {
            [only] => format!("time {only}"),
            several => some_times(several, "times "),
        };
        let why = |cell: &LeftOutCell| match &cell.status {
            CellStatus::Estimated => OF_A_LOST_GROUP.to_owned(),
            status => status.shown(frequency),
        };
        let reason = why(kind[0]);
        let same = kind.iter().all(|c| why(c) == reason);
        let first = if same { "" } else { " (reason of the first)" };
        format!("group {}, {times}{first}: {reason}", shown(kind[0].group))
    };
    kinds.iter().map(line).collect()
}

#[cfg(test)]
mod tests;
