//! Integration tests that run on the CPU, in one binary because linking is slow.

#[path = "../support/mod.rs"]
mod support;

mod callback;
mod errors;
mod golden;
mod input;
mod oracle;
mod properties;
mod results;
