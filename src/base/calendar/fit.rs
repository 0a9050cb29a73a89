//! Recognising the grid of a calendar.

use super::grid::TimeGrid;

/// What was found about the periods and groups of a sample.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FittedCalendar {
    pub grid: TimeGrid,
    /// Steps of a unit that the periods are near to but not on, such as first days of months in years of 365 days.
    pub approximate: Option<f64>,
}

/// Steps of a unit that calendars usually have: these are believed on the evidence of few periods.
const USUAL: [u32; 5] = [2, 3, 4, 6, 12];

/// Most steps of a unit that are tried.
const MOST: u32 = 400;

/// Largest width of rounding, in steps, at which rounded periods of a usual calendar are told apart.
const COARSEST: f64 = 0.25;

/// Largest probability that periods in no order are taken for a grid.
const CHANCE: f64 = 1e-3;

/// Width of rounding, in steps, that needs no evidence.
const CERTAIN: f64 = 1e-8;

/// Width of the departures of first days of months from twelfths of a year, and of quarters.
const UNEVEN_YEAR: f64 = 0.0075;

/// Least number of periods of an uneven year.
const UNEVEN_PERIODS: usize = 5;

/// Relative precision of numbers that went through a calculation.
const RELATIVE: f64 = 1e-9;

/// How the values of a column were rounded.
#[derive(Clone, Copy)]
struct Rounding {
    /// Digits after the point, if there are few.
    decimals: Option<i32>,
    /// Width of the rounding of what has many digits.
    width: f64,
    /// Width of the rounding of doubles.
    exact: f64,
}

impl Rounding {
    fn of(values: &[f64]) -> Self {
        let largest = values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        let single = values.iter().all(|v| is_single(*v));
        let exact = 4.0 * f64::EPSILON * largest;
        let width = if single { f64::from(f32::EPSILON) } else { RELATIVE } * largest;
        let shown = |d: &i32| values.iter().all(|v| has_decimals(*v, *d));
        Self { decimals: (0..=10).find(shown), width, exact }
    }

    /// Width of the rounding of a grid with so many steps of a unit.
    fn width(&self, per_unit: f64) -> f64 {
        match self.decimals {
            // What has as many digits as the grid was not rounded, and fewer than two are no rounding.
            Some(d) if d < 2 || is_whole(10_f64.powi(d) / per_unit) => self.exact,
            Some(d) => 10_f64.powi(-d) * (1.0 + 1e-6) + self.exact,
            None => self.width,
        }
    }
}

/// Whether a value is one of single precision.
#[expect(clippy::cast_possible_truncation, reason = "that is the question")]
fn is_single(v: f64) -> bool {
    f64::from(v as f32) == v
}

fn is_whole(v: f64) -> bool {
    (v - v.round()).abs() < 1e-9
}

/// Whether a value is the double next to a decimal with `d` digits after the point.
fn has_decimals(v: f64, d: i32) -> bool {
    let power = 10_f64.powi(d);
    v.abs() * power < 1e15 && ((v * power).round() / power - v).abs() <= f64::EPSILON * v.abs()
}

impl FittedCalendar {
    /// The grid of distinct periods, ascending, and of groups first treated between them.
    pub fn new(periods: &[f64], groups: &[f64]) -> Self {
        let plain = |grid| Self { grid, approximate: None };
        if periods.iter().chain(groups).all(|v| v.fract() == 0.0) {
            return plain(TimeGrid::default());
        }
        let values = Instants {
            periods,
            groups,
            rounding: Rounding::of(periods),
            group_rounding: Rounding::of(groups),
        };
        let usual = USUAL.iter().find_map(|m| values.on_grid(f64::from(*m), COARSEST));
        if let Some(grid) = usual {
            return plain(grid);
        }
        if let Some((per_unit, grid)) = values.uneven_year() {
            return Self { grid, approximate: Some(per_unit) };
        }
        let n = (periods.len() + groups.len()) as f64;
        let tried = f64::from(MOST);
        // The widest rounding at which so many values are all on one of the grids tried by no chance.
        let believable = (CHANCE / (n * tried)).powf(1.0 / (n - 1.0).max(1.0));
        if let Some(grid) = (5..=MOST).find_map(|m| values.on_grid(f64::from(m), believable)) {
            return plain(grid);
        }
        plain(values.common_step().unwrap_or_else(|| values.irregular()))
    }
}

/// Groups that are not far from the periods, which would be no instants; both are distinct and ascending.
pub(crate) fn near(periods: &[f64], groups: &[f64]) -> Vec<f64> {
    let ends = periods.first().zip(periods.last());
    let is_near = |group: &&f64| {
        ends.is_some_and(|(first, last)| (first - 1.0..=last + 1.0).contains(*group))
    };
    groups.iter().filter(is_near).copied().collect()
}

/// The grid of periods and of the groups near them.
pub(crate) fn grid(periods: &[f64], groups: &[f64]) -> TimeGrid {
    FittedCalendar::new(periods, &near(periods, groups)).grid
}

