//! Which treated rows the untreated ones say something of.
//!
//! Effects are not unique: whatever `n` with `Z0 n = 0` may be added to them. A row can be imputed if that does not change what is
//! fitted of it, `z'n = 0`. Of an `n` that is drawn at random this holds by chance only if it always holds.

use super::design::Design;
use super::normal::NormalEquations;
use crate::base::error::Result;

/// Random vectors `n` that are drawn.
const DRAWS: usize = 2;

/// Up to this size `z'n` is rounding error, as the effects in `n` are of the order of one.
const ROUNDING: f64 = 1e-6;

/// Whether each row can be imputed; untreated ones can.
///
/// # Errors
/// Those of the normal equations.
pub(super) fn imputable(design: &Design, normal: &NormalEquations<'_>) -> Result<Vec<bool>> {
    let any: Vec<Vec<f64>> = (1..=DRAWS as u64).map(|d| drawn(d, design.parameters())).collect();
    let sums: Vec<Vec<f64>> = any.iter().map(|theta| design.product(theta)).collect();
    let solved = normal.solve(design, &sums, "the fixed effects")?;
    let null: Vec<Vec<f64>> = any
        .iter()
        .zip(&solved)
        .map(|(any, solved)| any.iter().zip(solved).map(|(a, s)| a - s).collect())
        .collect();
    let parts = design.by_block(|rows| {
        let fits = |row: usize| {
            !design.treated[row]
                || null.iter().all(|null| design.fitted(row, null).abs() <= ROUNDING)
        };
        rows.map(fits).collect::<Vec<bool>>()
    });
    Ok(parts.concat())
}

/// Numbers between -1 and 1 that follow from the seed alone (SplitMix64, Steele, Lea and Flood 2014).
fn drawn(seed: u64, count: usize) -> Vec<f64> {
    let number = |index: u64| {
        let mut z =
            (seed << 48).wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..count as u64).map(number).collect()
}
