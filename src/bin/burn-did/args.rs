//! Commands, and the options that several of them share.

use burn_did::Band;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands::{aggregate, att_gt, plot};

/// Difference-in-differences estimators: estimates, standard errors, event studies and plots.
///
/// Results go to standard output, errors and progress to standard error. Exit status: 0; 1 if the data or the
/// estimation is at fault; 2 if the command line is.
#[derive(Parser)]
#[command(name = "burn-did", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    AttGt(Box<att_gt::AttGtArgs>),
    Aggregate(aggregate::AggregateArgs),
    Plot(plot::PlotArgs),
}

/// Format of the results.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables for people.
    Table,
    /// One document with everything; null where a number does not exist.
    Json,
    /// One row an estimate; empty where a number does not exist.
    Csv,
    /// Markdown tables.
    Markdown,
    /// LaTeX tables, for the package booktabs.
    Latex,
}

/// Which intervals are reported.
#[derive(Args)]
pub(crate) struct BandArgs {
    /// Uniform bands: sup-t from the bootstrap, or analytically from the covariance without one.
    #[arg(long, help_heading = "Inference", conflicts_with = "no_cband")]
    cband: bool,
    /// Pointwise intervals.
    #[arg(long, help_heading = "Inference")]
    no_cband: bool,
}

impl BandArgs {
    /// The band asked for, if one was.
    pub(crate) fn band(&self) -> Option<Band> {
        match (self.cband, self.no_cband) {
            (true, _) => Some(Band::Uniform),
            (_, true) => Some(Band::Pointwise),
            _ => None,
        }
    }
}

/// Form of an aggregation on the command line.
pub(crate) const AGGREGATE: &str = "TYPE[:KEY=VALUE,...]";

/// What that means.
pub(crate) const AGGREGATE_HELP: &str = "Average the group-time effects; repeatable. TYPE is simple, dynamic (the event \
    study), group or calendar; KEY is min_e, max_e, balance_e or na_rm, as in \
    dynamic:min_e=-3,max_e=5,balance_e=1,na_rm=true";
