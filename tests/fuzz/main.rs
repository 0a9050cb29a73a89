//! Random designs through the library, held against a second program (`oracle`) that shares nothing with it.
//!
//! A design is a data frame and the options of a fit, both of which its seed decides: `group_time`, `two_period` and `triple`
//! have those of the three estimators. Every estimate, standard error, covariance, failure, test and aggregation is compared;
//! cells at a threshold (of rank, overlap or trimming), where two programs may differ, are skipped by name and counted.
//!
//! `BURN_DID_FUZZ_DESIGNS=20000` sets the number of designs of each estimator and `BURN_DID_FUZZ_SEED=7` the first seed. A
//! difference is reported with its seed: `BURN_DID_FUZZ_SEED=1234 BURN_DID_FUZZ_DESIGNS=1` runs that design alone.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests fail by panicking, and print what they reached"
)]

#[path = "../support/mod.rs"]
mod support;

mod formula;
mod group_time;
mod oracle;
mod population;
mod random;
mod rank;
mod records;
mod run;
mod tally;
mod triple;
mod two_period;
mod verdict;
