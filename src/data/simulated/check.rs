//! Ranges of the options of simulations.

use crate::base::error::{DidError, Result};

/// Rows that a file can be asked to have.
const MOST: usize = 1 << 42;

/// An error unless there are units, and no more rows than a file can have.
pub(super) fn sizes(units: usize, rows_per_unit: usize) -> Result<()> {
    if units == 0 {
        return Err(DidError::config("units", "at least 1", units));
    }
    let rows = units.checked_mul(rows_per_unit).filter(|rows| *rows <= MOST);
    rows.map(drop)
        .ok_or_else(|| DidError::config("units", "so many that there are at most 2^42 rows", units))
}

/// An error unless a count is as large as this.
pub(super) fn at_least(option: &'static str, least: usize, count: usize) -> Result<()> {
    let expected = match least {
        1 => "at least 1",
        2 => "at least 2",
        _ => "at least 4",
    };
    if count >= least { Ok(()) } else { Err(DidError::config(option, expected, count)) }
}

/// An error unless these are shares.
pub(super) fn shares(options: &[(&'static str, f64)]) -> Result<()> {
    each(options, "a share from 0 to 1", |value| (0.0..=1.0).contains(&value))
}

/// An error unless these are finite.
pub(super) fn finite(options: &[(&'static str, f64)]) -> Result<()> {
    each(options, "a finite number", f64::is_finite)
}

/// An error unless these are standard deviations.
pub(super) fn deviations(options: &[(&'static str, f64)]) -> Result<()> {
    each(options, "a number of at least 0", |value| value.is_finite() && value >= 0.0)
}

fn each(
    options: &[(&'static str, f64)],
    expected: &'static str,
    allowed: impl Fn(f64) -> bool,
) -> Result<()> {
    match options.iter().find(|(_, value)| !allowed(*value)) {
        Some((option, value)) => Err(DidError::config(option, expected, value)),
        None => Ok(()),
    }
}

/// An error unless effects by event time are there, and finite.
pub(super) fn effects(effects: &[f64]) -> Result<()> {
    let problem = effects.iter().find(|effect| !effect.is_finite());
    match problem {
        Some(effect) => Err(DidError::config("effects", "finite numbers", effect)),
        None if effects.is_empty() => {
            Err(DidError::config("effects", "one number for each event time", "none"))
        }
        None => Ok(()),
    }
}

/// An error unless cohorts ascend within the periods from the second on.
pub(super) fn cohorts(cohorts: &[i64], periods: u32) -> Result<()> {
    let expected = "ascending, with first treated periods from 2 to the last period";
    let shown = || cohorts.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let within = cohorts.iter().all(|g| (2..=i64::from(periods)).contains(g));
    let ascend = cohorts.windows(2).all(|pair| pair[0] < pair[1]);
    if cohorts.is_empty() {
        return Err(DidError::config("cohorts", "at least one first treated period", "none"));
    }
    if within && ascend { Ok(()) } else { Err(DidError::config("cohorts", expected, shown())) }
}
