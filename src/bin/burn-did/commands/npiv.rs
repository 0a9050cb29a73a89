//! `burn-did npiv`

use std::num::NonZeroUsize;

use burn_did::{
    Npiv, NpivResult,
    options::Bootstrap,
    sieve::{SieveBasis, SieveGrid, SieveKnots},
};
use clap::Args;

use crate::args::{DataArgs, LevelArgs, OutcomeColumnArgs, OutputArgs, WeightArgs};
use crate::defaults;
use crate::error::Result;
use crate::words::OneOf;

/// A function of regressors by splines, with instruments or without (Chen, Christensen and Kankanala 2025).
///
/// Most options have the names of R's `npiv::npiv`, and the long words that follow as aliases.
#[derive(Args)]
#[command(mut_arg("data", |arg| arg.help(
    "CSV, parquet or Stata (.dta) file: one row an observation. Also a directory of such files or, if nothing has that name, a pattern as in \"data/*.parquet\""
)))]
#[command(mut_arg("plot", |arg| arg.help("Draw the function and its derivative to this .png, .svg or .pdf file")))]
pub(crate) struct NpivArgs {
    #[command(flatten)]
    source: DataArgs,
    #[command(flatten)]
    outcome: OutcomeColumnArgs,
    /// Regressors, as in x1,x2.
    #[arg(
        long,
        value_name = "COLUMNS",
        visible_alias = "regressors",
        value_delimiter = ',',
        required = true,
        help_heading = "Columns"
    )]
    xname: Vec<String>,
    /// Instruments, as in w1,w2; by default the regressors themselves.
    #[arg(
        long,
        value_name = "COLUMNS",
        visible_alias = "instruments",
        value_delimiter = ',',
        help_heading = "Columns"
    )]
    wname: Vec<String>,
    #[command(flatten)]
    weights: WeightArgs,
    #[command(flatten)]
    estimation: SieveArgs,
    /// Draws that decide the dimension and the bands.
    #[arg(
        long,
        value_name = "N",
        visible_alias = "draws",
        default_value_t = defaults::npiv().bootstrap.draws,
        help_heading = "Inference"
    )]
    biters: usize,
    /// Seed of the draws.
    #[arg(long, value_name = "N", default_value_t = defaults::npiv().bootstrap.seed, help_heading = "Inference")]
    seed: u64,
    #[command(flatten)]
    level: LevelArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// The splines, and what is reported of the function.
#[derive(Args)]
#[command(next_help_heading = "Estimation")]
struct SieveArgs {
    /// All products of the regressors' splines, or their sum.
    #[arg(
        long,
        value_name = "WHICH",
        default_value_t = defaults::npiv().basis,
        value_parser = OneOf::<SieveBasis>::all()
    )]
    basis: SieveBasis,
    /// Knots evenly spaced or at quantiles.
    #[arg(
        long,
        value_name = "WHERE",
        default_value_t = defaults::npiv().knots,
        value_parser = OneOf::<SieveKnots>::all()
    )]
    knots: SieveKnots,
    /// Degree of the regressors' splines.
    #[arg(long, value_name = "N", default_value_t = defaults::npiv().x_degree)]
    j_x_degree: usize,
    /// Segments of each regressor; by default the data choose.
    #[arg(long, value_name = "N")]
    j_x_segments: Option<usize>,
    /// Degree of the instruments' splines.
    #[arg(long, value_name = "N", default_value_t = defaults::npiv().w_degree)]
    k_w_degree: usize,
    /// Segments of each instrument; requires the segments of the regressors.
    #[arg(long, value_name = "N", requires = "j_x_segments")]
    k_w_segments: Option<usize>,
    /// Where the data choose, instruments have 2^N times as many segments as regressors.
    #[arg(long, value_name = "N", default_value_t = defaults::npiv().w_smooth)]
    k_w_smooth: u32,
    /// Where the data choose, compare dimensions as R npiv does: without a minimum of observations per function, and with
    /// residuals that shrink as the dimension grows.
    #[arg(long)]
    no_damping: bool,
    /// Points of one regressor at which the function is evaluated: as in 0.1,0.2,0.5, or evenly spaced as in grid:50; by default
    /// the observations.
    #[arg(long, value_name = "POINTS", allow_hyphen_values = true)]
    x_eval: Option<SieveGrid>,
    /// Regressor of the derivative, counted from 1.
    #[arg(
        long,
        value_name = "N",
        default_value_t = NonZeroUsize::MIN.saturating_add(defaults::npiv().derivative_index)
    )]
    deriv_index: NonZeroUsize,
    /// Order of the derivative.
    #[arg(long, value_name = "N", default_value_t = defaults::npiv().derivative_order)]
    deriv_order: usize,
}

/// Runs the command.
pub(crate) fn run(args: &NpivArgs) -> Result<()> {
    args.output.check(&args.source.data)?;
    args.output.emit(&args.fit()?)
}

impl NpivArgs {
    fn fit(&self) -> Result<NpivResult> {
        let estimation = &self.estimation;
        let config = Npiv::builder()
            .outcome(&*self.outcome.yname)
            .regressors(self.xname.clone())
            .instruments(self.wname.clone())
            .maybe_weights(self.weights.weightsname.clone())
            .basis(estimation.basis)
            .knots(estimation.knots)
            .x_degree(estimation.j_x_degree)
            .maybe_x_segments(estimation.j_x_segments)
            .w_degree(estimation.k_w_degree)
            .maybe_w_segments(estimation.k_w_segments)
            .w_smooth(estimation.k_w_smooth)
            .damping(!estimation.no_damping)
            .maybe_grid(estimation.x_eval.clone())
            .derivative_index(estimation.deriv_index.get() - 1)
            .derivative_order(estimation.deriv_order)
            .bootstrap(Bootstrap::draws(self.biters).seed(self.seed))
            .alpha(self.level.alp)
            .maybe_missing_values(self.source.na.clone())
            .build();
        Ok(config.fit(self.source.files())?)
    }
}
