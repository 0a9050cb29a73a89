//! Ranges and tick marks.

use crate::base::calendar::{Frequency, label};

/// A stretch of numbers with labelled ticks; never empty, never infinite.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Where `value` falls between the pixels `from` and `to`.
    pub(super) fn place(&self, value: f64, from: f64, to: f64) -> f64 {
        from + (value - self.low) / (self.high - self.low) * (to - from)
    }

    /// Range of `values` with some air, and round ticks.
    pub(super) fn values(values: impl Iterator<Item = f64>, ticks: Ticks) -> Self {
        let (low, high) = range(values);
        Self::with_air(low, high, 0.06, ticks)
    }

    /// Range of `values` alone, which need not have zero, with some air, and round ticks.
    pub(super) fn levels(values: impl Iterator<Item = f64>, ticks: Ticks) -> Self {
        let ends = values.fold(None, |ends: Option<(f64, f64)>, v| match ends {
            Some((low, high)) => Some((low.min(v), high.max(v))),
            None => Some((v, v)),
        });
        match ends {
            Some((low, high)) if high > low => Self::with_air(low, high, 0.06, ticks),
            Some((level, _)) => Self::with_air(level - 1.0, level + 1.0, 0.06, ticks),
            None => Self::values(std::iter::empty(), ticks),
        }
    }

    /// Exactly this range but for a little air, and round ticks.
    pub(super) fn between(low: f64, high: f64, ticks: Ticks) -> Self {
        Self::with_air(low, high, 0.02, ticks)
    }

    fn with_air(low: f64, high: f64, share: f64, ticks: Ticks) -> Self {
        let air = share * (high - low);
        let (low, high) = (low - air, high + air);
        Self { low, high, ticks: round_ticks(low, high, ticks.step(low, high)) }
    }

    /// Lines in which labels of these widths do not overlap on an axis of `length` pixels, if neighbours take turns.
    pub(super) fn lines(&self, length: f64, width: impl Fn(&str) -> f64) -> usize {
        let places: Vec<(f64, f64)> = self
            .ticks
            .iter()
            .map(|(at, text)| (self.place(*at, 0.0, length), width(text) / 2.0))
            .collect();
        let apart = |lines: &usize| {
            places.iter().zip(places.iter().skip(*lines)).all(|(a, b)| a.0 + a.1 <= b.0 - b.1)
        };
        (1..=MOST_LINES).find(apart).unwrap_or(MOST_LINES)
    }

    /// Numbers of time: at most `most` ticks, at whole numbers if all times are whole and at the times themselves if these are evenly spaced or few.
    pub(super) fn times(times: &[f64], most: f64) -> Self {
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted.dedup();
        let gap = sorted.windows(2).map(|w| w[1] - w[0]).fold(f64::INFINITY, f64::min);
        let (first, last) = (sorted.first().copied(), sorted.last().copied());
        let (first, last) = (first.unwrap_or(0.0), last.unwrap_or(0.0));
        let air = if gap.is_finite() { (0.6 * gap).max(0.04 * (last - first)) } else { 1.0 };
        let air = air.max(first.abs().max(last.abs()) * 1e-9);
        let (low, high) = (first - air, last + air);
        let whole = sorted.iter().all(|t| t.fract() == 0.0);
        if !whole && sorted.len() as f64 <= most / 2.0 {
            let ticks = sorted.iter().map(|t| (*t, label(*t).replace('-', "−")));
            return Self { low, high, ticks: ticks.collect() };
        }
        let even = whole && gap.is_finite() && sorted.iter().all(|t| (t - first) % gap == 0.0);
        let (unit, start) = if even { (gap, first.rem_euclid(gap)) } else { (1.0, 0.0) };
        let inside = |t: &(f64, String)| t.0 >= first - 1e-9 * air && t.0 <= last + 1e-9 * air;
        let at = |step: f64| -> Vec<(f64, String)> {
            let step = if whole { step.max(1.0) } else { step };
            let [low, high] = [low, high].map(|end| (end - start) / unit);
            let largest = first.abs().max(last.abs());
            let placed = |(at, text): (f64, String)| match unit {
                1.0 => (at, text),
                _ => (start + unit * at, number(start + unit * at, unit, largest)),
            };
            round_ticks(low, high, step).into_iter().map(placed).filter(inside).collect()
        };
        let usual = if whole { 1.0 } else { 2.0 } * (last - first) / unit / most;
        let finer = [1.0, 0.5, 0.25, 0.125, 0.0625].map(|share| round_step(share * usual));
        // One tick has no scale.
        let several = finer.iter().map(|step| at(*step)).find(|ticks| ticks.len() > 1);
        Self { low, high, ticks: several.unwrap_or_else(|| at(finer[0])) }
    }

    /// Periods of the calendar: at most `most` ticks, at the beginnings of years where that is possible.
    pub(super) fn dates(periods: &[f64], most: f64, frequency: Frequency) -> Self {
        let mut axis = Self::times(periods, most);
        let first = periods.iter().copied().fold(f64::INFINITY, f64::min);
        let last = periods.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let steps: &[f64] = match frequency {
            Frequency::Year | Frequency::Week => &[1.0, 2.0, 5.0, 10.0, 20.0, 50.0],
            Frequency::Quarter => &[1.0, 2.0, 4.0, 8.0, 20.0, 40.0],
            Frequency::Month => &[1.0, 2.0, 3.0, 6.0, 12.0, 24.0, 60.0, 120.0],
            Frequency::Day => &[1.0, 2.0, 7.0, 14.0, 28.0, 56.0, 182.0, 364.0],
        };
        let least = (last - first) / most.max(1.0);
        let step = steps.iter().copied().find(|s| *s >= least).unwrap_or_else(|| round_step(least));
        let ticks = round_ticks(first, last, step).into_iter();
        axis.ticks = ticks.map(|(at, _)| (at, frequency.shown(at))).collect();
        if axis.ticks.is_empty() && first.is_finite() {
            axis.ticks = vec![(first, frequency.shown(first))];
        }
        axis
    }

    /// Names side by side, one apart; at most `most` of them are labelled.
    pub(super) fn categories(names: &[String], most: f64) -> Self {
        let step = (names.len() as f64 / most.max(1.0)).ceil().max(1.0) as usize;
        let ticks = names.iter().enumerate().step_by(step);
        let ticks = ticks.map(|(i, name)| (i as f64, name.clone())).collect();
        Self { low: -0.6, high: names.len() as f64 - 0.4, ticks }
    }
}

