//! Passes over the units of this process.

use super::pass::{UnitPass, UnitScores, Units};
use super::tiles::{HELD, TILE, Tiles};
use super::values::{Kept, UnitValues};
use crate::base::error::Result;
use crate::base::memory;
use crate::base::parallel;
use crate::read::panel::overview::{OpenedRows, UnitRows};

/// What influence values by unit are called in reports of progress.
pub(crate) const VALUES: &str = "influence values";

/// What to do where sums do not fit into memory.
pub(crate) const REMEDY: &str = "ask for a shorter window or fewer covariates";

/// The sums of all units.
///
/// # Errors
/// Errors about a file or a column, and [`DidError::Memory`](crate::DidError::Memory).
pub(super) fn sums<P: UnitPass>(rows: &OpenedRows<'_>, pass: &P) -> Result<P::Sums> {
    memory::check(P::NAME, pass.bytes() * (HELD as u128 + 2), REMEDY)?;
    let mut total = pass.none();
    let mut tiles = Tiles::from(pass, pass.none(), 0);
    rows.each(P::NAME, &mut |rows| {
        let units = Units::new(rows);
        tiles.add(&units, 0..rows.units(), &mut |tile| P::merge(&mut total, tile));
        Ok(())
    })?;
    P::merge(&mut total, tiles.rest().0);
    Ok(total)
}

/// The influence values of all units in order.
///
/// # Errors
/// Errors about a file or a column.
pub(super) fn values<S: UnitScores>(
    rows: &OpenedRows<'_>,
    scores: &S,
    kept: Kept,
) -> Result<UnitValues> {
    let mut all = UnitValues::new(scores.targets(), kept);
    rows.each(VALUES, &mut |rows| {
        push(rows, scores, &mut all);
        Ok(())
    })?;
    Ok(all)
}

/// Adds the influence values of a frame.
pub(super) fn push<S: UnitScores>(rows: &UnitRows, scores: &S, all: &mut UnitValues) {
    let (units, copies) = (Units::new(rows), scores.copies());
    let width = scores.targets() * copies;
    let mut values = vec![f64::NAN; rows.units() * width];
    parallel::chunks(&mut values, TILE * width.max(1), |tile, part| {
        let mut scratch = scores.scratch();
        for (unit, numbers) in part.chunks_exact_mut(width).enumerate() {
            scores.write(&units, tile * TILE + unit, &mut scratch, numbers);
        }
    });
    all.push(rows, &values, copies);
}
