//! Random designs through the library, held against a second program.
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
mod records;
mod run;
mod tally;
mod triple;
mod two_period;
mod verdict;
