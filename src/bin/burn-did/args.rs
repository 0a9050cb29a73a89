//! Options that several commands share.

use std::path::PathBuf;

use burn_did::options::{
    Band, BasePeriod, Bootstrap, ControlGroup, EstimationMethod, Frequency, Multiplier, Precision,
};
use clap::{Args, ValueEnum};

use crate::defaults;
use crate::error::{CliError, Result};
use crate::formed::AggregateSpec;
use crate::parse;
use crate::words::OneOf;

/// Data and the columns that every estimator has.
#[derive(Args)]
pub(crate) struct ColumnArgs {
    /// CSV or parquet file in long form: one row per unit and period. Also a directory of such files or, if nothing has that name,
    /// a pattern as in "data/*.parquet".
    pub data: PathBuf,

    /// Outcome.
    #[arg(long, value_name = "COLUMN", visible_alias = "outcome", help_heading = "Columns")]
    pub yname: String,
    /// Period: a number, or a date with --frequency.
    #[arg(long, value_name = "COLUMN", visible_alias = "time", help_heading = "Columns")]
    pub tname: String,
    /// Length of a period, if the columns of periods and groups have dates.
    #[arg(
        long,
        value_name = "PERIOD",
        value_parser = OneOf::<Frequency>::all(),
        help_heading = "Columns"
    )]
    pub frequency: Option<Frequency>,
    /// Unit; needed for panels.
    #[arg(long, value_name = "COLUMN", visible_alias = "unit", help_heading = "Columns")]
    pub idname: Option<String>,
    /// Covariates, as in "~ x1 + log(x2) + C(region)".
    #[arg(
        long,
        value_name = "FORMULA",
        visible_alias = "covariates",
        default_value_t = defaults::att_gt().covariates,
        allow_hyphen_values = true,
        help_heading = "Columns"
    )]
    pub xformla: String,
    /// Sampling weights.
    #[arg(long, value_name = "COLUMN", visible_alias = "weights", help_heading = "Columns")]
    pub weightsname: Option<String>,
    /// Cluster of the standard errors, beyond the unit.
    #[arg(
        long,
        value_name = "COLUMN",
        visible_alias = "clusters",
        value_delimiter = ',',
        help_heading = "Columns"
    )]
    clustervars: Vec<String>,
    /// Words and numbers that stand for a missing value in every column, as in NA,-99, besides the empty field; without this,
    /// NA in text, and among numbers also N/A, NaN, null, None, ., #N/A and .a to .z.
    #[arg(
        long,
        value_name = "WORDS",
        visible_alias = "missing-values",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Columns"
    )]
    pub na: Option<Vec<String>>,
    /// Treat every row as a unit of its own.
    #[arg(long, help_heading = "Estimation")]
    pub repeated_cross_sections: bool,
}

impl ColumnArgs {
    /// The cluster beyond the unit. Only where every row is its own unit can it be the unit column.
    pub(crate) fn cluster(&self, rows_are_units: bool) -> Result<Option<String>> {
        let mut given: Vec<&String> = self.clustervars.iter().collect();
        given.dedup();
        if given.len() > 1 || !rows_are_units {
            given.retain(|c| Some(*c) != self.idname.as_ref());
        }
        match given[..] {
            [] => Ok(None),
            [cluster] => Ok(Some(cluster.clone())),
            _ => Err(CliError::usage(
                "at most one cluster variable beyond the unit",
                "each unit must stay in one cluster, so that one variable is enough",
            )),
        }
    }
}

/// Options of group-time effects.
#[derive(Args)]
pub(crate) struct GroupTimeArgs {
    /// Period of first treatment; 0, inf or empty for never treated.
    #[arg(long, value_name = "COLUMN", visible_alias = "group", help_heading = "Columns")]
    pub gname: String,
    /// Comparison units.
    #[arg(
        long,
        value_name = "WHICH",
        default_value_t = defaults::att_gt().control_group,
        value_parser = OneOf::<ControlGroup>::all(),
        help_heading = "Estimation"
    )]
    pub control_group: ControlGroup,
    /// Doubly robust, inverse probability weighting or outcome regression.
    #[arg(
        long,
        value_name = "METHOD",
        visible_alias = "method",
        default_value_t = defaults::att_gt().method,
        value_parser = OneOf::<EstimationMethod>::all(),
        help_heading = "Estimation"
    )]
    pub est_method: EstimationMethod,
    /// Base period with which outcomes are compared.
    #[arg(
        long,
        value_name = "WHICH",
        default_value_t = defaults::att_gt().base_period,
        value_parser = OneOf::<BasePeriod>::all(),
        help_heading = "Estimation"
    )]
    pub base_period: BasePeriod,
    #[command(flatten)]
    pub band: BandArgs,
}

