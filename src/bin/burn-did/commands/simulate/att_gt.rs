//! `burn-did simulate att-gt`

use burn_did::data::Simulation;
use clap::Args;

use super::{DrawArgs, SampledArgs, WriteArgs};
use crate::error::Result;

/// Staggered adoption for `att-gt` and `sunab`: trends differ by covariates, and covariates by cohort.
///
/// Columns: id, period, group (first treated period, 0 for never), y, x1, …, and weight and cluster where asked for.
#[derive(Args)]
pub(crate) struct AttGtArgs {
    #[command(flatten)]
    draw: DrawArgs,
    /// Periods, numbered from 1.
    #[arg(long, value_name = "N", default_value_t = 6)]
    periods: u32,
    /// First treated period of each cohort, of equal expected size.
    #[arg(long, value_name = "PERIODS", value_delimiter = ',', default_value = "3,4,5")]
    cohorts: Vec<i64>,
    /// Share of units that are never treated.
    #[arg(long, value_name = "SHARE", default_value_t = 0.4)]
    never_treated: f64,
    /// Number of covariates.
    #[arg(long, value_name = "N", default_value_t = 1)]
    covariates: usize,
    /// Distance of the covariates' means of treated and never-treated units, in standard deviations: the larger, the less overlap.
    #[arg(long, value_name = "SD", default_value_t = 0.5, visible_alias = "overlap")]
    selection: f64,
    /// Slope of the outcome's trend in the covariates.
    #[arg(long, value_name = "SLOPE", default_value_t = 0.3, allow_hyphen_values = true)]
    trend: f64,
    /// Effect in the period of treatment, the next, …; the last holds from there on.
    #[arg(
        long,
        value_name = "EFFECTS",
        value_delimiter = ',',
        default_value = "1,1.5,2",
        allow_hyphen_values = true
    )]
    effects: Vec<f64>,
    /// What each later cohort's effect has on top of the one before.
    #[arg(long, value_name = "EFFECT", default_value_t = 0.0, allow_hyphen_values = true)]
    heterogeneity: f64,
    /// Slope of a trend that treated units have on top of others': a violation of parallel trends.
    #[arg(long, value_name = "SLOPE", default_value_t = 0.0, allow_hyphen_values = true)]
    violation: f64,
    #[command(flatten)]
    sampled: SampledArgs,
    #[command(flatten)]
    output: WriteArgs,
}

impl AttGtArgs {
    /// Runs the command.
    pub(super) fn run(&self) -> Result<()> {
        let simulation = staggered!(Simulation, self).violation(self.violation).build();
        self.output.write(&simulation)
    }
}
