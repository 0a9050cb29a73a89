//! From rows as read to the rows of a first stage, in an order that depends on their content alone.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use super::columns::StageColumns;
use super::design::{Design, DesignColumns, retain};
use super::reading::StageReading;
use super::units;
use crate::base::calendar::{TimeGrid, shown};
use crate::base::error::{DidError, DidWarning, Result};
use crate::base::parallel;
use crate::estimator::fixed_effects::{
    Coded, RowCohorts, SortKeys, canonical, check_range, coarse, fine, gather, sum,
};
use crate::read::columns::total_order;

/// Rows that one task looks at.
const PART: usize = 1 << 16;

/// Levels that a warning names.
const NAMED: usize = 5;

/// A group in a period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::estimator) struct StageCell {
    /// Infinite if never treated.
    pub group: f64,
    pub time: f64,
    /// Periods since the first treated one, negative before it; none if never treated.
    pub event: Option<f64>,
}

impl StageCell {
    pub fn is_treated(&self) -> bool {
        self.time >= self.group
    }
}

/// Sums over the rows of each cell.
#[derive(Default)]
pub(in crate::estimator) struct CellTotals {
    /// How many there are.
    pub rows: Vec<f64>,
    /// Of weights, and of their squares.
    pub weights: Vec<f64>,
    pub squares: Vec<f64>,
}

/// The rows.
pub(in crate::estimator) struct StageSample {
    /// Input rows, in order.
    pub rows: Vec<u32>,
    pub design: Design,
    pub outcome: Vec<f64>,
    /// What the weights of the design are divided by: their mean, or 1.
    pub mean_weight: f64,
    /// Group and period of each row, and what they are; ascending.
    pub cell: Vec<u32>,
    pub cells: Vec<StageCell>,
    pub totals: CellTotals,
    pub clusters: Vec<u32>,
    pub n_clusters: usize,
    /// A row of each cluster as it was read.
    pub cluster_rows: Vec<u32>,
    /// Units of rows, of those that occur.
    pub units: Vec<u32>,
    pub n_units: usize,
    /// The grid of periods and groups.
    grid: TimeGrid,
    pub warnings: Vec<DidWarning>,
}

impl StageSample {
    /// The untreated rows, and the treated ones whose levels all occur among these.
    ///
    /// # Errors
    /// Of [`units`], [`DidError::EmptySample`] without untreated rows, [`DidError::NoValidGroups`] without treated ones, and
    /// [`DidError::Panel`] if none of these can be imputed.
    pub fn new(reading: &mut StageReading, columns: &StageColumns) -> Result<Self> {
        let mut kept = usable(reading, columns);
        if !kept.contains(&true) {
            return Err(DidError::no_usable_rows(&reading.audit.rows_missing));
        }
        let read = &reading.rows;
        units::check(read, columns, &kept)?;
        let Some(cohorts) = &read.cohorts else { return Err(units::none_treated(read, columns)) };
        let (time, cohort): (&[f64], &[f64]) = (&cohorts.time, &cohorts.cohort);
        let treated = |row: usize| time[row] >= cohort[row];
        let any = |kept: &[bool], treated_ones: bool| {
            kept.iter().enumerate().any(|(row, kept)| *kept && treated(row) == treated_ones)
        };
        if !any(&kept, true) {
            return Err(units::none_treated(read, columns));
        }
        if !any(&kept, false) {
            return Err(DidError::Panel {
                problem: format!(
                    "all rows are treated (column `{}`), so that nothing says what would have been without treatment; add periods before treatment, or units that are never treated",
                    columns.group
                ),
            });
        }
        let used: Vec<&Coded> = reading.used.iter().map(|f| &read.factors[*f]).collect();
        let (maps, warnings) = levels(&used, &mut kept, treated, columns, cohorts);
        if !any(&kept, true) {
            let reasons: Vec<String> =
                warnings.iter().map(|w| w.shown(columns.frequency)).collect();
            let as_status = units::status_as_groups(read, columns);
            return Err(as_status.unwrap_or_else(|| none_imputed(&reasons)));
        }
        let lead = match columns.trends {
            true => reading.used.iter().position(|f| *f == 0).unwrap_or(0),
            false => (0..maps.len()).rev().max_by_key(|f| maps[*f].1).unwrap_or(0),
        };
        let rows: Vec<u32> =
            (0..).zip(&kept).filter(|(_, kept)| **kept).map(|(row, _)| row).collect();
        let rows = in_order(rows, reading, lead);
        let gathered = |values: &[f64]| gather(&rows, |row| values[row]);
        let mut weights = read.weights.as_ref().map(|weights| gathered(weights));
        let outcome = gathered(&read.outcome);
        check_range(
            columns.weights.as_deref().unwrap_or_default(),
            weights.as_deref().unwrap_or_default(),
        )?;
        check_range(&columns.outcome, &outcome)?;
        let mean_weight = weights.as_deref_mut().map_or(1.0, divide_by_mean);
        let coded = |f: usize| {
            let (map, levels) = &maps[f];
            (gather(&rows, |row| map[used[f].codes[row] as usize]), *levels)
        };
        let design = Design::new(DesignColumns {
            lead: coded(lead),
            rest: (0..maps.len()).filter(|f| *f != lead).map(coded).collect(),
            slope: columns.trends.then(|| slopes(&rows, &cohorts.time)),
            weights,
            treated: gather(&rows, treated),
        });
        let (cell, cells) = cells(&rows, cohorts, &read.factors[1].codes);
        let mut sample = Self {
            rows,
            design,
            outcome,
            mean_weight,
            cell,
            cells,
            totals: CellTotals::default(),
            clusters: vec![],
            n_clusters: 0,
            cluster_rows: vec![],
            units: vec![],
            n_units: 0,
            grid: cohorts.grid,
            warnings,
        };
        sample.number(reading);
        Ok(sample)
    }

