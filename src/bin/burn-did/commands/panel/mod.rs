//! `burn-did panel`: one file a tool.

mod balance;
mod deduplicate;
mod difference;
mod fill_gaps;
mod first_treated;
mod lag;
mod long_difference;
mod to_long;
mod to_wide;

use clap::{Args, Subcommand};

use crate::error::Result;

/// Tools that bring data into the shape that estimators read, from a file to another: first treated periods, balance, gaps, duplicates, lags,
/// differences, wide and long.
///
/// Rows are written in the order of units and periods, and columns in their types. Counts of all that changed go to standard output.
#[derive(Args)]
pub(crate) struct PanelArgs {
    #[command(subcommand)]
    tool: Tool,
}

#[derive(Subcommand)]
enum Tool {
    FirstTreated(first_treated::FirstTreatedArgs),
    Balance(balance::BalanceArgs),
    FillGaps(fill_gaps::FillGapsArgs),
    Deduplicate(deduplicate::DeduplicateArgs),
    Lag(lag::LagArgs),
    Difference(difference::DifferenceArgs),
    LongDifference(long_difference::LongDifferenceArgs),
    ToWide(to_wide::ToWideArgs),
    ToLong(to_long::ToLongArgs),
}

/// Runs the command.
pub(crate) fn run(args: &PanelArgs) -> Result<()> {
    match &args.tool {
        Tool::FirstTreated(args) => first_treated::run(args),
        Tool::Balance(args) => balance::run(args),
        Tool::FillGaps(args) => fill_gaps::run(args),
        Tool::Deduplicate(args) => deduplicate::run(args),
        Tool::Lag(args) => lag::run(args),
        Tool::Difference(args) => difference::run(args),
        Tool::LongDifference(args) => long_difference::run(args),
        Tool::ToWide(args) => to_wide::run(args),
        Tool::ToLong(args) => to_long::run(args),
    }
}
