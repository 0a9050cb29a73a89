//! `burn-did simulate cont-did`

use burn_did::data::DoseSimulation;
use clap::Args;

use super::{DrawArgs, WriteArgs};
use crate::error::Result;

/// A continuous treatment for `cont-did`: a dose-response curve that is a polynomial.
///
/// Columns: id, period, group (first treated period, 0 for never), y, dose, and weight and cluster where asked for.
#[derive(Args)]
pub(crate) struct ContDidArgs {
    #[command(flatten)]
    draw: DrawArgs,
    /// Periods, numbered from 1.
    #[arg(long, value_name = "N", default_value_t = 4)]
    periods: usize,
    /// Treated groups, first treated in periods 2, 3, ….
    #[arg(long, value_name = "N", default_value_t = 3)]
    groups: usize,
    /// Coefficient of the dose in its effect.
    #[arg(long, value_name = "EFFECT", default_value_t = 0.5, allow_hyphen_values = true)]
    linear: f64,
    /// Coefficient of the dose's square.
    #[arg(long, value_name = "EFFECT", default_value_t = 1.0, allow_hyphen_values = true)]
    quadratic: f64,
    /// Coefficient of the dose's cube.
    #[arg(long, value_name = "EFFECT", default_value_t = 0.0, allow_hyphen_values = true)]
    cubic: f64,
    /// By how much effects grow from period to period, as a share of the first.
    #[arg(long, value_name = "SHARE", default_value_t = 0.2, allow_hyphen_values = true)]
    growth: f64,
    /// A dose of 0 before treatment; else it is the same in all periods.
    #[arg(long)]
    dose_begins_with_treatment: bool,
    /// Number of clusters; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 0)]
    clusters: usize,
    /// Adds sampling weights.
    #[arg(long)]
    weights: bool,
    #[command(flatten)]
    output: WriteArgs,
}

impl ContDidArgs {
    /// Runs the command.
    pub(super) fn run(&self) -> Result<()> {
        let simulation = DoseSimulation::builder()
            .units(self.draw.units)
            .seed(self.draw.seed)
            .periods(self.periods)
            .groups(self.groups)
            .linear(self.linear)
            .quadratic(self.quadratic)
            .cubic(self.cubic)
            .growth(self.growth)
            .dose_begins_with_treatment(self.dose_begins_with_treatment)
            .clusters(self.clusters)
            .weights(self.weights)
            .build();
        self.output.write(&simulation)
    }
}
