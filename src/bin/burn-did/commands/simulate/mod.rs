//! `burn-did simulate`: one file an estimator.

/// A simulation of staggered treatments with the options that all such have.
macro_rules! staggered {
    ($simulation:ty, $args:expr) => {
        <$simulation>::builder()
            .units($args.draw.units)
            .seed($args.draw.seed)
            .periods($args.periods)
            .cohorts($args.cohorts.iter().copied())
            .never_treated($args.never_treated)
            .covariates($args.covariates)
            .selection($args.selection)
            .trend($args.trend)
            .effects($args.effects.iter().copied())
            .heterogeneity($args.heterogeneity)
            .noise($args.sampled.noise)
            .clusters($args.sampled.clusters)
            .cluster_sd($args.sampled.cluster_sd)
            .weights($args.sampled.weights)
            .attrition($args.sampled.attrition)
            .repeated_cross_sections($args.sampled.repeated_cross_sections)
    };
}

mod att_gt;
mod cont_did;
mod ddd;
mod did_multiplegt;
mod drdid;
mod feols;
mod npiv;
mod pretrends;

use std::path::PathBuf;

use burn_did::data::{Simulate, Simulated};
use clap::{Args, Subcommand};

use crate::args::{PanelFormat, ProgressArgs};
use crate::error::Result;
use crate::output;
use crate::progress::Bar;

/// Data whose true effects are known, for an estimator to find: the truth, and the command that estimates it, go to standard output.
///
/// Data are made and written in pieces of half a million rows, so that 50 million units need no more memory than one. Each unit has random
/// numbers of its own: the same seed gives the same bytes on any number of threads, and more units leave those before them as they were.
#[derive(Args)]
pub(crate) struct SimulateArgs {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Subcommand)]
enum Kind {
    AttGt(att_gt::AttGtArgs),
    Pretrends(pretrends::PretrendsArgs),
    Drdid(drdid::DrdidArgs),
    Ddd(ddd::DddArgs),
    ContDid(cont_did::ContDidArgs),
    DidMultiplegt(did_multiplegt::DidMultiplegtArgs),
    Feols(feols::FeolsArgs),
    Npiv(npiv::NpivArgs),
}

/// How much is drawn.
#[derive(Args)]
struct DrawArgs {
    /// Units.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    units: usize,
    /// Seed of the random numbers.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// How units and rows are sampled, where treatment is staggered.
#[derive(Args)]
struct SampledArgs {
    /// Standard deviation of the error.
    #[arg(long, value_name = "SD", default_value_t = 1.0)]
    noise: f64,
    /// Number of clusters, which adopt treatment together; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 0)]
    clusters: usize,
    /// Standard deviation of a cluster's shock in a period.
    #[arg(long, value_name = "SD", default_value_t = 0.5)]
    cluster_sd: f64,
    /// Adds sampling weights.
    #[arg(long)]
    weights: bool,
    /// Share of rows missing at random, which unbalances the panel.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, visible_alias = "unbalanced")]
    attrition: f64,
    /// Draws new units in every period.
    #[arg(long)]
    repeated_cross_sections: bool,
}

/// The files to write, and the report.
#[derive(Args)]
#[command(next_help_heading = "Output")]
struct WriteArgs {
    /// File to write: .parquet or .csv.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Write all true values to this .json or .csv file.
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Format of the report.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: PanelFormat,
    #[command(flatten)]
    progress: ProgressArgs,
}

impl WriteArgs {
    fn write(&self, simulation: &dyn Simulate) -> Result<()> {
        output::distinct(&[Some(&self.out), self.truth.as_ref()])?;
        if let Some(truth) = &self.truth {
            Simulated::check_truth(truth)?;
        }
        let bar = Bar::new(self.progress.quiet);
        let done = simulation.write(&self.out, bar.callback().as_ref())?;
        drop(bar);
        if let Some(truth) = &self.truth {
            done.save_truth(truth)?;
        }
        output::results(&match self.format {
            PanelFormat::Text => done.to_string(),
            PanelFormat::Json => done.to_json()?,
        })
    }
}

/// Runs the command.
pub(crate) fn run(args: &SimulateArgs) -> Result<()> {
    match &args.kind {
        Kind::AttGt(args) => args.run(),
        Kind::Pretrends(args) => args.run(),
        Kind::Drdid(args) => args.run(),
        Kind::Ddd(args) => args.run(),
        Kind::ContDid(args) => args.run(),
        Kind::DidMultiplegt(args) => args.run(),
        Kind::Feols(args) => args.run(),
        Kind::Npiv(args) => args.run(),
    }
}
