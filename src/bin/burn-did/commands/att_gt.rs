//! `burn-did att-gt`

use burn_did::backend::DidBackend;
use burn_did::{AttGt, GroupTimeResult, options::FixWeights};
use clap::Args;

use super::group_time;
use crate::args::{ColumnArgs, DeviceArgs, GroupTimeArgs, InferenceArgs, OutputArgs};
use crate::backend::{self, Fit, On};
use crate::configure::{fit_where_asked, with_group_time};
use crate::defaults;
use crate::error::Result;
use crate::parse;
use crate::words::OneOf;

/// Group-time average treatment effects (Callaway and Sant'Anna 2021) of a panel or of repeated cross sections.
///
/// The options have the names of R's `did::att_gt`, and the long words that follow as aliases.
#[derive(Args)]
pub(crate) struct AttGtArgs {
    #[command(flatten)]
    columns: ColumnArgs,
    /// Period whose weight is used where weights change over time.
    #[arg(long, value_name = "WHICH", value_parser = OneOf::<FixWeights>::all(), help_heading = "Columns")]
    fix_weights: Option<FixWeights>,
    #[command(flatten)]
    group_time: GroupTimeArgs,
    /// Periods before treatment in which units may already react.
    #[arg(
        long,
        value_name = "N",
        default_value_t = defaults::att_gt().anticipation,
        value_parser = parse::periods,
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
    #[cfg(feature = "ballista")]
    #[command(flatten)]
    cluster: crate::cluster::OnCluster,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &AttGtArgs) -> Result<()> {
    group_time::check(&args.columns.data, &args.output)?;
    group_time::report(&backend::fit(args)?, &args.output, args.device.quiet)
}

impl Fit for AttGtArgs {
    type Result = GroupTimeResult;

    fn device(&self) -> &DeviceArgs {
        &self.device
    }

    #[cfg(feature = "ballista")]
    fn cluster(&self) -> Option<&crate::cluster::OnCluster> {
        Some(&self.cluster)
    }

    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<GroupTimeResult> {
        let estimator = with_group_time!(AttGt<B>, self, on)
            .maybe_fix_weights(self.fix_weights)
            .anticipation(self.anticipation)
            .allow_unbalanced_panel(self.allow_unbalanced_panel)
            .build();
        fit_where_asked!(estimator, self, on)
    }
}
