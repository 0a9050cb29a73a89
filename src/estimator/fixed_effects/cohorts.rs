//! Cohorts at event times: which rows are compared with which, and the columns of those that have an effect.
//!
//! Rows that cannot be compared are left out, and then those that are the only ones of a level. Without these a cohort may have
//! lost its reference, and the sample its never-treated rows: so it is asked again until nothing more is left out.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::identified::{CellRows, Identified};
use super::problem::{CellIndicators, CohortCell};
use super::reading::{RegressionRows, RowCohorts};
use super::sample::{SampleRules, gather, pruned};
use crate::base::calendar::TimeGrid;
use crate::base::error::{DidError, DidWarning, Result};

const FINE: f64 = 1e6;

/// Millionths; exact for whole numbers that doubles tell apart, as timestamps are.
pub(in crate::estimator) fn fine(value: f64) -> i128 {
    let whole = value.trunc();
    let fraction = ((value - whole) * FINE).round() as i128;
    (whole as i128).saturating_mul(FINE as i128).saturating_add(fraction)
}

pub(in crate::estimator) fn coarse(value: i128) -> f64 {
    let fine = FINE as i128;
    // Rounded once where a double has the millionths.
    match value.unsigned_abs() <= 1 << 53 {
        true => value as f64 / FINE,
        false => (value / fine) as f64 + (value % fine) as f64 / FINE,
    }
}

/// Which rows are left out, and the cell of each of the others; none for rows of the comparison and at references.
pub(super) struct CohortCells {
    pub without: Vec<u32>,
    pub cells: Vec<CohortCell>,
    /// By row, [`u32::MAX`] for none.
    pub codes: Vec<u32>,
    /// Cohorts and periods of all usable rows, each pair once.
    pairs: Vec<(f64, f64)>,
    /// Rows left out as their cohorts are treated in the first period.
    pub always: usize,
    /// The cohort that is the comparison, if nobody is never treated.
    pub last: Option<f64>,
    /// Event times of reference that occur.
    pub references: BTreeSet<i128>,
    /// Cohorts that have no row at any of them: nothing says what their effects are compared with.
    pub unreferenced: Vec<f64>,
    pub uncompared: UncomparedRows,
}

/// Rows left out of cohorts and periods that no row of the comparison ties to the others.
#[derive(Default)]
pub(super) struct UncomparedRows {
    rows: usize,
    cohorts: BTreeSet<i128>,
    periods: BTreeSet<i128>,
}

impl UncomparedRows {
    pub fn warning(&self) -> Option<DidWarning> {
        let all = |fine: &BTreeSet<i128>| fine.iter().map(|value| coarse(*value)).collect();
        (self.rows > 0).then(|| DidWarning::RowsWithoutComparison {
            rows: self.rows,
            cohorts: all(&self.cohorts),
            periods: all(&self.periods),
        })
    }
}

