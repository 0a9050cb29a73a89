//! The rows of one unit by their place in time.

use super::timeline::Timeline;
use crate::read::columns::Values;
use crate::read::panel::overview::UnitRows;

/// No row.
const NONE: usize = usize::MAX;

/// The rows of a unit that are looked at and have a positive weight.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    /// Outcome by place; not a number where there is no row, or no outcome in it.
    pub outcome: Vec<f64>,
    /// Treatment by place; not a number where there is no row.
    pub treated: Vec<f64>,
    /// Weight by place.
    pub weight: Vec<f64>,
    /// Place from which the unit is treated.
    pub start: usize,
    /// Rows of the unit that were left out because they have no weight.
    pub without_weight: usize,
    row: Vec<usize>,
}

impl Series {
    /// Of no unit yet.
    pub fn new(timeline: &Timeline) -> Self {
        let steps = timeline.steps;
        let [outcome, treated] = [vec![f64::NAN; steps], vec![f64::NAN; steps]];
        let (weight, row) = (vec![0.0; steps], vec![NONE; steps]);
        Self { outcome, treated, weight, start: 0, without_weight: 0, row }
    }

    /// Takes the rows of a unit, whose numbers are the outcome and covariates, and says whether it has an outcome.
    pub fn take(
        &mut self,
        rows: &UnitRows,
        numbers: &[&Values],
        unit: usize,
        timeline: &Timeline,
    ) -> bool {
        self.outcome.fill(f64::NAN);
        self.treated.fill(f64::NAN);
        self.row.fill(NONE);
        self.without_weight = 0;
        let (mut any, mut has_outcome, mut next) = (false, false, 0);
        for row in rows.unit(unit) {
            let weight = rows.weight(row);
            if weight <= 0.0 {
                self.without_weight += 1;
                continue;
            }
            let Some(place) = timeline.place(rows.time(row), &mut next) else { continue };
            if !any {
                self.start = timeline.start(rows.group(row));
                any = true;
            }
            let outcome = numbers[0][row];
            has_outcome |= outcome.is_finite();
            self.outcome[place] = if outcome.is_finite() { outcome } else { f64::NAN };
            self.weight[place] = weight;
            self.row[place] = row;
            self.treated[place] = match rows.treatment(row) {
                Some(treatment) => treatment,
                None => f64::from(u8::from(place >= self.start)),
            };
        }
        has_outcome
    }

    /// The outcome at a place; `None` without one, or outside of time.
    pub fn outcome(&self, place: Option<usize>) -> Option<f64> {
        self.outcome.get(place?).copied().filter(|y| !y.is_nan())
    }

    /// The row at a place.
    pub fn row(&self, place: usize) -> Option<usize> {
        self.row.get(place).copied().filter(|row| *row != NONE)
    }
}
