//! `burn-did att-gt`

use std::path::PathBuf;

use burn_did::backend::DidBackend;
use burn_did::{
    AttGt, AttGtResult, BasePeriod, Bootstrap, ControlGroup, DidWarning, EstimationMethod,
    FixWeights, Multiplier, PlotOptions, Precision, Progress,
};
use clap::Args;

use super::{Formed, draw, drawable, formed, report_failures};
use crate::args::{AGGREGATE, AGGREGATE_HELP, BandArgs, Format};
use crate::backend::{self, Backend};
use crate::error::{CliError, Result};
use crate::values::{self, AggregateSpec};
use crate::{csv, json, output};

/// Group-time average treatment effects (Callaway and Sant'Anna 2021) of a panel or of repeated cross sections.
///
/// The options have the names of R's `did::att_gt`, and the long words that follow as aliases.
#[derive(Args)]
pub(crate) struct AttGtArgs {
    /// CSV or parquet file in long form: one row a unit and period.
    pub data: PathBuf,

    /// Outcome.
    #[arg(long, value_name = "COLUMN", visible_alias = "outcome", help_heading = "Columns")]
    yname: String,
    /// Period, a number.
    #[arg(long, value_name = "COLUMN", visible_alias = "time", help_heading = "Columns")]
    tname: String,
    /// Period of first treatment; 0, inf or empty for never treated.
    #[arg(long, value_name = "COLUMN", visible_alias = "group", help_heading = "Columns")]
    gname: String,
    /// Unit; needed for panels.
    #[arg(long, value_name = "COLUMN", visible_alias = "unit", help_heading = "Columns")]
    idname: Option<String>,
    /// Covariates, as in "~ x1 + log(x2) + C(region)".
    #[arg(
        long,
        value_name = "FORMULA",
        visible_alias = "covariates",
        default_value = "~ 1",
        allow_hyphen_values = true,
        help_heading = "Columns"
    )]
    xformla: String,
    /// Sampling weights.
    #[arg(long, value_name = "COLUMN", visible_alias = "weights", help_heading = "Columns")]
    weightsname: Option<String>,
    /// Period whose weight is used where weights change over time.
    #[arg(long, value_name = "WHICH", value_parser = values::fix_weights(), help_heading = "Columns")]
    fix_weights: Option<FixWeights>,
    /// Cluster of the standard errors, beyond the unit.
    #[arg(
        long,
        value_name = "COLUMN",
        visible_alias = "cluster",
        value_delimiter = ',',
        help_heading = "Columns"
    )]
    clustervars: Vec<String>,

    /// Comparison units.
    #[arg(
        long,
        value_name = "WHICH",
        default_value = "nevertreated",
        value_parser = values::control_group(),
        help_heading = "Estimation"
    )]
    control_group: ControlGroup,
    /// Doubly robust, inverse probability weighting or outcome regression.
    #[arg(
        long,
        value_name = "METHOD",
        visible_alias = "method",
        default_value = "dr",
        value_parser = values::method(),
        help_heading = "Estimation"
    )]
    est_method: EstimationMethod,
    /// Period that outcomes are compared with.
    #[arg(
        long,
        value_name = "WHICH",
        default_value = "varying",
        value_parser = values::base_period(),
        help_heading = "Estimation"
    )]
    base_period: BasePeriod,
    /// Periods before treatment in which units may already react.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        allow_negative_numbers = true,
        help_heading = "Estimation"
    )]
    anticipation: u32,
    /// Treat every row as a unit of its own.
    #[arg(long, help_heading = "Estimation")]
    repeated_cross_sections: bool,
    /// Keep units that are missing in some periods.
    #[arg(long, help_heading = "Estimation")]
    allow_unbalanced_panel: bool,

    /// Multiplier bootstrap with uniform bands, instead of analytic standard errors with pointwise intervals.
    #[arg(long, visible_alias = "bootstrap", help_heading = "Inference")]
    boot: bool,
    /// Draws of the bootstrap.
    #[arg(
        long,
        value_name = "N",
        visible_alias = "draws",
        default_value_t = 1000,
        help_heading = "Inference"
    )]
    biters: usize,
    /// Seed of the bootstrap.
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Inference")]
    seed: u64,
    /// Law of the bootstrap's multipliers.
    #[arg(
        long,
        value_name = "LAW",
        default_value = "mammen",
        value_parser = values::multiplier(),
        help_heading = "Inference"
    )]
    multiplier: Multiplier,
    /// One minus the confidence level.
    #[arg(
        long,
        value_name = "ALPHA",
        visible_alias = "alpha",
        default_value_t = 0.05,
        value_parser = values::alpha,
        help_heading = "Inference"
    )]
    alp: f64,
    #[command(flatten)]
    band: BandArgs,

    /// Where the arithmetic is done.
    #[arg(long, value_name = "WHICH", default_value = "cpu", help_heading = "Device")]
    pub backend: Backend,
    /// Which GPU, counted from 0.
    #[arg(long, value_name = "N", help_heading = "Device")]
    pub device: Option<usize>,
    /// Floating-point type on the device: f64, or f32 on wgpu.
    #[arg(long, value_name = "TYPE", value_parser = values::precision(), help_heading = "Device")]
    pub precision: Option<Precision>,
    /// Most unit data to hold in memory (of parquet files) or on the device at once, as in 2GiB; the rest is streamed.
    #[arg(long, value_name = "BYTES", value_parser = values::bytes, help_heading = "Device")]
    memory_budget: Option<u64>,

    #[arg(
        long = "aggregate",
        value_name = AGGREGATE,
        help = AGGREGATE_HELP,
        help_heading = "Output"
    )]
    aggregates: Vec<AggregateSpec>,
    /// Format of the results.
    #[arg(long, value_name = "FORMAT", default_value = "table", help_heading = "Output")]
    format: Format,
    /// Draw the event study to this .png or .svg file; without one, the only other aggregate, or the group-time effects.
    #[arg(long, value_name = "FILE", value_parser = values::picture(), help_heading = "Output")]
    plot: Option<PathBuf>,
    /// Save the result as JSON, for `burn-did aggregate` and `burn-did plot`.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Add the covariance of the group-time effects to the JSON.
    #[arg(long)]
    vcov: bool,
    /// No progress and no warnings on standard error.
    #[arg(long, short)]
    pub quiet: bool,
}