/// Bootstrap and level.
#[derive(Args)]
pub(crate) struct InferenceArgs {
    /// Bootstrap instead of analytic standard errors. Group-time effects then have uniform bands instead of pointwise intervals.
    #[arg(long, visible_alias = "bootstrap", help_heading = "Inference")]
    pub boot: bool,
    /// Draws of the bootstrap.
    #[arg(
        long,
        value_name = "N",
        visible_alias = "draws",
        default_value_t = defaults::bootstrap().draws,
        help_heading = "Inference"
    )]
    biters: usize,
    /// Seed of the bootstrap.
    #[arg(
        long,
        value_name = "N",
        default_value_t = defaults::bootstrap().seed,
        help_heading = "Inference"
    )]
    seed: u64,
    /// Distribution of the bootstrap multipliers.
    #[arg(
        long,
        value_name = "LAW",
        default_value_t = defaults::bootstrap().multiplier,
        value_parser = OneOf::<Multiplier>::all(),
        help_heading = "Inference"
    )]
    multiplier: Multiplier,
    /// One minus the confidence level.
    #[arg(
        long,
        value_name = "ALPHA",
        visible_alias = "alpha",
        default_value_t = defaults::att_gt().alpha,
        value_parser = parse::alpha,
        help_heading = "Inference"
    )]
    pub alp: f64,
    /// Write influence values by unit to parquet files in this directory, which must be empty; it is made if it is not there. On a
    /// cluster, executors write them, and it may be a prefix in an object store.
    #[arg(long, value_name = "DIRECTORY", help_heading = "Inference")]
    pub influence: Option<PathBuf>,
}

impl InferenceArgs {
    /// The bootstrap, if one is asked for.
    pub(crate) fn bootstrap(&self) -> Option<Bootstrap> {
        let bootstrap = Bootstrap::draws(self.biters).seed(self.seed).multiplier(self.multiplier);
        self.boot.then_some(bootstrap)
    }
}

/// Backend that does the arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// The processor.
    Cpu,
    /// A GPU by Vulkan, Metal or DirectX; single precision.
    Wgpu,
    /// A GPU with a Vulkan driver that has doubles.
    Vulkan,
    /// An NVIDIA GPU.
    Cuda,
}

/// Where and how the arithmetic is done.
#[derive(Args)]
pub(crate) struct DeviceArgs {
    /// Backend that does the arithmetic.
    #[arg(long, value_name = "WHICH", default_value = "cpu", help_heading = "Device")]
    pub backend: Backend,
    /// GPUs to use, counted from 0, as in 0,1. By default the first, or the one that the system prefers.
    #[arg(
        long,
        value_name = "N",
        visible_alias = "device",
        value_delimiter = ',',
        help_heading = "Device"
    )]
    pub devices: Vec<usize>,
    /// Floating-point type on the device: f64, or f32 on wgpu.
    #[arg(long, value_name = "TYPE", value_parser = OneOf::<Precision>::all(), help_heading = "Device")]
    pub precision: Option<Precision>,
    /// Limit on the unit data held at once in memory (from parquet files) or on the device, as in 2GiB; the rest is streamed.
    #[arg(long, value_name = "BYTES", value_parser = parse::bytes, help_heading = "Device")]
    pub memory_budget: Option<u64>,
    /// No progress and no warnings on standard error.
    #[arg(long, short)]
    pub quiet: bool,
}

/// What becomes of group-time effects.
#[derive(Args)]
pub(crate) struct OutputArgs {
    #[arg(
        long = "aggregate",
        value_name = AGGREGATE,
        help = AGGREGATE_HELP,
        help_heading = "Output"
    )]
    pub aggregates: Vec<AggregateSpec>,
    /// Format of the results.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, help_heading = "Output")]
    pub format: Format,
    /// Draw the event study to this .png or .svg file; without an event study, the only other aggregate, or the group-time
    /// effects.
    #[arg(long, value_name = "FILE", value_parser = parse::picture(), help_heading = "Output")]
    pub plot: Option<PathBuf>,
    /// Save the result as JSON, for `burn-did aggregate` and `burn-did plot`.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Add the covariances of the group-time effects and of the aggregates to the JSON; a saved result always has them.
    #[arg(long)]
    pub vcov: bool,
}

/// Format of the results.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Plain-text tables.
    #[default]
    Table,
    /// One document with everything; null where a number does not exist.
    Json,
    /// One row per estimate; empty where a number does not exist.
    Csv,
    /// Markdown tables.
    Markdown,
    /// LaTeX tables, for the package booktabs.
    Latex,
}

/// Which intervals are reported.
#[derive(Args)]
pub(crate) struct BandArgs {
    /// Uniform bands: sup-t from the bootstrap, or analytically from the covariance without one.
    #[arg(long, help_heading = "Inference", conflicts_with = "no_cband")]
    cband: bool,
    /// Pointwise intervals.
    #[arg(long, help_heading = "Inference")]
    no_cband: bool,
}

impl BandArgs {
    /// The band asked for, if one was.
    pub(crate) fn band(&self) -> Option<Band> {
        match (self.cband, self.no_cband) {
            (true, _) => Some(Band::Uniform),
            (_, true) => Some(Band::Pointwise),
            _ => None,
        }
    }
}

/// Form of an aggregation on the command line.
pub(crate) const AGGREGATE: &str = "TYPE[:KEY=VALUE,...]";

/// What that means.
pub(crate) const AGGREGATE_HELP: &str = "Average the group-time effects; repeatable. TYPE is simple, dynamic (the event \
    study; also event), group or calendar; KEY is min_e, max_e, balance_e or na_rm, as in \
    dynamic:min_e=-3,max_e=5,balance_e=1. na_rm=true averages the cells that have an estimate, which is another \
    average where some have none; the result says what is left out";
