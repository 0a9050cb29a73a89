//! `burn-did ddd`

use burn_did::backend::DidBackend;
use burn_did::{
    Ddd, GroupTimeResult,
    options::{SharesOf, UnbalancedPanel},
};
use clap::Args;

use super::group_time;
use crate::args::{
    ColumnArgs, CovariateArgs, GroupTimeArgs, GroupTimeOutputArgs, InferenceArgs, WorkArgs,
};
use crate::backend::{self, Fit, On};
use crate::configure::{fit_where_asked, with_group_time};
use crate::defaults;
use crate::error::Result;
use crate::words::OneOf;

/// Triple differences (Ortiz-Villavicencio and Sant'Anna 2025): effects on the eligible units of treated groups, in two periods
/// or under staggered adoption.
///
/// Most options have the names of R's `triplediff::ddd`, and the long words that follow as aliases.
#[derive(Args)]
pub(crate) struct DddArgs {
    #[command(flatten)]
    columns: ColumnArgs,
    #[command(flatten)]
    covariates: CovariateArgs,
    /// Whether the treatment applies to the row's unit: 1 if eligible, else 0.
    #[arg(long, value_name = "COLUMN", visible_alias = "eligible", help_heading = "Columns")]
    pname: String,
    #[command(flatten)]
    group_time: GroupTimeArgs,
    /// Take a panel's covariates, and weights that change over time, from the cell's own period, not from its base period.
    #[arg(long, help_heading = "Estimation")]
    covariates_of_cell: bool,
    /// Keep units that are missing in some periods, as R does; the same as --unbalanced rows: all rows are then compared as pooled cross
    /// sections, mostly with larger standard errors.
    #[arg(long, conflicts_with = "unbalanced", help_heading = "Estimation")]
    allow_unbalanced_panel: bool,
    /// Handling of units that are missing in some periods: drop them, compare the pairs of rows of each cell, or use all rows of
    /// each cell.
    #[arg(
        long,
        value_name = "HOW",
        default_value_t = defaults::ddd().unbalanced,
        value_parser = OneOf::<UnbalancedPanel>::all(),
        help_heading = "Estimation"
    )]
    unbalanced: UnbalancedPanel,
    /// Weight groups in averages by their eligible units, which are the treated ones, or by all units, as in R.
    #[arg(
        long,
        value_name = "UNITS",
        default_value_t = defaults::ddd().shares_of,
        value_parser = OneOf::<SharesOf>::all(),
        help_heading = "Estimation"
    )]
    shares_of: SharesOf,
    #[command(flatten)]
    inference: InferenceArgs,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    output: GroupTimeOutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &DddArgs) -> Result<()> {
    group_time::check(&args.columns.source.data, &args.output)?;
    group_time::report(
        &backend::fit_anywhere(args, &args.work, args.output.output.quiet)?,
        &args.output,
    )
}

impl Fit for DddArgs {
    type Result = GroupTimeResult;

    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<GroupTimeResult> {
        // Cross sections have no units that lack periods.
        let keeps = self.allow_unbalanced_panel && !self.covariates.repeated_cross_sections;
        let rows = keeps.then_some(UnbalancedPanel::Rows);
        let estimator = with_group_time!(Ddd<B>, self, on)
            .eligible(&*self.pname)
            .covariates_of_cell(self.covariates_of_cell)
            .shares_of(self.shares_of)
            .unbalanced(rows.unwrap_or(self.unbalanced))
            .build();
        fit_where_asked!(estimator, self, on)
    }
}
