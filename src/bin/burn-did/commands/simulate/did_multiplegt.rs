//! `burn-did simulate did-multiplegt`

use burn_did::data::SwitchingSimulation;
use clap::Args;

use super::{DrawArgs, WriteArgs};
use crate::error::Result;

/// Treatments that switch on, off, up and down, for `did-multiplegt`.
///
/// Columns: id, period, d (the treatment, empty where missing), y, x (a control), effect (of the row), cluster, region.
#[derive(Args)]
pub(crate) struct DidMultiplegtArgs {
    #[command(flatten)]
    draw: DrawArgs,
    /// Periods, numbered from 1.
    #[arg(long, value_name = "N", default_value_t = 8)]
    periods: usize,
    /// Share of treatments that are missing.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    missing: f64,
    /// Units of a cluster, which have a shock of each period in common.
    #[arg(long, value_name = "N", default_value_t = 1)]
    units_per_cluster: usize,
    #[command(flatten)]
    output: WriteArgs,
}

impl DidMultiplegtArgs {
    /// Runs the command.
    pub(super) fn run(&self) -> Result<()> {
        let simulation = SwitchingSimulation::builder()
            .groups(self.draw.units)
            .seed(self.draw.seed)
            .periods(self.periods)
            .missing(self.missing)
            .groups_per_cluster(self.units_per_cluster)
            .build();
        self.output.write(&simulation)
    }
}
