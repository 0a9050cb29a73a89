//! `burn-did plot`

use std::path::PathBuf;

use burn_did::SavedResult;
use burn_did::group_time::AggregationKind;
use burn_did::report::Reportable;
use clap::Args;

use super::saved::{event_study, result_or_study};
use crate::args::{AGGREGATE, PictureArgs};
use crate::error::{CliError, Result};
use crate::formed::AggregateSpec;
use crate::output;
use crate::parse;

/// A plot of a saved result: an aggregate or the group-time effects, effects of switching treatments, curves of a continuous
/// treatment, the coefficients of a regression's first `i()`, robust intervals, or violations of parallel trends.
#[derive(Args)]
pub(crate) struct PlotArgs {
    /// Result saved with `--save` by `burn-did att-gt`, `aggregate`, `ddd`, `drdid`, `cont-did`, `did-multiplegt`, `etwfe`,
    /// `imputation`, `two-stage`, `sunab`, `feols`, `lpdid`, `stacked`, `study`, `honest`, `pretrends`, `overlap`, `weighting`, `npiv`,
    /// `bacon`, `twfe-weights`, `describe`, `panelview`, `means` or `balance`.
    result: PathBuf,
    /// Picture to write: .png, .svg or .pdf.
    #[arg(long = "out", id = "plot", value_name = "FILE", value_parser = parse::picture())]
    out: PathBuf,
    /// Aggregate to draw: dynamic (the event study), group or calendar, with options as in
    /// dynamic:min_e=-3,max_e=5,balance_e=1,na_rm=true.
    #[arg(long, value_name = AGGREGATE)]
    aggregate: Option<AggregateSpec>,
    #[command(flatten)]
    picture: PictureArgs,
}

/// Runs the command.
pub(crate) fn run(args: &PlotArgs) -> Result<()> {
    if args.aggregate.as_ref().is_some_and(|a| a.aggregation.kind == AggregationKind::Simple) {
        return Err(CliError::usage(
            "a simple aggregate is one number",
            "choose dynamic, group or calendar",
        ));
    }
    let spec = args.aggregate.as_ref();
    args.picture.options()?;
    output::keep_apart(&args.result, &[Some(&args.out)])?;
    let saved = result_or_study(&args.result)?;
    let draw = |result: &dyn Reportable| args.picture.draw(result, &args.out, false);
    match (&saved, spec) {
        (SavedResult::GroupTime(fit), Some(spec)) => draw(&fit.aggregate(spec.aggregation)?)?,
        (_, Some(_)) => {
            return Err(CliError::usage(
                "--aggregate averages group-time effects, and the file has something else",
                "leave it out",
            ));
        }
        (SavedResult::Regression(fit), None) => {
            let _ =
                event_study(fit, "the regression has no i(), whose coefficients would be drawn")?;
            draw(&**fit)?;
        }
        (_, None) => draw(saved.report())?,
    }
    Ok(())
}
