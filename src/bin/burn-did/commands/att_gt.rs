//! `burn-did att-gt`

use burn_did::backend::DidBackend;
use burn_did::{AttGt, FixWeights, GroupTimeResult, Precision, Progress};
use clap::Args;

use super::group_time;
use crate::args::{ColumnArgs, DeviceArgs, GroupTimeArgs, InferenceArgs, OutputArgs};
use crate::backend::{self, Fit};
use crate::error::Result;
use crate::values;

/// Group-time average treatment effects (Callaway and Sant'Anna 2021) of a panel or of repeated cross sections.
///
/// The options have the names of R's `did::att_gt`, and the long words that follow as aliases.
#[derive(Args)]
pub(crate) struct AttGtArgs {
    #[command(flatten)]
    columns: ColumnArgs,
    /// Period whose weight is used where weights change over time.
    #[arg(long, value_name = "WHICH", value_parser = values::fix_weights(), help_heading = "Columns")]
    fix_weights: Option<FixWeights>,
    #[command(flatten)]
    group_time: GroupTimeArgs,
    /// Periods before treatment in which units may already react.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        allow_negative_numbers = true,
        help_heading = "Estimation"
    )]
    anticipation: u32,
    /// Keep units that are missing in some periods.
    #[arg(long, help_heading = "Estimation")]
    allow_unbalanced_panel: bool,
    #[command(flatten)]
    inference: InferenceArgs,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &AttGtArgs) -> Result<()> {
    group_time::check(&args.output)?;
    group_time::report(&backend::fit(args)?, &args.output, args.device.quiet)
}

impl Fit for AttGtArgs {
    type Result = GroupTimeResult;

    fn device(&self) -> &DeviceArgs {
        &self.device
    }

    fn fit<B: DidBackend>(
        &self,
        device: &B::Device,
        precision: Precision,
        progress: Option<Progress>,
    ) -> Result<GroupTimeResult> {
        let (columns, group_time) = (&self.columns, &self.group_time);
        let estimator = AttGt::<B>::builder()
            .outcome(&*columns.yname)
            .maybe_unit(columns.idname.clone())
            .time(&*columns.tname)
            .maybe_frequency(columns.frequency)
            .group(&*group_time.gname)
            .covariates(&*columns.xformla)
            .maybe_weights(columns.weightsname.clone())
            .maybe_fix_weights(self.fix_weights)
            .maybe_cluster(columns.cluster(columns.repeated_cross_sections)?)
            .control_group(group_time.control_group)
            .base_period(group_time.base_period)
            .anticipation(self.anticipation)
            .method(group_time.est_method)
            .repeated_cross_sections(columns.repeated_cross_sections)
            .allow_unbalanced_panel(self.allow_unbalanced_panel)
            .alpha(self.inference.alp)
            .maybe_bootstrap(self.inference.bootstrap())
            .maybe_band(group_time.band.band())
            .maybe_missing_values(columns.na.clone())
            .precision(precision)
            .maybe_memory_budget(self.device.memory_budget)
            .maybe_progress(progress)
            .build();
        Ok(estimator.fit(columns.data.as_path(), device)?)
    }
}
