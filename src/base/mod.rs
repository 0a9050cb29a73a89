//! What every layer stands on: errors, options, calendars, memory, threads, random numbers and small algebra.
//!
//! - Lives here: what knows neither a panel nor an estimator.
//! - May import: nothing of this crate but itself.
//! - Must not import: any other layer.

pub(crate) mod buckets;
pub(crate) mod calendar;
pub(crate) mod counted;
pub(crate) mod drivers;
pub(crate) mod error;
pub(crate) mod harmless;
pub(crate) mod memory;
pub(crate) mod near;
pub(crate) mod normal;
pub(crate) mod options;
pub(crate) mod parallel;
pub(crate) mod patterns;
pub(crate) mod percent;
pub(crate) mod progress;
pub(crate) mod quantile;
pub(crate) mod random;
pub(crate) mod segment;
pub(crate) mod shell;
pub(crate) mod simd;
pub(crate) mod solve;
pub(crate) mod spectrum;
pub(crate) mod splines;
pub(crate) mod spread;
pub(crate) mod storage;
pub(crate) mod temporary;
pub(crate) mod threads;
pub(crate) mod words;
pub(crate) mod written;
