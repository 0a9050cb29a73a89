//! `burn-did simulate ddd`

use burn_did::data::TripleSimulation;
use clap::Args;

use super::{DrawArgs, SampledArgs, WriteArgs};
use crate::error::Result;

/// Triple differences for `ddd`: groups that enable treatment at different times, and units eligible for it or not.
///
/// Columns: id, period, group (period in which it enables treatment, 0 for never), eligible (0 and 1), y, x1, …, and weight and cluster
/// where asked for.
#[derive(Args)]
#[command(mut_arg("clusters", |arg| arg.help("Number of clusters, of which each belongs to one group; 0 for none")))]
pub(crate) struct DddArgs {
    #[command(flatten)]
    draw: DrawArgs,
    /// Periods, numbered from 1.
    #[arg(long, value_name = "N", default_value_t = 4)]
    periods: u32,
    /// First treated period of each group's eligible units.
    #[arg(long, value_name = "PERIODS", value_delimiter = ',', default_value = "3,4")]
    cohorts: Vec<i64>,
    /// Share of units in the group that never enables treatment, before selection.
    #[arg(long, value_name = "SHARE", default_value_t = 0.4)]
    never_treated: f64,
    /// Share of eligible units, before selection.
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    eligible: f64,
    /// Number of covariates.
    #[arg(long, value_name = "N", default_value_t = 4)]
    covariates: usize,
    /// Outcomes that are not linear in the covariates that are observed.
    #[arg(long)]
    wrong_outcome_model: bool,
    /// Propensity scores that are not logistic in the covariates that are observed.
    #[arg(long)]
    wrong_propensity_model: bool,
    /// Slope of the log odds in the covariates: the larger, the less overlap.
    #[arg(
        long,
        value_name = "SLOPE",
        default_value_t = 0.5,
        visible_alias = "overlap",
        allow_hyphen_values = true
    )]
    selection: f64,
    /// Slope of the outcome's trend in the covariates.
    #[arg(long, value_name = "SLOPE", default_value_t = 1.0, allow_hyphen_values = true)]
    trend: f64,
    /// Distance in trend between groups, and between eligible and other units.
    #[arg(long, value_name = "SLOPE", default_value_t = 1.0, allow_hyphen_values = true)]
    drift: f64,
    /// Effect in the period of treatment, the next, …; the last holds from there on.
    #[arg(
        long,
        value_name = "EFFECTS",
        value_delimiter = ',',
        default_value = "2,3,4",
        allow_hyphen_values = true
    )]
    effects: Vec<f64>,
    /// What each later group's effect has on top of the one before.
    #[arg(long, value_name = "EFFECT", default_value_t = 0.0, allow_hyphen_values = true)]
    heterogeneity: f64,
    #[command(flatten)]
    sampled: SampledArgs,
    #[command(flatten)]
    output: WriteArgs,
}

impl DddArgs {
    /// Runs the command.
    pub(super) fn run(&self) -> Result<()> {
        let simulation = staggered!(TripleSimulation, self)
            .eligible(self.eligible)
            .outcome_model_correct(!self.wrong_outcome_model)
            .propensity_model_correct(!self.wrong_propensity_model)
            .drift(self.drift)
            .build();
        self.output.write(&simulation)
    }
}