/// Groups that rounding alone tells from one of the periods, or from another group, with what they are taken as.
pub(crate) fn moved_groups(periods: &[f64], groups: &[f64]) -> Vec<(f64, f64)> {
    grid(periods, groups).moved(periods, &near(periods, groups))
}

struct Instants<'a> {
    periods: &'a [f64],
    groups: &'a [f64],
    rounding: Rounding,
    group_rounding: Rounding,
}

impl Instants<'_> {
    /// The grid of so many steps of a unit, if all values are on it; `coarsest` is the widest rounding allowed, in steps.
    fn on_grid(&self, per_unit: f64, coarsest: f64) -> Option<TimeGrid> {
        let width = self.rounding.width(per_unit);
        let width_of_groups = self.group_rounding.width(per_unit);
        let limit = coarsest.clamp(CERTAIN, 0.6);
        let fine = |width: f64| width * per_unit <= limit;
        let fits = fine(width) && (self.groups.is_empty() || fine(width_of_groups.max(width)));
        fits.then(|| self.within(per_unit, width, width_of_groups.max(width))).flatten()
    }

    /// The grid if periods are within a stretch of `width` around its instants, and groups no farther than `group_width`.
    fn within(&self, per_unit: f64, width: f64, group_width: f64) -> Option<TimeGrid> {
        let reference = *self.periods.first()?;
        let off = |v: &f64| {
            let steps = (v - reference) * per_unit;
            steps - steps.round()
        };
        let (low, high) =
            self.periods.iter().map(off).fold((0.0_f64, 0.0_f64), |(l, h), o| (l.min(o), h.max(o)));
        if high - low > width * per_unit {
            return None;
        }
        let middle = f64::midpoint(low, high);
        let origin = reference + middle / per_unit;
        let grid = TimeGrid { origin, per_unit: Some(per_unit), tolerance: 0.0 };
        let near = |g: &f64| (off(g) - middle).abs() <= group_width * per_unit;
        let ascending = self.periods.windows(2).all(|p| grid.step(p[0]) < grid.step(p[1]));
        (ascending && self.groups.iter().all(near)).then_some(grid)
    }

    /// Months or quarters by the day of the year.
    fn uneven_year(&self) -> Option<(f64, TimeGrid)> {
        if self.periods.len() < UNEVEN_PERIODS {
            return None;
        }
        [4.0, 12.0].into_iter().find_map(|m| Some((m, self.within(m, UNEVEN_YEAR, UNEVEN_YEAR)?)))
    }

    fn values(&self) -> impl Iterator<Item = f64> {
        self.periods.iter().chain(self.groups).copied()
    }

    /// The grid of a step that is no fraction of a unit, for values with all their digits: the greatest common divisor of
    /// their distances.
    fn common_step(&self) -> Option<TimeGrid> {
        if self.rounding.decimals.is_some() || self.group_rounding.decimals.is_some_and(|d| d > 0) {
            return None;
        }
        let width = self.rounding.width.max(self.group_rounding.width);
        let reference = *self.periods.first()?;
        let last = *self.periods.last()?;
        let divisor = self.values().fold(0.0, |step, v| common(step, (v - reference).abs(), width));
        let long_enough = divisor > 1e3 * width;
        // All of the range gives the step most precisely.
        let steps = ((last - reference) / divisor).round();
        let per_unit = steps / (last - reference);
        (long_enough && steps >= 1.0).then(|| self.within(per_unit, width, width)).flatten()
    }

    /// Differences as they are, of decimals in units of their last digit.
    fn irregular(&self) -> TimeGrid {
        let of_groups = if self.groups.is_empty() { Some(0) } else { self.group_rounding.decimals };
        let tolerance = self.rounding.width.max(self.group_rounding.width);
        let Some(decimals) = self.rounding.decimals.zip(of_groups).map(|(a, b)| a.max(b)) else {
            return TimeGrid { origin: 0.0, per_unit: None, tolerance };
        };
        let per_unit = 10_f64.powi(decimals);
        let gaps = self.periods.windows(2).map(|p| p[1] - p[0]);
        let sparse = gaps.fold(f64::INFINITY, f64::min) * per_unit > 20.0;
        // The last of three digits or more comes from rounding if no two periods are so near.
        let rounded = decimals > 2 && sparse;
        let tolerance = if rounded { 1.000_001 / per_unit } else { 0.0 };
        TimeGrid { origin: 0.0, per_unit: Some(per_unit), tolerance }
    }
}

/// Greatest common divisor of two lengths, but for `width`.
fn common(a: f64, b: f64, width: f64) -> f64 {
    let (mut a, mut b) = (a.max(b), a.min(b));
    while b > 100.0 * width {
        let remainder = a % b;
        // A remainder just under the divisor is none.
        (a, b) = (b, remainder.min(b - remainder));
    }
    a
}
