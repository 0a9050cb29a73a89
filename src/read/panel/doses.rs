//! The dose of a continuous treatment: what must hold of it, and the groups that follow from it.

use polars::prelude::*;

use super::units::{UNITS, Units};
use crate::base::error::{DidError, Result};
use crate::base::parallel;
use crate::read::columns::{Codes, LabelColumn, MISSING, Numbers, PeriodCodes, Values, kind};

/// The doses of a frame, NaN if missing.
pub(super) fn doses(series: &Series) -> Result<Values> {
    let numbers = Numbers::new(series, f64::NAN).filter(|_| *series.dtype() != DataType::Boolean);
    numbers.map(Numbers::values).ok_or_else(|| DidError::ColumnType {
        column: series.name().to_string(),
        role: "dose",
        expected: "numbers",
        got: kind(series.dtype()),
    })
}

/// An error that names the first row, counted from `first_row`, with a negative dose where that matters.
pub(super) fn check_sign(
    column: &str,
    doses: &[f64],
    first_row: usize,
    matters: impl Fn(usize) -> bool,
) -> Result<()> {
    match (0..doses.len()).find(|row| doses[*row] < 0.0 && matters(*row)) {
        None => Ok(()),
        Some(row) => Err(DidError::Negative {
            column: column.to_owned(),
            role: "dose",
            value: doses[row],
            row: first_row + row,
            line: None,
            remedy: "a dose is 0 for untreated units and more than 0 for treated ones".into(),
        }),
    }
}

/// The first period with a positive dose of each row's unit, +inf if there is none.
pub(super) fn first_treated(
    doses: &[f64],
    time: &PeriodCodes,
    labels: &LabelColumn,
) -> PeriodCodes {
    let Codes { codes, labels } = labels.codes();
    let mut first = vec![PeriodCodes::INFINITE; labels.len()];
    for ((unit, dose), period) in codes.iter().zip(doses).zip(&time.codes) {
        if *unit != MISSING && *dose > 0.0 {
            let first = &mut first[*unit as usize];
            *first = (*first).min(*period);
        }
    }
    let group = |unit: &u32| first.get(*unit as usize).copied().unwrap_or(PeriodCodes::MISSING);
    time.with_codes(codes.iter().map(group).collect())
}

/// The doses of a column with 0 in rows that are not treated and have none; `None` if there are no such rows.
pub(super) fn filled(
    column: &str,
    doses: &[f64],
    is_treated: impl Fn(usize) -> bool + Sync,
) -> Option<Series> {
    let unknown = |row: usize| !doses[row].is_finite() && !is_treated(row);
    let known = |part: usize| !parallel::part(part, UNITS, doses.len()).any(unknown);
    if parallel::all(doses.len().div_ceil(UNITS), &known) {
        return None;
    }
    let dose = |row: usize| if unknown(row) { 0.0 } else { doses[row] };
    let all: Vec<f64> = (0..doses.len()).map(dose).collect();
    Some(Series::new(column.into(), all))
}

/// Whether the row's unit is treated in the row's period.
pub(super) fn is_treated(groups: &PeriodCodes, periods: &PeriodCodes, row: usize) -> bool {
    let group = groups.value(groups.codes[row]);
    let time = periods.value(periods.codes[row]);
    // Groups and periods of one calendar may differ by rounding.
    group.is_finite() && group <= time + 1e-9 * time.abs()
}

/// An error that names a unit whose dose is not the same in all its rows with treatment.
pub(super) fn check_constant(
    column: &str,
    doses: &[f64],
    units: &Units,
    treated: impl Fn(usize) -> bool + Sync,
) -> Result<()> {
    let varies = |unit: usize| {
        let treated = units.order.unit(unit).filter(|row| treated(*row));
        let mut doses_of_unit = treated.map(|row| doses[row]);
        doses_of_unit.next().is_some_and(|first| doses_of_unit.any(|dose| dose != first))
    };
    let found = units.order.blocks(|mut block| block.find(|unit| varies(*unit)));
    match found.into_iter().flatten().next() {
        None => Ok(()),
        Some(unit) => Err(DidError::TimeVarying {
            column: column.to_owned(),
            role: "dose",
            unit: units.label(unit),
            remedy: "from its treatment on a unit must have one dose; use the dose that it gets first, or an average",
        }),
    }
}
