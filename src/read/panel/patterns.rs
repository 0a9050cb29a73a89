//! Which periods the units of each group have: all that the rules of the sample need to know of the rows.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;

use polars::prelude::PlHashMap;

use serde::{Deserialize, Serialize};

use super::mistakes::changing_group;
use super::roles::{Roles, Treatment};
use super::rows::Rows;
use super::strata::Cohort;
use super::units::{UNITS, Units};
use crate::base::calendar::shown;
use crate::base::error::{DidError, Result};
use crate::base::parallel;
use crate::read::columns::{MISSING, PeriodCodes};

/// Cohort and periods that units (rows, for repeated cross sections) have in common.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Pattern {
    pub cohort: Cohort,
    /// Periods with complete rows, ascending.
    pub periods: Vec<f64>,
}

impl Ord for Pattern {
    fn cmp(&self, other: &Self) -> Ordering {
        let periods = || self.periods.iter().zip(&other.periods).map(|(a, b)| a.total_cmp(b));
        let group = self.cohort.group.total_cmp(&other.cohort.group);
        group
            .then(self.cohort.eligible.cmp(&other.cohort.eligible))
            .then_with(|| periods().find(|o| o.is_ne()).unwrap_or(Ordering::Equal))
            .then(self.periods.len().cmp(&other.periods.len()))
    }
}

impl PartialOrd for Pattern {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Pattern {}

/// Patterns of a frame's units.
pub(super) struct Patterns {
    pub found: Vec<FoundPattern>,
    /// Position of each unit's pattern; empty if rows are the units.
    pub of_unit: Vec<u32>,
    /// Distinct periods of complete rows, ascending.
    pub periods: Vec<f64>,
    /// Distinct groups of complete rows but for the never treated, ascending.
    pub groups: Vec<f64>,
}

/// Units with the same complete rows.
pub(super) struct FoundPattern {
    pub pattern: Pattern,
    pub units: usize,
    /// Whether all rows of the units are complete.
    pub whole: bool,
}

impl Patterns {
    /// Looks at every row once, and checks that units have one row a period, one group and one cluster.
    pub fn new(rows: &Rows, roles: &Roles, rows_are_units: bool) -> Result<Self> {
        let table = match &rows.units {
            Some(units) => units_of(rows, units, roles)?,
            None => PatternTable::default(),
        };
        let table = if rows_are_units { single_rows(rows) } else { table };
        let with_units = table.keys.iter().zip(&table.counts).map(|(key, units)| FoundPattern {
            pattern: Pattern {
                cohort: Cohort { group: rows.group.value(key[0]), eligible: key[2] == 1 },
                periods: key[3..].iter().map(|t| rows.time.value(*t)).collect(),
            },
            units: *units,
            whole: key[1] == 1,
        });
        Ok(Self {
            found: with_units.collect(),
            periods: rows.time.finite(table.keys.iter().flat_map(|key| &key[3..])),
            groups: rows.group.finite(table.keys.iter().map(|key| &key[0])),
            of_unit: table.of_unit,
        })
    }

    /// Units of each pattern.
    pub fn counts(&self) -> BTreeMap<Pattern, usize> {
        let mut counts = BTreeMap::new();
        for found in &self.found {
            *counts.entry(found.pattern.clone()).or_default() += found.units;
        }
        counts
    }
}

/// Places of a table for patterns that were seen last.
const PLACES: usize = 32;

/// Patterns as keys: group, whether the unit is whole, whether it is eligible, and periods.
#[derive(Default)]
pub(super) struct PatternTable {
    index: PlHashMap<Box<[u16]>, u32>,
    keys: Vec<Box<[u16]>>,
    counts: Vec<usize>,
    of_unit: Vec<u32>,
    /// The last pattern of a group and eligibility, which is mostly that of its next unit; some share a place.
    last: [u32; PLACES],
}

impl PatternTable {
    /// Keys and their units.
    pub fn iter(&self) -> impl Iterator<Item = (&[u16], usize)> {
        self.keys.iter().zip(&self.counts).map(|(key, units)| (&**key, *units))
    }

    /// Adds a unit if its pattern is the last of its group and eligibility, as `same` says of a key.
    fn add_same(
        &mut self,
        group: u16,
        eligible: bool,
        same: impl Fn(&[u16]) -> bool,
    ) -> Option<u32> {
        let at = self.last[slot(group, u16::from(eligible))];
        if !same(self.keys.get(at as usize)?) {
            return None;
        }
        self.counts[at as usize] += 1;
        Some(at)
    }

