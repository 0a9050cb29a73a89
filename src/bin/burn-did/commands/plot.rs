//! `burn-did plot`

use std::path::PathBuf;

use burn_did::{AggregationKind, GroupTimeResult, PlotOptions};
use clap::Args;

use super::draw;
use crate::args::AGGREGATE;
use crate::error::{CliError, Result};
use crate::values::{self, AggregateSpec};

/// A plot of a saved result: of an aggregate, or of the group-time effects.
#[derive(Args)]
pub(crate) struct PlotArgs {
    /// What `burn-did att-gt --save` wrote.
    result: PathBuf,
    /// Picture to write: .png or .svg.
    #[arg(long, value_name = "FILE", value_parser = values::picture())]
    out: PathBuf,
    /// Aggregate to draw: dynamic (the event study), group or calendar, with options as in
    /// dynamic:min_e=-3,max_e=5,balance_e=1,na_rm=true.
    #[arg(long, value_name = AGGREGATE)]
    aggregate: Option<AggregateSpec>,
    /// Title; "" for none.
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Label of the horizontal axis; "" for none.
    #[arg(long, value_name = "TEXT")]
    x_label: Option<String>,
    /// Label of the vertical axis; "" for none.
    #[arg(long, value_name = "TEXT")]
    y_label: Option<String>,
    /// Width in pixels.
    #[arg(long, value_name = "PIXELS", requires = "height")]
    width: Option<u32>,
    /// Height in pixels.
    #[arg(long, value_name = "PIXELS", requires = "width")]
    height: Option<u32>,
}

/// Runs the command.
pub(crate) fn run(args: &PlotArgs) -> Result<()> {
    if args.aggregate.as_ref().is_some_and(|a| a.aggregation.kind == AggregationKind::Simple) {
        return Err(CliError::usage(
            "a simple aggregate is one number",
            "choose dynamic, group or calendar",
        ));
    }
    let fit = GroupTimeResult::load(&args.result)?;
    let spec = args.aggregate.as_ref();
    let aggregate = spec.map(|spec| fit.aggregate(spec.aggregation)).transpose()?;
    let options = PlotOptions {
        title: args.title.clone(),
        x_label: args.x_label.clone(),
        y_label: args.y_label.clone(),
        size: args.width.zip(args.height),
        ..PlotOptions::default()
    };
    draw(&fit, aggregate.as_ref(), &args.out, &options)
}