    /// An event time that someone wrote, as cells have it.
    pub fn event_time(&self, written: f64) -> f64 {
        coarse(fine(self.grid.written(written)))
    }

    /// Leaves out rows.
    pub fn retain(&mut self, kept: &[bool], reading: &StageReading) {
        retain(&mut self.rows, kept);
        retain(&mut self.outcome, kept);
        retain(&mut self.cell, kept);
        self.design.retain(kept);
        self.number(reading);
    }

    /// Numbers the clusters and units that occur, in the order of their labels, and sums over cells.
    fn number(&mut self, reading: &StageReading) {
        let dense = |coded: &Coded| {
            let code = |row: &u32| coded.codes[*row as usize];
            let most = self.rows.iter().map(code).max().map_or(0, |most| most as usize + 1);
            let mut first = vec![u32::MAX; most];
            for row in &self.rows {
                let first = &mut first[code(row) as usize];
                *first = (*first).min(*row);
            }
            let mut number = vec![0; most];
            let mut known: Vec<u32> = Vec::new();
            for (code, row) in first.into_iter().enumerate().filter(|(_, row)| *row != u32::MAX) {
                number[code] = known.len() as u32;
                known.push(row);
            }
            (gather(&self.rows, |row| number[coded.codes[row] as usize]), known)
        };
        let (unit, cluster) = (&reading.rows.factors[0], &reading.rows.clusters[0]);
        let (units, of_units) = dense(unit);
        let (clusters, cluster_rows) = match cluster.name == unit.name {
            true => (units.clone(), of_units.clone()),
            false => dense(cluster),
        };
        (self.n_clusters, self.n_units) = (cluster_rows.len(), of_units.len());
        (self.clusters, self.cluster_rows, self.units) = (clusters, cluster_rows, units);
        let totals = self.sums_by_cell(|row| {
            let weight = self.design.weight(row);
            [1.0, weight, weight * weight]
        });
        let column = |at: usize| totals.iter().map(|sums| sums[at]).collect();
        self.totals = CellTotals { rows: column(0), weights: column(1), squares: column(2) };
    }

    /// Sums over the rows of each cell.
    pub fn by_cell(&self, value: impl Fn(usize) -> f64 + Sync) -> Vec<f64> {
        self.sums_by_cell(|row| [value(row)]).into_iter().map(|[sum]| sum).collect()
    }

    fn sums_by_cell<const N: usize>(
        &self,
        values: impl Fn(usize) -> [f64; N] + Sync,
    ) -> Vec<[f64; N]> {
        let add = |sums: &mut [f64; N], more: [f64; N]| {
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        };
        let parts = self.design.by_block(|rows| {
            let mut sums = vec![[0.0; N]; self.cells.len()];
            rows.for_each(|row| add(&mut sums[self.cell[row] as usize], values(row)));
            sums
        });
        let mut all = vec![[0.0; N]; self.cells.len()];
        for part in parts {
            all.iter_mut().zip(part).for_each(|(sum, part)| add(sum, part));
        }
        all
    }

