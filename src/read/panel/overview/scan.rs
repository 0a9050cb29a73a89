//! One look at every row, unit by unit.

use std::ops::Range;

use polars::prelude::PlHashSet;
use rayon::prelude::*;

use super::cells::CellTable;
use super::columns::{ColumnsRead, Covariate, PanelColumns};
use super::found::{EndedPattern, Found, GroupUnits, Irregular};
use super::sums::Moments;
use crate::base::calendar::{Frequency, grid, shown};
use crate::base::error::Result;
use crate::read::columns::{MISSING, PeriodCodes};
use crate::read::panel::patterns::{Pattern, PatternTable};
use crate::read::panel::strata::Cohort;
use crate::read::panel::units::UNITS;

/// Parts of the units, each with cells of its own, at most; their number depends on the data alone, so that sums do not depend on threads.
const PARTS: usize = 32;

/// Numbers in the cells of all parts together, at most.
const CELLS: usize = 1 << 24;

/// Values of codes, ascending, and the position of each code's value.
struct Axis {
    values: Vec<f64>,
    position: Vec<u16>,
}

impl Axis {
    /// Of the codes that occur, among `known` values if these are given.
    fn new(column: &PeriodCodes, known: Option<&[f64]>) -> Self {
        let mut present = vec![false; usize::from(u16::MAX) + 1];
        column.codes.iter().for_each(|code| present[usize::from(*code)] = true);
        let codes = || (0..PeriodCodes::MISSING).filter(|code| present[usize::from(*code)]);
        let values = match known {
            Some(values) => values.to_vec(),
            None => codes().map(|code| column.value(code)).collect(),
        };
        let mut position = vec![u16::MAX; present.len()];
        for code in codes() {
            let value = column.value(code);
            let at = values.partition_point(|known| known.total_cmp(&value).is_lt());
            position[usize::from(code)] = u16::try_from(at).unwrap_or(u16::MAX);
        }
        Self { values, position }
    }

    fn of(&self, code: u16) -> usize {
        usize::from(self.position[usize::from(code)])
    }
}

/// What some units show.
struct Part {
    found: Found,
    patterns: PatternTable,
    /// Patterns in which treatment ends: after a missing code the periods in which it has.
    ended: PatternTable,
    /// Group and code of each cluster.
    clusters: PlHashSet<(usize, u32)>,
}

/// Rows of the unit that is looked at, those of them that are complete, and its pattern as a key.
#[derive(Default)]
struct UnitRows {
    rows: Vec<usize>,
    complete: Vec<usize>,
    pattern: Vec<u16>,
}

struct Scanner<'a> {
    read: &'a ColumnsRead,
    frequency: Option<Frequency>,
    /// Base period of each group, if rows are paired with it.
    bases: Vec<Option<usize>>,
    numbers: Vec<&'a [f64]>,
    weights: Option<&'a [f64]>,
    treatment: Option<&'a [f64]>,
    groups: Axis,
    periods: Axis,
    shifts: &'a [f64],
    moments: Moments,
    changes: bool,
    keeps_patterns: bool,
}

/// What the rows of a frame show; sums are less the `shifts`, and changes are from one of the `periods` to the next.
pub(super) fn scan(
    read: &ColumnsRead,
    columns: &PanelColumns,
    shifts: &[f64],
    periods: Option<&[f64]>,
) -> Result<Found> {
    let (groups, periods) = (Axis::new(&read.group, None), Axis::new(&read.time, periods));
    let numbers: Vec<&[f64]> = read.numbers().into_iter().map(|(_, values)| &**values).collect();
    let grid = grid(&periods.values, &groups.values);
    let base = |group: &f64| {
        columns.base.filter(|_| !numbers.is_empty())?.of(*group, &periods.values, &grid)
    };
    let scanner = Scanner {
        read,
        frequency: columns.frequency,
        bases: groups.values.iter().map(base).collect(),
        numbers,
        weights: read.weights.as_ref().map(|(_, weights)| &**weights),
        treatment: read.treatment.as_deref(),
        groups,
        periods,
        shifts,
        moments: columns.moments,
        changes: columns.changes,
        keeps_patterns: columns.most_patterns > 0,
    };
    let units = read.units.as_ref().map_or(read.rows, |units| units.order.units());
    let cells = scanner.groups.values.len() * scanner.periods.values.len();
    let affordable = (CELLS / (8 * cells * (1 + shifts.len())).max(1)).clamp(1, PARTS);
    let each = units.div_ceil(affordable).max(UNITS);
    let parts = (0..units.div_ceil(each)).into_par_iter();
    let parts = parts.map(|part| scanner.part(part * each..((part + 1) * each).min(units)));
    let parts: Vec<Part> = parts.collect::<Result<_>>()?;
    let mut all = scanner.empty()?;
    for part in parts {
        all.found.merge(part.found)?;
        all.clusters.extend(part.clusters);
        for (key, units) in part.patterns.iter() {
            all.patterns.add(key, units);
        }
        for (key, units) in part.ended.iter() {
            all.ended.add(key, units);
        }
    }
    Ok(scanner.finished(all))
}

