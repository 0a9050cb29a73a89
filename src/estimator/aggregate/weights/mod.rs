//! Every aggregation as weights on cells and group shares.
//!
//! An average `θ = Σ_k p_k θ_k / Σ_k p_k` with estimated shares `p` has the influence of the `θ_k` with weights `p_k / S`,
//! and the influence of the shares with weights `Σ_{k: g_k = g} (θ_k - θ) / S` (Callaway and Sant'Anna 2021, section 4.2).

use super::{Aggregation, AggregationKind};
use crate::base::calendar::{EventTimes, TimeGrid, label};
use crate::base::error::{DidError, DidWarning, Result};
use crate::result::estimates::{Cell, CellStatus, GroupTimeEffects};
use crate::result::inference::Combination;

/// One row of an aggregation.
#[derive(Clone, Debug)]
pub(in crate::estimator) struct AggregateRow {
    pub at: f64,
    pub combination: Combination,
    pub reference: bool,
}

/// An aggregation in linear form.
pub(in crate::estimator) struct LinearAggregation {
    pub rows: Vec<AggregateRow>,
    pub overall: Option<Combination>,
}

/// A cell with its position among all cells, and its estimate.
type EstimatedCell<'a> = (usize, &'a Cell, f64);

/// The cells that take part.
pub(super) struct Selection<'a> {
    effects: &'a GroupTimeEffects,
    cells: Vec<EstimatedCell<'a>>,
    /// Groups that are not left out.
    groups: Vec<f64>,
    /// Periods and groups on one scale without gaps.
    calendar: Vec<f64>,
    grid: TimeGrid,
    /// Event times of the cells.
    events: EventTimes,
}

impl<'a> Selection<'a> {
    /// Cells with an estimate; `na_rm` leaves out groups without. Averages by group also leave out those without one to average, as
    /// does R `did` before it counts the groups' dates.
    pub fn new(effects: &'a GroupTimeEffects, options: &Aggregation) -> Self {
        let Aggregation { kind, max_e, na_rm, .. } = *options;
        let grid = effects.calendar.grid;
        let cells: Vec<EstimatedCell<'_>> = effects.estimated().collect();
        let in_original_time =
            |c: &Cell| c.is_post() && max_e.is_none_or(|m| grid.elapsed(c.group, c.time) <= m);
        let counts = |c: &Cell| kind != AggregationKind::Group || in_original_time(c);
        let is_left = |g: &f64| cells.iter().any(|(_, c, _)| c.group == *g && counts(c));
        let mut groups = effects.groups.clone();
        groups.retain(|g| !na_rm || is_left(g));
        let mut calendar = [&*effects.periods, &groups].concat();
        calendar.sort_unstable_by(f64::total_cmp);
        calendar.dedup();
        let elapsed = effects.cells.iter().map(|c| grid.elapsed(c.group, c.time)).collect();
        Self { effects, cells, groups, calendar, grid, events: grid.distinct(elapsed) }
    }

    /// Periods since treatment.
    pub fn event_time(&self, cell: &Cell) -> f64 {
        self.events.of(self.grid.elapsed(cell.group, cell.time))
    }

    fn position(&self, time: f64) -> f64 {
        self.calendar.partition_point(|c| *c < time) as f64
    }

    /// Post-treatment and at most `max_e` calendar positions after treatment.
    fn in_window(&self, cell: &Cell, max_e: Option<f64>) -> bool {
        let elapsed = self.position(cell.time) - self.position(cell.group);
        elapsed >= 0.0 && max_e.is_none_or(|m| elapsed <= m)
    }

    fn share(&self, group: f64) -> f64 {
        let share = self.effects.share_of(group);
        share.and_then(|share| self.effects.joint.values[share]).unwrap_or(0.0)
    }

    fn zeros(&self) -> Vec<f64> {
        vec![0.0; self.effects.joint.len()]
    }

    /// Share-weighted mean of values that belong to groups and have weights on the columns.
    fn weighted(&self, terms: &[(f64, Combination)]) -> Option<Combination> {
        let total: f64 = terms.iter().map(|(g, _)| self.share(*g)).sum();
        if total <= 0.0 {
            return None;
        }
        let value = terms.iter().map(|(g, t)| self.share(*g) * t.value).sum::<f64>() / total;
        let mut weights = self.zeros();
        for (group, term) in terms {
            let p = self.share(*group) / total;
            weights.iter_mut().zip(&term.weights).for_each(|(w, t)| *w += p * t);
            if let Some(column) = self.effects.share_of(*group) {
                weights[column] += (term.value - value) / total;
            }
        }
        Some(Combination { value, weights })
    }

