//! `burn-did simulate drdid`

use burn_did::data::TwoPeriodSimulation;
use clap::Args;

use super::{DrawArgs, WriteArgs};
use crate::error::Result;

/// Two groups in two periods for `drdid`: the designs of Sant'Anna and Zhao (2020), whose models may be wrong.
///
/// Columns: id, period (1 and 2), treated (0 and 1), y, x1, …, and weight where asked for.
#[derive(Args)]
pub(crate) struct DrdidArgs {
    #[command(flatten)]
    draw: DrawArgs,
    /// Number of covariates, at most 4.
    #[arg(long, value_name = "N", default_value_t = 4)]
    covariates: usize,
    /// Outcomes that are not linear in the covariates that are observed.
    #[arg(long)]
    wrong_outcome_model: bool,
    /// A propensity score that is not logistic in the covariates that are observed.
    #[arg(long)]
    wrong_propensity_model: bool,
    /// Effect on every treated unit.
    #[arg(long, value_name = "EFFECT", default_value_t = 10.0, allow_hyphen_values = true)]
    effect: f64,
    /// Adds sampling weights.
    #[arg(long)]
    weights: bool,
    /// Observes each unit in one of the periods.
    #[arg(long)]
    repeated_cross_sections: bool,
    /// Share of the rows of repeated cross sections that are of period 2.
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    post_share: f64,
    #[command(flatten)]
    output: WriteArgs,
}

impl DrdidArgs {
    /// Runs the command.
    pub(super) fn run(&self) -> Result<()> {
        let simulation = TwoPeriodSimulation::builder()
            .units(self.draw.units)
            .seed(self.draw.seed)
            .covariates(self.covariates)
            .outcome_model_correct(!self.wrong_outcome_model)
            .propensity_model_correct(!self.wrong_propensity_model)
            .effect(self.effect)
            .weights(self.weights)
            .repeated_cross_sections(self.repeated_cross_sections)
            .post_share(self.post_share)
            .build();
        self.output.write(&simulation)
    }
}
