//! `burn-did simulate feols`

use burn_did::data::TwoWaySimulation;
use clap::Args;

use super::{DrawArgs, WriteArgs};
use crate::error::Result;

/// Fixed effects of units and periods for `feols`: coefficients that are the same for all, of a treatment and of regressors that go along
/// with the fixed effects. For effects that differ, see `simulate att-gt`.
///
/// Columns: id, period, d (the treatment, 0 and 1), y, x1, …, and cluster where asked for.
#[derive(Args)]
pub(crate) struct FeolsArgs {
    #[command(flatten)]
    draw: DrawArgs,
    /// Periods, numbered from 1.
    #[arg(long, value_name = "N", default_value_t = 6)]
    periods: u32,
    /// Coefficient of the treatment.
    #[arg(long, value_name = "EFFECT", default_value_t = 1.0, allow_hyphen_values = true)]
    effect: f64,
    /// Coefficients of x1, x2, ….
    #[arg(
        long,
        value_name = "SLOPES",
        value_delimiter = ',',
        default_value = "0.5,-0.3",
        allow_hyphen_values = true
    )]
    slopes: Vec<f64>,
    /// Outcomes that are counts, for --family poisson.
    #[arg(long)]
    counts: bool,
    /// Standard deviation of the error; counts have none.
    #[arg(long, value_name = "SD", default_value_t = 1.0)]
    noise: f64,
    /// Number of clusters; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 0)]
    clusters: usize,
    /// Standard deviation of a cluster's shock in a period.
    #[arg(long, value_name = "SD", default_value_t = 0.5)]
    cluster_sd: f64,
    /// Share of rows missing at random, which unbalances the panel.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, visible_alias = "unbalanced")]
    attrition: f64,
    #[command(flatten)]
    output: WriteArgs,
}

impl FeolsArgs {
    /// Runs the command.
    pub(super) fn run(&self) -> Result<()> {
        let simulation = TwoWaySimulation::builder()
            .units(self.draw.units)
            .seed(self.draw.seed)
            .periods(self.periods)
            .effect(self.effect)
            .slopes(self.slopes.iter().copied())
            .counts(self.counts)
            .noise(self.noise)
            .clusters(self.clusters)
            .cluster_sd(self.cluster_sd)
            .attrition(self.attrition)
            .build();
        self.output.write(&simulation)
    }
}
