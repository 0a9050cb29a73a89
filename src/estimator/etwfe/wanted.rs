//! Which averages there are.

use std::ops::Range;

use super::apart::Apart;
use super::averages::Average;
use super::design::{Cell, Design};
use super::margins::Margins;
use super::result::{EtwfeEffect, SeparatedRows};
use super::sample::Sample;
use crate::base::options::ControlGroup;
use crate::estimator::aggregate::reference_row;

/// An average that is asked for, and what it is of; none at the reference.
pub(super) struct Wanted {
    pub key: EtwfeEffect,
    pub average: Option<Average>,
}

/// Averages of all rows, or of those of a level of the moderator.
pub(super) struct Averages<T> {
    pub overall: T,
    pub by_event_time: Vec<T>,
    pub by_group: Vec<T>,
    pub by_period: Vec<T>,
}

impl<T> Averages<T> {
    /// How many there are by event time, by group and by period.
    pub fn counts(&self) -> [usize; 3] {
        [&self.by_event_time, &self.by_group, &self.by_period].map(Vec::len)
    }

    /// All of them, in order.
    pub fn into_list(self) -> impl Iterator<Item = T> {
        let lists = [self.by_event_time, self.by_group, self.by_period];
        std::iter::once(self.overall).chain(lists.into_iter().flatten())
    }

    /// The next ones of a list.
    pub fn next([events, groups, periods]: [usize; 3], list: &mut impl Iterator<Item = T>) -> Self
    where
        T: Default,
    {
        Self {
            overall: list.next().unwrap_or_default(),
            by_event_time: list.by_ref().take(events).collect(),
            by_group: list.by_ref().take(groups).collect(),
            by_period: list.by_ref().take(periods).collect(),
        }
    }
}

/// What averages are made of.
pub(super) struct Parts<'a> {
    pub sample: &'a Sample,
    pub design: &'a Design,
    pub margins: &'a Margins,
    pub control_group: ControlGroup,
    /// Which averages are known; all of them if it is not said.
    pub apart: Option<Apart>,
    /// By cell, which rows that its effect needs were left out as separated.
    pub separated: Vec<Option<SeparatedRows>>,
}

impl Parts<'_> {
    /// Averages over all treated rows, by event time, by group and by period; of a level, or of all.
    pub fn averages(&self, level: Option<usize>) -> Averages<Wanted> {
        let group = |cell: &Cell| self.sample.cohorts[cell.cohort].group;
        let time = |cell: &Cell| self.sample.periods[cell.period];
        let wanted =
            |key: EtwfeEffect, holds: &dyn Fn(&Cell) -> bool| self.wanted(key, level, holds);
        let by_group = self.distinct(level, true, &group).into_iter().map(|own| {
            let key = EtwfeEffect { group: Some(own), ..EtwfeEffect::default() };
            wanted(key, &|cell| cell.treated && group(cell) == own)
        });
        let by_period = self.distinct(level, true, &time).into_iter().map(|own| {
            let key = EtwfeEffect { time: Some(own), ..EtwfeEffect::default() };
            wanted(key, &|cell| cell.treated && time(cell) == own)
        });
        Averages {
            overall: wanted(EtwfeEffect::default(), &|cell| cell.treated),
            by_event_time: self.by_event_time(level),
            by_group: by_group.collect(),
            by_period: by_period.collect(),
        }
    }

    /// The effect of each cell.
    pub fn cells(&self) -> Vec<Wanted> {
        let of_cell = |(number, own): (usize, &Cell)| {
            let key = EtwfeEffect {
                group: Some(self.sample.cohorts[own.cohort].group),
                time: Some(self.sample.periods[own.period]),
                event_time: Some(own.event_time),
                separated: self.separated[number],
                ..EtwfeEffect::default()
            };
            self.over(key, self.parts_of(number, None).collect())
        };
        self.design.cells.iter().enumerate().map(of_cell).collect()
    }

    /// Before treatment there are some against the never treated only.
    fn by_event_time(&self, level: Option<usize>) -> Vec<Wanted> {
        let events = self.distinct(level, false, &|cell| cell.event_time);
        let of_event = |at: &f64| {
            let key = EtwfeEffect { event_time: Some(*at), ..EtwfeEffect::default() };
            self.wanted(key, level, &|cell| cell.event_time == *at)
        };
        let mut all: Vec<Wanted> = events.iter().map(of_event).collect();
        let before = events.iter().position(|at| *at >= 0.0);
        if let Some(before) = before.filter(|_| self.control_group == ControlGroup::NeverTreated) {
            let reference = self.reference().into_iter();
            all.splice(before..before, reference);
        }
        all
    }

    /// Over the cells of which something holds.
    fn wanted(
        &self,
        key: EtwfeEffect,
        level: Option<usize>,
        holds: &dyn Fn(&Cell) -> bool,
    ) -> Wanted {
        let cells = self.design.cells.iter().enumerate().filter(|(_, cell)| holds(cell));
        let parts = cells.flat_map(|(cell, _)| self.parts_of(cell, level)).collect();
        self.over(key, parts)
    }

    fn over(&self, key: EtwfeEffect, parts: Vec<usize>) -> Wanted {
        let known = self.apart.as_ref().is_none_or(|apart| apart.is_known(&parts));
        let mut average = Average::of(self.margins, parts);
        let undetermined = average.value.is_some() && !known;
        average.value = average.value.filter(|_| known);
        Wanted { key: EtwfeEffect { undetermined, ..key }, average: Some(average) }
    }

    fn parts_of(&self, cell: usize, level: Option<usize>) -> Range<usize> {
        let levels = self.margins.levels;
        let own = level.map_or(0..levels, |level| level..level + 1);
        cell * levels + own.start..cell * levels + own.end
    }

    /// What cells with rows of the level have, ascending.
    fn distinct(&self, level: Option<usize>, treated: bool, of: &dyn Fn(&Cell) -> f64) -> Vec<f64> {
        let has_rows =
            |cell| self.parts_of(cell, level).any(|part| self.margins.sums[part].rows > 0);
        let own = self.design.cells.iter().enumerate();
        let own = own.filter(|(number, cell)| (cell.treated || !treated) && has_rows(*number));
        let mut values: Vec<f64> = own.map(|(_, cell)| of(cell)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    }

    /// The event time that leads and lags are compared with, the same for all cohorts, if it is.
    fn reference(&self) -> Option<Wanted> {
        let treated = self.sample.cohorts.iter().enumerate().filter(|(_, own)| !own.reference);
        let time = |(number, own): (usize, &super::sample::Cohort)| {
            self.sample.event_time(number, own.start - 1)
        };
        let times: Vec<f64> = treated.map(time).collect();
        let at = *times.first()?;
        let taken = self.design.cells.iter().any(|cell| cell.event_time == at);
        if taken || times.iter().any(|other| *other != at) {
            return None;
        }
        let key = EtwfeEffect {
            event_time: Some(at),
            estimate: reference_row(at).estimate,
            reference: true,
            ..EtwfeEffect::default()
        };
        Some(Wanted { key, average: None })
    }
}
