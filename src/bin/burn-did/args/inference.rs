//! Level and bootstrap.

use std::path::PathBuf;

use burn_did::options::{Bootstrap, Multiplier};
use clap::Args;

use crate::defaults;
use crate::parse;
use crate::words::OneOf;

/// Level of intervals.
#[derive(Args)]
#[command(next_help_heading = "Inference")]
pub(crate) struct LevelArgs {
    /// One minus the confidence level.
    #[arg(
        long,
        value_name = "ALPHA",
        visible_alias = "alpha",
        default_value_t = defaults::att_gt().alpha,
        value_parser = parse::alpha
    )]
    pub alp: f64,
}

/// Bootstrap of standard errors.
#[derive(Args)]
#[command(next_help_heading = "Inference")]
pub(crate) struct BootstrapArgs {
    /// Bootstrap instead of analytic standard errors.
    #[arg(long, visible_alias = "bootstrap")]
    boot: bool,
    /// Draws of the bootstrap.
    #[arg(long, value_name = "N", requires = "boot", visible_alias = "draws", default_value_t = defaults::bootstrap().draws)]
    biters: usize,
    /// Seed of the bootstrap.
    #[arg(long, value_name = "N", requires = "boot", default_value_t = defaults::bootstrap().seed)]
    seed: u64,
}

impl BootstrapArgs {
    /// The bootstrap, if one is asked for.
    pub(crate) fn bootstrap(&self) -> Option<Bootstrap> {
        self.boot.then(|| Bootstrap::draws(self.biters).seed(self.seed))
    }
}

/// Inference from influence values.
#[derive(Args)]
#[command(next_help_heading = "Inference")]
pub(crate) struct InferenceArgs {
    #[command(flatten)]
    bootstrap: BootstrapArgs,
    /// Distribution of the bootstrap multipliers.
    #[arg(
        long,
        value_name = "LAW",
        requires = "boot",
        default_value_t = defaults::bootstrap().multiplier,
        value_parser = OneOf::<Multiplier>::all()
    )]
    multiplier: Multiplier,
    #[command(flatten)]
    pub level: LevelArgs,
    /// Write influence values by unit to parquet files in this directory, which must be empty; it is made if it is not there. On a
    /// cluster, executors write them, and it may be a prefix in an object store.
    #[arg(long, value_name = "DIRECTORY")]
    pub influence: Option<PathBuf>,
}

impl InferenceArgs {
    /// The bootstrap, if one is asked for.
    pub(crate) fn bootstrap(&self) -> Option<Bootstrap> {
        Some(self.bootstrap.bootstrap()?.multiplier(self.multiplier))
    }
}
