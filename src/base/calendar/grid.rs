//! The time between instants, counted in steps of a grid.

use serde::{Deserialize, Serialize};

/// The grid that periods and groups are on, by which the time between them is counted.
///
/// Subtraction in floating point gives one event time several values, as do periods that were rounded for printing. Periods
/// of a regular calendar are therefore counted in whole steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "SavedGrid")]
pub(crate) struct TimeGrid {
    /// An instant of the grid.
    pub(super) origin: f64,
    /// Steps of a unit of time; `None` if differences are taken as they are, as those of whole numbers are.
    pub(super) per_unit: Option<f64>,
    /// Times between instants that differ by no more are the same; 0 on a regular grid.
    pub(super) tolerance: f64,
}

/// A grid as a file has it.
#[derive(Deserialize)]
struct SavedGrid {
    origin: f64,
    per_unit: Option<f64>,
    tolerance: f64,
}

impl TryFrom<SavedGrid> for TimeGrid {
    type Error = &'static str;

    fn try_from(saved: SavedGrid) -> Result<Self, Self::Error> {
        let SavedGrid { origin, per_unit, tolerance } = saved;
        let positive = per_unit.is_none_or(|m| m > 0.0 && m.is_finite());
        if positive && origin.is_finite() && tolerance >= 0.0 && tolerance.is_finite() {
            Ok(Self { origin, per_unit, tolerance })
        } else {
            Err("the time grid must have a finite origin and a positive number of steps")
        }
    }
}

/// How far an option such as 0.33 may be from a step, in steps, to mean the step.
const NEAR: f64 = 0.1;

/// How far apart two values for one instant may be, in steps.
const SAME: f64 = 0.25;

/// How much of the time between periods may be rounding.
const EVEN: f64 = 1e-6;

impl TimeGrid {
    /// The time from one instant to another, in units of the time column; it is 0 only if they are the same.
    pub fn elapsed(&self, from: f64, to: f64) -> f64 {
        let elapsed = match self.per_unit {
            Some(per_unit) => (self.step(to) - self.step(from)) / per_unit,
            None => to - from,
        };
        let whole = elapsed.round();
        if (elapsed - whole).abs() <= self.tolerance { whole + 0.0 } else { elapsed }
    }

    /// Time between instants as [`elapsed`](Self::elapsed) gives it, from one that was rounded or multiplied up since.
    pub fn in_steps(&self, elapsed: f64) -> f64 {
        match self.per_unit {
            Some(per_unit) if (elapsed * per_unit - (elapsed * per_unit).round()).abs() < SAME => {
                self.elapsed(self.origin, self.origin + elapsed)
            }
            _ => elapsed,
        }
    }

    /// The time between two of these periods, if it is the same for all.
    pub fn even_step(&self, periods: &[f64]) -> Option<f64> {
        let mut steps = periods.windows(2).map(|pair| self.elapsed(pair[0], pair[1]));
        let step = steps.next()?;
        steps.all(|other| (other - step).abs() <= EVEN * step).then_some(step)
    }

    /// Number of the grid's instant next to this one.
    pub(super) fn step(&self, at: f64) -> f64 {
        ((at - self.origin) * self.per_unit.unwrap_or(1.0)).round()
    }

    /// Whether two instants are the same but for rounding.
    pub fn is_same(&self, a: f64, b: f64) -> bool {
        if a == b || self.per_unit.is_none() && self.tolerance == 0.0 {
            return a == b;
        }
        let apart = self.per_unit.map_or(0.0, |m| SAME / m).max(self.tolerance);
        (a - b).abs() <= apart && self.elapsed(a, b) == 0.0
    }

    /// Groups that rounding alone tells from one of these periods, or from another group, with what they are taken as; all are ascending.
    pub fn moved(&self, periods: &[f64], groups: &[f64]) -> Vec<(f64, f64)> {
        let (mut known, mut moved) = (periods.to_vec(), Vec::new());
        for group in groups.iter().copied() {
            let at = known.partition_point(|k| *k < group);
            let neighbours = known[at.saturating_sub(1)..known.len().min(at + 1)].iter();
            match neighbours.copied().find(|k| self.is_same(*k, group)) {
                Some(same) if same != group => moved.push((group, same)),
                Some(_) => {}
                None => known.insert(at, group),
            }
        }
        moved
    }

    /// A time that someone wrote, as the number of steps that it means.
    pub fn written(&self, elapsed: f64) -> f64 {
        let Some(per_unit) = self.per_unit else { return elapsed };
        let steps = elapsed * per_unit;
        if (steps - steps.round()).abs() <= NEAR { steps.round() / per_unit } else { elapsed }
    }

    /// Distinct event times, ascending: those within the tolerance of their neighbours are one, under the least of them.
    pub fn distinct(&self, mut elapsed: Vec<f64>) -> EventTimes {
        elapsed.sort_unstable_by(f64::total_cmp);
        elapsed.dedup();
        let mut times: Vec<(f64, f64)> = Vec::new();
        for e in elapsed {
            match times.last_mut() {
                Some((_, last)) if e - *last <= self.tolerance && (*last < 0.0) == (e < 0.0) => {
                    *last = e;
                }
                _ => times.push((e, e)),
            }
        }
        EventTimes(times)
    }
}

/// Event times, each the range of what counts as one.
#[derive(Clone, Debug)]
pub(crate) struct EventTimes(Vec<(f64, f64)>);

impl EventTimes {
    /// The event time that an elapsed time belongs to.
    pub fn of(&self, elapsed: f64) -> f64 {
        let at = self.0.partition_point(|(_, last)| *last < elapsed);
        self.0.get(at).map_or(elapsed, |(first, _)| *first)
    }

    /// Number of event times that are several elapsed times.
    pub fn merged(&self) -> usize {
        self.0.iter().filter(|(first, last)| first < last).count()
    }
}
