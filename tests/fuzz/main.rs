//! Hunts for wrong numbers.
//!
//! *Random designs* through the library, held against a second program (`oracle`) that shares nothing with it. A design is a data
//! frame and the options of a fit, both of which its seed decides: `group_time`, `two_period`, `triple`, `doses`, `switching` and
//! `sensitivity` have those of an estimator each, `regression` those of linear, Poisson, logit and probit regressions and of `SunAbraham`. Every estimate,
//! standard error, covariance, failure, test and aggregation is compared; cells at a threshold (of rank, overlap or trimming), where
//! two programs may differ, are skipped by name and counted.
//! `BURN_DID_FUZZ_DESIGNS=20000` sets the number of designs of each estimator and `BURN_DID_FUZZ_SEED=7` the first seed. A
//! difference is reported with its seed: `BURN_DID_FUZZ_SEED=1234 BURN_DID_FUZZ_DESIGNS=1` runs that design alone.
//!
//! *Identities* between estimators, on random panels: the same number by two ways through the library (`identities`).
//!
//! *Propensity scores* of designs with many units far from all others (`scores`).
//!
//! *Mutated inputs* of the command line and the library (`mutate`): no panic, no hang, no number that is none.
//! `BURN_DID_FUZZ_MUTATIONS=50000` sets their number.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests fail by panicking, and print their seeds"
)]

#[path = "../support/mod.rs"]
mod support;

mod doses;
mod formula;
mod group_time;
mod identities;
#[cfg(feature = "cli")]
mod mutate;
mod oracle;
mod population;
mod random;
mod rank;
mod records;
mod regression;
mod run;
mod scores;
mod sensitivity;
mod switching;
mod tally;
mod triple;
mod two_period;
mod verdict;
