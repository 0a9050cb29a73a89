//! `burn-did demean`

use std::path::PathBuf;

use burn_did::backend::DidBackend;
use burn_did::{Demean, DemeanResult};
use clap::Args;

use super::one_device;
use crate::args::{DataArgs, DeviceArgs, ProgressArgs, ProjectionArgs};
use crate::backend::{self, Fit, On};
use crate::error::{CliError, Result};
use crate::output;

/// Columns without their fixed effects, written to a parquet file; null for rows with a missing value or a weight of 0.
///
/// A report on the solver goes to standard output, as JSON.
#[derive(Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct DemeanArgs {
    #[command(flatten)]
    source: DataArgs,
    /// Columns of numbers, as in a,b.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', required = true)]
    columns: Vec<String>,
    /// Fixed effects, as in worker,firm^year.
    #[arg(long, value_name = "FACTORS", value_delimiter = ',', required = true)]
    absorb: Vec<String>,
    /// Parquet file to write: one row for each row of the data.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    out: PathBuf,
    /// Weights.
    #[arg(long, value_name = "COLUMN", visible_alias = "weights")]
    weightsname: Option<String>,
    #[command(flatten)]
    projection: ProjectionArgs,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    progress: ProgressArgs,
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
    output::keep_apart(&args.source.data, &[Some(&args.out)])?;
    let done = backend::fit(args, &args.device, args.progress.quiet)?;
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

    fn fit<B: DidBackend>(&self, on: On<'_, B>) -> Result<DemeanResult> {
        let config = Demean::<B>::builder()
            .columns(self.columns.iter().map(|name| unquoted(name)))
            .absorb(self.absorb.iter().map(String::as_str))
            .maybe_weights(self.weightsname.clone())
            .maybe_missing_values(self.source.na.clone())
            .solver(self.projection.solver)
            .fixef_tol(self.projection.fixef_tol)
            .fixef_maxiter(self.projection.fixef_maxiter)
            .precision(on.precision)
            .build();
        Ok(config.fit_on(self.source.files(), one_device(&on)?)?)
    }
}
