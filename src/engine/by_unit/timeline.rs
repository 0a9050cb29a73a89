//! The places of periods in time.

use serde::{Deserialize, Serialize};

use crate::base::calendar::{FittedCalendar, shown};
use crate::base::error::{DidError, DidWarning, Result};
use crate::read::panel::overview::{Overview, PanelColumns};

/// The place of the first treated period of units that are never treated in the sample.
pub(crate) const NEVER: usize = usize::MAX;

/// How far from a whole number of steps a period may be, in steps.
const NEAR: f64 = 1e-6;

/// Periods of the longest window.
pub(crate) const LONGEST: u32 = 10_000;

/// Places in time, at most.
const MOST: usize = 20_000;

/// Places of periods: steps from the first, or ranks. A step is the least distance between two periods of all rows, with and without outcome and
/// covariates, so that gaps in these columns do not change what it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Timeline {
    /// Ascending.
    periods: Vec<f64>,
    /// Of each period.
    places: Vec<usize>,
    /// Of each period with complete rows, with its number among these.
    complete: Vec<(usize, usize)>,
    /// Groups, ascending, with the place of their first treated period.
    starts: Vec<(f64, usize)>,
    /// One more than the last place.
    pub steps: usize,
    /// Time between two places; none if places are ranks of periods that are not evenly spaced.
    pub step: Option<f64>,
}

impl Timeline {
    /// Of the periods with complete rows; with those of rows that lack values, if these are kept, but for ranks, which are of periods with an
    /// outcome. `ranked` if places are ranks. Comes with what should be known of the periods.
    ///
    /// # Errors
    /// [`DidError::Panel`] if periods are not evenly spaced and places are no ranks.
    pub fn new(
        overview: &Overview,
        columns: &PanelColumns,
        ranked: bool,
    ) -> Result<(Self, Vec<DidWarning>)> {
        let all = overview.placed_periods();
        let periods = match (ranked, columns.keeps_gaps) {
            (true, true) => overview.periods_with_outcomes(),
            (false, true) => all.to_vec(),
            (_, false) => overview.periods().to_vec(),
        };
        let (Some(&first), Some(&last)) = (periods.first(), periods.last()) else {
            return Err(DidError::TooFewPeriods { periods: 0 });
        };
        let groups = || overview.group_values().iter().copied().filter(|g| g.is_finite());
        let near: Vec<f64> = groups().filter(|g| *g >= first - 1.0 && *g <= last + 1.0).collect();
        let FittedCalendar { grid, approximate } = FittedCalendar::new(all, &near);
        let elapsed = |at: f64| grid.elapsed(first, at);
        let least = all.windows(2).map(|pair| elapsed(pair[1]) - elapsed(pair[0]));
        let step = least.fold(f64::INFINITY, f64::min);
        let steps = |at: f64| elapsed(at) / step;
        let is_even = |at: &f64| (steps(*at) - steps(*at).round()).abs() <= NEAR;
        let on_grid = periods.iter().all(is_even) && steps(last) <= MOST as f64;
        if !(ranked || on_grid) {
            return Err(uneven(&periods, columns));
        }
        if periods.len() > MOST {
            return Err(DidError::TooManyValues {
                column: columns.time.clone(),
                role: "period",
                distinct: periods.len(),
                limit: MOST,
            });
        }
        let places = periods.iter().enumerate();
        let places: Vec<usize> = places
            .map(|(rank, period)| if ranked { rank } else { whole(steps(*period)) })
            .collect();
        let start = |group: f64| match () {
            () if steps(group) > steps(last) + NEAR => NEVER,
            () if steps(group) <= NEAR => 0,
            () if ranked => periods.iter().take_while(|p| steps(**p) < steps(group) - NEAR).count(),
            () => whole((steps(group) - NEAR).ceil()),
        };
        let starts: Vec<(f64, usize)> = groups().map(|group| (group, start(group))).collect();
        let is_period = |at: f64| periods.iter().any(|p| (steps(*p) - steps(at)).abs() <= NEAR);
        let is_between = |group: f64| if ranked { !is_period(group) } else { !is_even(&group) };
        let inside = starts.iter().filter(|(_, start)| *start != 0 && *start != NEVER);
        let between: Vec<f64> =
            inside.map(|(group, _)| *group).filter(|group| is_between(*group)).collect();
        let between =
            (!between.is_empty()).then_some(DidWarning::GroupsBetweenPeriods { groups: between });
        let place = |(number, period): (usize, &f64)| {
            let at = periods.partition_point(|known| known < period);
            periods.get(at).filter(|known| *known == period).map(|_| (places[at], number))
        };
        let complete = overview.periods().iter().enumerate().filter_map(place).collect();
        let uneven = approximate.map(|per_unit| DidWarning::UnevenPeriods { per_unit });
        let timeline = Self {
            starts,
            steps: places.last().map_or(0, |last| last + 1),
            step: if ranked { grid.even_step(&periods) } else { Some(step) },
            periods,
            places,
            complete,
        };
        Ok((timeline, uneven.into_iter().chain(between).collect()))
    }

