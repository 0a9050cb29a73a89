//! The cells of a two-way regression: cohorts, or units, in periods.

use crate::base::error::{DidError, Result};
use crate::base::memory;
use crate::read::panel::overview::{OpenedRows, Overview, PanelColumns, UnitRows};

/// Cells in ascending order of their level and period, each a row of the regression; what has no weight is left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    /// Position of the cohort or unit.
    pub level: Vec<u32>,
    /// Position of the period.
    pub time: Vec<u32>,
    /// First treated period of the cell.
    pub group: Vec<f64>,
    /// Sum of the weights of its rows.
    pub weight: Vec<f64>,
    /// Whether the cell is treated: 1 or 0.
    pub treated: Vec<f64>,
    /// Mean of the outcome, up to a constant of all cells.
    pub outcome: Vec<f64>,
    /// Mean by control, up to a constant.
    pub controls: Vec<Vec<f64>>,
    /// Changes from the period before.
    pub change: Changes,
}

/// Changes of the rows of a cell that are observed in the period before, too.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    /// Sum of their weights; 0 where there are none.
    pub weight: Vec<f64>,
    pub treated: Vec<f64>,
    pub outcome: Vec<f64>,
    pub controls: Vec<Vec<f64>>,
}

/// One cell, on its way to the others.
struct NewCell<'a> {
    level: u32,
    time: usize,
    group: f64,
    weight: f64,
    numbers: &'a [f64],
    /// Weight and numbers of the changes.
    change: Option<(f64, &'a [f64])>,
}

/// Bytes of a cell without its controls, and of a control.
const BYTES: [u128; 2] = [64, 16];

impl Cells {
    pub fn len(&self) -> usize {
        self.level.len()
    }

    /// The cell of the same level in the next period of the data.
    pub fn next(&self, cell: usize) -> Option<usize> {
        let next = cell + 1;
        let follows = next < self.len()
            && self.level[cell] == self.level[next]
            && self.time[cell] + 1 == self.time[next];
        follows.then_some(next)
    }

    fn of(controls: usize) -> Self {
        let empty = || vec![Vec::new(); controls];
        let change = Changes { controls: empty(), ..Changes::default() };
        Self { controls: empty(), change, ..Self::default() }
    }

    fn push(&mut self, cell: &NewCell<'_>, periods: &[f64]) {
        let treated = |time: usize| f64::from(u8::from(periods[time] >= cell.group));
        self.level.push(cell.level);
        self.time.push(u32::try_from(cell.time).unwrap_or(u32::MAX));
        self.group.push(cell.group);
        self.weight.push(cell.weight);
        self.treated.push(treated(cell.time));
        self.outcome.push(cell.numbers[0]);
        for (control, value) in self.controls.iter_mut().zip(&cell.numbers[1..]) {
            control.push(*value);
        }
        let (weight, numbers) = cell.change.unwrap_or((0.0, &[]));
        let number = |v: usize| numbers.get(v).copied().unwrap_or(0.0);
        let before = cell.change.map_or(0.0, |_| treated(cell.time) - treated(cell.time - 1));
        self.change.weight.push(weight);
        self.change.treated.push(before);
        self.change.outcome.push(number(0));
        for (v, control) in self.change.controls.iter_mut().enumerate() {
            control.push(number(v + 1));
        }
    }

    /// Cells of cohorts, from the sums of all rows.
    pub fn of_cohorts(overview: &Overview) -> Self {
        let (found, periods) = (&overview.found.cells, overview.periods());
        let numbers = overview.number_names().len();
        let mut cells = Self::of(numbers.saturating_sub(1));
        for (g, group) in overview.group_values().iter().enumerate() {
            for t in 0..periods.len() {
                let cell = found.at(g, t);
                // Less their shifts, which effects take up.
                let mean = |v: usize| cell.sums[v].mean();
                let Some(own) = (0..numbers).map(mean).collect::<Option<Vec<f64>>>() else {
                    continue;
                };
                let of_changes = numbers..cell.sums.len();
                let changes: Option<Vec<f64>> = of_changes.map(mean).collect();
                let change = changes.as_deref().filter(|changes| !changes.is_empty());
                let change = change.map(|c| (cell.sums[numbers].weight(), c));
                let level = u32::try_from(g).unwrap_or(u32::MAX);
                let new = NewCell {
                    level,
                    time: t,
                    group: *group,
                    weight: cell.sums[0].weight(),
                    numbers: &own,
                    change,
                };
                cells.push(&new, periods);
            }
        }
        cells
    }

    /// Cells of units, each a row of the data, from one more reading.
    ///
    /// # Errors
    /// [`DidError::Memory`] if they do not fit, errors about a file or a column, and [`DidError::TooManyValues`] for 2^32 units.
    pub fn of_units(
        overview: &Overview,
        rows: &OpenedRows<'_>,
        columns: &PanelColumns,
    ) -> Result<Self> {
        let controls = columns.covariates.len();
        let complete = (overview.rows - overview.incomplete) as u128;
        let bytes = complete * (2 * BYTES[0] + 3 * BYTES[1] * controls as u128);
        memory::check("cells of units", bytes, "take cells of cohorts, or fewer controls")?;
        let periods = overview.periods();
        let (mut cells, mut level) = (Self::of(controls), 0_usize);
        rows.each("cells of units", &mut |units| {
            for unit in 0..units.units() {
                cells.push_unit(units, unit, level, periods);
                level += 1;
            }
            Ok(())
        })?;
        let limit = u32::MAX as usize;
        match level >= limit || cells.len() >= limit {
            true => Err(DidError::TooManyValues {
                column: columns.unit.clone().unwrap_or_default(),
                role: "unit",
                distinct: level.max(cells.len()),
                limit,
            }),
            false => Ok(cells),
        }
    }

    fn push_unit(&mut self, units: &UnitRows, unit: usize, level: usize, periods: &[f64]) {
        let columns = units.numbers();
        let mut before: Option<(usize, usize)> = None;
        for row in units.unit(unit) {
            let weight = units.weight(row);
            let period = units.time(row);
            let time = periods.partition_point(|known| *known < period);
            let numbers: Vec<f64> = columns.iter().map(|values| values[row]).collect();
            let earlier = before.filter(|(at, _)| at + 1 == time).map(|(_, earlier)| earlier);
            let changes: Option<Vec<f64>> = earlier.map(|earlier| {
                columns.iter().map(|values| values[row] - values[earlier]).collect()
            });
            before = Some((time, row));
            if weight > 0.0 {
                let new = NewCell {
                    level: u32::try_from(level).unwrap_or(u32::MAX),
                    time,
                    group: units.group(row),
                    weight,
                    numbers: &numbers,
                    change: changes.as_deref().map(|changes| (weight, changes)),
                };
                self.push(&new, periods);
            }
        }
    }
}
