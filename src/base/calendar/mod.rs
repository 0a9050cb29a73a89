//! Time: how far two instants are apart, and dates as periods.

mod fit;
mod frequency;
mod grid;
mod number;
mod text;

use serde::{Deserialize, Serialize};

pub(crate) use fit::{FittedCalendar, grid, moved_groups, near};
pub use frequency::Frequency;
pub(crate) use grid::{EventTimes, TimeGrid};
pub(crate) use number::{exact, label, without_rounding};

/// How periods are counted and shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Calendar {
    #[serde(default)]
    pub grid: TimeGrid,
    #[serde(default)]
    pub frequency: Option<Frequency>,
}

impl Calendar {
    /// A period or group as people read it.
    pub fn shown(&self, period: f64) -> String {
        shown(period, self.frequency)
    }
}

/// A period or group as people read it: a date if the calendar has dates, else a number.
pub(crate) fn shown(period: f64, frequency: Option<Frequency>) -> String {
    frequency.map_or_else(|| label(period), |frequency| frequency.shown(period))
}

/// A period or group as a name by which it is found again: a date, or a number with all its digits.
pub(crate) fn named(period: f64, frequency: Option<Frequency>) -> String {
    frequency.and_then(|frequency| frequency.name_of(period)).unwrap_or_else(|| exact(period))
}

#[cfg(test)]
mod tests;