impl CohortCells {
    /// From the rows that can be used.
    ///
    /// # Errors
    /// [`DidError`] if nothing is left, or no cohort has a reference.
    pub fn new(
        read: &RegressionRows,
        cohorts: &RowCohorts,
        rules: SampleRules,
        references: &[f64],
    ) -> Result<Self> {
        let pairs = CohortPeriods::new(cohorts, read.usable.as_deref());
        let periods: BTreeSet<i128> = pairs.values.iter().map(|(_, t)| fine(*t)).collect();
        let mut kept = read.usable.clone().unwrap_or_else(|| vec![true; read.len]);
        let (mut without, mut unreferenced) = (Vec::new(), Vec::new());
        let (mut always, mut last) = (0, None);
        let mut uncompared = UncomparedRows::default();
        let (compared, present) = loop {
            pruned(read, rules, &mut kept)?;
            let occurs = pairs.occurring(&kept);
            let present = pairs.of(&occurs);
            let compared = Compared::new(&present, &periods, references, cohorts.grid)?;
            let mut parts: Vec<RowUse> =
                pairs.values.iter().map(|pair| compared.part(*pair)).collect();
            pairs.find_uncompared(&occurs, &mut parts);
            let before = without.len();
            for (row, (kept, pair)) in (0..).zip(kept.iter_mut().zip(&pairs.of_row)) {
                if !*kept {
                    continue;
                }
                match parts[*pair as usize] {
                    RowUse::Always => always += 1,
                    RowUse::Out => {}
                    RowUse::Uncompared { as_period } => {
                        let (cohort, period) = pairs.values[*pair as usize];
                        uncompared.rows += 1;
                        match as_period {
                            true => uncompared.periods.insert(fine(period)),
                            false => uncompared.cohorts.insert(fine(cohort)),
                        };
                    }
                    RowUse::Comparison | RowUse::Effect(_) => continue,
                }
                without.push(row);
                *kept = false;
            }
            last = compared.last.or(last);
            unreferenced.extend_from_slice(&compared.unreferenced);
            if without.len() == before {
                break (compared, present);
            }
        };
        let of = |pair: &(f64, f64)| match compared.part(*pair) {
            RowUse::Effect(cell) => Some(cell),
            _ => None,
        };
        let cells: BTreeSet<CohortCell> = present.iter().filter_map(of).collect();
        let known: BTreeMap<CohortCell, u32> = cells.into_iter().zip(0..).collect();
        let code = |pair: &(f64, f64)| {
            of(pair).and_then(|cell| known.get(&cell).copied()).unwrap_or(u32::MAX)
        };
        let of_pairs: Vec<u32> = pairs.values.iter().map(code).collect();
        let code = |pair: &u32| of_pairs.get(*pair as usize).copied().unwrap_or(u32::MAX);
        let codes = pairs.of_row.iter().map(code).collect();
        let (cells, references) = (known.into_keys().collect(), compared.references);
        let pairs = pairs.values;
        Ok(Self {
            without,
            cells,
            codes,
            pairs,
            always,
            last,
            references,
            unreferenced,
            uncompared,
        })
    }

    /// Cohorts of all usable rows, ascending, with the never-treated at infinity.
    pub fn groups(&self) -> Vec<f64> {
        let mut groups: Vec<f64> = self.pairs.iter().map(|(group, _)| *group).collect();
        groups.sort_by(f64::total_cmp);
        groups.dedup();
        groups
    }

    /// Periods of all usable rows, of which some come several times.
    pub fn periods(&self) -> impl Iterator<Item = f64> + Clone {
        self.pairs.iter().map(|(_, time)| *time)
    }

    /// Their indicators in these rows, in the order of event times and cohorts.
    pub fn indicators(&self, time: &str, rows: &[u32]) -> CellIndicators {
        let name = |cell: &CohortCell| {
            format!("{time}::{}:cohort::{}", coarse(cell.at), coarse(cell.cohort))
        };
        CellIndicators {
            codes: gather(rows, |row| self.codes[row]),
            names: self.cells.iter().map(name).collect(),
            cells: self.cells.iter().map(|cell| Some(*cell)).collect(),
        }
    }
}

/// The pairs of cohort and period among usable rows.
struct CohortPeriods {
    values: Vec<(f64, f64)>,
    /// [`u32::MAX`] for rows that are not usable.
    of_row: Vec<u32>,
}

impl CohortPeriods {
    fn new(cohorts: &RowCohorts, usable: Option<&[bool]>) -> Self {
        let (groups, times): (&[f64], &[f64]) = (&cohorts.cohort, &cohorts.time);
        let mut known: HashMap<[u64; 2], u32> = HashMap::new();
        let mut values: Vec<(f64, f64)> = Vec::new();
        // The pair of a row mostly follows on that of the row before as it did the last time.
        let (mut before, mut next) = (0, vec![0_u32]);
        let pair = |row: usize| {
            if usable.is_some_and(|usable| !usable[row]) {
                return u32::MAX;
            }
            let (group, time) = (groups[row], times[row]);
            let key = |(group, time): (f64, f64)| [group.to_bits(), time.to_bits()];
            let guess = next[before];
            let is_known = values.get(guess as usize).map(|pair| key(*pair));
            if is_known != Some(key((group, time))) {
                next[before] = *known.entry(key((group, time))).or_insert_with(|| {
                    values.push((group, time));
                    next.push(0);
                    values.len() as u32 - 1
                });
            }
            before = next[before] as usize;
            before as u32
        };
        let of_row = (0..times.len()).map(pair).collect();
        Self { values, of_row }
    }

