//! What all rows show before any is changed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use polars::prelude::*;

use super::frame::{PanelFrame, gathered, index};
use super::keys::PanelKeys;
use crate::base::calendar::shown;
use crate::base::error::Result;
use crate::read::columns::{
    LabelColumn, MAX_DISTINCT, ReadAsMissing, add_counts, ordered_key, too_many,
};

/// A set of periods, by the order in which they were first seen.
pub(super) type PeriodSet = Box<[u64]>;

/// What all rows show. Looks at several frames add up.
#[derive(Default)]
pub(super) struct Survey {
    pub rows: u64,
    pub units: u64,
    pub without_key: u64,
    pub read_as_missing: Vec<ReadAsMissing>,
    /// Number of each period, in the order in which they were first seen, by [`ordered_key`].
    numbers: BTreeMap<i64, u16>,
    /// Values of the periods by these numbers; after [`finish`](Self::finish) ascending, by rank.
    pub periods: Vec<f64>,
    /// Values of the time column, and the number of the period that each stands for; later one of each period, by rank.
    times: Option<(Series, Vec<u16>)>,
    /// Units of each cohort that have a set of periods. The cohort is the bits of its first treated period.
    pub patterns: HashMap<(Option<u64>, PeriodSet), u64>,
    /// Columns that change within a unit.
    pub varying: BTreeSet<String>,
    pub treatment: TreatmentLook,
    pub conflicts: Conflicts,
}

/// What a treatment of zeros and ones shows.
#[derive(Clone, Debug, Default)]
pub(super) struct TreatmentLook {
    pub treated: u64,
    pub never: u64,
    /// Units whose first row is treated.
    pub from_the_start: u64,
    /// Units whose treatment ends, and the first with its period.
    pub ends: u64,
    pub first_end: Option<(String, String)>,
    /// Rows without a treatment, and the first's unit and period.
    pub missing: u64,
    pub first_missing: Option<(String, String)>,
    /// Units whose first treated period cannot be told for want of a treatment.
    pub unknown: u64,
    /// Units whose treatment begins between two rows, and the first with the period of its first treated row.
    pub changes: HashMap<FirstChange, (u64, (String, String))>,
}

impl TreatmentLook {
    /// Units that may have been treated in periods of the panel of which they have no row, and one of them with its first treated row.
    pub fn hidden(&self, periods: &[f64]) -> (u64, Option<&(String, String)>) {
        let hidden = || self.changes.iter().filter(|(change, _)| change.is_hidden(periods));
        let units = hidden().map(|(_, (units, _))| units).sum();
        (units, hidden().map(|(_, (_, example))| example).min())
    }

    /// Units that are treated in the first period of the panel.
    pub fn always(&self, periods: &[f64]) -> u64 {
        let always = |change: &FirstChange| change.is_first() && !change.is_hidden(periods);
        self.changes.iter().filter(|(change, _)| always(change)).map(|(_, (units, _))| units).sum()
    }
}

/// Of a unit: the bits of the periods of its last untreated row, negative infinity if there is none, and of its first treated row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FirstChange(u64, u64);

impl FirstChange {
    pub fn new(untreated: Option<f64>, treated: f64) -> Self {
        Self(untreated.unwrap_or(f64::NEG_INFINITY).to_bits(), treated.to_bits())
    }

    /// Whether no row is before the treatment.
    fn is_first(self) -> bool {
        f64::from_bits(self.0) == f64::NEG_INFINITY
    }

    /// Whether one of the periods, which ascend, is between the two.
    pub fn is_hidden(self, periods: &[f64]) -> bool {
        let [untreated, treated] = [self.0, self.1].map(f64::from_bits);
        let before = periods.partition_point(|period| *period < treated);
        before > 0 && periods[before - 1] > untreated
    }
}

/// Rows of one unit and period.
#[derive(Clone, Debug, Default)]
pub(super) struct Conflicts {
    /// Rows that repeat another.
    pub repeated: u64,
    /// Pairs of unit and period with rows that differ, and the first.
    pub pairs: u64,
    pub first: Option<(String, String)>,
    /// How many of these pairs differ in a column.
    pub columns: BTreeMap<String, u64>,
}

impl Survey {
    /// What every tool counts.
    pub fn add(&mut self, frame: &PanelFrame<'_>) {
        self.rows += frame.df.height() as u64;
        self.units += frame.units.len() as u64;
        self.without_key += frame.without_key as u64;
        add_counts(&mut self.read_as_missing, &frame.read_as_missing);
    }

