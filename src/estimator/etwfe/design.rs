//! Regressors: effects of cohorts in their treated periods, their slopes, and slopes of cohorts and periods.

use super::sample::Sample;
use crate::base::calendar::{Frequency, shown};
use crate::base::options::ControlGroup;

/// A cohort in a period with an effect of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell {
    pub cohort: usize,
    pub period: usize,
    pub event_time: f64,
    /// Whether the cohort is treated in the period.
    pub treated: bool,
}

/// What a regressor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The effect of a cell.
    Effect(usize),
    /// The slope of a cell's effect in a covariate.
    Slope(usize),
    /// Something else.
    Other,
}

/// A regressor.
pub(super) struct Regressor {
    pub role: Role,
    /// Its name in print.
    pub label: String,
    /// By row of the sample.
    pub values: Vec<f64>,
}

/// The regression's right side.
pub(super) struct Design {
    pub cells: Vec<Cell>,
    /// Number of each row's cell; none without an effect.
    pub cell_of: Vec<Option<usize>>,
    pub regressors: Vec<Regressor>,
}

impl Design {
    /// `moderated` if the last covariate is a moderator; `explicit` if indicators of cohorts and periods are regressors.
    pub fn new(
        sample: &Sample,
        control_group: ControlGroup,
        names: &[&str],
        moderated: bool,
        explicit: bool,
        frequency: Option<Frequency>,
    ) -> Self {
        let (cells, cell_of) = cells(sample, control_group);
        let mut design = Self { cells, cell_of, regressors: Vec::new() };
        let period = |at: usize| shown(sample.periods[at], frequency);
        let cohort = |at: usize| match sample.cohorts[at].group.is_infinite() {
            true => "never".to_owned(),
            false => shown(sample.cohorts[at].group, frequency),
        };
        let rows = sample.rows.len();
        let column = |of: &dyn Fn(usize) -> f64| -> Vec<f64> { (0..rows).map(of).collect() };
        let is = |same: bool| f64::from(u8::from(same));
        let label =
            |cell: &Cell| format!("cohort {} in {}", cohort(cell.cohort), period(cell.period));
        for (number, cell) in design.cells.iter().enumerate() {
            let values = column(&|row| is(design.cell_of[row] == Some(number)));
            design.regressors.push(Regressor {
                role: Role::Effect(number),
                label: label(cell),
                values,
            });
        }
        for (j, name) in names.iter().enumerate() {
            let moderator = moderated && j + 1 == names.len();
            let x = &sample.covariates[j];
            let means = match moderator {
                true => centred(sample, x, |row| {
                    sample.cohort[row] * sample.periods.len() + sample.period[row]
                }),
                false => centred(sample, x, |row| sample.cohort[row]),
            };
            for (number, cell) in design.cells.iter().enumerate() {
                let values = column(&|row| match design.cell_of[row] == Some(number) {
                    true => means[row],
                    false => 0.0,
                });
                let label = format!("{} × {name}", label(cell));
                design.regressors.push(Regressor { role: Role::Slope(number), label, values });
            }
            let mut other = |label: String, values: Vec<f64>| {
                design.regressors.push(Regressor { role: Role::Other, label, values });
            };
            let own = if moderator { &means } else { x };
            if !moderator {
                other((*name).to_owned(), x.clone());
                for at in 1..sample.cohorts.len() {
                    let values = column(&|row| is(sample.cohort[row] == at) * own[row]);
                    other(format!("cohort {} × {name}", cohort(at)), values);
                }
            }
            for at in 1..sample.periods.len() {
                let values = column(&|row| is(sample.period[row] == at) * own[row]);
                other(format!("period {} × {name}", period(at)), values);
            }
        }
        if explicit {
            for at in 1..sample.cohorts.len() {
                let values = column(&|row| is(sample.cohort[row] == at));
                let label = format!("cohort {}", cohort(at));
                design.regressors.push(Regressor { role: Role::Other, label, values });
            }
            for at in 1..sample.periods.len() {
                let values = column(&|row| is(sample.period[row] == at));
                let label = format!("period {}", period(at));
                design.regressors.push(Regressor { role: Role::Other, label, values });
            }
        }
        design
    }
}

/// Cells with rows, by cohort and period, and the number of each row's.
fn cells(sample: &Sample, control_group: ControlGroup) -> (Vec<Cell>, Vec<Option<usize>>) {
    let has_effect = |cohort: usize, period: usize| {
        let own = sample.cohorts[cohort];
        let leads = control_group == ControlGroup::NeverTreated;
        !own.reference && (period >= own.start || leads && period + 1 != own.start)
    };
    let mut present = vec![vec![false; sample.periods.len()]; sample.cohorts.len()];
    for (cohort, period) in sample.cohort.iter().zip(&sample.period) {
        present[*cohort][*period] = true;
    }
    let mut cells = Vec::new();
    let mut number = vec![vec![None; sample.periods.len()]; sample.cohorts.len()];
    for (cohort, periods) in present.iter().enumerate() {
        for (period, present) in periods.iter().enumerate() {
            if *present && has_effect(cohort, period) {
                number[cohort][period] = Some(cells.len());
                cells.push(Cell {
                    cohort,
                    period,
                    event_time: sample.event_time(cohort, period),
                    treated: period >= sample.cohorts[cohort].start,
                });
            }
        }
    }
    let rows = sample.cohort.iter().zip(&sample.period);
    let of_rows = rows.map(|(cohort, period)| number[*cohort][*period]).collect();
    (cells, of_rows)
}

/// Values less their mean in a row's group.
fn centred(sample: &Sample, x: &[f64], group: impl Fn(usize) -> usize) -> Vec<f64> {
    let groups = sample.cohorts.len() * sample.periods.len();
    // Sums of values less the first, so that values far from zero lose no digits.
    let shift = x.first().copied().unwrap_or(0.0);
    let mut sums = vec![(0.0, 0.0); groups];
    for (row, x) in x.iter().enumerate() {
        let (sum, count) = &mut sums[group(row)];
        *sum += x - shift;
        *count += 1.0;
    }
    let mean = |row: usize| {
        let (sum, count) = sums[group(row)];
        sum / count
    };
    x.iter().enumerate().map(|(row, x)| (x - shift) - mean(row)).collect()
}
