//! Regressors: effects of cohorts in their treated periods, their slopes, and slopes of cohorts and periods.

use std::borrow::Cow;

use super::sample::Sample;
use crate::base::calendar::{Frequency, shown};
use crate::base::error::Result;
use crate::base::options::ControlGroup;
use crate::estimator::fixed_effects::{CellIndicators, Regressor, Regressors, check_range, gather};

/// A cohort in a period with an effect of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cell {
    pub cohort: usize,
    pub period: usize,
    pub event_time: f64,
    /// Whether the cohort is treated in the period.
    pub treated: bool,
}

/// A regressor that is not the indicator of a cell.
pub(super) struct Covariate {
    /// The cell whose effect it is a slope of, if it is one.
    pub cell: Option<usize>,
    /// Its name in print.
    pub label: String,
    /// By row of the sample.
    pub values: Vec<f64>,
}

/// A variable that effects, cohorts and periods have slopes of.
struct Term<'a> {
    name: Cow<'a, str>,
    values: Cow<'a, [f64]>,
    /// Whether it is the moderator, or the indicator of one of its categories.
    moderates: bool,
}

/// The regression's right side: indicators of cells, and then covariates.
pub(super) struct Design {
    pub cells: Vec<Cell>,
    /// Names of the cells in print.
    pub labels: Vec<String>,
    /// Number of each row's cell; [`u32::MAX`] without an effect.
    pub cell_of: Vec<u32>,
    pub covariates: Vec<Covariate>,
}

impl Design {
    /// `names` are those of the covariates, the moderator last; `explicit` if indicators of cohorts and periods are regressors.
    pub fn new(
        sample: &Sample,
        control_group: ControlGroup,
        names: &[&str],
        explicit: bool,
        frequency: Option<Frequency>,
    ) -> Self {
        let (cells, cell_of) = cells(sample, control_group);
        let period = |at: usize| shown(sample.periods[at], frequency);
        let cohort = |at: usize| match sample.cohorts[at].group.is_infinite() {
            true => "never".to_owned(),
            false => shown(sample.cohorts[at].group, frequency),
        };
        let rows = sample.rows.len();
        let column = |of: &dyn Fn(usize) -> f64| -> Vec<f64> { (0..rows).map(of).collect() };
        let is = |same: bool| f64::from(u8::from(same));
        let label = |cell: &Cell| cell_label(&cohort(cell.cohort), &period(cell.period));
        let labels = cells.iter().map(label).collect();
        let mut design = Self { cells, labels, cell_of, covariates: Vec::new() };
        for Term { name, values: x, moderates } in terms(sample, names) {
            let means = match moderates {
                true => centred(sample, &x, |row| {
                    sample.cohort_of(row) * sample.periods.len() + sample.period_of(row)
                }),
                false => centred(sample, &x, |row| sample.cohort_of(row)),
            };
            for (number, cell) in design.cells.iter().enumerate() {
                let values = column(&|row| match design.cell_of(row) == Some(number) {
                    true => means[row],
                    false => 0.0,
                });
                let label = format!("{} × {name}", label(cell));
                design.covariates.push(Covariate { cell: Some(number), label, values });
            }
            let mut other = |label: String, values: Vec<f64>| {
                design.covariates.push(Covariate { cell: None, label, values });
            };
            // Effects of cohorts and periods take up what all rows have in common, of which values far from zero would be mostly.
            let own = if moderates { means } else { centred(sample, &x, |_| 0) };
            if !moderates {
                other(name.to_string(), own.clone());
                for at in 1..sample.cohorts.len() {
                    let values = column(&|row| is(sample.cohort_of(row) == at) * own[row]);
                    other(format!("cohort {} × {name}", cohort(at)), values);
                }
            }
            for at in 1..sample.periods.len() {
                let values = column(&|row| is(sample.period_of(row) == at) * own[row]);
                other(format!("period {} × {name}", period(at)), values);
            }
        }
        if explicit {
            let mut indicate = |label: String, of_row: &dyn Fn(usize) -> bool| {
                let values = column(&|row| is(of_row(row)));
                design.covariates.push(Covariate { cell: None, label, values });
            };
            for at in 1..sample.cohorts.len() {
                let label = cohort_label(&cohort(at));
                indicate(label, &|row| sample.cohort_of(row) == at);
            }
            for at in 1..sample.periods.len() {
                let label = period_label(&period(at));
                indicate(label, &|row| sample.period_of(row) == at);
            }
        }
        design
    }