/// How many ticks an axis may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticks {
    /// As many as are easy to read, or were asked for.
    pub(super) target: f64,
    /// As many as there is room for.
    pub(super) most: f64,
}

impl Ticks {
    /// Of a vertical axis of `height` pixels with letters of `size` pixels.
    pub(super) fn along(height: f64, size: f64, asked: Option<u32>) -> Self {
        let usual = (height / (3.4 * size)).clamp(3.0, 9.0);
        let most = (height / (1.5 * size)).max(2.0);
        Self { target: asked.map_or(usual, f64::from).min(most), most }
    }

    /// The round step whose number of ticks between `low` and `high` is nearest to the target, by its ratio.
    fn step(self, low: f64, high: f64) -> f64 {
        let finest = round_step((high - low) / self.most);
        let steps = std::iter::successors(Some(finest), |step| Some(round_step(1.5 * step)));
        let count = |step: f64| (high / step).floor() - (low / step).ceil() + 1.0;
        let far = |step: f64| (count(step).max(0.5) / self.target).ln().abs();
        let steps = steps.take(8).filter(|step| count(*step) <= self.most + 1.0);
        steps.min_by(|a, b| far(*a).total_cmp(&far(*b))).unwrap_or(finest)
    }
}

/// Most lines of labels under an axis.
const MOST_LINES: usize = 4;

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((0.0_f64, 0.0_f64), |(l, h), v| (l.min(v), h.max(v)));
    if high - low > 0.0 { (low, high) } else { (-1.0, 1.0) }
}

/// 1, 2 or 5 times a power of ten, not under `least`.
fn round_step(least: f64) -> f64 {
    if !(least > 0.0 && least.is_finite()) {
        return 1.0;
    }
    let power = 10f64.powf(least.log10().floor());
    let times = [1.0, 2.0, 5.0].into_iter().find(|t| t * power >= least * (1.0 - 1e-9));
    let step = times.unwrap_or(10.0) * power;
    if step > 0.0 && step.is_finite() { step } else { least }
}

fn round_ticks(low: f64, high: f64, step: f64) -> Vec<(f64, String)> {
    let (first, last) = ((low / step).ceil(), (high / step).floor());
    let count = (last - first).clamp(0.0, 200.0) as usize;
    if last < first {
        return Vec::new();
    }
    let largest = low.abs().max(high.abs());
    let tick = |i: usize| {
        let value = (first + i as f64) * step;
        (value, number(value, step, largest))
    };
    (0..=count).map(tick).collect()
}

