//! Event times of estimators that count periods, where others count time.

use super::sample::StudyRows;
use crate::base::calendar::{FittedCalendar, TimeGrid, shown};
use crate::base::error::{DidError, Result};

/// How much of the time between periods is rounding.
const NEAR: f64 = 1e-6;

/// The steps of the periods.
pub(super) struct Steps {
    pub grid: TimeGrid,
    /// The least time between two periods.
    pub least: f64,
}

impl Steps {
    pub fn of(rows: &StudyRows) -> Self {
        let grid = FittedCalendar::new(&rows.periods, &rows.cohorts).grid;
        let between = rows.periods.windows(2).map(|pair| grid.elapsed(pair[0], pair[1]));
        let least = between.fold(f64::INFINITY, f64::min);
        let least = if least.is_finite() { least } else { 1.0 };
        Self { grid, least }
    }

    /// Whole steps in so much time.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    pub fn within(&self, time: f64) -> u32 {
        (time / self.least + NEAR).clamp(0.0, f64::from(u32::MAX)) as u32
    }

    /// The time of a step, for estimators that count the least steps between periods.
    ///
    /// # Errors
    /// [`DidError::Panel`] if a first treated period is between two steps.
    pub fn of_all(&self, rows: &StudyRows) -> Result<f64> {
        let Some(first) = rows.periods.first() else { return Ok(self.least) };
        let steps = |at: f64| self.grid.elapsed(*first, at) / self.least;
        let is_between = |group: &&f64| (steps(**group) - steps(**group).round()).abs() > NEAR;
        match rows.cohorts.iter().find(is_between) {
            Some(group) => Err(refused(&between_periods(*group, rows))),
            None => Ok(self.least),
        }
    }

    /// The time between two of these periods, for estimators that count periods of the data.
    ///
    /// # Errors
    /// [`DidError::Panel`] if periods are not evenly spaced, or a first treated period is between two of them.
    pub fn between(&self, time: &str, rows: &StudyRows, periods: &[f64]) -> Result<f64> {
        let step = match periods {
            [] | [_] => 1.0,
            _ => self.grid.even_step(periods).ok_or_else(|| {
                refused(&format!("the periods of column `{time}` are not evenly spaced"))
            })?,
        };
        let (first, last) = (periods.first(), periods.last());
        let is_inside =
            |group: f64| first.is_some_and(|p| *p < group) && last.is_some_and(|p| group < *p);
        let mut cohorts = rows.cohorts.iter().copied().filter(|group| is_inside(*group));
        let is_period = |group: f64| periods.iter().any(|p| self.grid.is_same(*p, group));
        match cohorts.find(|group| !is_period(*group)) {
            Some(group) => Err(refused(&between_periods(group, rows))),
            None => Ok(step),
        }
    }
}

fn refused(why: &str) -> DidError {
    DidError::Panel {
        problem: format!(
            "{why}, and this estimator counts the periods since treatment, not the time; keep periods on one grid, or leave the estimator out"
        ),
    }
}

fn between_periods(group: f64, rows: &StudyRows) -> String {
    let group = shown(group, rows.frequency);
    format!("the first treated period {group} is between two periods of the data")
}