impl Scanner<'_> {
    fn empty(&self) -> Result<Part> {
        let (groups, periods) = (self.groups.values.clone(), self.periods.values.clone());
        let found = Found {
            groups: vec![GroupUnits::default(); groups.len()],
            cells: CellTable::new(groups, periods, self.shifts, self.moments)?,
            varying: self.checked().map(|name| (name.to_owned(), 0)).collect(),
            ..Found::default()
        };
        let [patterns, ended] = [PatternTable::default(), PatternTable::default()];
        Ok(Part { found, patterns, ended, clusters: PlHashSet::default() })
    }

    /// Columns of which it is counted whether they change: weights, then covariates.
    fn checked(&self) -> impl Iterator<Item = &str> {
        let weights = self.read.weights.iter().map(|(name, _)| name.as_str());
        weights.chain(self.read.covariates.iter().map(|(name, _)| name.as_str()))
    }

    fn part(&self, units: Range<usize>) -> Result<Part> {
        let mut part = self.empty()?;
        let mut of_unit = UnitRows::default();
        for unit in units {
            of_unit.rows.clear();
            match &self.read.units {
                Some(known) => of_unit.rows.extend(known.order.unit(unit)),
                None => of_unit.rows.extend(self.is_usable(unit).then_some(unit)),
            }
            self.unit(unit, &mut of_unit, &mut part);
        }
        Ok(part)
    }

    fn is_usable(&self, row: usize) -> bool {
        !self.read.time.is_missing(row) && !self.read.group.is_missing(row)
    }

    fn label(&self, unit: usize) -> String {
        self.read.units.as_ref().map_or_else(String::new, |units| units.label(unit))
    }

    /// Adds a unit whose usable rows these are, periods ascending.
    fn unit(&self, unit: usize, of_unit: &mut UnitRows, part: &mut Part) {
        let Self { read, .. } = self;
        let UnitRows { rows, complete, pattern } = of_unit;
        let Some(first) = rows.first() else { return };
        let group = read.group.codes[*first];
        let found = &mut part.found;
        if rows.iter().any(|row| read.group.codes[*row] != group) {
            note(&mut found.group_changes, 0, || self.label(unit));
        }
        let again = |pair: &&[usize]| read.time.codes[pair[0]] == read.time.codes[pair[1]];
        let repeated = rows.windows(2).filter(again).count();
        if repeated > 0 {
            let row = rows.windows(2).find(again).map_or(*first, |pair| pair[0]);
            let period = shown(read.time.value(read.time.codes[row]), self.frequency);
            note(&mut found.duplicates, repeated, || format!("{} in {period}", self.label(unit)));
        }
        complete.clear();
        complete.extend(rows.iter().copied().filter(|row| read.is_complete(*row)));
        pattern.clear();
        pattern.extend(complete.iter().map(|row| read.time.codes[*row]));
        pattern.dedup();
        pattern.splice(0..0, [group, 1, 1]);
        found.add_observed(pattern.len() - 3, 1);
        if self.keeps_patterns {
            part.patterns.add(pattern, 1);
        }
        if complete.is_empty() {
            return;
        }
        self.ends(pattern, complete, part);
        let found = &mut part.found;
        self.sums(group, complete, found);
        self.pairs(group, complete, found);
        self.changes(complete, found);
        if let Some((_, clusters)) = &read.cluster {
            let codes = || complete.iter().map(|row| clusters.codes[*row]);
            part.clusters.extend(codes().take(1).map(|code| (self.groups.of(group), code)));
            if codes().any(|code| code != clusters.codes[complete[0]]) {
                note(&mut part.found.cluster_changes, 0, || self.label(unit));
            }
        }
    }

    /// Counts the periods after its first treated one in which a unit is not treated, if there are.
    fn ends(&self, pattern: &[u16], complete: &[usize], part: &mut Part) {
        let (read, group) = (self.read, pattern[0]);
        let Some(treatment) = self.treatment else { return };
        let code = |row: &&usize| read.time.codes[**row];
        let ended = complete.iter().filter(|row| code(row) > group && treatment[**row] == 0.0);
        let mut ended: Vec<u16> = ended.map(|row| read.time.codes[*row]).collect();
        ended.dedup();
        for code in &ended {
            let period = self.periods.of(*code);
            part.found.cells.at_mut(self.groups.of(group), period).ended += 1;
        }
        if self.keeps_patterns && !ended.is_empty() {
            let key = [pattern, &[PeriodCodes::MISSING], &ended].concat();
            part.ended.add(&key, 1);
        }
    }

    fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }

    /// Pairs complete rows with those in the base period.
    fn pairs(&self, group: u16, complete: &[usize], found: &mut Found) {
        let group = self.groups.of(group);
        let Some(base) = self.bases[group] else { return };
        let period = |row: usize| self.periods.of(self.read.time.codes[row]);
        let value = |row: usize| (self.numbers[0][row] - self.shifts[0], self.weight(row));
        for with in complete.iter().filter(|row| period(**row) == base) {
            for row in complete {
                let cell = found.cells.at_mut(group, period(*row));
                cell.pairs.get_or_insert_default().add(value(*row), value(*with));
            }
        }
    }

    /// Adds complete rows to the cells of their group and period; to sums, the numbers that they have.
    fn sums(&self, group: u16, complete: &[usize], found: &mut Found) {
        let numbers = self.numbers.len();
        let weight = |row: usize| self.weight(row);
        let units = &mut found.groups[self.groups.of(group)];
        units.units += 1;
        let all: f64 = complete.iter().map(|row| weight(*row)).sum();
        units.weight.add(all / complete.len() as f64);
        let mut before: Option<(usize, usize)> = None;
        for row in complete {
            let period = self.periods.of(self.read.time.codes[*row]);
            let cell = found.cells.at_mut(self.groups.of(group), period);
            let w = weight(*row);
            cell.rows += 1;
            cell.has_weight |= w > 0.0;
            for (v, values) in self.numbers.iter().enumerate() {
                if !values[*row].is_finite() {
                    continue;
                }
                cell.sums[v].add(values[*row] - self.shifts[v], w);
                let earlier =
                    before.filter(|(at, row)| at + 1 == period && values[*row].is_finite());
                if let Some((_, earlier)) = earlier {
                    cell.sums[numbers + v].add(values[*row] - values[earlier], w);
                }
            }
            before = Some((period, *row)).filter(|_| self.changes);
        }
    }

    /// Counts the columns that change within a unit.
    fn changes(&self, complete: &[usize], found: &mut Found) {
        fn differ(rows: &[usize], same: impl Fn(usize, usize) -> bool) -> usize {
            usize::from(rows.iter().any(|row| !same(rows[0], *row)))
        }
        let numbers = |values: &[f64]| {
            let mut known = complete.iter().map(|row| values[*row]).filter(|v| v.is_finite());
            let first = known.next();
            usize::from(known.any(|value| Some(value) != first))
        };
        let weights = self.read.weights.iter().map(|(_, values)| numbers(values));
        let covariates = self.read.covariates.iter().map(|(_, covariate)| match covariate {
            Covariate::Number(values) => numbers(values),
            Covariate::Label(codes) => differ(complete, |a, b| codes.codes[a] == codes.codes[b]),
        });
        for (varying, changes) in found.varying.iter_mut().zip(weights.chain(covariates)) {
            varying.1 += changes;
        }
    }

    /// The parts together, with values and labels in place of codes.
    fn finished(&self, all: Part) -> Found {
        let Part { mut found, patterns, ended, clusters } = all;
        if let Some((_, codes)) = &self.read.cluster {
            for (group, code) in clusters.into_iter().filter(|(_, code)| *code != MISSING) {
                found.groups[group].clusters.insert(codes.labels.label(code as usize));
            }
        }
        let pattern = |group: u16, codes: &[u16]| Pattern {
            cohort: Cohort { group: self.read.group.value(group), eligible: true },
            periods: codes.iter().map(|code| self.read.time.value(*code)).collect(),
        };
        for (key, units) in patterns.iter() {
            *found.units.entry(pattern(key[0], &key[3..])).or_default() += units;
        }
        for (key, units) in ended.iter() {
            let mut parts = key[3..].split(|code| *code == PeriodCodes::MISSING);
            let mut part = || pattern(key[0], parts.next().unwrap_or_default());
            let both = EndedPattern { observed: part(), ended: part() };
            *found.ended.entry(both).or_default() += units;
        }
        found
    }
}

fn note(irregular: &mut Irregular, rows: usize, example: impl FnOnce() -> String) {
    irregular.units += 1;
    irregular.rows += rows;
    if irregular.example.is_none() {
        irregular.example = Some(example());
    }
}
