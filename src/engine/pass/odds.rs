//! Which odds of propensity scores rows are weighted by.

/// Instead of a propensity score from which rows are trimmed: no row is, and odds have no bound.
pub const UNTRIMMED: f64 = 2.0;

/// Largest propensity score that weights are formed from: larger ones count as this one.
const MAX_PROPENSITY: f64 = 1.0 - 1e-6;

/// What becomes of the odds that rows are weighted by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OddsLimits {
    /// Odds from which rows are trimmed.
    pub below: f64,
    /// Largest odds.
    pub largest: f64,
}

impl OddsLimits {
    /// Of rows with a propensity score below `trim`; from [`UNTRIMMED`] on, all rows have their odds.
    pub fn new(trim: f64) -> Self {
        let odds = |p: f64| p / (1.0 - p);
        if trim > 1.0 {
            return Self { below: f64::INFINITY, largest: f64::INFINITY };
        }
        let below = if trim > MAX_PROPENSITY { f64::INFINITY } else { odds(trim) };
        Self { below, largest: odds(MAX_PROPENSITY) }
    }
}