/// Runs the command.
pub(crate) fn run(args: &AttGtArgs) -> Result<()> {
    if args.vcov && args.format != Format::Json {
        return Err(CliError::usage("--vcov is part of the JSON only", "add --format json"));
    }
    let fit = backend::fit(args)?;
    let aggregate = |spec: &AggregateSpec| Formed {
        spec: spec.clone(),
        result: fit.aggregate(spec.aggregation),
    };
    let aggregates: Vec<Formed> = args.aggregates.iter().map(aggregate).collect();
    output::results(&args.text(&fit, &aggregates)?)?;
    if !args.quiet {
        args.warn(&fit, &aggregates);
    }
    if let Some(file) = &args.save {
        fit.save(file)?;
    }
    if let Some(file) = &args.plot {
        draw(&fit, drawable(&aggregates), file, &PlotOptions::default())?;
    }
    Ok(())
}

impl AttGtArgs {
    /// The estimator on backend `B`.
    pub(crate) fn spec<B: DidBackend>(
        &self,
        precision: Precision,
        progress: Option<Progress>,
    ) -> Result<AttGt<B>> {
        let bootstrap = Bootstrap::draws(self.biters).seed(self.seed).multiplier(self.multiplier);
        Ok(AttGt::<B>::builder()
            .outcome(&*self.yname)
            .maybe_unit(self.idname.clone())
            .time(&*self.tname)
            .group(&*self.gname)
            .covariates(&*self.xformla)
            .maybe_weights(self.weightsname.clone())
            .maybe_fix_weights(self.fix_weights)
            .maybe_cluster(self.cluster()?)
            .control_group(self.control_group)
            .base_period(self.base_period)
            .anticipation(self.anticipation)
            .method(self.est_method)
            .repeated_cross_sections(self.repeated_cross_sections)
            .allow_unbalanced_panel(self.allow_unbalanced_panel)
            .alpha(self.alp)
            .maybe_bootstrap(self.boot.then_some(bootstrap))
            .maybe_band(self.band.band())
            .precision(precision)
            .maybe_memory_budget(self.memory_budget)
            .maybe_progress(progress)
            .build())
    }

    /// The cluster beyond the unit. Only where every row is its own unit can it be the unit column.
    fn cluster(&self) -> Result<Option<String>> {
        let mut given: Vec<&String> = self.clustervars.iter().collect();
        given.dedup();
        if given.len() > 1 || !self.repeated_cross_sections {
            given.retain(|c| Some(*c) != self.idname.as_ref());
        }
        match given[..] {
            [] => Ok(None),
            [cluster] => Ok(Some(cluster.clone())),
            _ => Err(CliError::usage(
                "at most one cluster variable beyond the unit",
                "clusters must nest the units, so that one variable is enough",
            )),
        }
    }

    fn text(&self, fit: &AttGtResult, aggregates: &[Formed]) -> Result<String> {
        let formed = formed(aggregates);
        Ok(match self.format {
            Format::Json => json::text(&json::Fit::new(fit, aggregates, self.vcov))?,
            Format::Csv => csv::table(&fit.cells, formed),
            Format::Table => {
                output::blocks([fit.to_string()].into_iter().chain(formed.map(ToString::to_string)))
            }
            Format::Markdown => output::blocks(
                [fit.to_markdown()].into_iter().chain(formed.map(|a| a.to_markdown())),
            ),
            Format::Latex => {
                output::blocks([fit.to_latex()].into_iter().chain(formed.map(|a| a.to_latex())))
            }
        })
    }

    /// What the chosen format does not say.
    fn warn(&self, fit: &AttGtResult, aggregates: &[Formed]) {
        let format = self.format;
        if format == Format::Json {
            return;
        }
        if format == Format::Csv {
            let of_aggregates = formed(aggregates).flat_map(|a| &a.warnings);
            let shown: Vec<&DidWarning> = fit.warnings.iter().chain(of_aggregates).collect();
            shown.into_iter().for_each(output::warning);
        }
        report_failures(aggregates);
    }
}
