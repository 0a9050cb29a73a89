//! Integration tests that run on the CPU, in one binary because linking is slow.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests fail by panicking, and print what they reached"
)]

#[path = "../support/mod.rs"]
mod support;

mod att_gt;
mod by_unit;
mod ddd;
mod departures;
mod doses;
mod drdid;
mod ended;
mod engines;
mod etwfe;
mod explore;
mod files;
mod fixed_effects;
mod honest;
mod house;
mod imputation;
mod joint_rows;
mod joint_study;
mod joint_switching;
mod laws;
mod mistakes;
mod npiv;
mod panel_tools;
mod results;
mod specification_curve;
mod switching;
mod twfe;
mod weighting;
mod words;