    /// The cell of a row.
    pub fn at(&self, row: usize) -> &StageCell {
        &self.cells[self.cell[row] as usize]
    }
}

/// The error of treated rows none of which can be imputed.
pub(super) fn none_imputed(reasons: &[String]) -> DidError {
    DidError::Panel {
        problem: format!(
            "no treated row can be imputed: {}; add untreated rows, or use coarser fixed effects",
            reasons.join("; ")
        ),
    }
}

/// Which rows have all their values; counts those that have not.
fn usable(reading: &mut StageReading, columns: &StageColumns) -> Vec<bool> {
    let rows = reading.rows.len;
    let mut kept = reading.rows.usable.clone().unwrap_or_else(|| vec![true; rows]);
    let StageReading { rows: read, second, averages, audit, .. } = reading;
    let mut lacking = |name: &str, lacks: &dyn Fn(usize) -> bool| {
        let mut count = 0;
        for (row, kept) in kept.iter_mut().enumerate().filter(|(_, kept)| **kept) {
            if lacks(row) {
                *kept = false;
                count += 1;
            }
        }
        if count > 0 {
            match audit.rows_missing.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => *known += count,
                None => audit.rows_missing.push((name.to_owned(), count)),
            }
        }
    };
    if let Some(second) = second {
        for (name, _) in &second.missing {
            lacking(name, &|row| second.regressors.blame(row) == Some(name));
        }
    }
    if let Some(cohorts) = &read.cohorts {
        for (name, values) in columns.averages.iter().zip(averages) {
            let treated = |row: usize| cohorts.time[row] >= cohorts.cohort[row];
            lacking(name, &|row| treated(row) && !values[row].is_finite());
        }
    }
    kept
}

/// Codes of the levels that occur on untreated rows, and how many there are; treated rows with another level are left out.
type LevelMap = (Vec<u32>, usize);

fn levels(
    used: &[&Coded],
    kept: &mut [bool],
    treated: impl Fn(usize) -> bool + Sync,
    columns: &StageColumns,
    cohorts: &RowCohorts,
) -> (Vec<LevelMap>, Vec<DidWarning>) {
    let mut warnings = Vec::new();
    let mut maps = Vec::with_capacity(used.len());
    for coded in used {
        let most = coded.codes.iter().filter(|code| **code != u32::MAX).max();
        let mut occurs = Vec::new();
        occurs.resize_with(most.map_or(0, |most| *most as usize + 1), AtomicBool::default);
        parallel::each(kept.len().div_ceil(PART), &|part| {
            for row in parallel::part(part, PART, kept.len()) {
                if kept[row] && !treated(row) {
                    occurs[coded.codes[row] as usize].store(true, Ordering::Relaxed);
                }
            }
        });
        let mut known = 0;
        let number = |occurs: AtomicBool| match occurs.into_inner() {
            true => {
                known += 1;
                known - 1
            }
            false => u32::MAX,
        };
        let map: Vec<u32> = occurs.into_iter().map(number).collect();
        maps.push((map, known as usize));
    }
    for (coded, (map, _)) in used.iter().zip(&maps) {
        let lost = parallel::map(kept.len().div_ceil(PART), |part| {
            let rows = parallel::part(part, PART, kept.len());
            let is_lost = |row: &usize| kept[*row] && map[coded.codes[*row] as usize] == u32::MAX;
            rows.filter(is_lost).collect::<Vec<usize>>()
        });
        let (mut rows, mut unknown) = (0, BTreeMap::new());
        for row in lost.into_iter().flatten() {
            kept[row] = false;
            rows += 1;
            unknown.entry(coded.codes[row]).or_insert(row);
        }
        let text = |row: &usize| match coded.name == columns.time {
            true => shown(cohorts.time[*row], columns.frequency),
            false => coded.text(*row),
        };
        if rows > 0 {
            warnings.push(DidWarning::NotImputed {
                factor: coded.name.clone(),
                levels: unknown.len(),
                examples: unknown.values().take(NAMED).map(text).collect(),
                rows,
            });
        }
    }
    (maps, warnings)
}

/// Divides weights by their mean, which changes no average; and the mean.
fn divide_by_mean(weights: &mut [f64]) -> f64 {
    let mean = sum(weights.len(), |row| weights[row]) / weights.len() as f64;
    for weight in weights {
        *weight /= mean;
    }
    mean
}

