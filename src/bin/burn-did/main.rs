//! Difference-in-differences from the command line.

mod allocator;
mod args;
mod backend;
#[cfg(feature = "ballista")]
mod cluster;
mod commands;
mod configure;
mod defaults;
mod elsewhere;
mod error;
mod formed;
mod hints;
mod messages;
mod output;
mod panics;
mod parse;
mod program;
mod progress;
mod shown;
mod signals;
mod words;
mod written;

use std::process::ExitCode;

fn main() -> ExitCode {
    allocator::release_memory_when_short();
    ExitCode::from(program::run(&std::env::args_os().collect::<Vec<_>>()))
}
