//! `burn-did simulate pretrends`

use burn_did::data::Simulation;
use clap::Args;

use super::{DrawArgs, WriteArgs};
use crate::error::Result;

/// One cohort whose trend is not parallel, for `pretrends` and `honest`: the truth has the effects, and what the violation adds to them.
///
/// Columns: id, period, group (first treated period, 0 for never), y. `att-gt` estimates it; its saved result is what `pretrends` and
/// `honest` read.
#[derive(Args)]
#[command(visible_alias = "honest")]
pub(crate) struct PretrendsArgs {
    #[command(flatten)]
    draw: DrawArgs,
    /// Periods, numbered from 1.
    #[arg(long, value_name = "N", default_value_t = 8)]
    periods: u32,
    /// First treated period.
    #[arg(long, value_name = "PERIOD", default_value_t = 6)]
    cohort: i64,
    /// Slope of the trend that treated units have on top of others'.
    #[arg(long, value_name = "SLOPE", default_value_t = 0.1, allow_hyphen_values = true)]
    violation: f64,
    /// Share of units that are never treated.
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    never_treated: f64,
    /// Effect in the period of treatment, the next, …; the last holds from there on.
    #[arg(
        long,
        value_name = "EFFECTS",
        value_delimiter = ',',
        default_value = "1",
        allow_hyphen_values = true
    )]
    effects: Vec<f64>,
    /// Standard deviation of the error.
    #[arg(long, value_name = "SD", default_value_t = 1.0)]
    noise: f64,
    #[command(flatten)]
    output: WriteArgs,
}

impl PretrendsArgs {
    /// Runs the command.
    pub(super) fn run(&self) -> Result<()> {
        let simulation = Simulation::builder()
            .units(self.draw.units)
            .seed(self.draw.seed)
            .periods(self.periods)
            .cohorts([self.cohort])
            .never_treated(self.never_treated)
            .covariates(0)
            .effects(self.effects.iter().copied())
            .violation(self.violation)
            .noise(self.noise)
            .build();
        self.output.write(&simulation)
    }
}
