//! Hunts for wrong numbers: metamorphic relations of every estimator, and mutated inputs of the command line.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests fail by panicking, and print their seeds"
)]

#[path = "../support/mod.rs"]
mod support;

mod metamorphic;
#[cfg(feature = "cli")]
mod mutate;