    /// Whether each is one of kept rows.
    fn occurring(&self, kept: &[bool]) -> Vec<bool> {
        let mut present = vec![false; self.values.len()];
        for (pair, kept) in self.of_row.iter().zip(kept) {
            if *kept {
                present[*pair as usize] = true;
            }
        }
        present
    }

    /// Those that occur.
    fn of(&self, occurs: &[bool]) -> Vec<(f64, f64)> {
        let values = self.values.iter().zip(occurs);
        values.filter(|(_, occurs)| **occurs).map(|(pair, _)| *pair).collect()
    }

    /// Marks those whose cohort or period no row of the comparison ties to the others.
    fn find_uncompared(&self, occurs: &[bool], parts: &mut [RowUse]) {
        let is_used = |place: &usize| {
            occurs[*place] && !matches!(parts[*place], RowUse::Always | RowUse::Out)
        };
        let used: Vec<usize> = (0..self.values.len()).filter(is_used).collect();
        let numbers = |of: fn(&(f64, f64)) -> f64| -> (Vec<u32>, usize) {
            let mut known = BTreeMap::new();
            let mut number = |place: &usize| {
                let next = known.len() as u32;
                *known.entry(fine(of(&self.values[*place]))).or_insert(next)
            };
            let numbers = used.iter().map(&mut number).collect();
            (numbers, known.len())
        };
        let ((cohorts, n_cohorts), (periods, n_periods)) = (numbers(|p| p.0), numbers(|p| p.1));
        let cell = |(number, place): (u32, &usize)| match parts[*place] {
            RowUse::Effect(_) => number,
            _ => u32::MAX,
        };
        let cells: Vec<u32> = (0..).zip(&used).map(cell).collect();
        let counts = [n_cohorts, n_periods, used.len()];
        let known = Identified::new(&CellRows {
            cohorts: &cohorts,
            periods: &periods,
            cells: &cells,
            stand_for: None,
            counts,
        });
        for (place, (cohort, period)) in used.iter().zip(cohorts.iter().zip(&periods)) {
            let is_known = [known.cohorts[*cohort as usize], known.periods[*period as usize]];
            if is_known != [true, true] {
                parts[*place] = RowUse::Uncompared { as_period: is_known[0] };
            }
        }
    }
}

/// What the rows of a cohort in a period are for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RowUse {
    /// Treated from the first period on.
    Always,
    /// Of a cohort without a reference, or after the treatment of a last cohort that is the comparison.
    Out,
    /// Of a cohort, or else in a period, that no row of the comparison ties to the others.
    Uncompared {
        as_period: bool,
    },
    /// What others are compared with.
    Comparison,
    Effect(CohortCell),
}

/// Which cohorts of a sample are compared, and with which.
struct Compared {
    /// First and last period.
    range: (f64, f64),
    /// The last cohort, if it is the comparison.
    last: Option<f64>,
    references: BTreeSet<i128>,
    unreferenced: Vec<f64>,
    /// By which event times are counted.
    grid: TimeGrid,
}

impl Compared {
    /// From the cohorts and periods of a sample, the periods of all usable rows, and the references asked for.
    fn new(
        present: &[(f64, f64)],
        periods: &BTreeSet<i128>,
        references: &[f64],
        grid: TimeGrid,
    ) -> Result<Self> {
        let asked: Vec<i128> = references.iter().map(|e| fine(grid.written(*e))).collect();
        let range = (f64::INFINITY, f64::NEG_INFINITY);
        let range = present.iter().fold(range, |r, (_, t)| (r.0.min(*t), r.1.max(*t)));
        let cohorts = present.iter().map(|(g, _)| *g);
        let mut treated: Vec<f64> =
            cohorts.clone().filter(|g| *g > range.0 && *g <= range.1).collect();
        treated.sort_by(f64::total_cmp);
        treated.dedup();
        if treated.is_empty() {
            return Err(DidError::NoValidGroups { anticipating: String::new() });
        }
        if let Some(other) = treated.iter().find(|g| !periods.contains(&fine(**g))) {
            let what = format!(
                "cohort {other} is first treated in no period of the sample, and event times are counted from one; leave out its rows, use an estimator that needs no such period (`Imputation`), or set its group to the next period of the data and name an event time that the cohort has as `reference` (`--reference`), as -1 may fall into the gap"
            );
            return Err(DidError::EmptyWindow { what });
        }
        let never = cohorts.clone().any(|g| g > range.1);
        let last = treated.last().copied().filter(|_| !never);
        if last.is_some() && treated.len() == 1 {
            return Err(DidError::NoComparison);
        }
        let mut out =
            Self { range, last, references: BTreeSet::new(), unreferenced: Vec::new(), grid };
        let cells = present.iter().filter_map(|pair| out.cell(*pair));
        let referring: Vec<CohortCell> = cells.filter(|cell| asked.contains(&cell.at)).collect();
        if referring.is_empty() {
            let asked: Vec<String> = references.iter().map(f64::to_string).collect();
            let what = format!(
                "no treated row of the sample is at the reference event time {}; name one that occurs as `reference`",
                asked.join(" or ")
            );
            return Err(DidError::EmptyWindow { what });
        }
        let refers = |g: &f64| referring.iter().any(|cell| cell.cohort == fine(*g));
        out.unreferenced = treated.into_iter().filter(|g| Some(*g) != last && !refers(g)).collect();
        out.references = referring.iter().map(|cell| cell.at).collect();
        Ok(out)
    }