/// `value` with the digits that a grid of width `step` needs, and a true minus sign.
fn number(value: f64, step: f64, largest: f64) -> String {
    let order = step.log10().floor();
    let text = if value.abs() < step / 2.0 {
        "0".to_owned()
    } else if largest >= 1e7 || step < 1e-5 {
        let digits = (value.abs().log10().floor() - order).clamp(0.0, 15.0) as usize;
        format!("{value:.digits$e}")
    } else {
        let digits = (-order).clamp(0.0, 9.0) as usize;
        format!("{value:.digits$}")
    };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn effects_get_round_ticks_around_zero() {
        let axis = Axis::values([-0.24, 0.06].into_iter(), Ticks { target: 3.0, most: 9.0 });
        assert_eq!(labels(&axis), ["−0.2", "−0.1", "0"]);
        let axis = Axis::values([-0.24, 0.06].into_iter(), Ticks { target: 6.0, most: 9.0 });
        assert_eq!(labels(&axis), ["−0.25", "−0.20", "−0.15", "−0.10", "−0.05", "0", "0.05"]);
    }

    #[test]
    fn small_panels_have_more_ticks_than_two() {
        let axis = Axis::values([-35.0, 40.0].into_iter(), Ticks::along(200.0, 15.5, None));
        assert_eq!(labels(&axis), ["−20", "0", "20", "40"]);
        let axis = Axis::values([-35.0, 40.0].into_iter(), Ticks::along(200.0, 15.5, Some(100)));
        assert_eq!(axis.ticks.len(), 8);
    }

    #[test]
    fn labels_that_overlap_take_turns() {
        let names = |count: usize| Axis {
            low: 0.0,
            high: count as f64,
            ticks: (0..count).map(|i| (i as f64, "0.2222".to_owned())).collect(),
        };
        assert_eq!(names(10).lines(1000.0, |_| 60.0), 1);
        assert_eq!(names(10).lines(500.0, |_| 60.0), 2);
        assert_eq!(names(90).lines(500.0, |_| 60.0), MOST_LINES);
    }

    #[test]
    fn event_times_are_whole() {
        let axis = Axis::times(&[-3.0, -2.0, -1.0, 0.0, 1.0], 20.0);
        assert_eq!(labels(&axis), ["−3", "−2", "−1", "0", "1"]);
        assert_eq!((axis.low, axis.high), (-3.6, 1.6));
        let axis = Axis::times(&(0..100).map(f64::from).collect::<Vec<_>>(), 10.0);
        assert_eq!(axis.ticks.len(), 10);
        assert_eq!(labels(&Axis::times(&[-1.5, -0.5, 0.5], 6.0)), ["−1.5", "−0.5", "0.5"]);
        let quarters: Vec<f64> = (0..40).map(|q| 2000.0 + f64::from(q) / 4.0).collect();
        assert_eq!(labels(&Axis::times(&quarters, 10.0)), ["2000", "2002", "2004", "2006", "2008"]);
    }

    #[test]
    fn fractions_of_years_have_a_scale_in_narrow_panels() {
        let thirds: Vec<f64> = (0..9).map(|third| 2000.0 + f64::from(third) / 3.0).collect();
        for most in [1.0, 2.0, 2.6, 3.5] {
            assert!(Axis::times(&thirds, most).ticks.len() > 1, "{most}");
        }
        let few = Axis::times(&thirds[1..3], 5.0);
        assert_eq!(labels(&few), ["2000.33333", "2000.66667"]);
        assert_eq!(labels(&Axis::times(&[-60.0, -59.0, 3.0], 3.0)), ["−50", "0"]);
    }

    #[test]
    fn ticks_are_at_steps_of_the_times() {
        let biannual: Vec<f64> = (-3..4).map(|step| 2.0 * f64::from(step)).collect();
        let axis = Axis::times(&biannual, 20.0);
        assert_eq!(labels(&axis), ["−6", "−4", "−2", "0", "2", "4", "6"]);
        assert_eq!(labels(&Axis::times(&biannual, 4.0)), ["−4", "0", "4"]);
        assert_eq!(labels(&Axis::times(&[2001.0, 2003.0, 2005.0], 9.0)), ["2001", "2003", "2005"]);
    }

    #[test]
    fn dates_are_labelled_as_dates() {
        let months: Vec<f64> = (24_084..24_120).map(f64::from).collect();
        let axis = Axis::dates(&months, 4.0, Frequency::Month);
        assert_eq!(labels(&axis), ["2007-01", "2008-01", "2009-01"]);
        let axis = Axis::dates(&months[..3], 20.0, Frequency::Month);
        assert_eq!(labels(&axis), ["2007-01", "2007-02", "2007-03"]);
        assert_eq!(labels(&Axis::dates(&[2005.0], 9.0, Frequency::Year)), ["2005"]);
        assert_eq!(labels(&Axis::dates(&[], 9.0, Frequency::Year)).len(), 0);
    }

    #[test]
    fn odd_ranges_stay_finite() {
        for values in [vec![], vec![0.0], vec![5.0], vec![1e280, -1e280], vec![1e-300]] {
            let axis = Axis::values(values.iter().copied(), Ticks { target: 6.0, most: 9.0 });
            assert!(axis.place(0.0, 0.0, 100.0).is_finite(), "{values:?}");
            assert!(axis.ticks.len() < 50, "{values:?}");
            let axis = Axis::times(&values, 6.0);
            assert!(axis.high > axis.low && axis.place(axis.low, 0.0, 1.0).is_finite());
        }
        assert_eq!(
            labels(&Axis::values([2e8].into_iter(), Ticks { target: 3.0, most: 9.0 })),
            ["0", "1e8", "2e8"]
        );
    }

    #[test]
    fn many_categories_are_thinned() {
        let names: Vec<String> = (0..100).map(|i| i.to_string()).collect();
        assert_eq!(Axis::categories(&names, 10.0).ticks.len(), 10);
        assert_eq!(Axis::categories(&names[..3], 10.0).ticks.len(), 3);
    }
}
