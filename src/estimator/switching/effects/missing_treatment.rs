//! Missing treatments: which ones follow from the periods before and after, and which outcomes have an unknown treatment.

use super::cells::GroupPeriodCells;
use super::dropped::Dropped;
use super::history::History;
use super::options::SwitchingOptions;

/// When a group's treatment and outcome are known, by periods counted from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observed {
    /// Treatment in the first period in which it is known.
    pub status_quo: f64,
    first: usize,
    last: usize,
    /// First row without a treatment after the first outcome.
    missing: Option<usize>,
}

impl Observed {
    /// Of a group with a treatment.
    pub fn of(cells: &GroupPeriodCells, g: usize) -> Self {
        let at = g * cells.periods..(g + 1) * cells.periods;
        let (treatment, weight) = (&cells.treatment[at.clone()], &cells.weight[at.clone()]);
        let known = |t: &usize| !treatment[*t].is_nan();
        let first = (0..cells.periods).find(known).unwrap_or_default();
        let last = (0..cells.periods).rfind(known).unwrap_or_default();
        let outcome = cells.outcome[at].iter().position(|y| !y.is_nan()).unwrap_or(cells.periods);
        let missing =
            (outcome..cells.periods).find(|t| treatment[*t].is_nan() && !weight[*t].is_nan());
        Self { status_quo: treatment[first], first, last, missing }
    }
}

/// Fills missing treatments of a group, and removes its outcomes where the treatment is not known. `end` is the period after
/// the last.
pub(super) fn settle(
    cells: &mut GroupPeriodCells,
    g: usize,
    end: usize,
    observed: &Observed,
    history: &mut History,
    options: &SwitchingOptions,
    dropped: &mut Dropped,
) {
    let at = g * cells.periods..(g + 1) * cells.periods;
    let outcome = &mut cells.outcome[at.clone()];
    let mut treatments = Treatments {
        values: &mut cells.treatment[at.clone()],
        weight: &cells.weight[at],
        filled: 0,
    };
    let Observed { first: known, last, .. } = *observed;
    if options.drop_if_treatment_missing {
        let missing = observed.missing.filter(|missing| *missing < history.first.unwrap_or(end));
        if let Some(missing) = missing {
            dropped.outcomes_after_missing_treatment += clear(&mut outcome[missing..]);
        }
    }
    dropped.outcomes_before_treatment += clear(&mut outcome[..known]);
    // The original treatment does not matter where it is the status quo.
    let status_quo = history.status_quo;
    let before = |first| treatments.last_before(first).unwrap_or(known);
    match history.first.map(|first| (first, before(first))) {
        Some((first, before)) if before + 1 == first => {
            treatments.fill(known + 1..before, status_quo);
            treatments.fill(first + 1..treatments.values.len(), treatments.values[first]);
            history.end = treatments.values.len();
        }
        unknown => {
            // As in R, also of a group that is no control any more, whose outcomes end before.
            history.end = last + 1;
            if let Some((_, before)) = unknown {
                history.first = None;
                dropped.groups_of_unknown_switch += 1;
                dropped.outcomes_of_unknown_switch += clear(&mut outcome[before + 1..]);
            }
            treatments.fill(known + 1..last, status_quo);
            dropped.outcomes_after_treatment += clear(&mut outcome[last + 1..]);
        }
    }
    dropped.treatments_filled += treatments.filled;
}

/// A group's treatments.
struct Treatments<'a> {
    values: &'a mut [f64],
    /// NaN where there is no row.
    weight: &'a [f64],
    filled: usize,
}

impl Treatments<'_> {
    fn last_before(&self, period: usize) -> Option<usize> {
        (0..period).rfind(|t| !self.values[*t].is_nan())
    }

    /// Puts a value where there is a row without one.
    fn fill(&mut self, periods: std::ops::Range<usize>, value: f64) {
        for t in periods {
            if self.values[t].is_nan() && !self.weight[t].is_nan() {
                self.values[t] = value;
                self.filled += 1;
            }
        }
    }
}

/// Makes outcomes missing, and counts those that there were.
fn clear(outcome: &mut [f64]) -> usize {
    let there = outcome.iter().filter(|y| !y.is_nan()).count();
    outcome.fill(f64::NAN);
    there
}