    /// The periods of a frame, with a value of the time column for each: the least where a period has several dates. An error if a unit has
    /// two rows for a period.
    pub fn add_periods(&mut self, frame: &PanelFrame<'_>) -> Result<()> {
        frame.refuse_duplicates()?;
        let column = frame.df.column(&frame.keys.time)?;
        let dates = match frame.keys.frequency {
            Some(_) => Some(LabelColumn::new(column, "time")?.codes().codes),
            None => None,
        };
        let mut least: Vec<Option<usize>> = vec![None; usize::from(u16::MAX) + 1];
        for row in frame.keyed() {
            let known = &mut least[usize::from(frame.time.codes[row])];
            let earlier =
                |known: usize| dates.as_ref().is_some_and(|dates| dates[row] < dates[known]);
            if known.is_none_or(earlier) {
                *known = Some(row);
            }
        }
        let rows: Vec<usize> = least.into_iter().flatten().collect();
        let mut numbers = Vec::with_capacity(rows.len());
        for row in &rows {
            let value = frame.time.value(frame.time.codes[*row]);
            let next = self.periods.len();
            let number = *self.numbers.entry(ordered_key(value)).or_insert_with(|| {
                self.periods.push(value + 0.0);
                u16::try_from(next).unwrap_or(u16::MAX)
            });
            numbers.push(number);
        }
        if self.periods.len() > MAX_DISTINCT {
            return Err(too_many(&frame.keys.time, "time", self.periods.len()));
        }
        let rows: Vec<_> = rows.into_iter().map(|row| Some(index(row))).collect();
        let times = gathered(column, &rows)?.take_materialized_series();
        match &mut self.times {
            None => self.times = Some((times, numbers)),
            Some((known, of)) => {
                known.append(&times)?;
                of.extend(numbers);
            }
        }
        Ok(())
    }

    /// Counts the units of a frame by their periods. Its periods must be known.
    pub fn add_patterns(&mut self, frame: &PanelFrame<'_>) {
        let number =
            frame.by_code(|value| self.numbers.get(&ordered_key(value)).copied().unwrap_or(0));
        let mut last: Option<((Option<u64>, PeriodSet), u64)> = None;
        for (position, unit) in frame.units.iter().enumerate() {
            let cohort = frame.cohorts.as_ref().map(|cohorts| cohorts[position].to_bits());
            let set = set_of(unit.rows().map(|row| number[usize::from(frame.time.codes[row])]));
            match &mut last {
                Some((known, units)) if known.0 == cohort && known.1 == set => *units += 1,
                _ => {
                    if let Some((known, units)) = last.replace(((cohort, set), 1)) {
                        *self.patterns.entry(known).or_default() += units;
                    }
                }
            }
        }
        if let Some((known, units)) = last {
            *self.patterns.entry(known).or_default() += units;
        }
    }

    /// Puts the periods in order. Sets of periods keep the numbers.
    pub fn finish(&mut self) -> Result<()> {
        let mut order: Vec<usize> = (0..self.periods.len()).collect();
        order.sort_by(|a, b| self.periods[*a].total_cmp(&self.periods[*b]));
        let periods = order.iter().map(|number| self.periods[*number]).collect();
        if let Some((times, of)) = &self.times {
            let dates = LabelColumn::new(&times.clone().into_column(), "time")?.codes().codes;
            let mut least: Vec<Option<usize>> = vec![None; order.len()];
            for (at, number) in of.iter().enumerate() {
                let known = &mut least[usize::from(*number)];
                if known.is_none_or(|known| dates[at] < dates[known]) {
                    *known = Some(at);
                }
            }
            let rows: Vec<_> = order.iter().map(|number| least[*number].map(index)).collect();
            let times = gathered(&times.clone().into_column(), &rows)?.take_materialized_series();
            self.times = Some((times, Vec::new()));
        }
        self.periods = periods;
        Ok(())
    }

    /// A value of the time column for each period, ascending.
    pub fn times(&self) -> Option<&Series> {
        self.times.as_ref().map(|(times, _)| times)
    }

    /// The number of each period of the sets, by rank.
    pub fn numbers(&self) -> Vec<u16> {
        self.numbers.values().copied().collect()
    }

    /// Rank of a period among all.
    pub fn rank(&self, period: f64) -> Option<usize> {
        self.periods.binary_search_by(|known| known.total_cmp(&(period + 0.0))).ok()
    }

    /// The rank of the period of each row of a frame.
    pub fn ranks(&self, frame: &PanelFrame<'_>) -> impl Fn(usize) -> usize {
        let ranks = frame.by_code(|period| self.rank(period).unwrap_or_default());
        move |row| ranks[usize::from(frame.time.codes[row])]
    }

    /// Periods by their ranks, for notes.
    pub fn named(&self, ranks: impl Iterator<Item = usize>, keys: &PanelKeys) -> String {
        let names: Vec<String> =
            ranks.map(|rank| shown(self.periods[rank], keys.frequency)).collect();
        names.join(", ")
    }
}

/// The set of these numbers, of no more words than it needs.
pub(super) fn set_of(numbers: impl Iterator<Item = u16>) -> PeriodSet {
    let mut set: Vec<u64> = Vec::new();
    for number in numbers {
        let (word, bit) = (usize::from(number / 64), number % 64);
        if set.len() <= word {
            set.resize(word + 1, 0);
        }
        set[word] |= 1 << bit;
    }
    set.into()
}

/// Whether a set has a number.
pub(super) fn has(set: &[u64], number: u16) -> bool {
    set.get(usize::from(number / 64)).is_some_and(|word| word >> (number % 64) & 1 == 1)
}
