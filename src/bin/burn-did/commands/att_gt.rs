//! `burn-did att-gt`

use burn_did::backend::DidBackend;
use burn_did::{AttGt, GroupTimeResult, options::FixWeights};
use clap::Args;

use super::group_time;
use crate::args::{
    AnticipationArgs, ColumnArgs, CovariateArgs, GroupTimeArgs, GroupTimeOutputArgs, InferenceArgs,
    WorkArgs,
};
use crate::backend::{self, Fit, On};
use crate::configure::{fit_where_asked, with_group_time};
use crate::error::Result;
use crate::words::OneOf;

/// Group-time average treatment effects (Callaway and Sant'Anna 2021) of a panel or of repeated cross sections.
///
/// Most options have the names of R's `did::att_gt`, and the long words that follow as aliases.
#[derive(Args)]
pub(crate) struct AttGtArgs {
    #[command(flatten)]
    columns: ColumnArgs,
    #[command(flatten)]
    covariates: CovariateArgs,
    /// Period whose weight is used where weights change over time.
    #[arg(
        long,
        value_name = "WHICH",
        value_parser = OneOf::<FixWeights>::all(),
        help_heading = "Columns"
    )]
    fix_weights: Option<FixWeights>,
    #[command(flatten)]
    group_time: GroupTimeArgs,
    #[command(flatten)]
    anticipation: AnticipationArgs,
    /// Keep units that are missing in some periods: all rows are then compared as pooled cross sections, mostly with larger standard errors.
    #[arg(long, help_heading = "Estimation")]
    allow_unbalanced_panel: bool,
    #[command(flatten)]
    inference: InferenceArgs,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    output: GroupTimeOutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &AttGtArgs) -> Result<()> {
    group_time::check(&args.columns.source.data, &args.output)?;
    group_time::report(
        &backend::fit_anywhere(args, &args.work, args.output.output.quiet)?,
        &args.output,
    )
}

impl Fit for AttGtArgs {
    type Result = GroupTimeResult;

    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<GroupTimeResult> {
        let estimator = with_group_time!(AttGt<B>, self, on)
            .maybe_fix_weights(self.fix_weights)
            .anticipation(self.anticipation.anticipation)
            .allow_unbalanced_panel(self.allow_unbalanced_panel)
            .build();
        fit_where_asked!(estimator, self, on)
    }
}
