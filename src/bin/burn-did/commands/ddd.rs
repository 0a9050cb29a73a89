//! `burn-did ddd`

use burn_did::backend::DidBackend;
use burn_did::{Ddd, GroupTimeResult, Precision, Progress, UnbalancedPanel};
use clap::Args;

use super::group_time;
use crate::args::{ColumnArgs, DeviceArgs, GroupTimeArgs, InferenceArgs, OutputArgs};
use crate::backend::{self, Fit};
use crate::error::Result;
use crate::values;

/// Triple differences (Ortiz-Villavicencio and Sant'Anna 2025): effects on the eligible units of treated groups, in two periods
/// or under staggered adoption.
///
/// The options have the names of R's `triplediff::ddd`, and the long words that follow as aliases.
#[derive(Args)]
pub(crate) struct DddArgs {
    #[command(flatten)]
    columns: ColumnArgs,
    /// Whether the treatment applies to the row's unit: 1 if eligible, else 0.
    #[arg(long, value_name = "COLUMN", visible_alias = "eligible", help_heading = "Columns")]
    pname: String,
    #[command(flatten)]
    group_time: GroupTimeArgs,
    /// Take a panel's covariates from the cell's own period, not from its base period.
    #[arg(long, help_heading = "Estimation")]
    covariates_of_cell: bool,
    /// Keep units that are missing in some periods; the same as --unbalanced pairs.
    #[arg(long, conflicts_with = "unbalanced", help_heading = "Estimation")]
    allow_unbalanced_panel: bool,
    /// Units that are missing in some periods: drop them, compare the pairs of rows that a cell has, or all its rows.
    #[arg(
        long,
        value_name = "HOW",
        default_value = "drop",
        value_parser = values::unbalanced(),
        help_heading = "Estimation"
    )]
    unbalanced: UnbalancedPanel,
    #[command(flatten)]
    inference: InferenceArgs,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &DddArgs) -> Result<()> {
    group_time::check(&args.output)?;
    group_time::report(&backend::fit(args)?, &args.output, args.device.quiet)
}

impl Fit for DddArgs {
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
        let unbalanced =
            if self.allow_unbalanced_panel { UnbalancedPanel::Pairs } else { self.unbalanced };
        let estimator = Ddd::<B>::builder()
            .outcome(&*columns.yname)
            .maybe_unit(columns.idname.clone())
            .time(&*columns.tname)
            .maybe_frequency(columns.frequency)
            .group(&*group_time.gname)
            .eligible(&*self.pname)
            .covariates(&*columns.xformla)
            .covariates_of_cell(self.covariates_of_cell)
            .maybe_weights(columns.weightsname.clone())
            .maybe_cluster(columns.cluster(columns.repeated_cross_sections)?)
            .control_group(group_time.control_group)
            .base_period(group_time.base_period)
            .method(group_time.est_method)
            .repeated_cross_sections(columns.repeated_cross_sections)
            .unbalanced(unbalanced)
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
