//! Arithmetic whose results are known.

use cubecl::prelude::*;

use super::exp::exp_double;

/// Odds and `p (1 - p)` of log-odds, in pairs.
#[cube(launch)]
pub(crate) fn known_values<F: Float>(
    log_odds: &Array<F>,
    out: &mut Array<F>,
    #[define(F)] _dtype: StorageType,
) {
    let i = ABSOLUTE_POS;
    if i < log_odds.len() {
        let odds = exp_double::<F>(log_odds[i]);
        let not_p = F::new(1.0) / (F::new(1.0) + odds);
        out[2 * i] = odds;
        out[2 * i + 1] = odds * not_p * not_p;
    }
}