/// Periods about their middle, in units of half their range.
fn slopes(rows: &[u32], time: &[f64]) -> Vec<f64> {
    let ends = rows.iter().map(|row| time[*row as usize]);
    let (low, high) =
        ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), t| (l.min(t), h.max(t)));
    let half = (0.5 * (high - low)).max(f64::MIN_POSITIVE);
    gather(rows, |row| (time[row] - low - half) / half)
}

/// Groups in periods: the cell of each row, and all of them.
fn cells(rows: &[u32], cohorts: &RowCohorts, periods: &[u32]) -> (Vec<u32>, Vec<StageCell>) {
    let cohort: &[f64] = &cohorts.cohort;
    let found = parallel::map(rows.len().div_ceil(PART), |at| {
        let mut groups: Vec<f64> = Vec::new();
        let mut width = 0;
        for row in &rows[parallel::part(at, PART, rows.len())] {
            let group = cohort[*row as usize];
            if groups.last().is_none_or(|last| last.to_bits() != group.to_bits()) {
                groups.push(group);
            }
            width = width.max(periods[*row as usize] as usize + 1);
        }
        (ascending(groups), width)
    });
    let width = found.iter().map(|(_, width)| *width).max().unwrap_or(0);
    let groups = ascending(found.into_iter().flat_map(|(groups, _)| groups).collect());
    let position = |group: f64| groups.partition_point(|known| known.total_cmp(&group).is_lt());
    // A part has a number for every group in every period, and at least as many rows.
    let size = PART.max(groups.len() * width);
    let mut codes = vec![0_u32; rows.len()];
    let first_rows = parallel::map_items(codes.chunks_mut(size).collect(), |at, codes| {
        let mut first = vec![u32::MAX; groups.len() * width];
        let (mut last, mut group_at) = (f64::NAN, 0);
        for (code, row) in codes.iter_mut().zip(&rows[at * size..]) {
            let group = cohort[*row as usize];
            if group.to_bits() != last.to_bits() {
                (last, group_at) = (group, position(group));
            }
            let cell = group_at * width + periods[*row as usize] as usize;
            if first[cell] == u32::MAX {
                first[cell] = *row;
            }
            *code = cell as u32;
        }
        first
    });
    let mut cells = Vec::new();
    let mut number = vec![0; groups.len() * width];
    for (code, number) in number.iter_mut().enumerate() {
        let first = first_rows.iter().map(|first| first[code]).find(|row| *row != u32::MAX);
        let Some(row) = first.map(|row| row as usize) else { continue };
        let (group, time) = (cohort[row], cohorts.time[row]);
        *number = cells.len() as u32;
        let elapsed = || coarse(fine(cohorts.grid.elapsed(group, time)));
        let event = group.is_finite().then(elapsed);
        cells.push(StageCell { group, time, event });
    }
    parallel::chunks(&mut codes, size, |_, codes| {
        for code in codes.iter_mut() {
            *code = number[*code as usize];
        }
    });
    (codes, cells)
}

/// Each of these once, ascending.
fn ascending(mut groups: Vec<f64>) -> Vec<f64> {
    groups.sort_by(f64::total_cmp);
    groups.dedup();
    groups
}

/// Rows by the leading factor, then the period, then all else.
fn in_order(rows: Vec<u32>, reading: &StageReading, lead: usize) -> Vec<u32> {
    let read = &reading.rows;
    let leading = &read.factors[reading.used[lead]].codes;
    let most = leading.iter().filter(|code| **code != u32::MAX).max();
    let (time, outcome): (_, &[f64]) = (&read.factors[1].codes, &read.outcome);
    let rest = |a: u32, b: u32| {
        let (i, j) = (a as usize, b as usize);
        let factors = read.factors.iter().chain(&read.clusters);
        let factors = factors.map(|coded| coded.codes[i].cmp(&coded.codes[j]));
        let weights = read.weights.as_ref().map(|w| w[i].total_cmp(&w[j]));
        let averages = reading.averages.iter().map(|values| values[i].total_cmp(&values[j]));
        let compared = factors.chain(weights).chain(averages);
        compared.fold(read.regressors.compare(a, b), std::cmp::Ordering::then)
    };
    let keys = SortKeys {
        lead: Some((leading, most.map_or(0, |most| *most as usize + 1))),
        others: &|row| u64::from(time[row as usize]),
        outcome: &|row| total_order(outcome[row as usize]),
        rest: &rest,
    };
    canonical(rows, &keys)
}
