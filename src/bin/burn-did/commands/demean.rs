//! `burn-did demean`

use std::path::PathBuf;

use burn_did::backend::DidBackend;
use burn_did::{Demean, DemeanResult, regression::Solver};
use clap::Args;

use super::feols::one_device;
use crate::args::DeviceArgs;
use crate::backend::{self, Fit, On};
use crate::defaults;
use crate::error::{CliError, Result};
use crate::output;
use crate::parse;
use crate::words::solvers;

/// Columns without their fixed effects, written to a parquet file; null for rows with a missing value or a weight of 0.
///
/// A report on the solver goes to standard output, as JSON.
#[derive(Args)]
pub(crate) struct DemeanArgs {
    /// CSV or parquet file. Also a directory of such files or, if nothing has that name, a pattern as in "data/*.parquet".
    data: PathBuf,
    /// Columns of numbers, as in a,b.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', required = true)]
    columns: Vec<String>,
    /// Fixed effects, as in worker,firm^year.
    #[arg(long, value_name = "FACTORS", value_delimiter = ',', required = true)]
    absorb: Vec<String>,
    /// Parquet file to write: one row for each row of the data.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Weights.
    #[arg(long, value_name = "COLUMN", visible_alias = "weights")]
    weightsname: Option<String>,
    /// Words and numbers that stand for a missing value in every column, as in NA,-99, besides the empty field.
    #[arg(
        long,
        value_name = "WORDS",
        visible_alias = "missing-values",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    na: Option<Vec<String>>,
    /// Solver that projects out the fixed effects.
    #[arg(
        long,
        value_name = "SOLVER",
        default_value_t = defaults::demean().solver,
        value_parser = solvers()
    )]
    solver: Solver,
    /// Relative tolerance of the solver.
    #[arg(long, value_name = "TOLERANCE", default_value_t = defaults::demean().fixef_tol, value_parser = parse::fraction)]
    fixef_tol: f64,
    /// Maximum number of iterations of the solver.
    #[arg(long, value_name = "N", default_value_t = defaults::demean().fixef_maxiter)]
    fixef_maxiter: usize,
    #[command(flatten)]
    device: DeviceArgs,
}

/// Runs the command.
pub(crate) fn run(args: &DemeanArgs) -> Result<()> {
    let is_text = |end: &std::ffi::OsStr| {
        ["csv", "tsv", "txt"].iter().any(|text| end.eq_ignore_ascii_case(text))
    };
    if args.out.extension().is_some_and(is_text) {
        return Err(CliError::usage(
            "--out is a parquet file, and its name says otherwise",
            "name it as in demeaned.parquet",
        ));
    }
    output::keep_apart(&args.data, [Some(&args.out)])?;
    let done = backend::fit(args)?;
    done.write_parquet(&args.out)?;
    output::results(&done.to_json()?)
}

/// A name without the backticks that a formula would need.
fn unquoted(name: &str) -> &str {
    let inner = name.strip_prefix('`').and_then(|name| name.strip_suffix('`'));
    inner.filter(|name| !name.is_empty()).unwrap_or(name)
}

impl Fit for DemeanArgs {
    type Result = DemeanResult;

    fn device(&self) -> &DeviceArgs {
        &self.device
    }

    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<DemeanResult> {
        let config = Demean::<B>::builder()
            .columns(self.columns.iter().map(|name| unquoted(name)))
            .absorb(self.absorb.iter().map(String::as_str))
            .maybe_weights(self.weightsname.clone())
            .maybe_missing_values(self.na.clone())
            .solver(self.solver)
            .fixef_tol(self.fixef_tol)
            .fixef_maxiter(self.fixef_maxiter)
            .precision(on.precision)
            .build();
        Ok(config.apply(self.data.as_path(), one_device(&self.device, &on)?)?)
    }
}
