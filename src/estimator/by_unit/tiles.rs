//! Sums over units that neither threads nor the pieces of files change.
//!
//! Units are added one after the other within tiles, and tiles in order. A tile that a piece of a file ends in goes on with the next.

use super::sample::Opened;
use crate::base::error::Result;
use crate::base::parallel;
use crate::read::columns::Values;
use crate::read::panel::overview::UnitRows;

/// Units of a tile.
const TILE: usize = 4_096;

/// Tiles that are held at once.
const HELD: usize = 64;

/// The rows of some units, and their numbers: the outcome, then covariates; not finite where a row may lack them.
pub(in crate::estimator) struct Units<'a> {
    pub rows: &'a UnitRows,
    pub numbers: Vec<&'a Values>,
}

/// Writes the numbers of a unit.
pub(in crate::estimator) type Write<'w, S> =
    dyn Fn(&Units<'_>, usize, &mut S, &mut [f64]) + Sync + 'w;

/// Adds all units to what `zero` makes.
///
/// # Errors
/// Errors about a file or a column.
pub(in crate::estimator) fn fold<S: Send>(
    opened: &Opened<'_>,
    stage: &'static str,
    zero: &(dyn Fn() -> S + Sync),
    add: &(dyn Fn(&Units<'_>, usize, &mut S) + Sync),
    merge: &dyn Fn(&mut S, S),
) -> Result<S> {
    let (mut total, mut open, mut filled) = (zero(), zero(), 0);
    opened.each(stage, &mut |rows| {
        let units = Units { rows, numbers: rows.numbers() };
        let all = rows.units();
        let mut done = all.min(TILE - filled);
        (0..done).for_each(|unit| add(&units, unit, &mut open));
        filled += done;
        while filled == TILE || done < all {
            if filled == TILE {
                merge(&mut total, std::mem::replace(&mut open, zero()));
                filled = 0;
            }
            let whole = ((all - done) / TILE).min(HELD);
            let first = done;
            let tiles = parallel::map(whole, |tile| {
                let mut sums = zero();
                let from = first + tile * TILE;
                (from..from + TILE).for_each(|unit| add(&units, unit, &mut sums));
                sums
            });
            for tile in tiles {
                merge(&mut total, tile);
            }
            done += whole * TILE;
            if all - done < TILE {
                (done..all).for_each(|unit| add(&units, unit, &mut open));
                filled = all - done;
                done = all;
            }
        }
        Ok(())
    })?;
    merge(&mut total, open);
    Ok(total)
}

/// Calls `write` with each unit, what `scratch` makes, and its part of `width` numbers, which are not numbers yet; `take` gets the numbers of
/// all units in order, a frame at a time.
///
/// # Errors
/// Errors about a file or a column.
pub(in crate::estimator) fn each_unit<S: Send>(
    opened: &Opened<'_>,
    stage: &'static str,
    width: usize,
    scratch: &(dyn Fn() -> S + Sync),
    write: &Write<'_, S>,
    take: &mut dyn FnMut(&UnitRows, &[f64]),
) -> Result<()> {
    opened.each(stage, &mut |rows| {
        let units = Units { rows, numbers: rows.numbers() };
        let mut values = vec![f64::NAN; rows.units() * width];
        parallel::chunks(&mut values, TILE * width.max(1), |tile, part| {
            let mut own = scratch();
            for (unit, numbers) in part.chunks_exact_mut(width).enumerate() {
                write(&units, tile * TILE + unit, &mut own, numbers);
            }
        });
        take(rows, &values);
        Ok(())
    })
}