    pub fn add(&mut self, key: &[u16], units: usize) -> u32 {
        let same = |at: &u32| self.keys.get(*at as usize).is_some_and(|k| **k == *key);
        let slot = slot(key[0], key[2]);
        let recent = Some(self.last[slot]).filter(same);
        let at = match recent.or_else(|| self.index.get(key).copied()) {
            Some(at) => at,
            None => {
                let at = u32::try_from(self.keys.len()).unwrap_or(MISSING);
                self.index.insert(key.into(), at);
                self.keys.push(key.into());
                self.counts.push(0);
                at
            }
        };
        self.counts[at as usize] += units;
        self.last[slot] = at;
        at
    }
}

/// Where the last pattern of a group and eligibility is kept.
fn slot(group: u16, eligible: u16) -> usize {
    usize::from(group.wrapping_mul(2) | eligible) % PLACES
}

/// Patterns of the units, block by block.
fn units_of(rows: &Rows, units: &Units, roles: &Roles) -> Result<PatternTable> {
    let block = |block: Range<usize>| -> Result<PatternTable> {
        let mut table = PatternTable::default();
        let mut key = Vec::new();
        table.of_unit.reserve(block.len());
        for unit in block {
            let at = match add_as_before(rows, units, unit, &mut table) {
                Some(at) => at,
                None => {
                    read_unit(rows, units, roles, unit, &mut key)?;
                    table.add(&key, 1)
                }
            };
            table.of_unit.push(at);
        }
        Ok(table)
    };
    let blocks = units.order.blocks(block).into_iter().collect::<Result<Vec<PatternTable>>>()?;
    let mut table = PatternTable::default();
    let maps: Vec<Vec<u32>> = blocks
        .iter()
        .map(|b| b.keys.iter().zip(&b.counts).map(|(key, n)| table.add(key, *n)).collect())
        .collect();
    let mut of_unit = vec![0; units.order.units()];
    parallel::chunks(&mut of_unit, UNITS, |block, out| {
        for (out, local) in out.iter_mut().zip(&blocks[block].of_unit) {
            *out = maps[block][*local as usize];
        }
    });
    table.of_unit = of_unit;
    Ok(table)
}

/// Adds a unit that has all values and the pattern of one before it, so that there is nothing to check but that its group, its
/// eligibility and its cluster stay the same.
fn add_as_before(rows: &Rows, units: &Units, unit: usize, table: &mut PatternTable) -> Option<u32> {
    let of_unit = units.order.unit(unit);
    let first = of_unit.clone().next().filter(|_| rows.all_complete())?;
    let constant = |codes: &[u32]| of_unit.clone().all(|row| codes[row] == codes[first]);
    if rows.cluster.as_ref().is_some_and(|cluster| !constant(&cluster.codes)) {
        return None;
    }
    let eligible = rows.eligible.as_ref().map(|codes| &codes.codes);
    if eligible.is_some_and(|codes| of_unit.clone().any(|row| codes[row] != codes[first])) {
        return None;
    }
    let is_eligible = rows.eligibility(first).unwrap_or(true);
    let (time, group) = (&rows.time.codes, &rows.group.codes);
    let written = units.order.codes(unit);
    let of_group = written.map_or_else(|| group[first], |codes| codes[0].1);
    table.add_same(of_group, is_eligible, |key| {
        let is_of_group = key[0] == of_group && (key[2] == 1) == is_eligible;
        let periods = &key[3..];
        let same = |(codes, period): ((u16, u16), &u16)| codes == (*period, of_group);
        is_of_group
            && periods.len() == of_unit.len()
            && match (written, units.order.adjacent(unit)) {
                (Some(codes), _) => codes.iter().copied().zip(periods).all(same),
                (None, Some(rows)) => {
                    time[rows.clone()] == *periods
                        && group[rows].iter().all(|code| *code == of_group)
                }
                (None, None) => {
                    let codes = of_unit.clone().map(|row| (time[row], group[row]));
                    codes.zip(periods).all(same)
                }
            }
    })
}

/// Checks a unit's rows and writes its pattern to `key`.
fn read_unit(
    rows: &Rows,
    units: &Units,
    roles: &Roles,
    unit: usize,
    key: &mut Vec<u16>,
) -> Result<()> {
    let (time, group) = (&rows.time, &rows.group);
    let varies = |column: &Option<String>, role, remedy| DidError::TimeVarying {
        column: column.clone().unwrap_or_default(),
        role,
        unit: units.label(unit),
        remedy,
    };
    key.clear();
    key.extend([PeriodCodes::MISSING, 1, 1]);
    let mut last = None;
    let mut cluster = None;
    let mut eligible = None;
    let written = units.order.codes(unit);
    for (place, row) in units.order.unit(unit).enumerate() {
        let (t, g) = match written {
            Some(codes) => codes[place],
            None => (time.codes[row], group.codes[row]),
        };
        if last == Some(t) {
            return Err(DidError::DuplicateRow {
                column: roles.unit.clone().unwrap_or_default(),
                unit: units.label(unit),
                period: shown(time.value(t), roles.frequency),
                remedy: match roles.frequency {
                    Some(_) => ", or choose a finer `frequency`",
                    None => "",
                },
            });
        }
        last = Some(t);
        let unknown = PeriodCodes::MISSING;
        if g != unknown && key[0] != unknown && key[0] != g {
            let remedy = match roles.treatment {
                Treatment::FirstPeriod | Treatment::Dose => {
                    changing_group([group.value(key[0]), group.value(g)])
                }
                Treatment::Indicator => {
                    "it says whether the unit is in the treated group, so it must be the same in both periods"
                }
            };
            return Err(varies(&Some(roles.group.clone()), roles.treatment.role(), remedy));
        }
        let is_eligible = rows.eligibility(row);
        if eligible.is_some() && is_eligible.is_some() && eligible != is_eligible {
            return Err(varies(&roles.eligible, "eligibility", "it must be the same in all rows"));
        }
        eligible = is_eligible.or(eligible);
        key[0] = if g == unknown { key[0] } else { g };
        key[2] = u16::from(eligible.unwrap_or(true));
        if let Some(codes) = &rows.cluster {
            let code = Some(codes.codes[row]).filter(|c| *c != MISSING);
            if code.is_some() && cluster.is_some() && code != cluster {
                return Err(varies(
                    &roles.cluster,
                    "cluster",
                    "each unit must stay in one cluster",
                ));
            }
            cluster = code.or(cluster);
        }
        if rows.is_complete(row) {
            key.push(t);
        } else {
            key[1] = 0;
        }
    }
    Ok(())
}

/// Every complete row as a unit of its own.
fn single_rows(rows: &Rows) -> PatternTable {
    let mut table = PatternTable::default();
    for row in (0..rows.len).filter(|row| rows.is_complete(*row)) {
        let eligible = u16::from(rows.eligibility(row).unwrap_or(true));
        table.add(&[rows.group.codes[row], 1, eligible, rows.time.codes[row]], 1);
    }
    table
}