    /// The regressors of rows of the sample.
    ///
    /// # Errors
    /// [`DidError::CovariateRange`](crate::DidError::CovariateRange).
    pub fn regressors(&self, rows: &[u32]) -> Result<Regressors> {
        let cells = CellIndicators {
            codes: gather(rows, |row| self.cell_of[row]),
            names: self.labels.clone(),
            cells: vec![None; self.cells.len()],
        };
        let column = |covariate: &Covariate| {
            let values = gather(rows, |row| covariate.values[row]);
            check_range(&covariate.label, &values)?;
            Ok(Regressor { name: covariate.label.clone(), values, indicator: None, cell: None })
        };
        let columns = self.covariates.iter().map(column).collect::<Result<_>>()?;
        Ok(Regressors::new(cells, columns))
    }

    /// The covariates that are slopes of each cell's effect, by number.
    pub fn slopes_of_cells(&self) -> Vec<Vec<usize>> {
        let mut slopes = vec![Vec::new(); self.cells.len()];
        for (at, covariate) in self.covariates.iter().enumerate() {
            if let Some(cell) = covariate.cell {
                slopes[cell].push(at);
            }
        }
        slopes
    }

    /// Number of a row's cell; none without an effect.
    pub fn cell_of(&self, row: usize) -> Option<usize> {
        Some(self.cell_of[row]).filter(|cell| *cell != u32::MAX).map(|cell| cell as usize)
    }
}

/// The name of the effect of a cohort in a period.
pub(super) fn cell_label(cohort: &str, period: &str) -> String {
    format!("cohort {cohort} in {period}")
}

/// The name of the indicator of a cohort.
pub(super) fn cohort_label(cohort: &str) -> String {
    format!("cohort {cohort}")
}

/// The name of the indicator of a period.
pub(super) fn period_label(period: &str) -> String {
    format!("period {period}")
}

/// The covariates, and the moderator: its values, or the indicators of its categories but for the first that occurs.
fn terms<'a>(sample: &'a Sample, names: &[&'a str]) -> Vec<Term<'a>> {
    let term = |(name, values): (&&'a str, &'a Vec<f64>), moderates| Term {
        name: Cow::Borrowed(*name),
        values: Cow::Borrowed(values.as_slice()),
        moderates,
    };
    let last = names.len() - usize::from(sample.moderator().is_some());
    let columns = || names.iter().zip(&sample.covariates);
    let mut terms: Vec<Term<'a>> = columns().take(last).map(|of| term(of, false)).collect();
    let Some((name, values)) = columns().nth(last) else { return terms };
    let Some(categories) = &sample.categories else {
        terms.push(term((name, values), true));
        return terms;
    };
    let mut occurs = vec![false; categories.len()];
    for value in values {
        occurs[*value as usize] = true;
    }
    let others = (0..categories.len()).filter(|category| occurs[*category]).skip(1);
    terms.extend(others.map(|category| {
        let is = |value: &f64| f64::from(u8::from(*value as usize == category));
        Term {
            name: Cow::Owned(format!("{name} = {}", categories[category])),
            values: values.iter().map(is).collect(),
            moderates: true,
        }
    }));
    terms
}

/// Cells with rows, by cohort and period, and the number of each row's.
fn cells(sample: &Sample, control_group: ControlGroup) -> (Vec<Cell>, Vec<u32>) {
    let width = sample.periods.len();
    let pair = |row: usize| sample.cohort_of(row) * width + sample.period_of(row);
    let rows = sample.rows_of_pairs();
    let mut cells = Vec::new();
    let mut number = vec![u32::MAX; rows.len()];
    for (pair, rows) in rows.into_iter().enumerate() {
        let (cohort, period) = (pair / width, pair % width);
        if rows > 0 && sample.has_effect(control_group, cohort, period) {
            number[pair] = cells.len() as u32;
            cells.push(Cell {
                cohort,
                period,
                event_time: sample.event_time(cohort, period),
                treated: period >= sample.cohorts[cohort].start,
            });
        }
    }
    (cells, (0..sample.rows.len()).map(|row| number[pair(row)]).collect())
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
