//! An event study with one base period, from effects whose base period varies.
//!
//! With a varying base the effect before treatment in period `t` is the change from the period before it. The change from the base
//! period of the group is minus the sum of the changes in between, which is linear: `ATT_u(g, t) = -Σ_{t < s ≤ b} ATT(g, s)`.

use serde::{Deserialize, Serialize};

use super::left_out::{left_out, refuse_missing};
use super::weights::linear;
use super::{Aggregation, AggregationKind, LeftOut};
use crate::base::options::BasePeriod;
use crate::result::estimates::{Cell, CellStatus, GroupTimeEffects};
use crate::result::inference::{Combination, Joint};
use crate::result::settings::Settings;

/// Coefficients of an event study with a universal base, and their covariance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct UniversalBase {
    /// Event times, with the coefficients and whether they are the reference.
    pub rows: Vec<(f64, f64, bool)>,
    pub vcov: Vec<Vec<f64>>,
    /// Cells of the universal base that lack an estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
}

impl UniversalBase {
    /// Leaves out event times.
    pub fn retain(&mut self, is_kept: impl Fn(f64) -> bool) {
        let keep: Vec<bool> = self.rows.iter().map(|(at, ..)| is_kept(*at)).collect();
        let kept = |at: &usize| keep[*at];
        let places: Vec<usize> = (0..keep.len()).filter(kept).collect();
        self.rows = places.iter().map(|at| self.rows[*at]).collect();
        let row = |at: &usize| places.iter().map(|other| self.vcov[*at][*other]).collect();
        self.vcov = places.iter().map(row).collect();
    }
}

/// A cell with the cells of the fit that it is the sum of, with their signs.
struct Converted {
    cell: Cell,
    value: Option<f64>,
    terms: Vec<(usize, f64)>,
}

/// The dynamic aggregation with a universal base; `None` if the base is universal or there is no event study.
pub(super) fn universal(
    effects: &GroupTimeEffects,
    aggregation: &Aggregation,
    settings: &Settings,
) -> Option<UniversalBase> {
    let varies = settings.base_period() == Some(BasePeriod::Varying);
    if !varies || aggregation.kind != AggregationKind::Dynamic {
        return None;
    }
    let anticipation = settings.anticipation();
    let cells: Vec<Converted> =
        effects.groups.iter().flat_map(|g| converted(effects, *g, anticipation)).collect();
    let shares = effects.cells.len()..effects.joint.len();
    let values = cells.iter().map(|c| c.value);
    let joint = Joint {
        values: values.chain(shares.clone().map(|j| effects.joint.values[j])).collect(),
        covariance: None,
        draws: None,
        unknown: Vec::new(),
        ..effects.joint
    };
    let with_base = GroupTimeEffects {
        cells: cells.iter().map(|c| c.cell.clone()).collect(),
        groups: effects.groups.clone(),
        periods: effects.periods.clone(),
        joint,
        ..*effects
    };
    refuse_missing(&with_base, aggregation).ok()?;
    let rows = linear(&with_base, aggregation, &mut Vec::new()).ok()?.rows;
    // From weights of converted cells to weights of the fit's.
    let combination = |of: &Combination| {
        let mut weights = vec![0.0; effects.joint.len()];
        let (on_cells, on_shares) = of.weights.split_at(cells.len());
        for (converted, weight) in cells.iter().zip(on_cells).filter(|(_, w)| **w != 0.0) {
            converted.terms.iter().for_each(|(j, sign)| weights[*j] += sign * weight);
        }
        shares.clone().zip(on_shares).for_each(|(j, weight)| weights[j] += weight);
        Combination { value: of.value, weights }
    };
    let combinations: Vec<Combination> = rows.iter().map(|r| combination(&r.combination)).collect();
    let joint = effects.joint.combined(&combinations)?;
    // A covariance with unknown variances is none.
    let covariance = joint.covariance.filter(|_| joint.unknown.is_empty())?;
    Some(UniversalBase {
        vcov: covariance.rows(rows.len()),
        left_out: left_out(&with_base, aggregation),
        rows: rows.iter().map(|r| (r.at, r.combination.value, r.reference)).collect(),
    })
}

/// The cells of a group with the base period that those after treatment have: the last one before treatment, or before it is
/// anticipated.
fn converted(effects: &GroupTimeEffects, group: f64, anticipation: u32) -> Vec<Converted> {
    let periods = &effects.periods;
    let is_before = |t: &f64| effects.calendar.grid.elapsed(*t, group) > f64::from(anticipation);
    let Some(base) = periods.iter().rposition(is_before) else { return Vec::new() };
    let of_group = |(_, c): &(usize, &Cell)| c.group == group;
    let own: Vec<(usize, f64)> =
        effects.cells.iter().enumerate().filter(of_group).map(|(j, c)| (j, c.time)).collect();
    let cell_at = |time: f64| own.iter().find(|(_, t)| *t == time).map(|(j, _)| *j);
    let blank = Cell {
        group,
        time: periods[base],
        status: CellStatus::Reference,
        n_treated: 0,
        n_control: 0,
        sample_sd: false,
    };
    let cell = |at: usize| -> Option<Converted> {
        let time = periods[at];
        if at == base {
            return Some(Converted { cell: blank.clone(), value: Some(0.0), terms: Vec::new() });
        }
        // After treatment, the varying base period already is the group's universal one.
        let (steps, sign) = match time >= group {
            true => (at..at + 1, 1.0),
            false if at < base => (at + 1..base + 1, -1.0),
            false => (base + 1..at + 1, 1.0),
        };
        let steps: Vec<usize> = steps.map(|s| cell_at(periods[s])).collect::<Option<_>>()?;
        let failed = steps.iter().find(|j| effects.att(**j).is_none());
        let sum: f64 = steps.iter().filter_map(|j| effects.att(*j)).sum();
        let status = failed.map_or(CellStatus::Estimated, |j| effects.cells[*j].status.clone());
        Some(Converted {
            cell: Cell { time, status, ..blank.clone() },
            value: failed.is_none().then_some(sign * sum),
            terms: steps.into_iter().map(|j| (j, sign)).collect(),
        })
    };
    (0..periods.len()).filter_map(cell).collect()
}