    /// The cell of a pair, if the cohort is one whose effects are estimated, and the period one in which they can be.
    fn cell(&self, (cohort, time): (f64, f64)) -> Option<CohortCell> {
        let compared = self.last.is_none_or(|last| time < last && cohort != last);
        (cohort > self.range.0 && cohort <= self.range.1 && compared)
            .then(|| CohortCell { at: fine(self.grid.elapsed(cohort, time)), cohort: fine(cohort) })
    }

    fn part(&self, pair: (f64, f64)) -> RowUse {
        let (cohort, time) = pair;
        if cohort <= self.range.0 {
            return RowUse::Always;
        }
        if self.last.is_some_and(|last| time >= last) || self.unreferenced.contains(&cohort) {
            return RowUse::Out;
        }
        match self.cell(pair) {
            Some(cell) if !self.references.contains(&cell.at) => RowUse::Effect(cell),
            _ => RowUse::Comparison,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn millionths_and_back() {
        let largest = 9_007_199_254_740_991.0;
        for value in [2004.25, -0.1, 0.0, 2004.1, -3.0, 1.7e15 + 1.0, 20_250_101_123_059.0, largest]
        {
            assert_eq!(coarse(fine(value)), value);
            assert_eq!(coarse(fine(-value)), -value);
        }
        assert_ne!(fine(largest), fine(largest - 1.0));
        assert_eq!(fine(2004.1 - 2004.0), fine(0.1));
        assert!(fine(f64::INFINITY) > fine(largest) && fine(f64::NAN) == 0);
    }

    #[test]
    fn the_last_cohort_is_the_comparison_where_none_is_never_treated() {
        let pairs = |cohorts: &[f64]| -> Vec<(f64, f64)> {
            cohorts.iter().flat_map(|g| (1..=5).map(|t| (*g, f64::from(t)))).collect()
        };
        let periods: BTreeSet<i128> = (1..=5).map(|t| fine(f64::from(t))).collect();
        let compared = |cohorts: &[f64]| {
            Compared::new(&pairs(cohorts), &periods, &[-1.0], TimeGrid::default()).unwrap()
        };
        let with = compared(&[1.0, 3.0, 5.0, f64::INFINITY]);
        assert_eq!((with.last, with.part((5.0, 4.0))), (None, RowUse::Comparison));
        assert_eq!(with.part((1.0, 4.0)), RowUse::Always);
        let effect = |at: f64, cohort: f64| {
            RowUse::Effect(CohortCell { at: fine(at), cohort: fine(cohort) })
        };
        assert_eq!(with.part((5.0, 5.0)), effect(0.0, 5.0));
        let without = compared(&[3.0, 5.0]);
        assert_eq!((without.last, without.part((3.0, 5.0))), (Some(5.0), RowUse::Out));
        assert_eq!(without.part((5.0, 3.0)), RowUse::Comparison);
        assert_eq!(without.part((3.0, 4.0)), effect(1.0, 3.0));
        let alone =
            Compared::new(&pairs(&[1.0, 3.0]), &periods, &[-1.0], TimeGrid::default()).err();
        assert!(matches!(alone, Some(DidError::NoComparison)), "{alone:?}");
    }
}