    /// Whether there are no more places than a timeline may have.
    #[cfg(feature = "cluster")]
    pub fn is_sound(&self) -> bool {
        self.steps <= MOST + 1
    }

    /// The place of a period of the data; `None` for any other. `next` is the number of the period that is looked at first,
    /// and becomes that of the period after this one.
    pub fn place(&self, period: f64, next: &mut usize) -> Option<usize> {
        if self.periods.get(*next) != Some(&period) {
            *next = self.periods.partition_point(|known| *known < period);
        }
        *next += 1;
        self.places.get(*next - 1).copied()
    }

    /// The place from which a group is treated: 0 if it always is, [`NEVER`] if it never is in the sample.
    pub fn start(&self, group: f64) -> usize {
        let at = self.starts.partition_point(|(known, _)| *known < group);
        self.starts.get(at).filter(|(known, _)| *known == group).map_or(NEVER, |(_, start)| *start)
    }

    /// Whether a group's treatment starts after the first place, in the sample.
    pub fn is_inside(&self, group: f64) -> bool {
        !matches!(self.start(group), 0 | NEVER)
    }

    /// The first treated period of the group that starts at a place: a period of the data, or the least of the groups'.
    pub fn first_treated(&self, place: usize) -> f64 {
        let at = self.places.partition_point(|known| *known < place);
        let group =
            || self.starts.iter().find(|(_, start)| *start == place).map(|(group, _)| *group);
        match self.places.get(at) == Some(&place) {
            true => self.periods[at],
            false => group().unwrap_or(f64::NAN),
        }
    }

    /// Places at which treatment starts for some group, ascending.
    pub fn cohorts(&self) -> Vec<usize> {
        let mut starts: Vec<usize> = self.starts.iter().map(|(_, start)| *start).collect();
        starts.retain(|start| *start != NEVER);
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    /// Places of periods with complete rows, with their numbers among these periods.
    pub fn of_periods(&self) -> impl Iterator<Item = (usize, usize)> {
        self.complete.iter().copied()
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small whole number")]
fn whole(steps: f64) -> usize {
    steps.round().max(0.0) as usize
}

fn uneven(periods: &[f64], columns: &PanelColumns) -> DidError {
    const NAMED: usize = 6;
    let named: Vec<String> =
        periods.iter().take(NAMED).map(|period| shown(*period, columns.frequency)).collect();
    let more = if periods.len() > NAMED { ", …" } else { "" };
    DidError::Panel {
        problem: format!(
            "the periods of column `{}` are not evenly spaced ({}{more}), and effects are by the number of periods since treatment; set `rank_periods` (`--rank-periods`) to count observed periods, or keep periods on one grid",
            columns.time,
            named.join(", ")
        ),
    }
}
