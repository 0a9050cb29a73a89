//! Difference-in-differences from the command line.

mod args;
mod backend;
mod commands;
mod csv;
mod error;
mod json;
mod output;
mod progress;
mod shown;
mod values;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => {
            output::usage(&error.render().to_string());
            return ExitCode::from(2);
        }
        // Help, or the version.
        Err(error) => error.exit(),
    };
    #[cfg(any(feature = "wgpu", feature = "cuda"))]
    backend::ignore_configuration_files();
    let done = match cli.command {
        Command::AttGt(args) => commands::att_gt::run(&args),
        Command::Ddd(args) => commands::ddd::run(&args),
        Command::Drdid(args) => commands::drdid::run(&args),
        Command::Aggregate(args) => commands::aggregate::run(&args),
        Command::Plot(args) => commands::plot::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error);
            ExitCode::from(error.code())
        }
    }
}