    /// Mean of cells that all count alike.
    fn plain_mean(&self, cells: &[&EstimatedCell<'_>]) -> Combination {
        let share = 1.0 / cells.len() as f64;
        let mut weights = self.zeros();
        for (index, ..) in cells {
            weights[*index] += share;
        }
        Combination { value: cells.iter().map(|(.., att)| att).sum::<f64>() * share, weights }
    }

    /// Share-weighted mean of the cells that satisfy `keep`.
    fn mean_of(&self, keep: impl Fn(&Cell) -> bool) -> Option<Combination> {
        let cells: Vec<&EstimatedCell<'_>> =
            self.cells.iter().filter(|(_, c, _)| keep(c)).collect();
        self.mean(&cells)
    }

    /// Share-weighted mean of cells.
    fn mean(&self, cells: &[&EstimatedCell<'_>]) -> Option<Combination> {
        let cells = || cells.iter().copied();
        let total: f64 = cells().map(|(_, c, _)| self.share(c.group)).sum();
        if total <= 0.0 {
            return None;
        }
        let value = cells().map(|(_, c, att)| self.share(c.group) * att).sum::<f64>() / total;
        let mut weights = self.zeros();
        for (index, cell, att) in cells() {
            weights[*index] += self.share(cell.group) / total;
            if let Some(column) = self.effects.share_of(cell.group) {
                weights[column] += (att - value) / total;
            }
        }
        Some(Combination { value, weights })
    }

    pub fn simple(&self, max_e: Option<f64>) -> Result<LinearAggregation> {
        let overall = self.mean_of(|c| self.in_window(c, max_e)).ok_or_else(|| no_post(max_e))?;
        Ok(LinearAggregation { rows: Vec::new(), overall: Some(overall) })
    }

    pub fn group(&self, max_e: Option<f64>, na_rm: bool) -> Result<LinearAggregation> {
        let mut rows = Vec::new();
        for group in &self.groups {
            let in_group = |c: &Cell| c.group == *group && self.in_window(c, max_e);
            let cells: Vec<&EstimatedCell<'_>> =
                self.cells.iter().filter(|(_, c, _)| in_group(c)).collect();
            if cells.is_empty() {
                if na_rm {
                    continue;
                }
                let what = format!(
                    "group {} has no post-treatment cell in the window to average; widen the window (`na_rm` leaves the group out, which changes what is averaged)",
                    self.effects.calendar.shown(*group)
                );
                return Err(DidError::EmptyWindow { what });
            }
            let combination = self.plain_mean(&cells);
            rows.push(AggregateRow { at: *group, combination, reference: false });
        }
        let terms: Vec<_> = rows.iter().map(|r| (r.at, r.combination.clone())).collect();
        let overall = self.weighted(&terms).ok_or_else(|| no_post(max_e))?;
        Ok(LinearAggregation { rows, overall: Some(overall) })
    }

    fn equal_mean(&self, terms: &[Combination]) -> Combination {
        let share = 1.0 / terms.len() as f64;
        let mut weights = self.zeros();
        for term in terms {
            weights.iter_mut().zip(&term.weights).for_each(|(w, t)| *w += share * t);
        }
        Combination { value: terms.iter().map(|t| t.value).sum::<f64>() * share, weights }
    }

    pub fn dynamic(
        &self,
        options: &Aggregation,
        warnings: &mut Vec<DidWarning>,
    ) -> Result<LinearAggregation> {
        let last = self.cells.iter().map(|(_, c, _)| c.time).fold(f64::NEG_INFINITY, f64::max);
        let balance = options.balance_e.map(f64::from);
        let until_last = |from: f64| self.grid.elapsed(from, last);
        let included = |c: &Cell| balance.is_none_or(|b| until_last(c.group) >= b);
        let lowest = balance.map(|b| b - until_last(self.calendar[0]));
        let [min_e, max_e] =
            [options.min_e, options.max_e].map(|e| e.map(|e| self.grid.written(e)));
        let within = |e: f64| {
            balance.is_none_or(|b| e <= b)
                && lowest.is_none_or(|l| e >= self.grid.written(l))
                && min_e.is_none_or(|m| e >= m)
                && max_e.is_none_or(|m| e <= m)
        };
        let mut cells: Vec<(f64, &EstimatedCell<'_>)> = self
            .cells
            .iter()
            .filter(|(_, c, _)| included(c))
            .map(|cell| (self.event_time(cell.1), cell))
            .filter(|(e, _)| within(*e))
            .collect();
        cells.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        if cells.is_empty() {
            let mut times: Vec<f64> =
                self.cells.iter().map(|cell| self.event_time(cell.1)).collect();
            times.sort_by(f64::total_cmp);
            return Err(no_event_time(options, &times));
        }
        let merged = self.events.merged();
        if merged > 0 {
            warnings.push(DidWarning::MergedEventTimes { event_times: merged });
        }
        let rows: Vec<AggregateRow> = cells
            .chunk_by(|(a, _), (b, _)| a == b)
            .filter_map(|cells| {
                let at = cells[0].0;
                let cells: Vec<&EstimatedCell<'_>> = cells.iter().map(|(_, cell)| *cell).collect();
                let reference = cells.iter().all(|(_, c, _)| c.status == CellStatus::Reference);
                Some(AggregateRow { at, combination: self.mean(&cells)?, reference })
            })
            .collect();
        let post: Vec<Combination> =
            rows.iter().filter(|r| r.at >= 0.0).map(|r| r.combination.clone()).collect();
        if post.is_empty() {
            warnings.push(DidWarning::NoPostEventTime);
        }
        let overall = (!post.is_empty()).then(|| self.equal_mean(&post));
        Ok(LinearAggregation { rows, overall })
    }

    pub fn calendar(&self) -> Result<LinearAggregation> {
        let mut times: Vec<f64> =
            self.cells.iter().filter(|(_, c, _)| c.is_post()).map(|(_, c, _)| c.time).collect();
        times.sort_unstable_by(f64::total_cmp);
        times.dedup();
        let rows: Vec<AggregateRow> = times
            .into_iter()
            .filter_map(|t| {
                let combination = self.mean_of(|c| c.is_post() && c.time == t)?;
                Some(AggregateRow { at: t, combination, reference: false })
            })
            .collect();
        if rows.is_empty() {
            return Err(no_post(None));
        }
        let all: Vec<Combination> = rows.iter().map(|r| r.combination.clone()).collect();
        let overall = Some(self.equal_mean(&all));
        Ok(LinearAggregation { rows, overall })
    }
}

/// The error of a window without any of the event times, which ascend.
fn no_event_time(options: &Aggregation, times: &[f64]) -> DidError {
    let shown = |name: &str, value: Option<f64>| value.map(|v| format!("`{name}` = {v}"));
    let window: Vec<String> = [
        shown("min_e", options.min_e),
        shown("max_e", options.max_e),
        shown("balance_e", options.balance_e.map(f64::from)),
    ]
    .into_iter()
    .flatten()
    .collect();
    let window = window.join(", ");
    let there = match times {
        [] => String::new(),
        [first, .., last] if first < last => {
            format!("; event times are {} to {}", label(*first), label(*last))
        }
        [only, ..] => format!("; the event time is {}", label(*only)),
    };
    DidError::EmptyWindow {
        what: format!("no event time falls within the requested window ({window}){there}"),
    }
}

fn no_post(max_e: Option<f64>) -> DidError {
    let window = max_e.map_or(String::new(), |m| format!(" with at most {m} periods of exposure"));
    DidError::EmptyWindow { what: format!("no post-treatment cell to average{window}") }
}

/// Options of the window that an average of this kind does not have: all by period, and by group and over all but the last event time.
fn ignored(options: &Aggregation) -> impl Iterator<Item = DidWarning> + use<> {
    let kind = options.kind;
    let is_ignored = move |option: &str| match kind {
        AggregationKind::Dynamic => false,
        AggregationKind::Calendar => true,
        AggregationKind::Simple | AggregationKind::Group => option != "max_e",
    };
    let given = [
        ("min_e", options.min_e.is_some()),
        ("max_e", options.max_e.is_some()),
        ("balance_e", options.balance_e.is_some()),
    ];
    given
        .into_iter()
        .filter(move |(option, given)| *given && is_ignored(option))
        .map(|(option, _)| DidWarning::IgnoredOption { option: option.into() })
}

/// The aggregation in linear form.
pub(in crate::estimator) fn linear(
    effects: &GroupTimeEffects,
    options: &Aggregation,
    warnings: &mut Vec<DidWarning>,
) -> Result<LinearAggregation> {
    warnings.extend(ignored(options));
    let selection = Selection::new(effects, options);
    match options.kind {
        AggregationKind::Simple => selection.simple(options.max_e),
        AggregationKind::Group => selection.group(options.max_e, options.na_rm),
        AggregationKind::Dynamic => selection.dynamic(options, warnings),
        AggregationKind::Calendar => selection.calendar(),
    }
}

#[cfg(test)]
pub(super) mod tests;
