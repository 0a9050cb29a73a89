//! What takes many fits. Known truth: over many simulated samples, intervals cover the true effects as often as they claim.
//! Memory: a thousand fits need no more than a hundred.
//!
//! `cargo test --release --test recovery -- --ignored --nocapture` prints bias and coverage; `RESULTS.md` beside this file keeps
//! what was last printed.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests fail by panicking, and print what they reached"
)]

mod att_gt;
mod coverage;
mod ddd;
mod doses;
mod doses_small;
mod drdid;
mod etwfe;
mod first_stage;
mod fixed_effects;
mod joint_study;
mod projections;
mod stacked;
#[path = "../support/mod.rs"]
mod support;
mod switching;
