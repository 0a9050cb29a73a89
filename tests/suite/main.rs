//! Integration tests that run on the CPU, in one binary because linking is slow.

#[path = "../support/mod.rs"]
mod support;

mod errors;
mod golden;
mod oracle;
mod properties;
